// TlsContext: an OpenSSL context made from a ClientConfig, reloaded when its files change. TlsSession: TLS
// over a non-blocking socket.
//
// Checks the files at most once per interval. If they cannot be read or do not match (a new certificate
// with the old key), logs it once and keeps the last good context. An expired CA is not an error at load,
// since a bundle may hold others; the handshake then fails and names it.
// Threads: TlsContext: any; a TlsSession belongs to one connection.
// Errors: Kind::invalid with the file or field and the reason; never a secret.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/auth/client_config.h"
#include "client/auth/url.h"

struct ssl_st;
struct ssl_ctx_st;

namespace podium::client {

// Result of one non-blocking I/O call.
struct IoStep {
  enum class Kind { done, want_read, want_write, closed, failed };
  Kind kind = Kind::done;
  std::size_t size = 0;  // done: bytes transferred
  std::string message;   // failed: the reason
};

class TlsSession {
 public:
  TlsSession(ssl_ctx_st* context, int fd, const std::string& name, bool name_is_address);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;

  IoStep handshake();
  IoStep read(std::span<char> into);
  IoStep write(std::string_view bytes);
  bool buffered() const;   // OpenSSL holds unread bytes, so the socket may not become readable
  bool quiet();            // open, with nothing to read
  bool untrusted() const;  // the handshake failed because of the server's certificate

 private:
  IoStep step_of(int result);
  std::string why_untrusted() const;
  ssl_st* ssl_;
  std::string name_;
  bool name_is_checked_ = false;  // OpenSSL verifies the certificate's name
  std::string expired_;           // subject of an expired issuer of the server's certificate
};

class TlsContext {
 public:
  TlsContext(ClientConfig config, std::chrono::milliseconds interval);
  ~TlsContext();

  struct Current {
    std::shared_ptr<ssl_ctx_st> context;
    std::uint64_t generation = 0;  // incremented whenever the credentials change
  };
  Result<Current> current();  // may read files
  bool ready();               // current() will not
  // The last result of current(), without reading the files. As current() if there is no result yet.
  Result<Current> last();

 private:
  struct Material;  // PEM texts
  Result<Material> read() const;
  std::string fingerprint() const;  // changes when a file changes

  const ClientConfig config_;
  const std::chrono::milliseconds interval_;
  std::mutex reading_;          // held while files are read; taken before mutex_
  std::string seen_, refused_;  // under reading_
  std::mutex mutex_;            // guards the members below, and is held only briefly
  Current current_;
  std::chrono::steady_clock::time_point next_look_{};
};

// Check PEM texts at load time. `what` is the file or field for the error message.
Result<void> check_ca(const std::string& pem, const std::string& what);
Result<void> check_pair(const ClientCertificate& pair, const std::string& certificate_what,
                        const std::string& key_what);

}  // namespace podium::client
