#include "async/gate.h"

#include "async/timer.h"
#include "log/log.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <cstdlib>
#include <list>
#include <mutex>

namespace podium::async {

namespace asio = boost::asio;

namespace {

// A running coroutine.
struct Entry {
  Entry(std::string name, asio::any_io_executor executor)
      : name(std::move(name)), executor(std::move(executor)) {}

  const std::string name;
  const asio::any_io_executor executor;
  asio::cancellation_signal signal;  // used on the executor only
};

std::string what_of(std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown exception";
  }
}

bool is_cancellation(std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (const boost::system::system_error& e) {
    return e.code() == asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

// Posts, because a signal is used on its coroutine's executor only.
void end(std::shared_ptr<Entry> entry) {
  asio::post(entry->executor, [entry] { entry->signal.emit(asio::cancellation_type::terminal); });
}

}  // namespace

struct Gate::State {
  explicit State(Fault fault) : fault(std::move(fault)) {}

  bool is_cancelled() {
    const std::lock_guard lock(mutex);
    return cancelled;
  }

  void ended(const Entry& entry, std::exception_ptr exception) {
    if (!exception || (is_cancelled() && is_cancellation(exception))) return;
    const auto what = what_of(std::move(exception));
    log::critical("task failed task={:?} error={:?}", entry.name, what);
    if (!fault) std::abort();
    fault(entry.name, what);
  }

  void forget(const std::shared_ptr<Entry>& entry) {
    const std::lock_guard lock(mutex);
    std::erase(inside, entry);
    if (!inside.empty()) return;
    for (const auto& waiter : waiters) {
      asio::post(waiter->get_executor(), [waiter] { waiter->cancel(); });
    }
    waiters.clear();
  }

  const Fault fault;
  std::mutex mutex;  // guards these
  bool closed = false, cancelled = false;
  std::list<std::shared_ptr<Entry>> inside;
  std::list<std::shared_ptr<Timer>> waiters;  // each is used on its own executor only
};

namespace {

// Held by the coroutine's completion handler, so destroying it with its context also removes the entry.
template <typename State>
struct Inside {
  Inside(std::shared_ptr<State> state, std::shared_ptr<Entry> entry)
      : state(std::move(state)), entry(std::move(entry)) {}
  Inside(const Inside&) = delete;
  ~Inside() { state->forget(entry); }

  const std::shared_ptr<State> state;
  const std::shared_ptr<Entry> entry;
};

}  // namespace

Gate::Gate(Fault fault) : state_(std::make_shared<State>(std::move(fault))) {}

Gate::~Gate() {
  const std::lock_guard lock(state_->mutex);
  if (state_->inside.empty()) return;
  for (const auto& entry : state_->inside) {
    log::critical("task outlives its owner task={:?}", entry->name);
  }
  spdlog::shutdown();
  std::abort();
}

void Gate::close() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
}

void Gate::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  if (std::exchange(state_->cancelled, true)) return;
  for (const auto& entry : state_->inside) end(entry);
}

bool Gate::closed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->closed;
}

std::size_t Gate::inside() const {
  const std::lock_guard lock(state_->mutex);
  return state_->inside.size();
}

std::vector<std::string> Gate::names() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> out;
  for (const auto& entry : state_->inside) out.push_back(entry->name);
  return out;
}

Task<bool> Gate::drained(std::chrono::milliseconds within) {
  const auto state = state_;
  const auto executor = co_await asio::this_coro::executor;
  const auto timer = std::make_shared<Timer>(executor, within);
  {
    const std::lock_guard lock(state->mutex);
    if (state->inside.empty()) co_return true;
    state->waiters.push_back(timer);
  }
  boost::system::error_code error;
  co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, error));
  const std::lock_guard lock(state->mutex);
  std::erase(state->waiters, timer);
  co_return state->inside.empty();
}

bool spawn(Gate& gate, asio::any_io_executor executor, std::string name, Task<void> task) {
  const auto state = gate.state_;
  const auto entry = std::make_shared<Entry>(std::move(name), std::move(executor));
  {
    const std::lock_guard lock(state->mutex);
    if (state->closed) return false;
    state->inside.push_back(entry);
  }
  const auto inside = std::make_shared<Inside<Gate::State>>(state, entry);
  // Starts from the executor, so that the signal's slot is set up where it is used.
  asio::post(entry->executor, [inside, task = std::move(task)]() mutable {
    auto& entry = inside->entry;
    asio::co_spawn(entry->executor, std::move(task),
                   asio::bind_cancellation_slot(entry->signal.slot(), [inside](std::exception_ptr exception) {
                     inside->entry->signal.slot().clear();
                     inside->state->ended(*inside->entry, std::move(exception));
                   }));
    if (inside->state->is_cancelled()) end(entry);
  });
  return true;
}

}  // namespace podium::async
