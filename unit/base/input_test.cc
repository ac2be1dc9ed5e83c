#include "base/input.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace podium {
namespace {

namespace fs = std::filesystem;

class ReadInput : public testing::Test {
 protected:
  ReadInput() : directory_(fs::temp_directory_path() / ("read-input-" + std::to_string(::getpid()))) {
    fs::create_directory(directory_);
  }
  ~ReadInput() override { fs::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ / name; }

 private:
  fs::path directory_;
};

TEST_F(ReadInput, TakesTheWholeFile) {
  for (const std::size_t size : {0, 1, 65'535, 65'536, 65'537, 200'000}) {
    std::string text(size, 'x');
    if (size > 0) text.back() = '\0';
    std::ofstream(path("text"), std::ios::binary) << text;
    EXPECT_EQ(read_input(path("text")), text) << size;
  }
}

TEST_F(ReadInput, TakesNoMoreThanItsLimit) {
  std::ofstream(path("text")) << std::string(100'000, 'x');
  for (const std::size_t most : {0, 1, 65'536, 65'537, 99'999})
    EXPECT_EQ(read_input(path("text"), most).value().size(), most);
  EXPECT_EQ(read_input(path("text"), 100'001).value().size(), 100'000u);
}

TEST_F(ReadInput, SaysWhyItCannot) {
  const auto absent = read_input(path("absent"));
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, Error::Kind::invalid);
  EXPECT_EQ(absent.error().message, path("absent") + ": No such file or directory");
  const auto folder = read_input(path(""));
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, path("") + ": Is a directory");
}

TEST_F(ReadInput, AProcessReadsRegularFilesOnlyAndDoesNotWait) {
  std::ofstream(path("text")) << "text";
  std::ofstream(path("large")) << std::string(200'000, 'x');
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  ASSERT_EQ(::symlink(path("text").c_str(), path("link").c_str()), 0);
  EXPECT_EQ(read_file(path("text")), "text");
  EXPECT_EQ(read_file(path("link")), "text");
  struct Case {
    std::string file, why;
  };
  const Case cases[] = {{path("fifo"), "is not a regular file"},
                        {"/dev/zero", "is not a regular file"},
                        {path(""), "Is a directory"},
                        {path("absent"), "No such file or directory"},
                        {path("large"), "larger than 100000 bytes"}};
  for (const auto& c : cases) {
    const auto read = read_file(c.file, 100'000);
    ASSERT_FALSE(read) << c.file;
    EXPECT_EQ(read.error().message, c.file + ": " + c.why);
  }
}

TEST_F(ReadInput, ACommandWaitsForTheWriterOfAPipe) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  std::thread writer([this] { std::ofstream(path("fifo")) << "text"; });
  EXPECT_EQ(read_input(path("fifo")), "text");
  writer.join();
}

}  // namespace
}  // namespace podium
