// Pool: a bounded set of connections. Hands out the one used last, so that surplus ones go idle and close.
//
// A Slot is the right to one connection: a usable idle one, or none yet. give_back() returns the connection
// for reuse; destroying the Slot closes it. Callers without a free slot wait in order.
// Owner: the transport. Threads: any. Errors: Kind::timeout and Kind::cancelled from acquire().
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "client/http/connection.h"
#include "client/http/handoff.h"

namespace podium::client {

class Pool : public std::enable_shared_from_this<Pool> {
 public:
  Pool(std::shared_ptr<Watchdog> watchdog, std::size_t limit, std::chrono::milliseconds idle);

  class Slot {
   public:
    Slot(std::shared_ptr<Pool> pool, std::unique_ptr<Connection> connection)
        : connection(std::move(connection)), pool_(std::move(pool)) {}
    Slot(Slot&&) noexcept = default;
    Slot& operator=(Slot&&) = delete;
    ~Slot();
    void give_back();

    std::unique_ptr<Connection> connection;  // null: the caller connects

   private:
    friend class Pool;
    std::shared_ptr<Pool> pool_;
  };

  // Closes idle connections whose credentials are of an older generation.
  Task<Result<Slot>> acquire(Steady deadline, std::uint64_t generation);
  void close();

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    Steady since;
  };
  void release(std::unique_ptr<Connection> connection);  // null: frees the slot only
  std::unique_ptr<Connection> take_idle(std::uint64_t generation);

  const std::shared_ptr<Watchdog> watchdog_;
  const std::size_t limit_;
  const std::chrono::milliseconds idle_for_;
  std::mutex mutex_;
  std::size_t used_ = 0;    // slots in use
  std::vector<Idle> idle_;  // oldest first
  std::deque<std::shared_ptr<Handoff<Slot>>> waiters_;
  bool closed_ = false;
};

}  // namespace podium::client
