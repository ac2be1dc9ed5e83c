#include "async/virtual_waits.h"

#include <boost/asio/error.hpp>

namespace podium::async {
namespace {

namespace asio = boost::asio;

// Runs at the end of a context: its waits must be destroyed before its executors.
class EndOfContext final : public asio::execution_context::service {
 public:
  using key_type = EndOfContext;
  static inline asio::execution_context::id id;

  explicit EndOfContext(asio::execution_context& context) : service(context) {}
  void follow(const std::shared_ptr<VirtualWaits>& waits) {
    if (last_ == waits.get()) return;
    last_ = waits.get();
    waits_.push_back(waits);
  }

 private:
  void shutdown() override {
    for (const auto& weak : waits_) {
      if (const auto waits = weak.lock()) waits->drop(context());
    }
  }

  const VirtualWaits* last_ = nullptr;
  std::vector<std::weak_ptr<VirtualWaits>> waits_;
};

}  // namespace

void VirtualWaits::move_to(Steady now) {
  now_ = now;
  while (!waits_.empty() && waits_.begin()->first.expiry <= now_) take(waits_.begin()->first)->end({});
}

VirtualWaits::Id VirtualWaits::begin(Steady expiry, std::unique_ptr<Wait> wait) {
  const Id id{expiry, ++numbers_};
  if (expiry <= now_) {
    wait->end({});
    return id;
  }
  asio::use_service<EndOfContext>(wait->context).follow(shared_from_this());
  waits_.emplace(id, std::move(wait));
  return id;
}

std::unique_ptr<VirtualWaits::Wait> VirtualWaits::take(Id id) {
  auto node = waits_.extract(id);
  return node ? std::move(node.mapped()) : nullptr;
}

void VirtualWaits::cancel(Id id) {
  if (const auto wait = take(id)) wait->end(asio::error::operation_aborted);
}

// A wait may hold the last reference to a coroutine, whose Timers cancel other waits in their destructors.
void VirtualWaits::drop(const asio::execution_context& context) {
  std::vector<std::unique_ptr<Wait>> dropped;
  for (auto it = waits_.begin(); it != waits_.end();) {
    const bool goes = &it->second->context == &context;
    if (goes) dropped.push_back(std::move(it->second));
    it = goes ? waits_.erase(it) : std::next(it);
  }
}

void VirtualTimer::begin(std::unique_ptr<VirtualWaits::Wait> wait) {
  begun_.push_back(waits_->begin(expiry_, std::move(wait)));
}

void VirtualTimer::expires_at(Steady expiry) {
  cancel();
  expiry_ = expiry;
}

void VirtualTimer::expires_after(Steady::duration wait) {
  const auto now = waits_->now();
  expires_at(wait > Steady::max() - now ? Steady::max() : now + wait);
}

void VirtualTimer::cancel() {
  for (const auto id : std::exchange(begun_, {})) waits_->cancel(id);
}

}  // namespace podium::async
