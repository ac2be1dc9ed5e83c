// The log of decisions: whole lines, in order; a reader that is too slow costs lines and nothing else.
#include "app/run/decision_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/input.h"
#include "base/time.h"
#include "unit/support/temp_dir.h"

namespace podium::app::run {
namespace {

namespace json = boost::json;

controller::RememberedDecision decision(int number) {
  controller::RememberedDecision out{
      .ns = "shop", .pod = fmt::format("web-{}", number), .uid = "u", .status = {}};
  out.status.outcome = explain::kScheduled;
  out.status.decided_at = parse_time("2026-11-27T10:00:00Z");
  out.status.choice.emplace().node = "n1";
  out.status.strategies.push_back({.name = "NodeResourcesFit"});
  out.status.strategies.back().without.emplace().node = "n2";
  return out;
}

std::vector<json::object> lines_of(const std::string& path) {
  std::istringstream text(read_file(path).value());
  std::vector<json::object> out;
  for (std::string line; std::getline(text, line);) out.push_back(json::parse(line).as_object());
  return out;
}

struct Ends {
  std::atomic<int> written{0}, dropped{0};
  auto counter() {
    return [this](bool was_written) { ++(was_written ? written : dropped); };
  }
};

TEST(DecisionLog, ALineForEachInTheirOrder) {
  const unit::TempDir dir;
  const auto path = dir.path("log");
  Ends ends;
  for (const int first : {0, 100}) {  // the second process appends
    auto log = DecisionLog::open({.path = path}).value();
    log->on_end(ends.counter());
    for (int i = first; i < first + 100; ++i) log->add(decision(i));
  }
  const auto lines = lines_of(path);
  ASSERT_EQ(lines.size(), 200u);
  for (std::size_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(lines[i].at("name").as_string(), fmt::format("web-{}", i));
  EXPECT_EQ(ends.written, 200);
  EXPECT_EQ(ends.dropped, 0);
  EXPECT_EQ(lines[0].at("namespace"), "shop");
  EXPECT_EQ(lines[0].at("outcome"), "Scheduled");
  EXPECT_EQ(lines[0].at("node"), "n1");
  EXPECT_EQ(lines[0].at("decidedAt"), "2026-11-27T10:00:00Z");
  EXPECT_EQ(lines[0].at("decidedBy"), json::parse(R"(["NodeResourcesFit"])"));
}

TEST(DecisionLog, AFileThatIsFullIsKeptOnce) {
  const unit::TempDir dir;
  const auto path = dir.path("log");
  {
    auto log = DecisionLog::open({.path = path, .file_bytes = 4096}).value();
    for (int i = 0; i < 200; ++i) log->add(decision(i));
  }
  EXPECT_LE(std::filesystem::file_size(path), 4096u);
  EXPECT_LE(std::filesystem::file_size(path + ".1"), 4096u);
  EXPECT_EQ(lines_of(path).back().at("name"), "web-199");
  EXPECT_FALSE(std::filesystem::exists(path + ".2"));
}

// Nobody reads: add() returns, and each decision is written or counted as dropped.
TEST(DecisionLog, AReaderThatDoesNotRead) {
  const unit::TempDir dir;
  const auto path = dir.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  constexpr int kAll = 3 * static_cast<int>(DecisionLog::kQueued);
  Ends ends;
  {
    auto log = DecisionLog::open({.path = path}).value();
    log->on_end(ends.counter());
    for (int i = 0; i < kAll; ++i) log->add(decision(i));
    EXPECT_GT(ends.dropped, 0);
  }
  EXPECT_EQ(ends.written + ends.dropped, kAll) << "the end waits for a moment only, and counts the rest";
  ::close(reader);
}

// The log's thread may hold its mutex when the test forks.
TEST(DecisionLogDeathTest, IsWatchedFromItsFirstLineOn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const unit::TempDir dir;
  auto log = DecisionLog::open({.path = dir.path("log")}).value();
  log->add(decision(1));
  EXPECT_DEATH(log->on_end({}), "check failed at .*has_added_.*log");
}

TEST(DecisionLog, NamesOfNodesAreWithheld) {
  const unit::TempDir dir;
  const auto path = dir.path("log");
  {
    auto log = DecisionLog::open({.path = path, .withholds_node_names = true}).value();
    auto waits = decision(0);
    waits.status.outcome = explain::kUnschedulable;
    waits.status.choice.reset();
    waits.status.preemption = explain::Preempted{.node = "secret-7", .victims = {}, .total = 2};
    log->add(std::move(waits));
  }
  EXPECT_EQ(read_file(path).value().find("secret-7"), std::string::npos) << read_file(path).value();
  EXPECT_EQ(lines_of(path).at(0).at("evicts"), 2);
}

// A pipeline that keeps the lines knows why a pod was evicted.
TEST(DecisionLog, TheAttemptThatPreemptsNamesTheVictims) {
  const unit::TempDir dir;
  const auto path = dir.path("log");
  {
    auto log = DecisionLog::open({.path = path}).value();
    auto waits = decision(0);
    waits.status.outcome = explain::kUnschedulable;
    waits.status.choice.reset();
    waits.status.preemption = explain::Preempted{
        .node = "n1", .victims = {{"shop", "low"}}, .total = 1, .decided_at = waits.status.decided_at};
    log->add(waits);
    waits.status.decided_at = *waits.status.decided_at + std::chrono::seconds(1);
    log->add(std::move(waits));
  }
  const auto lines = lines_of(path);
  EXPECT_EQ(lines.at(0).at("victims"), boost::json::parse(R"(["shop/low"])"));
  EXPECT_EQ(lines.at(1).at("evicts"), 1);
  EXPECT_FALSE(lines.at(1).contains("victims")) << "it repeats the preemption";
}

TEST(DecisionLog, AFileThatCannotBeWritten) {
  const auto log = DecisionLog::open({.path = "/nonesuch/log"});
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().message, "--decision-log: /nonesuch/log: No such file or directory");
}

}  // namespace
}  // namespace podium::app::run
