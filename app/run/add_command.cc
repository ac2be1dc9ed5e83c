#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/run/flags.h"
#include "app/run/options.h"
#include "base/version.h"
#include "scheduler/config/duration.h"
#include "scheduler/config/policy.h"

namespace podium::app::run {
namespace {

namespace json = boost::json;

int refuse(const std::string& what) {
  std::cerr << what << '\n';
  return 2;
}

// CLI::Option::get_name() is empty for hidden options.
std::string name_of(const CLI::Option& option) { return "--" + option.get_lnames().front(); }

// The parsed command line before validation: values still as text, and options whose presence matters.
struct Given {
  Options options;
  std::string version, logging_format, token_ttl, allowed_ttl, denied_ttl;
  std::vector<std::string> emulated;
  bool leader_elect = true;
  std::string lease_duration, renew_deadline, retry_period, resource_lock, resource_name, resource_namespace;
  std::vector<std::pair<const Flag*, CLI::Option*>> others;  // ignored or refused
  std::vector<CLI::Option*> gone;                            // removed in kube-scheduler 1.23
  CLI::Option* leader_elect_flag = nullptr;
};

CLI::Option* add_list(CLI::App& command, const std::string& name, std::vector<std::string>& into,
                      const std::string& help) {
  return command.add_option(name, into, help)->delimiter(',')->allow_extra_args(false)->take_all();
}

void add_connection_flags(CLI::App& command, Options& options) {
  command.add_option("--config", options.config_file,
                     "KubeSchedulerConfiguration, and PodiumConfiguration as a second document");
  command.add_option("--write-config-to", options.write_config_to,
                     "writes the configuration with all defaults to this file and ends");
  command.add_option("--kubeconfig", options.kubeconfig,
                     "how to reach the API server (default: in-cluster, else ~/.kube/config)");
  command.add_option("--context", options.context, "the kubeconfig's context to use");
  command.add_option("--master", options.master, "address of the API server, in place of the kubeconfig's");
  command
      .add_option("--feature-gates", options.feature_gates,
                  "A=true,B=false: feature gates as kube-scheduler has them")
      ->type_name("GATES")
      ->allow_extra_args(false)
      ->take_all();
}

void add_serving_flags(CLI::App& command, Options& options) {
  command
      .add_option("--secure-port", options.listen.port, "port for health and metrics, over HTTPS; 0: none")
      ->capture_default_str();
  command.add_option("--bind-address", options.listen.address, "address for --secure-port")
      ->capture_default_str();
  command.add_flag("--permit-port-sharing", options.listen.share_port,
                   "several processes may listen on --secure-port");
  command.add_option("--tls-cert-file", options.tls.certificate_file,
                     "certificate for --secure-port (default: self-signed)");
  command.add_option("--tls-private-key-file", options.tls.key_file, "its key");
  command.add_option("--cert-dir", options.tls.directory, "where the self-signed certificate is kept");
  command.add_option("--tls-min-version", options.tls.min_version, "VersionTLS12 or VersionTLS13");
  add_list(command, "--tls-cipher-suites", options.tls.cipher_suites,
           "cipher suites of TLS 1.2, as Go names them");
}

void add_access_flags(CLI::App& command, Given& given) {
  auto& delegation = given.options.delegation;
  command.add_option("--authentication-kubeconfig", given.options.authentication_kubeconfig,
                     "API server that reviews tokens (default: --kubeconfig's)");
  command.add_option("--authorization-kubeconfig", given.options.authorization_kubeconfig,
                     "API server that reviews access (default: --kubeconfig's)");
  command.add_option("--client-ca-file", delegation.client_ca_file,
                     "CA of client certificates (default: looked up in the cluster)");
  command.add_flag("--authentication-skip-lookup", delegation.skip_lookup,
                   "do not look up the CA of client certificates in the cluster");
  command.add_flag("--authentication-tolerate-lookup-failure", delegation.tolerate_lookup_failure,
                   "go on where that look-up fails");
  command.add_option("--authentication-token-webhook-cache-ttl", given.token_ttl,
                     "how long a token's review holds (default: 10s)");
  command.add_option("--authorization-webhook-cache-authorized-ttl", given.allowed_ttl,
                     "how long an allowing review holds (default: 10s)");
  command.add_option("--authorization-webhook-cache-unauthorized-ttl", given.denied_ttl,
                     "how long a denying review holds (default: 10s)");
  add_list(command, "--authorization-always-allow-paths", delegation.always_allow_paths,
           "paths that need no authorization (default: /healthz,/readyz,/livez)");
}

void add_election_flags(CLI::App& command, Given& given) {
  given.leader_elect_flag =
      command.add_flag("--leader-elect", given.leader_elect, "overrides leaderElection.leaderElect");
  command.add_option("--leader-elect-lease-duration", given.lease_duration,
                     "overrides leaderElection.leaseDuration");
  command.add_option("--leader-elect-renew-deadline", given.renew_deadline,
                     "overrides leaderElection.renewDeadline");
  command.add_option("--leader-elect-retry-period", given.retry_period,
                     "overrides leaderElection.retryPeriod");
  command.add_option("--leader-elect-resource-lock", given.resource_lock,
                     "overrides leaderElection.resourceLock");
  command.add_option("--leader-elect-resource-name", given.resource_name,
                     "overrides leaderElection.resourceName");
  command.add_option("--leader-elect-resource-namespace", given.resource_namespace,
                     "overrides leaderElection.resourceNamespace");
}

// Adds ignored, refused and removed flags, hidden from --help; docs/flags.md lists them.
void add_other_flags(CLI::App& command, Given& given) {
  for (const auto& flag : flags()) {
    if (flag.support != Flag::Support::ignored && flag.support != Flag::Support::refused) continue;
    const auto name = fmt::format("--{}", flag.name);
    auto* option = flag.type == "bool" ? command.add_flag(name) : command.add_option(name);
    option->group("");
    if (flag.type != "bool") option->allow_extra_args(false)->take_all();
    given.others.emplace_back(&flag, option);
  }
  for (const auto* flag : {"--policy-config-file", "--policy-configmap", "--policy-configmap-namespace",
                           "--use-legacy-policy-config", "--algorithm-provider"}) {
    given.gone.push_back(command.add_option(flag)->group("")->expected(0, 1));
  }
}

Result<void> read_ttl(const char* flag, const std::string& text, std::chrono::milliseconds& into) {
  if (text.empty()) return {};
  const auto duration = config::parse_duration(text);
  if (!duration || duration->count() < 0)
    return invalid(fmt::format("{}: \"{}\" is not a valid duration", flag, text));
  into = std::chrono::ceil<std::chrono::milliseconds>(*duration);
  return {};
}

void override_text(json::object& section, const char* field, const std::string& value) {
  if (!value.empty()) section[field] = value;
}

json::object overrides_of(const Given& given) {
  json::object election, out;
  if (given.leader_elect_flag->count() > 0) election["leaderElect"] = given.leader_elect;
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
Result<void> check_refused(const Given& given) {
  for (const auto* flag : given.gone) {
    if (flag->count() > 0) return invalid(name_of(*flag) + ": " + config::policy_removed_message());
  }
  for (const auto& [flag, option] : given.others) {
    if (option->count() > 0 && flag->support == Flag::Support::refused)
      return invalid(fmt::format("{}: {}", name_of(*option), flag->note));
  }
  if (!given.logging_format.empty() && given.logging_format != "text")
    return invalid("--logging-format: " + given.logging_format + ": podium logs as text only");
  for (const auto& version : given.emulated) {
    if (!version.empty() && version != "1.36" && version != "kube=1.36")
      return invalid("--emulated-version: " + version + ": podium decides as version 1.36 only");
  }
  const auto& tls = given.options.tls;
  if (tls.certificate_file.empty() != tls.key_file.empty())
    return invalid("--tls-cert-file and --tls-private-key-file: one needs the other");
  return {};
}

Result<Options> finish(const Given& given) {
  if (auto checked = check_refused(given); !checked) return std::unexpected(checked.error());
  auto options = given.options;
  auto& delegation = options.delegation;
  for (const auto& read :
       {read_ttl("--authentication-token-webhook-cache-ttl", given.token_ttl, delegation.token_ttl),
        read_ttl("--authorization-webhook-cache-authorized-ttl", given.allowed_ttl, delegation.allowed_ttl),
        read_ttl("--authorization-webhook-cache-unauthorized-ttl", given.denied_ttl,
                 delegation.denied_ttl)}) {
    if (!read) return std::unexpected(read.error());
  }
  for (auto* list : {&delegation.always_allow_paths, &options.tls.cipher_suites})
    std::erase(*list, std::string());
  options.overrides = overrides_of(given);
  for (const auto& [flag, option] : given.others) {
    if (option->count() > 0)
      options.warnings.push_back(fmt::format("flag without effect: {}: {}", name_of(*option), flag->note));
  }
  return options;
}

}  // namespace

void add_command(CLI::App& app, const plugins::Registry& plugins, int& exit_code) {
  auto* command = app.add_subcommand(
      "run", "Runs the scheduler and the report controller; in a cluster no flag is needed");
  const auto given = std::make_shared<Given>();
  add_connection_flags(*command, given->options);
  add_serving_flags(*command, given->options);
  add_access_flags(*command, *given);
  add_election_flags(*command, *given);
  add_list(*command, "--emulated-version", given->emulated, "1.36")->group("");
  command->add_option("--logging-format", given->logging_format, "text");
  command->add_option("-v,--v", given->options.verbosity, "0 to 2 info, 3 and 4 debug, 5 and more trace")
      ->capture_default_str();
  auto* version = command->add_option("--version", given->version, "prints the version")->expected(0, 1);
  add_other_flags(*command, *given);
  command->callback([given, version, &plugins, &exit_code] {
    if (version->count() > 0) {
      std::cout << "podium " << kVersion << " (decides like kube-scheduler " << kKubernetesVersion << ")\n";
      return;
    }
    const auto options = finish(*given);
    exit_code = options ? run(*options, plugins) : refuse(options.error().message);
  });
}

}  // namespace podium::app::run
