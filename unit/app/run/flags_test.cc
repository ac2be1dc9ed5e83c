// The command line of `podium run`: the table of flags, the command and docs/flags.md agree, and the
// command lines of common installers work.
#include "app/run/flags.h"
#include "base/input.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "app/run/command_line.h"
#include "app/run/run_options.h"
#include "base/version.h"
#include "scheduler/plugins/registry.h"
#include "unit/support/temp_dir.h"

namespace podium::app::run {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Outcome {
  int exit_code = 0;
  std::string errors;
};

// Runs `podium run` with these flags; each case ends before anything starts.
Outcome run_with(std::vector<const char*> flags) {
  CLI::App app;
  const plugins::Registry plugins;
  Outcome out;
  add_command(app, plugins, out.exit_code);
  flags.insert(flags.begin(), "run");
  auto arguments = normalized(flags);
  std::ranges::reverse(arguments);
  testing::internal::CaptureStderr();
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    out = {2, error.what()};
  }
  out.errors += testing::internal::GetCapturedStderr();
  return out;
}

std::string_view name_of(Flag::Support support) {
  switch (support) {
    case Flag::Support::same:
      return "yes";
    case Flag::Support::own:
      return "podium's own";
    case Flag::Support::ignored:
      return "no effect";
    case Flag::Support::refused:
      return "refused";
  }
  return "";
}

// docs/flags.md.
std::string flags_document() {
  auto out = fmt::format(
      "# Flags of podium run\n\n"
      "This page lists every flag of kube-scheduler {} and its effect in podium. podium starts with the "
      "command line that kubeadm or kind writes.\n"
      "It accepts a flag without effect and logs a warning. This page is generated from the table in "
      "`app/run/flags.cc`; a test compares them.\n\n"
      "As in kube-scheduler, the flags of the leader election override the file of `--config`, and an "
      "empty flag (`--config=`) counts as not given.\n\n"
      "`/flagz` shows all values.\n\n"
      "| Flag | Type | Default | Supported | |\n|---|---|---|---|---|\n",
      kKubernetesVersion);
  for (const auto& flag : flags()) {
    const auto dashes = flag.name.size() == 1 ? "-" : "--";
    const auto initial = flag.initial.empty() ? "" : fmt::format("`{}`", flag.initial);
    out += fmt::format("| `{}{}` | {} | {} | {} | {} |\n", dashes, flag.name, flag.type, initial,
                       name_of(flag.support), flag.note);
  }
  return out;
}

TEST(Flags, TheTableIsSortedAndTheDocumentIsMadeOfIt) {
  EXPECT_TRUE(std::ranges::is_sorted(flags(), {}, &Flag::name));
  if (std::getenv("PODIUM_WRITE_DOCS")) std::ofstream("docs/flags.md") << flags_document();
  const auto document = read_file("docs/flags.md");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(*document, flags_document()) << "PODIUM_WRITE_DOCS=1 writes it";
}

TEST(Flags, TheCommandHasTheTablesFlagsAndNoOther) {
  CLI::App app;
  const plugins::Registry plugins;
  int exit_code = 0;
  add_command(app, plugins, exit_code);
  std::set<std::string> taken, listed;
  for (const auto* option : app.get_subcommand("run")->get_options()) {
    const auto& name = option->get_lnames().front();
    const bool gone =
        name.starts_with("policy") || name == "use-legacy-policy-config" || name == "algorithm-provider";
    if (!gone) taken.insert(name);
  }
  for (const auto& flag : flags()) listed.insert(std::string(flag.name));
  EXPECT_EQ(taken, listed);
}

// The text of /flagz for these flags.
std::map<std::string, std::string> values_of(std::vector<const char*> flags) {
  CLI::App app;
  auto* command = app.add_subcommand("run");
  Given given;
  const auto options = add_flags(*command, given);
  flags.insert(flags.begin(), "run");
  auto arguments = normalized(flags);
  std::ranges::reverse(arguments);
  app.parse(arguments);
  return flag_values(options);
}

// As pflag.
TEST(Flags, OfAFlagGivenAgainTheLastHoldsAndAListIsAddedTo) {
  const auto given =
      values_of({"-v=2", "--v=3", "--leader-elect=true", "--leader-elect=false", "--secure-port=1",
                 "--secure-port=0", "--tls-cipher-suites=a", "--tls-cipher-suites=b,c", "--config=a",
                 "--config=b", "--profiling", "--profiling=false", "--kube-api-qps=7", "--kube-api-qps=8",
                 "--feature-gates=A=true", "--feature-gates=B=false"});
  EXPECT_EQ(given.at("v"), "3");
  EXPECT_EQ(given.at("leader-elect"), "false");
  EXPECT_EQ(given.at("secure-port"), "0");
  EXPECT_EQ(given.at("tls-cipher-suites"), "[a,b,c]");
  EXPECT_EQ(given.at("config"), "b");
  EXPECT_EQ(given.at("profiling"), "false");
  EXPECT_EQ(given.at("kube-api-qps"), "8");
  EXPECT_EQ(given.at("feature-gates"), "[A=true,B=false]");
}

TEST(Flags, ValuesAreTheGivenOnesOrTheDefaults) {
  const auto defaults = values_of({});
  EXPECT_EQ(defaults.size(), flags().size());
  for (const auto& flag : flags()) EXPECT_EQ(defaults.at(std::string(flag.name)), flag.initial) << flag.name;
  const auto given =
      values_of({"-v=2", "--config=", "--leader-elect", "--secure-port=0", "--profiling=false",
                 "--tls-cipher-suites=a,b", "--feature-gates=A=true,B=false", "--kube-api-qps=7"});
  EXPECT_EQ(given.at("v"), "2");
  EXPECT_EQ(given.at("config"), "");
  EXPECT_EQ(given.at("leader-elect"), "true");
  EXPECT_EQ(given.at("secure-port"), "0");
  EXPECT_EQ(given.at("profiling"), "false");
  EXPECT_EQ(given.at("tls-cipher-suites"), "[a,b]");
  EXPECT_EQ(given.at("feature-gates"), "[A=true,B=false]");
  EXPECT_EQ(given.at("kube-api-qps"), "7");
}

// The table's defaults are those of the program.
TEST(Flags, TheDefaultsAreTheOptions) {
  const RunOptions options;
  const auto defaults = values_of({});
  EXPECT_EQ(defaults.at("secure-port"), std::to_string(options.listen.port));
  EXPECT_EQ(defaults.at("bind-address"), options.listen.address);
  EXPECT_EQ(defaults.at("v"), std::to_string(options.verbosity));
  EXPECT_EQ(defaults.at("permit-port-sharing"), options.listen.share_port ? "true" : "false");
  EXPECT_EQ(defaults.at("authentication-tolerate-lookup-failure"),
            options.delegation.tolerate_lookup_failure ? "true" : "false");
  for (const auto& flag : flags()) {
    const bool is_file = flag.name.find("file") != flag.name.npos;
    if (is_file && flag.support == Flag::Support::same) {
      EXPECT_EQ(flag.initial, "") << flag.name;
    }
  }
}

// Each case ends with the missing kubeconfig, which is read after the flags and the configuration.
TEST(Flags, AcceptsWhatOthersWrite) {
  const std::vector<const char*> cases[] = {
      // kubeadm
      {"--authentication-kubeconfig=/none", "--authorization-kubeconfig=/none", "--bind-address=127.0.0.1",
       "--leader-elect=true"},
      {"-v=2"},
      {"--leader-elect"},
      {"--leader-elect=false"},
      {"--config=", "--feature-gates="},
      {"--leader-elect-lease-duration=30s", "--leader-elect-renew-deadline=20s",
       "--leader-elect-retry-period=5s", "--leader-elect-resource-lock=leases",
       "--leader-elect-resource-name=x", "--leader-elect-resource-namespace=y"},
      {"--profiling=false", "--contention-profiling", "--logging-format=text", "--kube-api-qps=10"},
      {"--logging-format=json"},
      {"--authorization-always-allow-paths=/healthz,/metrics", "--authentication-skip-lookup",
       "--authentication-tolerate-lookup-failure=false", "--authorization-webhook-cache-authorized-ttl=1m"},
      {"--tls-min-version=VersionTLS13", "--tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384"},
      {"--emulated-version=1.37", "--secure-port=0", "--permit-port-sharing"},
  };
  for (auto flags : cases) {
    flags.push_back("--kubeconfig=/no/such/kubeconfig");
    const auto outcome = run_with(flags);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("/no/such/kubeconfig")) << flags.front();
  }
}

TEST(Flags, RefusesWithAReason) {
  struct Case {
    std::vector<const char*> flags;
    const char* starts;
  };
  const Case cases[] = {
      {{"--logging-format=xml"}, "--logging-format: xml: "},
      {{"--emulated-version=kube=1.35"}, "--emulated-version: kube=1.35: "},
      {{"--tls-sni-cert-key=a,b"}, "--tls-sni-cert-key: podium serves one certificate"},
      {{"--tls-cert-file=a"}, "--tls-cert-file and --tls-private-key-file: "},
      {{"--authorization-webhook-cache-authorized-ttl=soon"},
       "--authorization-webhook-cache-authorized-ttl: \"soon\" "},
      {{"--leader-elect-lease-duration=soon"}, "default configuration: leaderElection.leaseDuration: "},
      {{"--leader-elect-lease-duration=1s"}, "default configuration: leaderElection."},
      {{"--policy-config-file=x"}, "--policy-config-file: scheduler policies were removed"},
  };
  for (const auto& c : cases) {
    const auto outcome = run_with(c.flags);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, StartsWith(c.starts));
  }
}

TEST(Flags, WriteConfigToWritesWhatTheFlagsComeTo) {
  const unit::TempDir files;
  const auto file = files.write("in.yaml", R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: true, resourceName: of-the-file, resourceNamespace: of-the-file}
)");
  const auto config = "--config=" + file, out = "--write-config-to=" + files.path("out.yaml");
  const auto outcome = run_with(
      {config.c_str(), out.c_str(), "--leader-elect=false", "--leader-elect-resource-name=of-the-flag"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  const auto written = *read_file(files.path("out.yaml"));
  EXPECT_THAT(written, HasSubstr("leaderElect: false"));
  EXPECT_THAT(written, HasSubstr("resourceName: of-the-flag"));
  EXPECT_THAT(written, HasSubstr("resourceNamespace: of-the-file"));
}

}  // namespace
}  // namespace podium::app::run
