#include "server/serving_certificate.h"

#include <fcntl.h>
#include <openssl/ssl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/check.h"
#include "base/input.h"
#include "client/auth/tls.h"
#include "log/log.h"
#include "server/self_signed.h"

namespace podium::server {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr auto kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr auto kPairName = "kube-scheduler";  // upstream's name of the files in TlsOptions::directory

struct Suite {
  std::string_view go, openssl;  // openssl empty: a TLS 1.3 suite, which cannot be configured in Go either
};

constexpr auto kSuites = std::to_array<Suite>({
    {"TLS_AES_128_GCM_SHA256", ""},
    {"TLS_AES_256_GCM_SHA384", ""},
    {"TLS_CHACHA20_POLY1305_SHA256", ""},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"},
});

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] ? name : "localhost";
}

Result<int> version_of(const std::string& name) {
  if (name.empty() || name == "VersionTLS12") return TLS1_2_VERSION;
  if (name == "VersionTLS13") return TLS1_3_VERSION;
  return invalid("--tls-min-version: " + name + ": must be VersionTLS12 or VersionTLS13");
}

Result<std::string> ciphers_of(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) {
    const auto it = std::ranges::find(kSuites, name, &Suite::go);
    if (it == kSuites.end()) return invalid("--tls-cipher-suites: " + name + " is not supported");
    if (it->openssl.empty()) continue;
    if (!out.empty()) out += ":";
    out += it->openssl;
  }
  return out.empty() ? kCiphers : out;
}

Result<void> write_file(const std::string& path, const std::string& text, mode_t mode) {
  // Non-blocking: open() of a FIFO would wait for its reader.
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode);
  if (fd < 0) return invalid(path + ": " + std::system_category().message(errno));
  std::size_t done = 0;
  while (done < text.size()) {
    const auto size = ::write(fd, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) break;
    done += static_cast<std::size_t>(size);
  }
  const int why = errno;
  ::close(fd);
  if (done < text.size()) return invalid(path + ": " + std::system_category().message(why));
  return {};
}

// With tickets, a client could resume a session without presenting its certificate.
void harden(SSL_CTX* context) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(
      context,
      [](X509_STORE_CTX* check, void*) {
        X509_STORE_CTX_set_error(check, X509_V_OK);
        return 1;
      },
      nullptr);
}

}  // namespace

ServingCertificate::ServingCertificate(TlsOptions options) : options_(std::move(options)) {}

ServingCertificate::Made ServingCertificate::make() const {
  client::ClientCertificate pair{own_certificate_, own_key_};
  std::string certificate_what = "the server's own certificate", key_what = "its key";
  if (!options_.certificate_file.empty()) {
    certificate_what = options_.certificate_file;
    key_what = options_.key_file;
    auto certificate = read_file(certificate_what), key = read_file(key_what);
    if (!certificate) return std::unexpected(certificate.error());
    if (!key) return std::unexpected(key.error());
    pair = {std::move(*certificate), std::move(*key)};
  }
  if (auto fits = client::check_pair(pair, certificate_what, key_what); !fits)
    return std::unexpected(fits.error());
  const auto version = version_of(options_.min_version);
  if (!version) return std::unexpected(version.error());
  const auto ciphers = ciphers_of(options_.cipher_suites);
  if (!ciphers) return std::unexpected(ciphers.error());

  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  auto* native = context->native_handle();
  harden(native);
  SSL_CTX_set_min_proto_version(native, *version);
  SSL_CTX_set_cipher_list(native, ciphers->c_str());
  error_code error;
  context->use_certificate_chain(asio::buffer(pair.certificate), error);
  if (error) return invalid(certificate_what + ": " + error.message());
  context->use_private_key(asio::buffer(pair.key), asio::ssl::context::pem, error);
  if (error) return invalid(key_what + ": " + error.message());
  return context;
}

// Makes a self-signed certificate, or points the options at the one in the directory.
Result<void> ServingCertificate::use_own() {
  const auto base = options_.directory + "/" + kPairName;
  const auto certificate = base + ".crt", key = base + ".key";
  std::error_code ignored;
  const bool kept = !options_.directory.empty() && std::filesystem::exists(certificate, ignored) &&
                    std::filesystem::exists(key, ignored);
  if (!kept) {
    auto pair = self_signed_certificate(host_name());
    if (!pair) return std::unexpected(pair.error());
    own_certificate_ = std::move(pair->certificate);
    own_key_ = std::move(pair->key);
    if (options_.directory.empty()) return {};
    std::filesystem::create_directories(options_.directory, ignored);
    if (auto done = write_file(certificate, own_certificate_, 0644); !done) return done;
    if (auto done = write_file(key, own_key_, 0600); !done) return done;
  }
  options_.certificate_file = certificate;
  options_.key_file = key;
  return {};
}

Result<void> ServingCertificate::load() {
  if (options_.certificate_file.empty()) {
    if (auto own = use_own(); !own) {
      own.error().message = "--cert-dir: " + own.error().message;
      return own;
    }
  }
  if (!options_.certificate_file.empty()) {
    reload_.emplace(
        std::vector{options_.certificate_file, options_.key_file}, [this] { return make(); },
        [this](Made made) { take(std::move(made)); });
  }
  auto made = make();
  if (!made) return std::unexpected(made.error());
  current_ = std::move(*made);
  return {};
}

void ServingCertificate::watch(async::Gate& gate, asio::any_io_executor executor,
                               asio::any_io_executor files) {
  PODIUM_CHECK(current_ != nullptr, options_.certificate_file);
  if (reload_)
    async::spawn(gate, std::move(executor), "certificate", reload_->run(&*reload_, std::move(files)));
}

std::shared_ptr<asio::ssl::context> ServingCertificate::current() const {
  PODIUM_CHECK(current_ != nullptr, options_.certificate_file);
  return current_;
}

void ServingCertificate::take(Made made) {
  if (made) {
    current_ = std::move(*made);
    log::info("serving certificate reloaded file={}", options_.certificate_file);
  } else {
    log::warn("serving certificate not reloaded, keeping the old one reason={:?}", made.error().message);
  }
}

}  // namespace podium::server
