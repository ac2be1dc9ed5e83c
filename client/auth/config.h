// How to reach an API server and who to be there: kubeconfig files and the in-cluster environment.
//
// Errors name the file, the path in it and the reason; never a secret. Threads: values; loading does file
// I/O.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace podium::client {

// PEM texts. Where they come from files, those are read again when they change; a half-written pair is
// refused and the old one kept.
struct ClientCertificate {
  std::string certificate, key;
};

// Where a request's bearer token comes from. current() may read a file or run an exec credential plugin; it
// caches until the token expires or the file changes. refresh() is called after a 401. Threads: callable from
// any thread.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  virtual Result<std::string> current() = 0;  // empty where the source gives a certificate only
  virtual void refresh() = 0;
  virtual bool ready() { return true; }  // current() answers without waiting for a process
  virtual std::optional<ClientCertificate> certificate() { return std::nullopt; }  // what came with the token
  virtual void cancel() {}  // ends a current() that waits, and all that follow
};

struct ClientConfig {
  std::string server;           // https://host:port[/prefix]
  std::string tls_server_name;  // SNI and verification; the host where empty
  std::string ca;               // PEM; the system's roots where empty
  std::string ca_file;          // re-read when it changes; empty where the CA was inline
  bool insecure_skip_verify = false;
  std::optional<ClientCertificate> certificate;
  std::string certificate_file, key_file;  // re-read when they change
  std::shared_ptr<TokenSource> token;      // null: none
  std::string default_namespace = "default";
};

Result<ClientConfig> load_kubeconfig(const std::string& path, const std::string& context = "");
// Several files as one: of equal names, the first file's entry counts. Relative paths are relative to their
// own file.
Result<ClientConfig> load_kubeconfigs(const std::vector<std::string>& paths, const std::string& context = "");
Result<ClientConfig> in_cluster_config(
    const std::string& directory = "/var/run/secrets/kubernetes.io/serviceaccount");
// --kubeconfig, else $KUBECONFIG, else in-cluster where that is so, else ~/.kube/config.
Result<ClientConfig> find_config(const std::string& kubeconfig_flag, const std::string& context = "");

}  // namespace podium::client
