// A listening socket and its connections, opened close-on-exec in one system call.
//
// Asio sets close-on-exec later, so a child process started in between (an exec plugin) would keep the port.
// Threads: as the socket. Errors: listen() names the invalid flag; accept() returns errno.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace podium::server {

struct ListenOptions {
  std::string address = "0.0.0.0";  // unspecified or empty: all addresses of both families
  std::uint16_t port = 10259;       // 0: any free port
  bool share_port = false;          // SO_REUSEPORT: several processes may listen on it
};

Result<boost::asio::ip::tcp::acceptor> listen(boost::asio::any_io_executor executor,
                                              const ListenOptions& options);

// Accepts without waiting. Error: asio::error::try_again if no connection is pending.
boost::asio::ip::tcp::socket accept(boost::asio::ip::tcp::acceptor& acceptor,
                                    boost::system::error_code& error);

// The peer as the shares count it: an IPv4 address (also if it is mapped into IPv6), or the /64 network of an
// IPv6 address, since a host can choose any address of its network.
std::string peer_of(const boost::asio::ip::address& address);
std::string peer_of(const boost::asio::ip::tcp::socket& socket);

}  // namespace podium::server
