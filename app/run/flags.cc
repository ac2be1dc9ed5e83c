#include "app/run/flags.h"

#include <fmt/format.h>

#include <array>

#include "base/version.h"

namespace podium::app::run {
namespace {

using enum Flag::Support;

constexpr std::string_view kNoHttp2 = "podium serves HTTP/1.1 only";
constexpr std::string_view kNoFrontProxy =
    "podium does not take users from the headers of a front proxy: such a request counts as its own client "
    "certificate or token says";
constexpr std::string_view kNoClientLimit =
    "podium has no client-side rate limit; its connection pools bound what is under way";
constexpr std::string_view kNoGo = "there is no Go runtime to profile";
constexpr std::string_view kAllMetrics = "all metrics are shown, with all labels";
constexpr std::string_view kLogFormat = "logs are text on standard error";

constexpr auto kFlags = std::to_array<Flag>({
    {"allow-metric-labels", "string", ignored, kAllMetrics},
    {"allow-metric-labels-manifest", "string", ignored, kAllMetrics},
    {"authentication-kubeconfig", "string", same,
     "API server that reviews tokens and holds the client CA; empty: podium's own, where kube-scheduler "
     "outside "
     "of a cluster reviews no token"},
    {"authentication-skip-lookup", "bool", same, "does not look up the client CA in the cluster"},
    {"authentication-token-webhook-cache-ttl", "duration", same, "how long a token's review holds"},
    {"authentication-tolerate-lookup-failure", "bool", same,
     "goes on where the client CA cannot be looked up; true unless set to false"},
    {"authorization-always-allow-paths", "list", same, "paths that need no authorization"},
    {"authorization-kubeconfig", "string", same,
     "API server that reviews access; empty: podium's own, where kube-scheduler outside of a cluster lets "
     "nobody but system:masters"},
    {"authorization-webhook-cache-authorized-ttl", "duration", same, "how long an allowing review holds"},
    {"authorization-webhook-cache-unauthorized-ttl", "duration", same, "how long a denying review holds"},
    {"bind-address", "address", same, "where to listen; 0.0.0.0 and :: are all addresses of both families"},
    {"cert-dir", "string", same,
     "where kube-scheduler.crt and .key are read, or written where there are none"},
    {"client-ca-file", "string", same,
     "CA of client certificates, reloaded when it changes; empty: the one in the ConfigMap "
     "kube-system/extension-apiserver-authentication, looked up every minute"},
    {"config", "string", same, "KubeSchedulerConfiguration, and PodiumConfiguration as a second document"},
    {"contention-profiling", "bool", ignored, kNoGo},
    {"context", "string", own, "the kubeconfig's context to use"},
    {"disable-http2-serving", "bool", ignored, kNoHttp2},
    {"disabled-metrics", "list", ignored, kAllMetrics},
    {"emulated-version", "list", same,
     "1.36; other versions are refused, since podium decides as this one only"},
    {"feature-gates", "list", same,
     "the gates that kube-scheduler knows; podium version says which version's"},
    {"help", "bool", same, "prints what podium's own help has"},
    {"http2-max-streams-per-connection", "int", ignored, kNoHttp2},
    {"kube-api-burst", "int", ignored, kNoClientLimit},
    {"kube-api-content-type", "string", ignored, "podium speaks JSON to the API server"},
    {"kube-api-qps", "float", ignored, kNoClientLimit},
    {"kubeconfig", "string", same,
     "how to reach the API server; unlike kube-scheduler's it counts beside --config, too. Empty: the "
     "configuration's, else $KUBECONFIG, else in-cluster, else ~/.kube/config"},
    {"leader-elect", "bool", same, "overrides leaderElection.leaderElect of the configuration"},
    {"leader-elect-lease-duration", "duration", same, "overrides leaderElection.leaseDuration"},
    {"leader-elect-renew-deadline", "duration", same, "overrides leaderElection.renewDeadline"},
    {"leader-elect-resource-lock", "string", same, "overrides leaderElection.resourceLock"},
    {"leader-elect-resource-name", "string", same, "overrides leaderElection.resourceName"},
    {"leader-elect-resource-namespace", "string", same, "overrides leaderElection.resourceNamespace"},
    {"leader-elect-retry-period", "duration", same, "overrides leaderElection.retryPeriod"},
    {"log-flush-frequency", "duration", ignored, "logs are flushed every second"},
    {"log-json-info-buffer-size", "quantity", ignored, kLogFormat},
    {"log-json-split-stream", "bool", ignored, kLogFormat},
    {"log-text-info-buffer-size", "quantity", ignored, kLogFormat},
    {"log-text-split-stream", "bool", ignored, kLogFormat},
    {"logging-format", "string", same, "text; json is refused"},
    {"master", "string", same, "address of the API server, in place of the kubeconfig's"},
    {"min-compatibility-version", "list", ignored, "podium keeps no state of earlier versions"},
    {"permit-address-sharing", "bool", ignored, "the address is always shared (SO_REUSEADDR)"},
    {"permit-port-sharing", "bool", same, "several processes may listen on the port (SO_REUSEPORT)"},
    {"pod-max-in-unschedulable-pods-duration", "duration", ignored,
     "it is five minutes, kube-scheduler's default"},
    {"profiling", "bool", ignored, kNoGo},
    {"requestheader-allowed-names", "list", ignored, kNoFrontProxy},
    {"requestheader-client-ca-file", "string", ignored, kNoFrontProxy},
    {"requestheader-extra-headers-prefix", "list", ignored, kNoFrontProxy},
    {"requestheader-group-headers", "list", ignored, kNoFrontProxy},
    {"requestheader-uid-headers", "list", ignored, kNoFrontProxy},
    {"requestheader-username-headers", "list", ignored, kNoFrontProxy},
    {"secure-port", "int", same, "port for health and metrics, over HTTPS; 0 serves nothing"},
    {"show-hidden-metrics-for-version", "string", ignored, kAllMetrics},
    {"tls-cert-file", "string", same, "certificate for --secure-port, reloaded when it changes"},
    {"tls-cipher-suites", "list", same, "cipher suites of TLS 1.2, as Go names them"},
    {"tls-curve-preferences", "list", ignored, "OpenSSL's own preferences count"},
    {"tls-min-version", "string", same, "VersionTLS12 or VersionTLS13; older ones are refused"},
    {"tls-private-key-file", "string", same, "the certificate's key"},
    {"tls-sni-cert-key", "string", refused, "podium serves one certificate: use --tls-cert-file"},
    {"v", "int", same, "0 to 2 info, 3 and 4 debug, 5 and more trace"},
    {"version", "bool", same, "prints the version"},
    {"vmodule", "string", ignored, "use --v"},
    {"write-config-to", "string", same, "writes the configuration with all defaults to this file and ends"},
});

std::string_view name_of(Flag::Support support) {
  switch (support) {
    case same:
      return "yes";
    case own:
      return "podium's own";
    case ignored:
      return "no effect";
    case refused:
      return "refused";
  }
  return "";
}

}  // namespace

std::span<const Flag> flags() { return kFlags; }

std::string flags_document() {
  auto out = fmt::format(
      "# Flags of podium run\n\n"
      "Every flag of kube-scheduler {} and what podium does with it, so that podium starts with the command "
      "line "
      "that kubeadm or kind writes.\n"
      "A flag with no effect is accepted with a warning. This page is made of the table in "
      "`app/run/flags.cc`; a test "
      "compares them.\n\n"
      "As with kube-scheduler, the flags of the leader election override the file of `--config`, and a flag "
      "that is "
      "given empty (`--config=`) counts as not given.\n\n"
      "| Flag | Type | Supported | |\n|---|---|---|---|\n",
      kKubernetesVersion);
  for (const auto& flag : kFlags) {
    const auto dashes = flag.name.size() == 1 ? "-" : "--";
    out += fmt::format("| `{}{}` | {} | {} | {} |\n", dashes, flag.name, flag.type, name_of(flag.support),
                       flag.note);
  }
  return out;
}

}  // namespace podium::app::run
