// ConfigReload: applies a changed file's switches, logs its errors once, and names settings
// that need a restart.
#include "app/run/config_reload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "scheduler/config/load.h"
#include "unit/controller/report/log_capture.h"

namespace podium::app::run {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

std::string file_of(std::string_view podium, std::string_view kube = "") {
  return fmt::format(
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n{}\n---\n"
      "apiVersion: config.podium.dev/v1alpha1\nkind: PodiumConfiguration\n{}\n",
      kube, podium);
}

config::Config loaded(const std::string& text) {
  auto config = config::load(text, "c.yaml");
  EXPECT_TRUE(config) << config.error().message;
  return std::move(*config);
}

TEST(ConfigReload, NamesWhatNeedsARestart) {
  struct Case {
    std::string before, after;
    std::vector<std::string> names;
  };
  const Case cases[] = {
      {file_of(""),
       file_of("reports: {enabled: false, ttl: 1h, sampling: 0.5}\nevents: {bestNodes: true}"),
       {}},
      {file_of(""), file_of("whatIf: {workers: 3, enabled: false}"), {"whatIf.enabled", "whatIf.workers"}},
      {file_of(""), file_of("adaptiveSearch: true"), {"adaptiveSearch"}},
      {file_of("", "parallelism: 4"),
       file_of("", "profiles: [{schedulerName: other}]"),
       {"parallelism", "profiles"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.after);
    EXPECT_EQ(needs_restart(loaded(c.before), loaded(c.after)), c.names);
  }
}

struct Reloading : testing::Test {
  Reloading() { write(file_of("")); }
  ~Reloading() override { fs::remove_all(directory); }
  void write(const std::string& text) const {
    const auto next = directory / "next";
    std::ofstream(next) << text;
    fs::rename(next, file);  // atomically, as a ConfigMap's file changes
  }

  const fs::path directory = fs::path(testing::TempDir()) / fmt::format("reload-{}", ::getpid());
  const bool made = fs::create_directories(directory);
  const fs::path file = directory / "config.yaml";
  unit::LogCapture log;
  const config::Config running = loaded(file_of(""));
  std::vector<config::Podium> applied;
  int loads = 0;
};

TEST_F(Reloading, AppliesWhatChanges) {
  ConfigReload reload(
      file, running,
      [this] {
        ++loads;
        return config::load_file(file);
      },
      [this](const config::Podium& podium) { applied.push_back(podium); });
  reload.look();
  EXPECT_EQ(loads, 0) << "the file is as it was at the start";
  write(file_of("reports: {onlyFailures: true, ttl: 2h}"));
  reload.look();
  reload.look();
  EXPECT_EQ(loads, 1);
  ASSERT_EQ(applied.size(), 1u);
  EXPECT_TRUE(applied[0].reports.only_failures);
  EXPECT_EQ(applied[0].reports.ttl, std::chrono::hours(2));
  EXPECT_EQ(log.count("configuration reloaded"), 1);

  write(file_of("reports: {onlyFailurs: true}"));
  reload.look();
  reload.look();
  EXPECT_EQ(applied.size(), 1u) << "a file with errors changes nothing";
  EXPECT_EQ(log.count("configuration not reloaded"), 1);

  write(file_of("reports: {onlyFailures: true, ttl: 2h}\nwhatIf: {workers: 2}"));
  reload.look();
  EXPECT_EQ(log.count("take effect at the next start settings=whatIf.workers"), 1);
  fs::remove(file);
  reload.look();
  EXPECT_EQ(log.count("configuration not reloaded"), 2);
  write(file_of(""));
  reload.look();
  EXPECT_FALSE(applied.back().reports.only_failures) << "back to the defaults";
}

TEST_F(Reloading, WhatIsNotARegularFileIsNotWaitedFor) {
  config::LoadOptions how;
  how.regular_files_only = true;
  ConfigReload reload(
      file, running, [&] { return config::load_file(file, how); },
      [this](const config::Podium& podium) { applied.push_back(podium); });
  fs::remove(file);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  reload.look();
  EXPECT_EQ(log.count("is not a regular file"), 1);
  write(file_of("reports: {onlyFailures: true}"));
  reload.look();
  EXPECT_EQ(applied.size(), 1u);
}

}  // namespace
}  // namespace podium::app::run
