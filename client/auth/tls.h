// TLS for the transport: the context made from a ClientConfig, kept in step with its files, and sessions over
// a socket.
//
// Files are looked at again at most once per interval. What can't be read or does not fit together (a
// certificate that was replaced and a key that was not yet) is logged once and refused; the last good context
// stays.
// Threads: TlsContext from any thread; a TlsSession belongs to one connection.
// An expired CA is no error at load, since a bundle may hold others; the handshake fails and names it.
// Errors: Kind::invalid names the file or field and the reason; nothing secret is in a message.
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
#include "client/auth/config.h"
#include "client/auth/url.h"

struct ssl_st;
struct ssl_ctx_st;

namespace podium::client {

// What one step of non-blocking I/O came to.
struct IoStep {
  enum class Kind { done, want_read, want_write, closed, failed };
  Kind kind = Kind::done;
  std::size_t size = 0;  // bytes moved, where done
  std::string message;   // why, where failed
};

class TlsSession {
 public:
  TlsSession(ssl_ctx_st* context, int fd, const std::string& name, bool name_is_address);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;

  IoStep handshake();
  IoStep read(std::span<char> into);
  IoStep write(std::string_view bytes);
  bool buffered() const;   // bytes wait inside, so that the socket may have nothing to say
  bool quiet();            // still open, and nothing to read
  bool untrusted() const;  // the handshake failed on the server's certificate

 private:
  IoStep step_of(int result);
  std::string why_untrusted() const;
  ssl_st* ssl_;
  std::string name_;
  bool name_is_checked_ = false;  // OpenSSL knows which name the server's certificate must be for
  std::string expired_;           // subject of a certificate above the server's that has expired
};

class TlsContext {
 public:
  TlsContext(ClientConfig config, std::chrono::milliseconds interval);
  ~TlsContext();

  struct Current {
    std::shared_ptr<ssl_ctx_st> context;
    std::uint64_t generation = 0;  // grows whenever the credentials change
  };
  Result<Current> current();

 private:
  struct Material;  // PEM texts, as read
  Result<Material> read() const;
  std::string fingerprint() const;  // of the files: changes when they do

  const ClientConfig config_;
  const std::chrono::milliseconds interval_;
  std::mutex mutex_;
  Current current_;
  std::string seen_, refused_;
  std::chrono::steady_clock::time_point next_look_{};
};

// Checks PEM texts at load time: `what` names the file or the field in the error.
Result<void> check_ca(const std::string& pem, const std::string& what);
Result<void> check_pair(const ClientCertificate& pair, const std::string& certificate_what,
                        const std::string& key_what);

}  // namespace podium::client
