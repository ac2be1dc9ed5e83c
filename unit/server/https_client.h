// HttpsClient: a blocking client of the loopback, for tests of the server.
//
// Owner: a test. Threads: one. Errors: the first one stays; whatever is asked after it answers with it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <string>

#include "unit/support/test_tls.h"

namespace podium::server {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// With a CA it verifies the server's certificate.
class HttpsClient {
 public:
  explicit HttpsClient(std::uint16_t port, const std::string& authority = "", unit::PemPair own = {})
      : stream_(io_, context(tls_, authority, own)) {
    stream_.next_layer().connect({asio::ip::make_address("127.0.0.1"), port}, error_);
    if (!error_) stream_.handshake(asio::ssl::stream_base::client, error_);
  }

  error_code error() const { return error_; }
  std::string common_name() const {  // of the server's certificate
    const std::unique_ptr<X509, decltype(&X509_free)> own(
        SSL_get1_peer_certificate(const_cast<HttpsClient*>(this)->stream_.native_handle()), X509_free);
    char name[256] = {};
    if (own) X509_NAME_get_text_by_NID(X509_get_subject_name(own.get()), NID_commonName, name, sizeof name);
    return name;
  }

  // "200 text/plain; charset=utf-8: ok"
  std::string ask(http::verb method, const std::string& target) {
    http::request<http::empty_body> request(method, target, 11);
    request.set(http::field::host, "localhost");
    if (!error_) http::write(stream_, request, error_);
    http::response_parser<http::string_body> parser;
    parser.skip(method == http::verb::head);
    if (!error_) http::read(stream_, buffer_, parser, error_);
    if (error_) return error_.message();
    const auto& response = parser.get();
    return std::to_string(response.result_int()) + " " + std::string(response[http::field::content_type]) +
           ": " + response.body();
  }
  // Sends bytes as they are.
  void send(const std::string& bytes) {
    if (!error_) asio::write(stream_, asio::buffer(bytes), error_);
  }
  // Sends nothing more; replies can still be read.
  void end() { stream_.next_layer().shutdown(tcp::socket::shutdown_send, error_); }
  // The next reply, in the form of ask().
  std::string next_reply() {
    http::response_parser<http::string_body> parser;
    if (!error_) http::read(stream_, buffer_, parser, error_);
    if (error_) return error_.message();
    const auto& response = parser.get();
    return std::to_string(response.result_int()) + (response.keep_alive() ? "" : ", closes") + ": " +
           response.body();
  }
  // Reads without a request: returns when the connection ends.
  error_code read_unasked() {
    http::response_parser<http::string_body> parser;
    http::read(stream_, buffer_, parser, error_);
    return error_;
  }
  std::string get(const std::string& target) { return ask(http::verb::get, target); }

 private:
  static asio::ssl::context& context(asio::ssl::context& tls, const std::string& authority,
                                     const unit::PemPair& own) {
    if (!own.key.empty()) {
      tls.use_certificate_chain(asio::buffer(own.certificate));
      tls.use_private_key(asio::buffer(own.key), asio::ssl::context::pem);
    }
    if (authority.empty()) return tls;
    tls.add_certificate_authority(asio::buffer(authority));
    tls.set_verify_mode(asio::ssl::verify_peer);
    tls.set_verify_callback(asio::ssl::host_name_verification("localhost"));
    return tls;
  }

  asio::io_context io_;
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  asio::ssl::stream<tcp::socket> stream_;
  boost::beast::flat_buffer buffer_;
  error_code error_;
};

}  // namespace podium::server
