// ServingCertificate: the TLS context of the server, kept in step with the certificate's files.
//
// The files are looked at when a connection comes, at most once a second. A pair that cannot be read or does
// not fit together (one file is written, the other not yet) is logged once and refused; the last good one
// stays. Without files, a certificate is made for this process, as kube-scheduler does; with a directory it
// is read from there, and written there where there is none.
// A client's certificate is asked for and not verified: ClientCa does that for each request.
// Owner: HttpsServer. Threads: one at a time.
// Errors: Kind::invalid names the file or the flag and the reason.
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
  std::string directory;                   // where the own certificate is kept; empty: in memory
  std::string min_version;                 // "VersionTLS13"; empty: 1.2
  std::vector<std::string> cipher_suites;  // as Go names them, for TLS 1.2; empty: the forward-secret AEADs
};

class ServingCertificate {
 public:
  ServingCertificate(Clock& clock, TlsOptions options);

  // Reads for the first time.
  Result<void> load();
  // For the next connection. After load().
  std::shared_ptr<boost::asio::ssl::context> current();

 private:
  Result<std::shared_ptr<boost::asio::ssl::context>> make() const;
  Result<void> use_own();
  std::string stamp() const;

  Clock& clock_;
  TlsOptions options_;
  std::string own_certificate_, own_key_;  // PEM, where there are no files
  std::shared_ptr<boost::asio::ssl::context> current_;
  std::string seen_;  // the files' stamp at the last look
  Steady next_look_{};
};

}  // namespace podium::server
