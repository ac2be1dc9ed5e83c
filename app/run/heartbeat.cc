#include "app/run/heartbeat.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/post.hpp>

#include "async/nap.h"
#include "base/clock.h"

namespace podium::app::run {
namespace {

constexpr std::chrono::seconds kEvery{1}, kStuckAfter{10};

}  // namespace

struct Heartbeat::Beat {
  std::atomic<bool> pending{false};
  Steady posted{};  // used on the I/O executor only
};

Heartbeat::Heartbeat(async::Gate& gate, boost::asio::any_io_executor io, boost::asio::any_io_executor strand,
                     Clock& clock)
    : gate_(gate),
      io_(std::move(io)),
      strand_(std::move(strand)),
      clock_(clock),
      beat_(std::make_shared<Beat>()) {}

void Heartbeat::start() { async::spawn(gate_, io_, "heartbeat", run(this)); }

void Heartbeat::beat() {
  if (beat_->pending.exchange(true)) return;
  beat_->posted = clock_.now();
  boost::asio::post(strand_, [beat = beat_] { beat->pending = false; });
}

std::optional<std::string> Heartbeat::why_unhealthy() const {
  if (!beat_->pending) return std::nullopt;
  const auto waits = clock_.now() - beat_->posted;
  if (waits < kStuckAfter) return std::nullopt;
  return fmt::format("the scheduling strand has not answered for {} s",
                     std::chrono::duration_cast<std::chrono::seconds>(waits).count());
}

async::Task<void> Heartbeat::run(Heartbeat* self) {
  while (!self->gate_.closed()) {
    self->beat();
    co_await async::nap(kEvery);
  }
}

}  // namespace podium::app::run
