// ClientCaSource: the CA of client certificates. Either a file, reloaded when it changes, or the ConfigMap
// kube-system/extension-apiserver-authentication, where kube-apiserver publishes its own.
//
// Owner: Delegation. Threads: one at a time, on the executor, except for what reads a changed file.
// Errors: those of the first load are returned; later ones are logged once, and the last good CA stays.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "async/file_reload.h"
#include "async/gate.h"
#include "client/api.h"
#include "server/client_certificate.h"

namespace podium::server {

class ClientCaSource {
 public:
  virtual ~ClientCaSource() = default;
  virtual std::shared_ptr<const ClientCa> current() = 0;  // null: unknown; client certificates are ignored
};

class FileClientCa final : public ClientCaSource {
 public:
  explicit FileClientCa(std::string path);
  Result<void> load();  // for the first time, on the caller's thread
  // Reloads it when the file changes. load() must have succeeded.
  void watch(async::Gate& gate, boost::asio::any_io_executor executor, boost::asio::any_io_executor files);
  std::shared_ptr<const ClientCa> current() override { return ca_; }

 private:
  using Read = Result<std::shared_ptr<const ClientCa>>;
  Read read() const;
  void take(Read read);

  const std::string path_;
  std::shared_ptr<const ClientCa> ca_;
  async::FileReload<Read> reload_;
};

class ClusterClientCa final : public ClientCaSource {
 public:
  // Called with the result of the first lookup.
  using First = std::function<void(const Result<void>&)>;

  ClusterClientCa(async::Gate& gate, boost::asio::any_io_executor executor, client::Api& api);
  void start(First first);  // looks it up now and every minute
  std::shared_ptr<const ClientCa> current() override { return ca_; }

 private:
  static async::Task<void> run(ClusterClientCa* self, First first);
  static async::Task<Result<void>> look_up(ClusterClientCa* self);

  async::Gate& gate_;
  const boost::asio::any_io_executor executor_;
  client::Api& api_;
  std::shared_ptr<const ClientCa> ca_;
  std::string pem_;
};

}  // namespace podium::server
