#include "client/auth/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "base/input.h"
#include "client/auth/socket_bio.h"
#include "log/log.h"

namespace podium::client {
namespace {

struct Free {
  void operator()(BIO* p) const { BIO_free_all(p); }
  void operator()(X509* p) const { X509_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(SSL_CTX* p) const { SSL_CTX_free(p); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

Owned<BIO> bio_of(const std::string& text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// ERR_clear_error() clears all slots of the error queue, even if it is empty.
void forget_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
  errno = 0;
}

// The text of OpenSSL's last error, which names formats and checks but never key material.
std::string last_error() {
  unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return reason ? reason : "unknown TLS error";
}

std::vector<Owned<X509>> read_certificates(const std::string& pem) {
  std::vector<Owned<X509>> out;
  Owned<BIO> bio = bio_of(pem);
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr))
    out.emplace_back(certificate);
  ERR_clear_error();
  return out;
}

// An encrypted key must not make OpenSSL ask for a passphrase on the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

Owned<EVP_PKEY> read_key(const std::string& pem) {
  Owned<BIO> bio = bio_of(pem);
  Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  return key;
}

Result<void> use_certificate(SSL_CTX* context, const ClientCertificate& pair,
                             const std::string& certificate_what, const std::string& key_what) {
  if (auto checked = check_pair(pair, certificate_what, key_what); !checked) return checked;
  auto certificates = read_certificates(pair.certificate);
  Owned<EVP_PKEY> key = read_key(pair.key);
  bool used = SSL_CTX_use_certificate(context, certificates.front().get()) == 1 &&
              SSL_CTX_use_PrivateKey(context, key.get()) == 1;
  for (std::size_t i = 1; used && i < certificates.size(); ++i)
    used = SSL_CTX_add1_chain_cert(context, certificates[i].get()) == 1;
  if (!used) return invalid(certificate_what + ": " + last_error());
  return {};
}

// OpenSSL ex_data: of a context, the CA file's name; of a session, where to store the expired issuer.
void free_text(void*, void* text, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<std::string*>(text);
}
int ca_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_text);
  return index;
}
int expired_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

// Keeps OpenSSL's verdict. Only this callback sees which certificate of the chain has expired.
int note_expired(int verdict, X509_STORE_CTX* store) {
  const auto* ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* expired = static_cast<std::string*>(SSL_get_ex_data(ssl, expired_index()));
  if (verdict == 0 && expired && X509_STORE_CTX_get_error(store) == X509_V_ERR_CERT_HAS_EXPIRED &&
      X509_STORE_CTX_get_error_depth(store) > 0) {
    char subject[256] = "";
    X509_NAME_oneline(X509_get_subject_name(X509_STORE_CTX_get_current_cert(store)), subject, sizeof subject);
    *expired = subject;
  }
  return verdict;
}

Result<void> use_roots(SSL_CTX* context, const std::string& ca, const std::string& what) {
  if (ca.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1)
      return invalid("the system's CA certificates: " + last_error());
    return {};
  }
  if (auto checked = check_ca(ca, what); !checked) return checked;
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  for (const auto& certificate : read_certificates(ca)) X509_STORE_add_cert(store, certificate.get());
  ERR_clear_error();
  // As in Go, every certificate of the bundle is a trust anchor, also an intermediate or serving one.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return {};
}

Owned<SSL_CTX> new_context() {
  Owned<SSL_CTX> context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* ctx = context.get();
  SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
  SSL_CTX_set_ciphersuites(ctx, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_mode(
      ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_read_ahead(ctx, 1);  // reads a record's header and body with one recv()
  static const unsigned char http_1_1[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(ctx, http_1_1, sizeof http_1_1 - 1);
  return context;
}

std::unexpected<Error> no_certificate(const std::string& what) {
  return invalid(what + ": no PEM certificate in it");
}

}  // namespace

Result<void> check_ca(const std::string& pem, const std::string& what) {
  return read_certificates(pem).empty() ? Result<void>(no_certificate(what)) : Result<void>();
}

Result<void> check_pair(const ClientCertificate& pair, const std::string& certificate_what,
                        const std::string& key_what) {
  auto certificates = read_certificates(pair.certificate);
  if (certificates.empty()) return no_certificate(certificate_what);
  Owned<EVP_PKEY> key = read_key(pair.key);
  if (key == nullptr) return invalid(key_what + ": no PEM private key in it, or it is encrypted");
  bool match = X509_check_private_key(certificates.front().get(), key.get()) == 1;
  ERR_clear_error();
  if (!match) return invalid(key_what + ": does not belong to the certificate in " + certificate_what);
  return {};
}

TlsSession::TlsSession(SSL_CTX* context, int fd, const std::string& name, bool name_is_address)
    : ssl_(SSL_new(context)), name_(name) {
  BIO* bio = new_socket_bio(fd);
  SSL_set_bio(ssl_, bio, bio);
  SSL_set_connect_state(ssl_);
  SSL_set_ex_data(ssl_, expired_index(), &expired_);
  // If OpenSSL refuses the name, it verifies none, and any trusted certificate would pass.
  if (name_is_address) {
    name_is_checked_ = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), name.c_str()) == 1;
  } else {
    SSL_set_hostflags(ssl_, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    name_is_checked_ = !name.empty() && SSL_set1_host(ssl_, name.c_str()) == 1 &&
                       SSL_set_tlsext_host_name(ssl_, name.c_str()) == 1;
  }
  ERR_clear_error();
}

TlsSession::~TlsSession() { SSL_free(ssl_); }

IoStep TlsSession::step_of(int result) {
  using Kind = IoStep::Kind;
  if (result > 0) return {Kind::done, static_cast<std::size_t>(result), {}};
  int system_error = errno;
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return {Kind::want_read, 0, {}};
    case SSL_ERROR_WANT_WRITE:
      return {Kind::want_write, 0, {}};
    case SSL_ERROR_ZERO_RETURN:
      return {Kind::closed, 0, {}};
    case SSL_ERROR_SYSCALL:
      ERR_clear_error();
      return {Kind::failed, 0,
              system_error ? std::system_category().message(system_error) : "connection closed"};
    default:
      break;
  }
  if (ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    ERR_clear_error();
    return {Kind::failed, 0, "connection closed"};
  }
  return {Kind::failed, 0, "TLS: " + last_error()};
}

IoStep TlsSession::handshake() {
  const bool checked = name_is_checked_ || SSL_get_verify_mode(ssl_) == SSL_VERIFY_NONE;
  if (!checked) {
    return {IoStep::Kind::failed, 0, "the server's certificate cannot be checked for the name: " + name_};
  }
  forget_errors();
  IoStep step = step_of(SSL_do_handshake(ssl_));
  if (step.kind == IoStep::Kind::failed && untrusted()) step.message = why_untrusted();
  return step;
}

std::string TlsSession::why_untrusted() const {
  const long why = SSL_get_verify_result(ssl_);
  std::string text =
      std::string("the server's certificate is not trusted: ") + X509_verify_cert_error_string(why);
  if (why == X509_V_ERR_HOSTNAME_MISMATCH || why == X509_V_ERR_IP_ADDRESS_MISMATCH)
    return text + ": " + name_;
  if (!expired_.empty()) text += ": " + expired_;
  const auto* ca = static_cast<std::string*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl_), ca_index()));
  if (ca) text += "; trusted CAs: " + *ca;
  return text;
}

IoStep TlsSession::read(std::span<char> into) {
  forget_errors();
  return step_of(SSL_read(ssl_, into.data(), static_cast<int>(into.size())));
}

IoStep TlsSession::write(std::string_view bytes) {
  forget_errors();
  return step_of(
      SSL_write(ssl_, bytes.data(), static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 30))));
}

bool TlsSession::buffered() const { return SSL_has_pending(ssl_) == 1; }

// Session tickets may arrive at any time; the peek processes them, and they leave nothing to read.
bool TlsSession::quiet() {
  forget_errors();
  char byte;
  return step_of(SSL_peek(ssl_, &byte, 1)).kind == IoStep::Kind::want_read;
}

bool TlsSession::untrusted() const {
  return SSL_get_verify_mode(ssl_) != SSL_VERIFY_NONE &&
         (!name_is_checked_ || SSL_get_verify_result(ssl_) != X509_V_OK);
}

struct TlsContext::Material {
  std::string ca;
  std::optional<ClientCertificate> certificate;
};

TlsContext::TlsContext(ClientConfig config, std::chrono::milliseconds interval)
    : config_(std::move(config)), interval_(interval) {}
TlsContext::~TlsContext() = default;

Result<TlsContext::Material> TlsContext::read() const {
  Material material{config_.ca, config_.certificate};
  if (!config_.ca_file.empty()) {
    auto text = read_file(config_.ca_file);
    if (!text) return std::unexpected(text.error());
    material.ca = std::move(*text);
  }
  if (!config_.certificate_file.empty() || !config_.key_file.empty()) {
    ClientCertificate pair = config_.certificate.value_or(ClientCertificate{});
    if (!config_.certificate_file.empty()) {
      auto text = read_file(config_.certificate_file);
      if (!text) return std::unexpected(text.error());
      pair.certificate = std::move(*text);
    }
    if (!config_.key_file.empty()) {
      auto text = read_file(config_.key_file);
      if (!text) return std::unexpected(text.error());
      pair.key = std::move(*text);
    }
    material.certificate = std::move(pair);
  }
  if (!material.certificate && config_.token) material.certificate = config_.token->certificate();
  return material;
}

std::string TlsContext::fingerprint() const {
  std::string out =
      file_stamp(config_.ca_file) + file_stamp(config_.certificate_file) + file_stamp(config_.key_file);
  if (config_.token) {
    if (auto pair = config_.token->certificate()) out += pair->certificate;
  }
  return out;
}

Result<TlsContext::Current> TlsContext::current() {
  const std::lock_guard reading(reading_);
  Current before;
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (current_.context && now < next_look_) return current_;
    next_look_ = now + interval_;  // others keep using the old one
    before = current_;
  }
  std::string seen = fingerprint();
  if (before.context && (seen == seen_ || seen == refused_)) return before;

  auto build = [&]() -> Result<std::shared_ptr<SSL_CTX>> {
    auto material = read();
    if (!material) return std::unexpected(material.error());
    Owned<SSL_CTX> context = new_context();
    SSL_CTX_set_verify(context.get(), config_.insecure_skip_verify ? SSL_VERIFY_NONE : SSL_VERIFY_PEER,
                       note_expired);
    if (!config_.insecure_skip_verify) {
      const std::string ca = config_.ca_file.empty() ? "the CA" : config_.ca_file;
      auto roots = use_roots(context.get(), material->ca, ca);
      if (!config_.ca_file.empty()) SSL_CTX_set_ex_data(context.get(), ca_index(), new std::string(ca));
      if (!roots) return std::unexpected(roots.error());
    }
    if (material->certificate) {
      auto used = use_certificate(
          context.get(), *material->certificate,
          config_.certificate_file.empty() ? "the client certificate" : config_.certificate_file,
          config_.key_file.empty() ? "the client key" : config_.key_file);
      if (!used) return std::unexpected(used.error());
    }
    return std::shared_ptr<SSL_CTX>(context.release(), SSL_CTX_free);
  };
  auto built = build();
  if (built) {
    seen_ = std::move(seen);
    refused_.clear();
    const std::lock_guard lock(mutex_);
    current_ = {std::move(*built), before.generation + 1};
    return current_;
  }
  if (!before.context) return std::unexpected(built.error());
  log::warn("credentials not reloaded, keeping the old ones reason={:?}", built.error().message);
  refused_ = std::move(seen);
  return before;
}

bool TlsContext::ready() {
  const std::lock_guard lock(mutex_);
  return current_.context && std::chrono::steady_clock::now() < next_look_;
}

Result<TlsContext::Current> TlsContext::last() {
  {
    const std::lock_guard lock(mutex_);
    if (current_.context) return current_;
  }
  return current();
}

}  // namespace podium::client
