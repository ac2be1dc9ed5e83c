#include "client/auth/client_config.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/ascii.h"
#include "base/input.h"
#include "client/auth/context_names.h"
#include "client/auth/tls.h"
#include "client/auth/token.h"
#include "client/auth/url.h"

namespace podium::client {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// $KUBECONFIG may list several files. Missing ones are skipped, unless all are missing.
std::vector<std::string> paths_in(const std::string& list) {
  const auto parts = split_without_empty(list, ":");
  const std::vector<std::string> all(parts.begin(), parts.end());
  std::vector<std::string> present;
  std::error_code ignored;
  for (const std::string& path : all)
    if (std::filesystem::exists(path, ignored)) present.push_back(path);
  return present.empty() ? all : present;
}

Result<ClientConfig> load_list(const std::string& list, const ConfigFlags& flags) {
  auto config = load_kubeconfigs(paths_in(list), flags.context, flags.user);
  if (!config) config.error().message = "$KUBECONFIG: " + config.error().message;
  return config;
}

}  // namespace

Result<ClientConfig> in_cluster_config(const std::string& directory) {
  std::string host = environment("KUBERNETES_SERVICE_HOST"), port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty())
    return invalid("not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  ClientConfig config;
  config.server = "https://" + (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
  if (auto url = parse_server_url(config.server); !url)
    return invalid("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: " + url.error().message);
  config.ca_file = directory + "/ca.crt";
  auto ca = read_file(config.ca_file);
  if (!ca) return std::unexpected(ca.error());
  config.ca = std::move(*ca);
  if (auto checked = check_ca(config.ca, config.ca_file); !checked) return std::unexpected(checked.error());
  config.token = file_token(directory + "/token");
  if (auto readable = config.token->current(); !readable) return std::unexpected(readable.error());
  if (auto ns = read_file(directory + "/namespace"); ns && !trimmed(*ns).empty())
    config.default_namespace = trimmed(*ns);
  return config;
}

namespace {

Result<ClientConfig> config_of_files(const std::string& kubeconfig_flag, const ConfigFlags& flags) {
  const auto load = [&](const std::vector<std::string>& paths) {
    return load_kubeconfigs(paths, flags.context, flags.user);
  };
  if (!kubeconfig_flag.empty()) return load({kubeconfig_flag});
  if (std::string list = environment("KUBECONFIG"); !list.empty()) return load_list(list, flags);
  if (!environment("KUBERNETES_SERVICE_HOST").empty()) return in_cluster_config();
  std::string home = environment("HOME"), path = home + "/.kube/config";
  std::error_code ignored;
  if (!home.empty() && std::filesystem::exists(path, ignored)) return load({path});
  return invalid(
      "no API server configured: no --kubeconfig, no $KUBECONFIG, not in a cluster, and no ~/.kube/config");
}

// A certificate would win over the token.
Result<void> use_token(const std::string& token, ClientConfig& config) {
  if (!is_token(token)) return invalid("--token: has characters that are not allowed in a token");
  config.certificate.reset();
  config.certificate_file.clear();
  config.key_file.clear();
  config.token = fixed_token(token);
  return {};
}

Result<void> check_impersonation(const Impersonation& as) {
  const auto is_header = [](const std::string& text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
  };
  if (as.user.empty() && !as.groups.empty()) return invalid("--as-group: needs --as");
  if (!as.user.empty() && !is_header(as.user)) return invalid("--as: has characters that no header may have");
  if (!std::ranges::all_of(as.groups, is_header))
    return invalid("--as-group: is empty or has characters that no header may have");
  return {};
}

}  // namespace

Result<ClientConfig> find_config(const std::string& kubeconfig_flag, const ConfigFlags& flags) {
  auto config = config_of_files(kubeconfig_flag, flags);
  if (!config) return config;
  if (!flags.server.empty()) {
    if (const auto url = parse_server_url(flags.server); !url)
      return invalid("--server: " + url.error().message);
    config->server = flags.server;
  }
  if (!flags.token.empty()) {
    if (auto used = use_token(flags.token, *config); !used) return std::unexpected(used.error());
  }
  if (auto checked = check_impersonation(flags.impersonate); !checked)
    return std::unexpected(checked.error());
  config->impersonate = flags.impersonate;
  return config;
}

ContextNames find_names(const std::string& kubeconfig_flag, const ConfigFlags& flags) {
  if (!kubeconfig_flag.empty()) return names_in({kubeconfig_flag}, flags);
  if (const auto list = environment("KUBECONFIG"); !list.empty()) return names_in(paths_in(list), flags);
  if (!environment("KUBERNETES_SERVICE_HOST").empty()) return {};
  return names_in({environment("HOME") + "/.kube/config"}, flags);
}

}  // namespace podium::client
