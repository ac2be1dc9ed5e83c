// ServingCertificate: the server's TLS context, reloaded when the certificate's files change.
//
// Checks the files when a connection arrives, at most once a second. A pair that cannot be read or does not
// match (one file is not written yet) is logged once, and the last good one stays. Without files it makes a
// self-signed certificate, like kube-scheduler; with a directory it reads that one from there, or writes it.
// Requests client certificates without verifying them: ClientCa does that for each request.
// Owner: HttpsServer. Threads: one at a time.
// Errors: Kind::invalid with the file or flag and the reason.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
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
  ServingCertificate(Clock& clock, TlsOptions options);

  // Loads the certificate for the first time.
  Result<void> load();
  // The context for the next connection. After load().
  std::shared_ptr<boost::asio::ssl::context> current();

 private:
  Result<std::shared_ptr<boost::asio::ssl::context>> make() const;
  Result<void> use_own();
  std::string stamp() const;

  Clock& clock_;
  TlsOptions options_;
  std::string own_certificate_, own_key_;  // self-signed, PEM; empty if there are files
  std::shared_ptr<boost::asio::ssl::context> current_;
  std::string seen_;  // the files' stamp at the last check
  Steady next_look_{};
};

}  // namespace podium::server
