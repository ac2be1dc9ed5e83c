// FileReload: a changed file is loaded once, elsewhere; a file that hangs holds up nothing else.
#include "async/file_reload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>

#include "async/gate.h"
#include "unit/async/virtual_run.h"

namespace podium::async {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

struct Files : testing::Test {
  ~Files() override {
    gate.cancel();
    settle(0s);
    fs::remove_all(directory);
  }
  fs::path make_directory() const {
    const auto made = fs::path(testing::TempDir()) / ("files-" + std::to_string(::getpid()));
    fs::create_directories(made);
    std::ofstream(made / "file") << "one";
    return made;
  }
  void write(const std::string& text) const {
    const auto next = directory / "next";
    std::ofstream(next) << text;
    fs::rename(next, file);
  }
  // Lets both threads do what is due.
  void settle(std::chrono::seconds span) {
    for (int i = 0; i < 4; ++i) {
      unit::run_for(io, time, i == 0 ? span : 0s);
      files.restart();
      files.poll();
    }
  }

  const fs::path directory = make_directory();
  const std::string file = directory / "file";
  VirtualTime time;
  boost::asio::io_context io, files;
  Gate gate;
  std::vector<std::string> taken;
  FileReload<Result<std::string>> reload{
      {file, ""},
      [this] { return read_file(file); },
      [this](Result<std::string> text) { taken.push_back(text ? *text : text.error().message); }};
};

TEST_F(Files, AreLoadedOnceForEachChange) {
  spawn(gate, io.get_executor(), "reload",
        FileReload<Result<std::string>>::run(&reload, files.get_executor()));
  settle(10s);
  EXPECT_THAT(taken, IsEmpty()) << "the file is as it was";
  write("two");
  settle(2s);
  settle(10s);
  EXPECT_THAT(taken, ElementsAre("two"));
  fs::remove(file);
  settle(2s);
  settle(10s);
  EXPECT_THAT(taken, ElementsAre("two", file + ": No such file or directory"));
  write("two");
  settle(2s);
  EXPECT_EQ(taken.back(), "two");
}

// The executor for files does nothing, as if stat() hung.
TEST_F(Files, ThatHangHoldUpNothingElse) {
  spawn(gate, io.get_executor(), "reload",
        FileReload<Result<std::string>>::run(&reload, files.get_executor()));
  write("two");
  unit::run_for(io, time, 10s);
  EXPECT_THAT(taken, IsEmpty()) << "the file was looked at on the caller's executor";
  write("three");
  settle(0s);
  EXPECT_THAT(taken, ElementsAre("three")) << "one look waits, however long it takes";
}

}  // namespace
}  // namespace podium::async
