#include "client/http/pool.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>

namespace podium::client {

Pool::Pool(std::shared_ptr<Watchdog> watchdog, std::size_t limit, std::chrono::milliseconds idle)
    : watchdog_(std::move(watchdog)), limit_(std::max<std::size_t>(limit, 1)), idle_for_(idle) {}

Pool::Slot::~Slot() {
  if (!pool_) return;
  connection.reset();
  pool_->release(nullptr);
}

void Pool::Slot::give_back() {
  auto pool = std::exchange(pool_, nullptr);
  pool->release(std::move(connection));
}

std::unique_ptr<Connection> Pool::take_idle(std::uint64_t generation) {
  Steady oldest = std::chrono::steady_clock::now() - idle_for_;
  std::vector<Idle> dropped;  // closed after the lock is released
  std::unique_ptr<Connection> found;
  std::lock_guard lock(mutex_);
  auto young =
      std::find_if(idle_.begin(), idle_.end(), [&](const Idle& idle) { return idle.since > oldest; });
  dropped.assign(std::move_iterator(idle_.begin()), std::move_iterator(young));
  idle_.erase(idle_.begin(), young);
  while (!idle_.empty() && !found) {
    Idle last = std::move(idle_.back());
    idle_.pop_back();
    if (last.connection->generation() == generation && last.connection->usable())
      found = std::move(last.connection);
    else
      dropped.push_back(std::move(last));
  }
  return found;
}

Task<Result<Pool::Slot>> Pool::acquire(Steady deadline, std::uint64_t generation) {
  auto self = shared_from_this();
  auto executor = co_await boost::asio::this_coro::executor;
  std::shared_ptr<Handoff<Slot>> turn;
  {
    std::unique_lock lock(mutex_);
    if (closed_) co_return fail(Error::Kind::cancelled, "stopped");
    if (used_ < limit_) {
      ++used_;
      lock.unlock();
      Slot slot(self, nullptr);
      slot.connection = take_idle(generation);
      co_return Result<Slot>(std::move(slot));
    }
    turn = std::make_shared<Handoff<Slot>>(executor, watchdog_, deadline);
    waiters_.push_back(turn);
  }
  auto slot = co_await turn->wait("wait for a free connection");
  if (!slot) {
    std::lock_guard lock(mutex_);
    std::erase(waiters_, turn);
    co_return slot;
  }
  auto& connection = slot->connection;
  if (connection && (connection->generation() != generation || !connection->usable())) connection.reset();
  co_return slot;
}

void Pool::release(std::unique_ptr<Connection> connection) {
  Slot slot(shared_from_this(), std::move(connection));
  for (;;) {
    std::shared_ptr<Handoff<Slot>> next;  // destroyed after the lock is released: its slot may lock again
    std::lock_guard lock(mutex_);
    if (waiters_.empty() || closed_) {
      slot.pool_ = nullptr;
      --used_;
      if (slot.connection && !closed_)
        idle_.push_back({std::move(slot.connection), std::chrono::steady_clock::now()});
      return;
    }
    next = std::move(waiters_.front());
    waiters_.pop_front();
    if (next->put(slot)) return;
  }
}

void Pool::close() {
  std::vector<Idle> dropped;
  std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(idle_);
}

}  // namespace podium::client
