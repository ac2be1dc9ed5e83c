#include "client/http/watchdog.h"

#include "async/timer.h"

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

namespace podium::client {

namespace asio = boost::asio;

struct Watchdog::Timer {
  explicit Timer(const asio::any_io_executor& executor)
      : strand(asio::make_strand(executor)), timer(strand) {}
  asio::strand<asio::any_io_executor> strand;
  async::Timer timer;  // used on the strand only
};

Watchdog::Watchdog(asio::any_io_executor executor) : timer_(std::make_unique<Timer>(executor)) {}
Watchdog::~Watchdog() = default;

void Watchdog::add(Guarded& guarded) {
  std::lock_guard lock(mutex_);
  guarded_.insert(&guarded);
  if (closed_) guarded.end(Error::Kind::cancelled);
}

void Watchdog::remove(Guarded& guarded) {
  std::lock_guard lock(mutex_);
  guarded_.erase(&guarded);
}

// tick() resets armed_ before it reads the deadlines. So a deadline stored here is either seen by tick() or
// earlier than the time that it arms.
void Watchdog::set_deadline(Guarded& guarded, Steady deadline) {
  guarded.deadline_ = deadline;
  if (deadline < armed_.load()) asio::post(timer_->strand, [self = shared_from_this()] { self->tick(); });
}

void Watchdog::clear_deadline(Guarded& guarded) {
  std::lock_guard lock(mutex_);
  guarded.deadline_ = Steady::max();
}

void Watchdog::close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    for (Guarded* guarded : guarded_) guarded->end(Error::Kind::cancelled);
  }
  asio::post(timer_->strand, [self = shared_from_this()] { self->timer_->timer.cancel(); });
}

void Watchdog::tick() {
  if (closed_) return;
  armed_ = Steady::max();
  Steady next = Steady::max();
  {
    std::lock_guard lock(mutex_);
    Steady now = std::chrono::steady_clock::now();
    for (Guarded* guarded : guarded_) {
      Steady deadline = guarded->deadline_.load();
      if (deadline <= now) {
        guarded->end(Error::Kind::timeout);
      } else {
        next = std::min(next, deadline);
      }
    }
  }
  if (next == Steady::max()) return;
  armed_ = next;
  timer_->timer.expires_at(next);
  // Weak: a pending wait must not keep the watchdog alive after its transport.
  timer_->timer.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    if (error) return;
    if (auto self = weak.lock()) self->tick();
  });
}

}  // namespace podium::client
