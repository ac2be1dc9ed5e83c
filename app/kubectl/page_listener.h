// PageListener: a small HTTP server on the loopback for a PageDoor. One request for each connection.
//
// Owner: a command, which runs the executor on one thread until run() has ended. Threads: that one.
// Errors: listen() fails with Kind::unavailable if the port is taken; a bad request closes its connection.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>

#include "app/kubectl/page_door.h"
#include "async/gate.h"
#include "base/result.h"

namespace podium::kubectl {

class PageListener {
 public:
  static constexpr std::size_t kConnections = 64, kBodyBytes = 1024 * 1024;

  PageListener(boost::asio::any_io_executor io, PageDoor& door, async::Gate& gate);
  ~PageListener();

  Result<std::uint16_t> listen(std::uint16_t port);  // 0: any; returns the port
  client::Task<void> run();                          // until stop()
  void stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::kubectl
