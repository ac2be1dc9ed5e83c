#include "app/config/config_command.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace podium::app {
namespace {

// Writes a file with this text in the test's directory.
std::string write(const std::string& name, const std::string& text) {
  const auto path = testing::TempDir() + "/podium_config_command_" + name;
  std::ofstream(path) << text;
  return path;
}

struct Output {
  int code;
  std::string out, err;
  bool operator==(const Output&) const = default;
};

Output run(int (*command)(const ConfigOptions&, std::ostream&, std::ostream&), const std::string& file,
           const std::vector<std::string>& feature_gates = {}) {
  std::ostringstream out, err;
  const auto code = command({file, feature_gates}, out, err);
  return {code, out.str(), err.str()};
}

constexpr auto kHead = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

TEST(ConfigCommand, ValidateSaysWhetherAFileIsValid) {
  const auto good = write("good.yaml", kHead);
  EXPECT_EQ(run(config_validate, good), (Output{0, good + ": valid\n", ""}));

  const auto doubtful = write(
      "doubtful.yaml", std::string(kHead) + "profiles:\n- pluginConfig:\n  - name: NodeName\n    args: {}\n");
  EXPECT_EQ(
      run(config_validate, doubtful),
      (Output{
          0, doubtful + ": valid\n",
          "warning: " + doubtful +
              ":5: profiles[0].pluginConfig[0]: plugin \"NodeName\" takes no args: they have no effect\n"}));

  const auto bad = write("bad.yaml", std::string(kHead) + "parallelism: 0\nfoo: 1\n");
  EXPECT_EQ(
      run(config_validate, bad),
      (Output{2, "",
              bad + ":3: parallelism: Invalid value: 0: should be an integer value greater than zero\n" +
                  bad + ":4: foo: unknown field\n"}));
  EXPECT_EQ(run(config_validate, "no/such/file"),
            (Output{2, "", "no/such/file: No such file or directory\n"}));
}

TEST(ConfigCommand, WhatViewPrintsCanBeViewedAgain) {
  const auto first = run(config_view, write("first.yaml", kHead));
  EXPECT_EQ(first.code, 0);
  EXPECT_TRUE(first.out.starts_with("apiVersion: kubescheduler.config.k8s.io/v1\nclientConnection:\n"))
      << first.out;
  EXPECT_NE(first.out.find("---\nadaptiveSearch: false\napiVersion: config.podium.dev/v1alpha1\n"),
            std::string::npos)
      << first.out;
  EXPECT_EQ(run(config_view, write("second.yaml", first.out)), first);
  EXPECT_EQ(run(config_view, write("bad.yaml", "kind: Policy\napiVersion: v1\n")).code, 2);
}

TEST(ConfigCommand, FeatureGatesAreCheckedAndTakeEffect) {
  const auto file = write("gates.yaml", kHead);
  EXPECT_EQ(run(config_validate, file, {"Nonsense=true"}),
            (Output{2, "", "--feature-gates: unrecognized feature gate: Nonsense\n"}));
  const auto usual = run(config_view, file);
  EXPECT_NE(usual.out.find("utilization: 100"), std::string::npos) << usual.out;
  const auto without = run(
      config_view, file, {"StorageCapacityScoring=false,PodLevelResources=true", "VolumeLimitScaling=false"});
  EXPECT_EQ(without.code, 0) << without.err;
  EXPECT_EQ(without.out.find("utilization: 100"), std::string::npos) << "of VolumeBindingArgs";
  EXPECT_EQ(
      run(config_validate, file, {"NodeDeclaredFeatures=false"}),
      (Output{2, "",
              "--feature-gates: cannot set feature gate NodeDeclaredFeatures to false, feature is locked "
              "to true\n"}));
}

}  // namespace
}  // namespace podium::app
