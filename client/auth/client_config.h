// ClientConfig: address of an API server and credentials, from kubeconfig files or from inside a cluster.
//
// Threads: values; loading does file I/O. Errors: Kind::invalid with file, path in the file and reason;
// never a secret.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace podium::client {

// PEM texts of one client certificate.
struct ClientCertificate {
  std::string certificate, key;
};

// Source of bearer tokens. current() may block: it reads a file or runs an exec credential plugin, and caches
// the token until it expires or the file changes. refresh() is called after a 401. Threads: any.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  virtual Result<std::string> current() = 0;  // empty if the source has a certificate only
  virtual void refresh() = 0;
  virtual bool ready() { return true; }  // current() will not wait for a process or a file
  virtual std::optional<ClientCertificate> certificate() { return std::nullopt; }  // the current one
  virtual void cancel() {}  // ends a running current() and all later ones
};

// Whom the requests are for, with the API server's permission: the headers Impersonate-*.
struct Impersonation {
  std::string user;
  std::vector<std::string> groups;
};

// What a command line says instead of the kubeconfig. Empty: the kubeconfig's.
struct ConfigFlags {
  std::string context, user, server;
  std::string token;  // instead of all other credentials
  Impersonation impersonate;
};

struct ClientConfig {
  std::string server;           // https://host:port[/prefix]
  std::string tls_server_name;  // for SNI and verification; empty: the host
  std::string ca;               // PEM; empty: the system's roots
  std::string ca_file;          // reloaded when it changes; empty: the CA is inline
  bool insecure_skip_verify = false;
  std::optional<ClientCertificate> certificate;
  std::string certificate_file, key_file;  // reloaded when they change, as a pair
  std::shared_ptr<TokenSource> token;      // null: none
  Impersonation impersonate;
  std::string default_namespace = "default";
};

Result<ClientConfig> load_kubeconfig(const std::string& path, const std::string& context = "");
// Merges several files; of entries with equal names, the first wins. Relative paths are relative to the file
// they are in.
// `user`: the name of a user of the files instead of the context's.
Result<ClientConfig> load_kubeconfigs(const std::vector<std::string>& paths, const std::string& context = "",
                                      const std::string& user = "");
Result<ClientConfig> in_cluster_config(
    const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");
// Searches in this order: the --kubeconfig flag, $KUBECONFIG, the in-cluster environment, ~/.kube/config.
Result<ClientConfig> find_config(const std::string& kubeconfig_flag, const ConfigFlags& flags = {});

}  // namespace podium::client
