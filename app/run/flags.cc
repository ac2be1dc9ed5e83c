#include "app/run/flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>

namespace podium::app::run {
namespace {

using enum Flag::Support;
using Delegation = server::DelegationOptions;

template <auto Member>
FlagTarget given(Given& all) {
  return &(all.*Member);
}
template <auto Member>
FlagTarget option(Given& all) {
  return &(all.options.*Member);
}
template <auto Member>
FlagTarget listen(Given& all) {
  return &(all.options.listen.*Member);
}
template <auto Member>
FlagTarget tls(Given& all) {
  return &(all.options.tls.*Member);
}
template <auto Member>
FlagTarget delegation(Given& all) {
  return &(all.options.delegation.*Member);
}

constexpr std::string_view kNoHttp2 = "podium serves HTTP/1.1 only";
constexpr std::string_view kNoFrontProxy =
    "podium does not trust the request headers of a front proxy; it authenticates by client certificate or "
    "token";
constexpr std::string_view kNoClientLimit =
    "podium has no client-side rate limit; its connection pools bound the requests in flight";
constexpr std::string_view kNoGo = "there is no Go runtime to profile";
constexpr std::string_view kAllMetrics = "all metrics are shown, with all labels";
constexpr std::string_view kLogFormat =
    "podium logs everything to standard error and has no buffer for info messages";

constexpr auto kFlags = std::to_array<Flag>({
    {"allow-metric-labels", "string", ignored, kAllMetrics, "[]"},
    {"allow-metric-labels-manifest", "string", ignored, kAllMetrics, ""},
    {"authentication-kubeconfig", "string", same,
     "API server that reviews tokens and holds the client CA; empty: the API server that podium uses "
     "(kube-scheduler outside of a cluster then reviews no tokens)",
     "", option<&RunOptions::authentication_kubeconfig>},
    {"authentication-skip-lookup", "bool", same, "skips the lookup of the client CA in the cluster", "false",
     delegation<&Delegation::skip_lookup>},
    {"authentication-token-webhook-cache-ttl", "duration", same,
     "how long the result of a TokenReview is cached", "10s", given<&Given::token_ttl>},
    {"authentication-tolerate-lookup-failure", "bool", same,
     "continues if the client CA cannot be looked up; true unless set to false", "true",
     delegation<&Delegation::tolerate_lookup_failure>},
    {"authorization-always-allow-paths", "list", same, "paths that need no authorization",
     "[/healthz,/readyz,/livez]", delegation<&Delegation::always_allow_paths>},
    {"authorization-kubeconfig", "string", same,
     "API server that reviews access; empty: the API server that podium uses (kube-scheduler outside of "
     "a cluster then allows only system:masters)",
     "", option<&RunOptions::authorization_kubeconfig>},
    {"authorization-webhook-cache-authorized-ttl", "duration", same,
     "how long an \"allowed\" result of a SubjectAccessReview is cached", "10s", given<&Given::allowed_ttl>},
    {"authorization-webhook-cache-unauthorized-ttl", "duration", same,
     "how long a \"denied\" result of a SubjectAccessReview is cached", "10s", given<&Given::denied_ttl>},
    {"bind-address", "address", same,
     "address to listen on; 0.0.0.0 and :: mean all addresses of both families", "0.0.0.0",
     listen<&server::ListenOptions::address>},
    {"cert-dir", "string", same,
     "directory of kube-scheduler.crt and .key; podium creates them if they do not exist", "",
     tls<&server::TlsOptions::directory>},
    {"client-ca-file", "string", same,
     "CA of client certificates, reloaded when it changes; empty: the one in the ConfigMap "
     "kube-system/extension-apiserver-authentication, looked up every minute",
     "", delegation<&Delegation::client_ca_file>},
    {"config", "string", same, "KubeSchedulerConfiguration, and PodiumConfiguration as a second document", "",
     option<&RunOptions::config_file>},
    {"contention-profiling", "bool", ignored, kNoGo, "true"},
    {"context", "string", own, "context of the kubeconfig to use", "", option<&RunOptions::context>},
    {"decision-log", "string", own,
     "writes each decision as a line of JSON to this file, or to standard output: -", "",
     option<&RunOptions::decision_log>},
    {"disable-http2-serving", "bool", ignored, kNoHttp2, "false"},
    {"disabled-metrics", "list", ignored, kAllMetrics, "[]"},
    {"emulated-version", "list", same, "only 1.37 is accepted: podium emulates no other version", "[]",
     given<&Given::emulated>},
    {"feature-gates", "list", same,
     "feature gates of the kube-scheduler release that `podium version` prints, as Name=true,Name=false", "",
     option<&RunOptions::feature_gates>},
    {"help", "bool", same, "prints podium's help and exits", "false"},
    {"http2-max-streams-per-connection", "int", ignored, kNoHttp2, "0"},
    {"kube-api-burst", "int", ignored, kNoClientLimit, "100"},
    {"kube-api-content-type", "string", ignored, "podium always uses JSON",
     "application/vnd.kubernetes.protobuf"},
    {"kube-api-qps", "float", ignored, kNoClientLimit, "50"},
    {"kubeconfig", "string", same,
     "how to reach the API server; unlike in kube-scheduler, it also applies with --config. Empty: the "
     "configuration's, else $KUBECONFIG, else in-cluster, else ~/.kube/config",
     "", option<&RunOptions::kubeconfig>},
    {"leader-elect", "bool", same, "overrides leaderElection.leaderElect of the configuration", "true",
     given<&Given::leader_elect>},
    {"leader-elect-lease-duration", "duration", same, "overrides leaderElection.leaseDuration", "15s",
     given<&Given::lease_duration>},
    {"leader-elect-renew-deadline", "duration", same, "overrides leaderElection.renewDeadline", "10s",
     given<&Given::renew_deadline>},
    {"leader-elect-resource-lock", "string", same, "overrides leaderElection.resourceLock", "leases",
     given<&Given::resource_lock>},
    {"leader-elect-resource-name", "string", same, "overrides leaderElection.resourceName", "kube-scheduler",
     given<&Given::resource_name>},
    {"leader-elect-resource-namespace", "string", same, "overrides leaderElection.resourceNamespace",
     "kube-system", given<&Given::resource_namespace>},
    {"leader-elect-retry-period", "duration", same, "overrides leaderElection.retryPeriod", "2s",
     given<&Given::retry_period>},
    {"log-flush-frequency", "duration", ignored, "podium flushes logs every second", "5s"},
    {"log-json-info-buffer-size", "quantity", ignored, kLogFormat, "0"},
    {"log-json-split-stream", "bool", ignored, kLogFormat, "false"},
    {"log-text-info-buffer-size", "quantity", ignored, kLogFormat, "0"},
    {"log-text-split-stream", "bool", ignored, kLogFormat, "false"},
    {"logging-format", "string", same, "text, or json with one object per line", "text",
     given<&Given::logging_format>},
    {"master", "string", same, "address of the API server; overrides the kubeconfig's", "",
     option<&RunOptions::master>},
    {"min-compatibility-version", "list", ignored, "podium does not keep state of earlier versions", "[]"},
    {"permit-address-sharing", "bool", ignored, "the address is always shared (SO_REUSEADDR)", "false"},
    {"permit-port-sharing", "bool", same, "lets several processes listen on the port (SO_REUSEPORT)", "false",
     listen<&server::ListenOptions::share_port>},
    {"pod-max-in-unschedulable-pods-duration", "duration", ignored,
     "the duration is always five minutes, kube-scheduler's default", "5m0s"},
    {"profiling", "bool", ignored, kNoGo, "true"},
    {"requestheader-allowed-names", "list", ignored, kNoFrontProxy, "[]"},
    {"requestheader-client-ca-file", "string", ignored, kNoFrontProxy, ""},
    {"requestheader-extra-headers-prefix", "list", ignored, kNoFrontProxy, "[x-remote-extra-]"},
    {"requestheader-group-headers", "list", ignored, kNoFrontProxy, "[x-remote-group]"},
    {"requestheader-uid-headers", "list", ignored, kNoFrontProxy, "[]"},
    {"requestheader-username-headers", "list", ignored, kNoFrontProxy, "[x-remote-user]"},
    {"secure-port", "int", same,
     "port for health, metrics and reports, over HTTPS; 0: podium does not serve them", "10259",
     listen<&server::ListenOptions::port>},
    {"show-hidden-metrics-for-version", "string", ignored, kAllMetrics, ""},
    {"tls-cert-file", "string", same, "certificate for --secure-port, reloaded when it changes", "",
     tls<&server::TlsOptions::certificate_file>},
    {"tls-cipher-suites", "list", same, "cipher suites of TLS 1.2, as Go names them", "[]",
     tls<&server::TlsOptions::cipher_suites>},
    {"tls-curve-preferences", "list", ignored, "podium uses OpenSSL's own preferences", "[]"},
    {"tls-min-version", "string", same, "VersionTLS12 or VersionTLS13; podium refuses older versions", "",
     tls<&server::TlsOptions::min_version>},
    {"tls-private-key-file", "string", same, "private key of --tls-cert-file", "",
     tls<&server::TlsOptions::key_file>},
    {"tls-sni-cert-key", "string", refused, "podium serves one certificate: use --tls-cert-file", "[]"},
    {"v", "int", same, "0 to 2: info; 3 and 4: debug; 5 and more: trace", "0",
     option<&RunOptions::verbosity>},
    {"version", "bool", same, "prints the version and exits", "false", given<&Given::version>},
    {"vmodule", "string", ignored, "use --v", ""},
    {"write-config-to", "string", same, "writes the configuration with all defaults to this file and exits",
     "", option<&RunOptions::write_config_to>},
});

std::string dashed(const Flag& flag) {
  return fmt::format("{}{}", flag.name.size() == 1 ? "-v,--" : "--", flag.name);
}

// Like pflag: the last value of a repeated flag applies. A repeated list is extended.
CLI::Option* last_holds(CLI::Option* option) {
  return option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::Option* add_target(CLI::App& command, const Flag& flag, const FlagTarget& target) {
  const auto name = dashed(flag);
  const std::string help(flag.note);
  if (auto* const* flagged = std::get_if<bool*>(&target))
    return last_holds(command.add_flag(name, **flagged, help));
  if (auto* const* list = std::get_if<std::vector<std::string>*>(&target))
    return command.add_option(name, **list, help)->delimiter(',')->allow_extra_args(false)->take_all();
  if (auto* const* number = std::get_if<int*>(&target))
    return last_holds(command.add_option(name, **number, help));
  if (auto* const* port = std::get_if<std::uint16_t*>(&target))
    return last_holds(command.add_option(name, **port, help));
  auto* text = std::get<std::string*>(target);
  return last_holds(command.add_option(name, *text, help));
}

CLI::Option* add_without_effect(CLI::App& command, const Flag& flag) {
  if (flag.type == "bool") return last_holds(command.add_flag(dashed(flag)))->group("");
  return command.add_option(dashed(flag))->allow_extra_args(false)->take_all()->group("");
}

}  // namespace

std::span<const Flag> flags() { return kFlags; }

FlagOptions add_flags(CLI::App& command, Given& given) {
  FlagOptions out;
  for (const auto& flag : kFlags) {
    if (flag.name == "help") continue;  // CLI11 has it
    auto* option =
        flag.target ? add_target(command, flag, flag.target(given)) : add_without_effect(command, flag);
    if (flag.name == "version") option->expected(0, 1);
    if (!flag.initial.empty() && flag.type != "bool") option->default_str(std::string(flag.initial));
    out.emplace(&flag, option);
  }
  return out;
}

std::map<std::string, std::string> flag_values(const FlagOptions& options) {
  std::map<std::string, std::string> out;
  for (const auto& flag : kFlags) {
    const auto it = options.find(&flag);
    std::string value(flag.initial);
    if (it != options.end() && it->second->count() > 0) {
      const auto& given = it->second->results();
      const bool is_list = flag.type == "list";
      value = is_list ? fmt::format("[{}]", fmt::join(given, ",")) : given.empty() ? "" : given.back();
      if (flag.type == "bool" && value.empty()) value = "true";
    }
    out.emplace(flag.name, std::move(value));
  }
  return out;
}

}  // namespace podium::app::run
