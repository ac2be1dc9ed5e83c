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

// Whether the first of those that wait may run on a free worker. One that begins may be paused later.
bool Turns::may_go(const Namespace& of) const {
  if (of.waiting.empty()) return false;
  return of.paused > 0 || (!is_full() && of.running < workers_);
}

// The namespace whose first waiting question is next, if a worker is free.
Turns::Namespaces::iterator Turns::next() {
  auto next = namespaces_.end();
  const auto order = [this](const Namespace& of) {
    return std::tuple(of.running, std::max(of.used, clock_));
  };
  for (auto each = namespaces_.begin(); each != namespaces_.end(); ++each) {
    const auto& of = each->second;
    if (!may_go(of)) continue;
    if (next == namespaces_.end() || order(of) < order(next->second)) next = each;
  }
  return next;
}

void Turns::grant() {
  while (running_ < workers_ && !stopped_) {
    const auto first = next();
    if (first == namespaces_.end()) break;
    auto& of = first->second;
    const auto waiter = std::move(of.waiting.front());
    of.waiting.pop_front();
    of.used = clock_ = std::max(of.used, clock_);
    ++of.running, ++running_;
    waiter->granted = true;
    if (waiter->timer) waiter->timer->cancel();
    if (!waiter->resumed) continue;
    --of.paused, --paused_;
    waiter->resumed();
  }
  update_wanted();
}

// If as many have begun as may, and another one waits to begin, one has to end: the running ones go on.
void Turns::update_wanted() {
  const auto waits_to_begin = [](const auto& each) {
    return each.second.waiting.size() > each.second.paused;
  };
  const bool has_to_end = is_full() && std::ranges::any_of(namespaces_, waits_to_begin);
  is_wanted_ = !has_to_end && next() != namespaces_.end();
}

void Turns::pause(const std::string& ns, Cpu used, Resumed resumed) {
  if (stopped_) return resumed();
  auto& of = namespaces_[ns];
  --of.running, --running_;
  ++of.paused, ++paused_;
  of.used += used;
  of.waiting.push_front(std::make_shared<Waiter>(Waiter{.resumed = std::move(resumed)}));
  grant();
}

void Turns::end(const std::string& ns, Cpu used) {
  auto& of = namespaces_[ns];
  --of.running, --running_;
  of.used += std::max(used, kLeast);
  grant();
  forget_idle();
}

void Turns::leave(const std::string& ns, const std::shared_ptr<Waiter>& waiter) {
  std::erase(namespaces_[ns].waiting, waiter);
  update_wanted();
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
    // The paused ones, which find out that they have to end.
    for (; of.paused > 0; --of.paused, --paused_) {
      const auto waiter = std::move(of.waiting.front());
      of.waiting.pop_front();
      ++of.running, ++running_;
      waiter->resumed();
    }
  }
}

std::size_t Turns::waiting() const {
  std::size_t count = 0;
  for (const auto& [_, of] : namespaces_) count += of.waiting.size();
  return count;
}

}  // namespace podium::controller
