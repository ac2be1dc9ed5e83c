#include "unit/support/http_script.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

namespace podium::unit {
namespace {

void check(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "http_script: %s failed\n", what);
  std::abort();
}

// A socket bound to a free loopback port.
std::pair<int, int> bind_loopback() {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(fd >= 0, "socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  check(::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0, "bind");
  check(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0, "getsockname");
  return {fd, ntohs(address.sin_port)};
}

void reset_on_close(int fd) {
  linger now{1, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

// A write to a closed connection must fail, not raise SIGPIPE.
void block_sigpipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

X509* read_certificate(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  check(certificate != nullptr, "PEM_read_bio_X509");
  return certificate;
}

SSL_CTX* server_context(const HttpScriptOptions& options) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  X509* certificate = read_certificate(options.certificate.certificate);
  BIO* bio =
      BIO_new_mem_buf(options.certificate.key.data(), static_cast<int>(options.certificate.key.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  check(SSL_CTX_use_certificate(context, certificate) == 1, "SSL_CTX_use_certificate");
  check(SSL_CTX_use_PrivateKey(context, key) == 1, "SSL_CTX_use_PrivateKey");
  X509_free(certificate);
  EVP_PKEY_free(key);
  if (!options.client_ca.empty()) {
    X509* ca = read_certificate(options.client_ca);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca);
    X509_free(ca);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  }
  return context;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

const char* reason_phrase(int status) { return status < 400 ? "OK" : "Error"; }

// One accepted connection: reads requests, writes what the handler says.
class Connection final : public HttpExchange {
 public:
  Connection(int fd, int number, SSL_CTX* context) : fd_(fd), number_(number) {
    int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (context == nullptr) return;
    ssl_ = SSL_new(context);
    SSL_set_fd(ssl_, fd);
  }
  ~Connection() override { close(); }

  bool handshake() {
    if (ssl_ == nullptr) return true;
    if (SSL_accept(ssl_) == 1) return true;
    ERR_clear_error();
    return false;
  }

  bool read_request() {
    replied_ = false;
    std::size_t end;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return false;
      if (std::isupper(static_cast<unsigned char>(buffer_[0]))) continue;
      raw("HTTP/1.1 400 Bad Request\r\n\r\n");  // a TLS greeting, say
      return false;
    }
    parse_head(buffer_.substr(0, end));
    std::size_t length = 0;
    if (auto found = request_.headers.find("content-length"); found != request_.headers.end())
      length = std::strtoul(found->second.c_str(), nullptr, 10);
    while (buffer_.size() < end + 4 + length)
      if (!fill()) return false;
    request_.body = buffer_.substr(end + 4, length);
    buffer_.erase(0, end + 4 + length);
    return true;
  }

  bool open() const { return open_; }
  bool replied() const { return replied_; }

  const HttpRequest& request() const override { return request_; }

  void reply(int status, std::string_view body, const HttpHeaders& headers) override {
    raw(head(status, headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
        std::string(body));
  }

  void start_chunks(int status, const HttpHeaders& headers) override {
    raw(head(status, headers) + "Transfer-Encoding: chunked\r\n\r\n");
  }

  bool chunk(std::string_view data) override {
    char size[24];
    std::snprintf(size, sizeof size, "%zx\r\n", data.size());
    raw(size + std::string(data) + "\r\n");
    return open_;
  }

  void end_chunks() override { raw("0\r\n\r\n"); }

  void raw(std::string_view bytes) override {
    replied_ = true;
    while (!bytes.empty() && open_) {
      int size = static_cast<int>(bytes.size());
      auto wrote =
          ssl_ ? SSL_write(ssl_, bytes.data(), size) : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (wrote <= 0) {
        ERR_clear_error();
        open_ = false;
      } else {
        bytes.remove_prefix(static_cast<std::size_t>(wrote));
      }
    }
  }

  void hang_up() override {
    if (ssl_ && open_) SSL_shutdown(ssl_);
    ERR_clear_error();
    open_ = false;
  }

  void cut() override {
    reset_on_close(fd_);
    open_ = false;
  }

  void wait_closed() override {
    while (open_ && fill()) {
    }
    open_ = false;
  }

 private:
  std::string head(int status, const HttpHeaders& headers) {
    std::string text = "HTTP/1.1 " + std::to_string(status) + " " + reason_phrase(status) + "\r\n";
    text += "Content-Type: application/json\r\n";
    for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
    return text;
  }

  void parse_head(const std::string& text) {
    request_ = HttpRequest{};
    request_.connection = number_;
    if (ssl_) request_.client = client_name();
    std::size_t line_end = text.find("\r\n");
    std::string line = text.substr(0, line_end);
    std::size_t first = line.find(' '), last = line.rfind(' ');
    request_.method = line.substr(0, first);
    request_.target = line.substr(first + 1, last - first - 1);
    while (line_end != std::string::npos) {
      std::size_t start = line_end + 2;
      line_end = text.find("\r\n", start);
      line = text.substr(start, line_end == std::string::npos ? std::string::npos : line_end - start);
      std::size_t colon = line.find(':');
      if (colon == std::string::npos) continue;
      std::size_t value = line.find_first_not_of(' ', colon + 1);
      request_.headers[lower(line.substr(0, colon))] = value == std::string::npos ? "" : line.substr(value);
    }
  }

  std::string client_name() {
    X509* certificate = SSL_get1_peer_certificate(ssl_);
    if (certificate == nullptr) return "";
    char name[256] = "";
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
    X509_free(certificate);
    return name;
  }

  bool fill() {
    char bytes[16384];
    auto size = ssl_ ? SSL_read(ssl_, bytes, sizeof bytes) : ::recv(fd_, bytes, sizeof bytes, 0);
    if (size <= 0) {
      ERR_clear_error();
      open_ = false;
      return false;
    }
    buffer_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }

  void close() {
    if (ssl_) SSL_free(ssl_);
    ssl_ = nullptr;
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  int fd_;
  int number_;
  SSL* ssl_ = nullptr;
  bool open_ = true, replied_ = false;
  std::string buffer_;
  HttpRequest request_;
};

}  // namespace

struct HttpScript::Impl {
  HttpScriptOptions options;
  SSL_CTX* context = nullptr;
  int listener = -1, port = 0;
  std::thread acceptor;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::deque<HttpHandler> script;
  HttpHandler standing;
  std::vector<HttpRequest> requests;
  std::vector<std::thread> threads;
  std::set<int> open;  // sockets of live connections
  int accepted = 0;
  bool stopping = false;

  void accept_loop() {
    for (;;) {
      int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      std::lock_guard lock(mutex);
      if (stopping || fd < 0) {
        if (fd >= 0) ::close(fd);
        return;
      }
      open.insert(fd);
      threads.emplace_back([this, fd, number = accepted++] { serve(fd, number); });
    }
  }

  void serve(int fd, int number) {
    block_sigpipe();
    auto connection = std::make_unique<Connection>(fd, number, context);
    if (connection->handshake()) {
      while (connection->open() && connection->read_request()) {
        next(connection->request())(*connection);
        if (!connection->replied()) connection->hang_up();
      }
    }
    std::lock_guard lock(mutex);
    open.erase(fd);
    connection.reset();
    changed.notify_all();
  }

  HttpHandler next(const HttpRequest& request) {
    std::lock_guard lock(mutex);
    requests.push_back(request);
    changed.notify_all();
    if (script.empty()) return standing ? standing : replying(404, "{}");
    HttpHandler handler = std::move(script.front());
    script.pop_front();
    return handler;
  }

  void cut_all() {
    std::lock_guard lock(mutex);
    for (int fd : open) {
      reset_on_close(fd);
      ::shutdown(fd, SHUT_RD);
    }
  }

  void stop() {
    {
      std::lock_guard lock(mutex);
      stopping = true;
      for (int fd : open) ::shutdown(fd, SHUT_RDWR);
    }
    ::shutdown(listener, SHUT_RDWR);
    acceptor.join();
    for (auto& thread : threads) thread.join();
    ::close(listener);
    if (context) SSL_CTX_free(context);
  }
};

HttpHandler replying(int status, std::string body, HttpHeaders headers) {
  return [=](HttpExchange& exchange) { exchange.reply(status, body, headers); };
}

HttpScript::HttpScript(HttpScriptOptions options) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
  if (impl_->options.tls) impl_->context = server_context(impl_->options);
  std::tie(impl_->listener, impl_->port) = bind_loopback();
  check(::listen(impl_->listener, 128) == 0, "listen");
  impl_->acceptor = std::thread([impl = impl_.get()] { impl->accept_loop(); });
}

HttpScript::~HttpScript() { impl_->stop(); }

HttpScript& HttpScript::then(HttpHandler handler) {
  std::lock_guard lock(impl_->mutex);
  impl_->script.push_back(std::move(handler));
  return *this;
}

HttpScript& HttpScript::always(HttpHandler handler) {
  std::lock_guard lock(impl_->mutex);
  impl_->standing = std::move(handler);
  return *this;
}

int HttpScript::port() const { return impl_->port; }

std::string HttpScript::url() const {
  return (impl_->options.tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(impl_->port);
}

std::vector<HttpRequest> HttpScript::requests() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->requests;
}

std::size_t HttpScript::wait_requests(std::size_t count) const {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait_for(lock, std::chrono::seconds(120), [&] { return impl_->requests.size() >= count; });
  return impl_->requests.size();
}

bool HttpScript::wait_open(std::size_t count) const {
  std::unique_lock lock(impl_->mutex);
  return impl_->changed.wait_for(lock, std::chrono::seconds(120),
                                 [&] { return impl_->open.size() <= count; });
}

int HttpScript::connections() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->accepted;
}

void HttpScript::cut_all() { impl_->cut_all(); }

DeadPort::DeadPort(Kind kind) {
  std::tie(fd_, port_) = bind_loopback();
  if (kind == Kind::silent) check(::listen(fd_, 16) == 0, "listen");
}

DeadPort::~DeadPort() { ::close(fd_); }

}  // namespace podium::unit
