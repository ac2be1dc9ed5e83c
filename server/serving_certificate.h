// ServingCertificate: the server's TLS context, reloaded when the certificate's files change.
//
// A pair that cannot be read or does not match (one file is not written yet) is logged once, and the last
// good one stays. Without files it makes a self-signed certificate, like kube-scheduler; with a directory it
// reads that one from there, or writes it.
// Requests client certificates without verifying them: ClientCa does that for each request.
// Owner: HttpsServer; the gate of watch() is empty before this is destroyed. Threads: one at a time, except
// for what reads changed files.
// Errors: Kind::invalid with the file or flag and the reason.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/file_reload.h"
#include "async/gate.h"
#include "base/result.h"

namespace podium::server {

struct TlsOptions {
  std::string certificate_file, key_file;  // PEM; both or none
  std::string directory;                   // of the self-signed certificate; empty: kept in memory
  std::string min_version;                 // such as "VersionTLS13"; empty: 1.2
  std::vector<std::string> cipher_suites;  // Go's names, for TLS 1.2; empty: the forward-secret AEADs
};

class ServingCertificate {
 public:
  explicit ServingCertificate(TlsOptions options);

  // Loads the certificate for the first time, on the caller's thread.
  Result<void> load();
  // Reloads it when its files change. load() must have succeeded.
  void watch(async::Gate& gate, boost::asio::any_io_executor executor, boost::asio::any_io_executor files);
  // The context for the next connection. load() must have succeeded.
  std::shared_ptr<boost::asio::ssl::context> current() const;

 private:
  using Made = Result<std::shared_ptr<boost::asio::ssl::context>>;
  Made make() const;
  Result<void> use_own();
  void take(Made made);

  TlsOptions options_;
  std::string own_certificate_, own_key_;  // self-signed, PEM; empty if there are files
  std::shared_ptr<boost::asio::ssl::context> current_;
  std::optional<async::FileReload<Made>> reload_;  // none if there are no files
};

}  // namespace podium::server
