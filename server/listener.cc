#include "server/listener.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/ip/network_v6.hpp>
#include <cerrno>

namespace podium::server {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

error_code last_error() { return {errno, boost::system::system_category()}; }

// Returns the bound socket, or -1 with errno set.
int bound_socket(const tcp::endpoint& endpoint, bool both_families, bool share_port) {
  const int fd = ::socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return fd;
  const int on = 1, v6_only = both_families ? 0 : 1;
  bool done = ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0;
  if (share_port) done = done && ::setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) == 0;
  if (endpoint.address().is_v6())
    done = done && ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof v6_only) == 0;
  done = done && ::bind(fd, endpoint.data(), static_cast<socklen_t>(endpoint.size())) == 0 &&
         ::listen(fd, SOMAXCONN) == 0;
  if (done) return fd;
  const int why = errno;
  ::close(fd);
  errno = why;
  return -1;
}

bool has_no_ipv6(int why) { return why == EAFNOSUPPORT || why == EADDRNOTAVAIL || why == EPROTONOSUPPORT; }

}  // namespace

Result<tcp::acceptor> listen(asio::any_io_executor executor, const ListenOptions& options) {
  error_code error;
  const auto address = asio::ip::make_address(options.address.empty() ? "0.0.0.0" : options.address, error);
  if (error) return invalid("--bind-address: " + options.address + ": " + error.message());
  tcp::endpoint endpoint(address, options.port);
  int fd = -1;
  if (address.is_unspecified()) {
    endpoint = tcp::endpoint(asio::ip::address_v6::any(), options.port);
    fd = bound_socket(endpoint, true, options.share_port);
    if (fd < 0 && has_no_ipv6(errno)) endpoint = tcp::endpoint(asio::ip::address_v4::any(), options.port);
  }
  if (fd < 0) fd = bound_socket(endpoint, false, options.share_port);
  if (fd < 0) {
    return invalid("--secure-port: " + options.address + ":" + std::to_string(options.port) + ": " +
                   last_error().message());
  }
  tcp::acceptor acceptor(std::move(executor));
  acceptor.assign(endpoint.protocol(), fd, error);
  if (error) {
    ::close(fd);
    return fail(Error::Kind::internal, "--secure-port: " + error.message());
  }
  return acceptor;
}

tcp::socket accept(tcp::acceptor& acceptor, error_code& error) {
  tcp::socket socket(acceptor.get_executor());
  const int fd = ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    error = last_error();
    return socket;
  }
  error_code ignored;
  const auto local = acceptor.local_endpoint(ignored);
  socket.assign(local.protocol(), fd, error);
  if (error) ::close(fd);
  return socket;
}

std::string peer_of(const asio::ip::address& address) {
  if (!address.is_v6()) return address.to_string();
  const auto v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  return asio::ip::network_v6(v6, 64).canonical().to_string();
}

std::string peer_of(const tcp::socket& socket) {
  error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  return error ? std::string() : peer_of(endpoint.address());
}

}  // namespace podium::server
