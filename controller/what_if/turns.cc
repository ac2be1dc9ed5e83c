#include "controller/what_if/turns.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <tuple>
#include <utility>

namespace podium::controller {
namespace {

// The minimum cost of a question, so that many small ones are not free.
constexpr Turns::Cpu kLeast = std::chrono::milliseconds(1);
// Remembers idle namespaces that have used more than others, so that they do not return as new.
constexpr std::size_t kMostRemembered = 1024;

}  // namespace

async::Task<std::optional<Turns::Turn>> Turns::take(Turns* self, std::string ns, Steady until) {
  namespace asio = boost::asio;
  if (self->stopped_) co_return std::nullopt;
  const asio::any_io_executor own = co_await asio::this_coro::executor;
  async::Timer timer(own, until);
  const auto waiter = std::make_shared<Waiter>();
  waiter->timer = &timer;
  self->namespaces_[ns].waiting.push_back(waiter);
  self->grant();
  if (!waiter->granted) {
    boost::system::error_code ignored;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  waiter->timer = nullptr;
  if (!waiter->granted) {
    self->leave(ns, waiter);
    co_return std::nullopt;
  }
  co_return std::optional<Turn>(std::in_place, *self, std::move(ns));
}

void Turns::grant() {
  while (free_ > 0 && !stopped_) {
    auto next = namespaces_.end();
    for (auto each = namespaces_.begin(); each != namespaces_.end(); ++each) {
      if (each->second.waiting.empty()) continue;
      const auto order = [this](const Namespace& of) {
        return std::tuple(of.running, std::max(of.used, clock_));
      };
      if (next == namespaces_.end() || order(each->second) < order(next->second)) next = each;
    }
    if (next == namespaces_.end()) return;
    auto& of = next->second;
    const auto waiter = std::move(of.waiting.front());
    of.waiting.pop_front();
    of.used = clock_ = std::max(of.used, clock_);
    ++of.running;
    --free_;
    waiter->granted = true;
    if (waiter->timer) waiter->timer->cancel();
  }
}

void Turns::end(const std::string& ns, Cpu used) {
  auto& of = namespaces_[ns];
  --of.running;
  ++free_;
  of.used += std::max(used, kLeast);
  grant();
  forget_idle();
}

void Turns::leave(const std::string& ns, const std::shared_ptr<Waiter>& waiter) {
  std::erase(namespaces_[ns].waiting, waiter);
  forget_idle();
}

void Turns::forget_idle() {
  const auto is_idle = [](const Namespace& of) { return of.running == 0 && of.waiting.empty(); };
  std::erase_if(namespaces_,
                [&](const auto& each) { return is_idle(each.second) && each.second.used <= clock_; });
  while (namespaces_.size() > kMostRemembered) {
    auto least = namespaces_.end();
    for (auto each = namespaces_.begin(); each != namespaces_.end(); ++each) {
      const bool is_less = least == namespaces_.end() || each->second.used < least->second.used;
      if (is_idle(each->second) && is_less) least = each;
    }
    if (least == namespaces_.end()) return;
    namespaces_.erase(least);
  }
}

void Turns::stop() {
  stopped_ = true;
  for (auto& [_, of] : namespaces_) {
    for (const auto& waiter : of.waiting) {
      if (waiter->timer) waiter->timer->cancel();
    }
  }
}

std::size_t Turns::waiting() const {
  std::size_t count = 0;
  for (const auto& [_, of] : namespaces_) count += of.waiting.size();
  return count;
}

}  // namespace podium::controller
