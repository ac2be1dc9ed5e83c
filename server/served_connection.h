// ServedConnection: one connection of a client to the HTTPS server, with its one deadline.
//
// The deadline either closes the connection or ends a wait for the client (rest), and a new one replaces it.
// Owner: HttpsServer, and the coroutine that serves the connection. Threads: the server's executor.
// Errors: none; a connection that is closed fails at its next step.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "async/timer.h"
#include "server/connection_table.h"
#include "server/messages.h"

namespace podium::server {

struct ServedConnection : std::enable_shared_from_this<ServedConnection> {
  ServedConnection(ConnectionTable::Id id, std::string peer, boost::asio::ip::tcp::socket socket,
                   std::shared_ptr<boost::asio::ssl::context> tls);

  void close();

  // Closes the connection unless the next limit comes in time.
  void limit(std::chrono::milliseconds time);
  void lift_limit();

  // Ends the wait of rest() after this time.
  void end_rest_after(std::chrono::milliseconds time);
  void end_rest();

  // The certificates that the client has presented, once the handshake is done.
  void read_certificates();

  const ConnectionTable::Id id;
  const std::string peer;  // peer_of()
  const std::shared_ptr<boost::asio::ssl::context> tls;
  boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream;
  async::Timer deadline;
  std::shared_ptr<const Certificates> certificates = std::make_shared<Certificates>();
  bool closed = false;  // by the server; the coroutine ends at its next step
  bool rests = false;   // in rest(), which alone waits for the socket
  bool ended = false;   // by the client: no more data arrives, and a read would wait for its deadline
};

}  // namespace podium::server
