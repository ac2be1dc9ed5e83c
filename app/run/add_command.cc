#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/run/flags.h"
#include "app/run/run_options.h"
#include "base/duration.h"
#include "base/version.h"
#include "scheduler/config/kube/policy.h"

namespace podium::app::run {
namespace {

namespace json = boost::json;

int refuse(const std::string& what) {
  std::cerr << what << '\n';
  return 2;
}

// The parsed command line, and which flags were given.
struct Parsed {
  Given given;
  FlagOptions flags;
  std::vector<CLI::Option*> gone;  // removed in kube-scheduler 1.23

  bool has(std::string_view name) const {
    return std::ranges::any_of(
        flags, [&](const auto& one) { return one.first->name == name && one.second->count() > 0; });
  }
};

void add_removed_flags(CLI::App& command, Parsed& parsed) {
  for (const auto* flag : {"--policy-config-file", "--policy-configmap", "--policy-configmap-namespace",
                           "--use-legacy-policy-config", "--algorithm-provider"}) {
    parsed.gone.push_back(command.add_option(flag)->group("")->expected(0, 1));
  }
}

Result<void> read_ttl(const char* flag, const std::string& text, std::chrono::milliseconds& into) {
  if (text.empty()) return {};
  const auto duration = parse_duration(text);
  if (!duration || duration->count() < 0)
    return invalid(fmt::format("{}: \"{}\" is not a valid duration", flag, text));
  into = std::chrono::ceil<std::chrono::milliseconds>(*duration);
  return {};
}

void override_text(json::object& section, const char* field, const std::string& value) {
  if (!value.empty()) section[field] = value;
}

json::object overrides_of(const Parsed& parsed) {
  const auto& given = parsed.given;
  json::object election, out;
  if (parsed.has("leader-elect")) election["leaderElect"] = given.leader_elect;
  override_text(election, "leaseDuration", given.lease_duration);
  override_text(election, "renewDeadline", given.renew_deadline);
  override_text(election, "retryPeriod", given.retry_period);
  override_text(election, "resourceLock", given.resource_lock);
  override_text(election, "resourceName", given.resource_name);
  override_text(election, "resourceNamespace", given.resource_namespace);
  if (!election.empty()) out["leaderElection"] = std::move(election);
  return out;
}

// Refuses the parts of kube-scheduler's command line that podium does not support.
Result<void> check_refused(const Parsed& parsed) {
  for (const auto* flag : parsed.gone) {
    if (flag->count() > 0)
      return invalid("--" + flag->get_lnames().front() + ": " + config::policy_removed_message());
  }
  for (const auto& [flag, option] : parsed.flags) {
    if (option->count() > 0 && flag->support == Flag::Support::refused)
      return invalid(fmt::format("--{}: {}", flag->name, flag->note));
  }
  const auto& given = parsed.given;
  const auto& format = given.logging_format;
  if (!format.empty() && format != "text" && format != "json")
    return invalid("--logging-format: " + format + ": must be text or json");
  for (const auto& version : given.emulated) {
    if (!version.empty() && version != "1.37" && version != "kube=1.37")
      return invalid("--emulated-version: " + version + ": podium decides as version 1.37 only");
  }
  const auto& tls = given.options.tls;
  if (tls.certificate_file.empty() != tls.key_file.empty())
    return invalid("--tls-cert-file and --tls-private-key-file: one needs the other");
  return {};
}

Result<RunOptions> finish(const Parsed& parsed) {
  if (auto checked = check_refused(parsed); !checked) return std::unexpected(checked.error());
  const auto& given = parsed.given;
  auto options = given.options;
  auto& delegation = options.delegation;
  for (const auto& read :
       {read_ttl("--authentication-token-webhook-cache-ttl", given.token_ttl, delegation.token_ttl),
        read_ttl("--authorization-webhook-cache-authorized-ttl", given.allowed_ttl, delegation.allowed_ttl),
        read_ttl("--authorization-webhook-cache-unauthorized-ttl", given.denied_ttl,
                 delegation.denied_ttl)}) {
    if (!read) return std::unexpected(read.error());
  }
  for (auto* list : {&delegation.always_allow_paths, &options.tls.cipher_suites, &options.feature_gates})
    std::erase(*list, std::string());
  options.overrides = overrides_of(parsed);
  options.json_logs = given.logging_format == "json";
  options.flag_values = flag_values(parsed.flags);
  for (const auto& [flag, option] : parsed.flags) {
    if (option->count() > 0 && flag->support == Flag::Support::ignored)
      options.warnings.push_back(fmt::format("flag without effect: --{}: {}", flag->name, flag->note));
  }
  return options;
}

}  // namespace

void add_command(CLI::App& app, const plugins::Registry& plugins, int& exit_code) {
  auto* command = app.add_subcommand(
      "run", "runs the scheduler and the report controller; in a cluster no flag is needed");
  const auto parsed = std::make_shared<Parsed>();
  parsed->flags = add_flags(*command, parsed->given);
  add_removed_flags(*command, *parsed);
  command->callback([parsed, &plugins, &exit_code] {
    if (parsed->has("version")) {
      std::cout << "podium " << kVersion << " (decides like kube-scheduler " << kKubernetesVersion << ")\n";
      return;
    }
    const auto options = finish(*parsed);
    exit_code = options ? run(*options, plugins) : refuse(options.error().message);
  });
}

}  // namespace podium::app::run
