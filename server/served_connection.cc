#include "server/served_connection.h"

#include <openssl/ssl.h>

#include <utility>

#include "base/instant.h"

namespace podium::server {
namespace {

using boost::system::error_code;

}  // namespace

ServedConnection::ServedConnection(ConnectionTable::Id id, std::string peer,
                                   boost::asio::ip::tcp::socket socket,
                                   std::shared_ptr<boost::asio::ssl::context> tls)
    : id(id),
      peer(std::move(peer)),
      tls(std::move(tls)),
      stream(std::move(socket), *this->tls),
      deadline(stream.get_executor()) {}

void ServedConnection::close() {
  error_code ignored;
  closed = true;
  deadline.cancel();
  stream.next_layer().close(ignored);
}

void ServedConnection::limit(std::chrono::milliseconds time) {
  deadline.expires_after(time);
  deadline.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    // A wait that ends while it is replaced reports no error.
    if (self->deadline.expiry() <= async::TimerClock::now()) self->close();
  });
}

void ServedConnection::lift_limit() { deadline.expires_at(Steady::max()); }

void ServedConnection::end_rest_after(std::chrono::milliseconds time) {
  rests = true;
  deadline.expires_after(time);
  deadline.async_wait([weak = weak_from_this()](error_code error) {
    const auto self = weak.lock();
    if (error || !self || !self->rests) return;
    error_code ignored;
    self->stream.next_layer().cancel(ignored);
  });
}

void ServedConnection::end_rest() {
  rests = false;
  lift_limit();
}

void ServedConnection::read_certificates() {
  auto* session = stream.native_handle();
  auto out = std::make_shared<Certificates>();
  const auto add = [&](X509* one) {
    X509_up_ref(one);
    out->push_back(std::shared_ptr<X509>(one, X509_free));
  };
  if (auto* own = SSL_get0_peer_certificate(session)) add(own);
  const auto* chain = SSL_get_peer_cert_chain(session);  // at a server: without the client's certificate
  for (int i = 0; chain && i < sk_X509_num(chain); ++i) add(sk_X509_value(chain, i));
  certificates = std::move(out);
}

}  // namespace podium::server
