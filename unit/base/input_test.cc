#include "base/input.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

TEST_F(ReadInput, TakesNoMoreThanItIsTold) {
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

}  // namespace
}  // namespace podium
