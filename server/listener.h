// A listening socket, and connections from it, that no child process inherits.
//
// Asio opens and accepts without close-on-exec, so that a credential plugin that is started in between keeps
// the port. These do both in one system call.
// Threads: as the socket. Errors: listen() names the flag that is wrong; accept() returns errno.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace podium::server {

struct ListenOptions {
  std::string address = "0.0.0.0";  // unspecified (or empty): all addresses of both families
  std::uint16_t port = 10259;       // 0: any free one
  bool share_port = false;          // SO_REUSEPORT: several processes may listen on it
};

Result<boost::asio::ip::tcp::acceptor> listen(boost::asio::any_io_executor executor,
                                              const ListenOptions& options);

// The next connection, without waiting. error: asio::error::try_again where there is none.
boost::asio::ip::tcp::socket accept(boost::asio::ip::tcp::acceptor& acceptor,
                                    boost::system::error_code& error);

// The address as text; an IPv4 address that came over an IPv6 socket as IPv4.
std::string address_of(const boost::asio::ip::tcp::socket& socket);

}  // namespace podium::server
