// Makes a ClientConfig of kubeconfig files: resolves the context, its cluster and its user.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/clock.h"
#include "base/input.h"
#include "client/auth/base64.h"
#include "client/auth/client_config.h"
#include "client/auth/context_names.h"
#include "client/auth/exec_credential.h"
#include "client/auth/kubeconfig_file.h"
#include "client/auth/tls.h"
#include "client/auth/token.h"
#include "client/auth/url.h"

namespace podium::client {

namespace json = boost::json;

namespace {

using Files = std::vector<KubeconfigNode>;

// The body of the named entry of a list such as "clusters". The first file that has it wins.
Result<KubeconfigNode> entry_of(const Files& files, const char* list, const char* body,
                                const std::string& name) {
  for (const KubeconfigNode& file : files) {
    auto items = file.items(list);
    if (!items) return std::unexpected(items.error());
    std::optional<KubeconfigNode> found;
    for (const KubeconfigNode& item : *items) {
      auto item_name = item.text("name");
      if (!item_name) return std::unexpected(item_name.error());
      if (*item_name != name) continue;
      if (found) return item.error("name", "\"" + name + "\" is defined twice");
      found = item;
    }
    if (!found) continue;
    auto child = found->child(body);
    if (!child) return std::unexpected(child.error());
    if (!*child) return found->error(body, "must be set");
    return **child;
  }
  return files.front().error(list, "has no entry named \"" + name + "\"");
}

// Unsupported fields that change the identity or the connection are errors, not ignored.
Result<void> refuse(const KubeconfigNode& node,
                    std::initializer_list<std::pair<const char*, const char*>> fields) {
  for (const auto& [name, reason] : fields)
    if (const json::value* found = node.find(name); found && *found != json::value(""))
      return node.error(name, reason);
  return {};
}

// A PEM text, inline (base64) or in a file. Inline wins, as in client-go. Keeps the file's name for reloads.
struct Pem {
  std::string text, file, place;
};

Result<Pem> read_pem(const KubeconfigNode& node, const std::string& name) {
  auto inline_text = node.base64(name + "-data");
  if (!inline_text) return std::unexpected(inline_text.error());
  if (!inline_text->empty()) return Pem{std::move(*inline_text), "", node.place(name + "-data")};
  auto file = node.file_name(name);
  if (!file) return std::unexpected(file.error());
  if (file->empty()) return Pem{};
  auto text = read_file(*file);
  if (!text) return node.error(name, text.error().message);
  return Pem{std::move(*text), *file, node.place(name) + ": " + *file};
}

Result<void> read_cluster(const KubeconfigNode& cluster, ClientConfig& config) {
  auto refused = refuse(cluster, {{"proxy-url", "is not supported"}});
  if (!refused) return refused;
  auto server = cluster.required_text("server");
  if (!server) return std::unexpected(server.error());
  if (auto url = parse_server_url(*server); !url) return cluster.error("server", url.error().message);
  config.server = std::move(*server);
  auto name = cluster.text("tls-server-name");
  if (!name) return std::unexpected(name.error());
  config.tls_server_name = std::move(*name);
  auto insecure = cluster.flag("insecure-skip-tls-verify");
  if (!insecure) return std::unexpected(insecure.error());
  config.insecure_skip_verify = *insecure;
  auto ca = read_pem(cluster, "certificate-authority");
  if (!ca) return std::unexpected(ca.error());
  if (ca->text.empty()) return {};
  if (*insecure)
    return cluster.error("insecure-skip-tls-verify", "cannot be true if certificate-authority is given");
  config.ca_file = std::move(ca->file);
  config.ca = std::move(ca->text);
  return check_ca(config.ca, ca->place);
}

Result<void> read_certificate(const KubeconfigNode& user, ClientConfig& config) {
  auto certificate = read_pem(user, "client-certificate");
  if (!certificate) return std::unexpected(certificate.error());
  auto key = read_pem(user, "client-key");
  if (!key) return std::unexpected(key.error());
  if (certificate->text.empty() && key->text.empty()) return {};
  if (key->text.empty()) return user.error("client-key", "must be set if client-certificate is");
  if (certificate->text.empty()) return user.error("client-certificate", "must be set if client-key is");
  config.certificate = ClientCertificate{std::move(certificate->text), std::move(key->text)};
  config.certificate_file = std::move(certificate->file);
  config.key_file = std::move(key->file);
  return check_pair(*config.certificate, certificate->place, key->place);
}

// spec.cluster of ExecCredential, for plugins with provideClusterInfo.
Result<std::string> cluster_info(const KubeconfigNode& cluster, const ClientConfig& config) {
  json::object info{{"server", config.server}};
  if (!config.tls_server_name.empty()) info["tls-server-name"] = config.tls_server_name;
  if (config.insecure_skip_verify) info["insecure-skip-tls-verify"] = true;
  if (!config.ca.empty()) info["certificate-authority-data"] = base64_encode(config.ca);
  auto extensions = cluster.items("extensions");
  if (!extensions) return std::unexpected(extensions.error());
  for (const KubeconfigNode& extension : *extensions) {
    const json::value* name = extension.find("name");
    const json::value* value = extension.find("extension");
    if (name && value && *name == json::value("client.authentication.k8s.io/exec")) info["config"] = *value;
  }
  return json::serialize(info);
}

Result<void> read_exec_environment(const KubeconfigNode& exec, ExecPlugin& plugin) {
  auto entries = exec.items("env");
  if (!entries) return std::unexpected(entries.error());
  for (const KubeconfigNode& entry : *entries) {
    auto name = entry.required_text("name");
    if (!name) return std::unexpected(name.error());
    auto value = entry.text("value");
    if (!value) return std::unexpected(value.error());
    plugin.environment.emplace_back(std::move(*name), std::move(*value));
  }
  return {};
}

Result<void> read_exec(const KubeconfigNode& exec, const KubeconfigNode& cluster, ClientConfig& config) {
  ExecPlugin plugin;
  auto version = exec.required_text("apiVersion");
  if (!version) return std::unexpected(version.error());
  if (*version != "client.authentication.k8s.io/v1" && *version != "client.authentication.k8s.io/v1beta1")
    return exec.error("apiVersion",
                      "must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1");
  plugin.api_version = std::move(*version);
  auto command = exec.required_text("command");
  if (!command) return std::unexpected(command.error());
  plugin.command = command->find('/') == std::string::npos ? *command : exec.relative_path(*command);
  auto arguments = exec.texts("args");
  if (!arguments) return std::unexpected(arguments.error());
  plugin.arguments = std::move(*arguments);
  if (auto read = read_exec_environment(exec, plugin); !read) return read;
  auto hint = exec.text("installHint");
  if (!hint) return std::unexpected(hint.error());
  plugin.install_hint = std::move(*hint);
  auto mode = exec.text("interactiveMode");
  if (!mode) return std::unexpected(mode.error());
  if (*mode == "Always")
    return exec.error("interactiveMode", "must be Never or IfAvailable: podium has no terminal");
  auto wants_cluster = exec.flag("provideClusterInfo");
  if (!wants_cluster) return std::unexpected(wants_cluster.error());
  if (*wants_cluster) {
    auto info = cluster_info(cluster, config);
    if (!info) return std::unexpected(info.error());
    plugin.cluster_info = std::move(*info);
  }
  config.token = exec_credential(std::move(plugin), system_clock());
  return {};
}

Result<void> read_user(const KubeconfigNode& user, const KubeconfigNode& cluster, ClientConfig& config) {
  auto refused =
      refuse(user, {{"username", "API servers do not accept passwords; use a token or a certificate"},
                    {"password", "API servers do not accept passwords; use a token or a certificate"},
                    {"auth-provider", "is not supported; use exec"},
                    {"as", "impersonation is not supported"},
                    {"as-uid", "impersonation is not supported"},
                    {"as-groups", "impersonation is not supported"},
                    {"as-user-extra", "impersonation is not supported"}});
  if (!refused) return refused;
  if (auto read = read_certificate(user, config); !read) return read;
  auto token_file = user.file_name("tokenFile");
  if (!token_file) return std::unexpected(token_file.error());
  auto token = user.text("token");
  if (!token) return std::unexpected(token.error());
  if (!token_file->empty()) {
    config.token = file_token(*token_file);
    if (auto readable = config.token->current(); !readable)
      return user.error("tokenFile", readable.error().message);
    return {};
  }
  if (!token->empty()) {
    if (!is_token(*token)) return user.error("token", "has characters that are not allowed in a token");
    config.token = fixed_token(std::move(*token));
    return {};
  }
  auto exec = user.child("exec");
  if (!exec) return std::unexpected(exec.error());
  if (*exec) return read_exec(**exec, cluster, config);
  return {};
}

Result<std::string> context_name(const Files& files, const std::string& asked) {
  if (!asked.empty()) return asked;
  for (const KubeconfigNode& file : files) {
    auto name = file.text("current-context");
    if (!name || !name->empty()) return name;
  }
  return files.front().error("current-context", "is not set, and no context was given");
}

}  // namespace

Result<ClientConfig> load_kubeconfigs(const std::vector<std::string>& paths, const std::string& context,
                                      const std::string& user_of_flag) {
  Files files;
  for (const std::string& path : paths) {
    auto file = read_kubeconfig_file(path);
    if (!file) return std::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  if (files.empty()) return invalid("no kubeconfig file");
  auto name = context_name(files, context);
  if (!name) return std::unexpected(name.error());
  auto entry = entry_of(files, "contexts", "context", *name);
  if (!entry) return std::unexpected(entry.error());
  auto cluster_name = entry->required_text("cluster");
  if (!cluster_name) return std::unexpected(cluster_name.error());
  auto cluster = entry_of(files, "clusters", "cluster", *cluster_name);
  if (!cluster) return std::unexpected(cluster.error());
  ClientConfig config;
  if (auto read = read_cluster(*cluster, config); !read) return std::unexpected(read.error());
  auto user_name = user_of_flag.empty() ? entry->text("user") : Result<std::string>(user_of_flag);
  if (!user_name) return std::unexpected(user_name.error());
  if (!user_name->empty()) {
    auto user = entry_of(files, "users", "user", *user_name);
    if (!user) return std::unexpected(user.error());
    if (auto read = read_user(*user, *cluster, config); !read) return std::unexpected(read.error());
  }
  auto ns = entry->text("namespace");
  if (!ns) return std::unexpected(ns.error());
  if (!ns->empty()) config.default_namespace = std::move(*ns);
  return config;
}

ContextNames names_in(const std::vector<std::string>& paths, const ConfigFlags& flags) {
  Files files;
  for (const auto& path : paths) {
    if (auto file = read_kubeconfig_file(path)) files.push_back(std::move(*file));
  }
  if (files.empty()) return {};
  const auto name = context_name(files, flags.context);
  if (!name) return {};
  ContextNames out{.context = *name, .user = flags.user, .ns = {}};
  if (const auto entry = entry_of(files, "contexts", "context", *name)) {
    if (out.user.empty()) out.user = entry->text("user").value_or("");
    out.ns = entry->text("namespace").value_or("");
  }
  return out;
}

Result<ClientConfig> load_kubeconfig(const std::string& path, const std::string& context) {
  return load_kubeconfigs({path}, context);
}

}  // namespace podium::client
