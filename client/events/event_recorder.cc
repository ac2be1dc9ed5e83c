#include "client/events/event_recorder.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include "async/attachment.h"
#include "async/nap.h"
#include "base/time.h"
#include "client/events/event_json.h"
#include "client/events/event_series.h"

namespace podium::client {
namespace asio = boost::asio;
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;

constexpr int kTries = 5;
constexpr std::size_t kAtOnce = 16;
constexpr std::chrono::milliseconds kFirstDelay = 500ms, kCall = 10s, kTick = 30s;
constexpr int kLongestRetryAfter = 30;  // seconds
constexpr std::chrono::minutes kLogEvery{1};
constexpr std::size_t kInstanceLimit = 128;

struct Item {
  EventSeries::Write write;
  std::optional<EventText> event;  // none for a series' last count: it is dropped where the server forgot the
                                   // event
  Steady since{};                  // when it was queued
};

std::string identity_of(const EventText& event) {
  std::string key;
  key.reserve(256 + event.note.size());
  const auto add = [&key](std::string_view text) { key.append(text).append(1, '\0'); };
  const auto add_object = [&add](const EventRegarding& object) {
    for (const auto* text :
         {&object.api_version, &object.kind, &object.namespace_, &object.name, &object.uid})
      add(*text);
  };
  add_object(event.regarding);
  if (event.related) add_object(*event.related);
  for (const auto* text : {&event.type, &event.reason, &event.action, &event.note}) add(*text);
  return key;
}

bool passing(const Error& error) {
  return error.kind == Error::Kind::unavailable || error.kind == Error::Kind::timeout || error.code == 429 ||
         error.code >= 500;
}

}  // namespace

struct EventRecorder::Impl : std::enable_shared_from_this<Impl> {
  Impl(Api& api, const Precedence& precedence, std::string controller, std::string instance,
       std::size_t capacity, std::size_t writers, std::chrono::milliseconds drain)
      : api(api),
        precedence(precedence),
        controller(std::move(controller)),
        instance(instance.substr(0, kInstanceLimit)),
        capacity(std::max<std::size_t>(capacity, 1)),
        drain(drain),
        series(std::max<std::size_t>(capacity, 1)),
        attachment(std::max<std::size_t>(writers, 1)) {}

  void record(EventText event);
  void push(Item item);
  std::vector<Item> pop();
  void stop();

  // On the strand.
  static Task<void> run(std::shared_ptr<Impl> self);
  static Task<void> supervise(std::shared_ptr<Impl> self, asio::strand<asio::any_io_executor> on);
  static Task<void> write_all(std::shared_ptr<Impl> self);
  static Task<void> tick(std::shared_ptr<Impl> self);
  Task<void> write_together(std::vector<Item> items);
  Task<void> write(Item item);
  Task<Result<void>> attempt(const Item& item);
  Task<Result<void>> create(const Item& item);
  std::string text_of(const Item& item) const;
  void log_loss(const Item& item, const Error& error);
  void push_due(bool all);  // series' counts
  void wake();
  void begin_stop();
  void expire();
  void finished();

  Api& api;
  const Precedence& precedence;
  const std::string controller, instance;
  const std::size_t capacity;
  const std::chrono::milliseconds drain;

  std::mutex mutex;  // guards these
  std::deque<Item> queue;
  EventSeries series;
  std::uint64_t last_name = 0;  // the time in the last event's name, which no other may have
  std::size_t idle = 0;         // writers that wait for work
  bool waking = false;

  async::Attachment attachment;  // a slot for each writer
  // On the strand.
  std::size_t running = 0;
  bool stopping = false;
  std::optional<Steady> logged;  // when a loss was
  std::optional<asio::steady_timer> work, ticker, deadline, done;

  std::atomic<bool> stopped{false}, expired{false};
  std::atomic<std::uint64_t> dropped{0}, written{0};
};

void EventRecorder::Impl::record(EventText event) {
  event.note = cut_note(std::move(event.note));
  const auto identity = identity_of(event);
  const std::string ns = event.regarding.namespace_.empty() ? "default" : event.regarding.namespace_;
  const Wall wall = api.clock().wall();
  const Steady now = api.clock().now();
  const auto nanoseconds = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(wall.time_since_epoch()).count());
  std::vector<EventSeries::Write> also;
  const std::lock_guard lock(mutex);
  last_name = std::max(last_name + 1, nanoseconds);
  const auto name = event_name(event.regarding.name, last_name, api.random());
  auto write = series.happened(identity, ns, name, now, wall, also);
  for (auto& other : also) push({std::move(other), std::nullopt, now});
  if (write.kind != EventSeries::Write::Kind::none) push({std::move(write), std::move(event), now});
}

// Under the mutex.
void EventRecorder::Impl::push(Item item) {
  if (expired) {
    ++dropped;
    return;
  }
  if (queue.size() >= capacity) {
    queue.pop_front();
    ++dropped;
  }
  queue.push_back(std::move(item));
  if (idle == 0 || waking) return;
  waking = attachment.post([self = shared_from_this()] { self->wake(); });
}

// The oldest; none: there is nothing to do; the writer waits or, after a stop, ends.
std::vector<Item> EventRecorder::Impl::pop() {
  const std::lock_guard lock(mutex);
  if (queue.empty()) ++idle;
  const auto end = queue.begin() + static_cast<std::ptrdiff_t>(std::min(queue.size(), kAtOnce));
  std::vector<Item> items(std::make_move_iterator(queue.begin()), std::make_move_iterator(end));
  queue.erase(queue.begin(), end);
  return items;
}

void EventRecorder::Impl::wake() {
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex);
    waking = false;
    count = std::min(queue.size(), idle);
  }
  if (!work) return;  // run() has ended
  for (; count > 0; --count) work->cancel_one();
}

Task<void> EventRecorder::Impl::run(std::shared_ptr<Impl> self) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto on = asio::make_strand(executor);
  co_await asio::co_spawn(on, supervise(self, on), asio::use_awaitable);
}

Task<void> EventRecorder::Impl::supervise(std::shared_ptr<Impl> self,
                                          asio::strand<asio::any_io_executor> on) {
  const std::array timers{&self->work, &self->ticker, &self->deadline, &self->done};
  for (auto* timer : timers) timer->emplace(on, asio::steady_timer::time_point::max());
  const async::Attachment::Scope scope(self->attachment, on, [self, timers] {
    for (auto* timer : timers) timer->reset();
  });
  if (self->stopped) self->begin_stop();
  const std::size_t writers = self->attachment.slots();
  self->running = writers + 1;
  const auto finished = [self](std::exception_ptr bug) {
    self->finished();
    if (bug) std::rethrow_exception(bug);
  };
  for (std::size_t i = 0; i < writers; ++i) {
    asio::co_spawn(on, write_all(self), asio::bind_cancellation_slot(self->attachment.slot(i), finished));
  }
  asio::co_spawn(on, tick(self), finished);
  // Cancelled, its writers end before it does: they use what it has set up.
  co_await asio::this_coro::throw_if_cancelled(false);
  const auto cancellation = co_await asio::this_coro::cancellation_state;
  boost::system::error_code ignored;
  while (self->running > 0) {
    if (cancellation.cancelled() != asio::cancellation_type::none && !self->expired) {
      self->stopped = true;
      self->begin_stop();
      self->expire();
    }
    co_await self->done->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  self->deadline->cancel();
}

void EventRecorder::Impl::finished() {
  if (--running == 0) done->cancel();
}

Task<void> EventRecorder::Impl::write_all(std::shared_ptr<Impl> self) {
  co_await asio::this_coro::throw_if_cancelled(false);
  while (true) {
    if (auto items = self->pop(); !items.empty()) {
      if (!self->stopping) co_await self->precedence.turn(items.front().since);
      co_await self->write_together(std::move(items));
      continue;
    }
    boost::system::error_code ignored;
    if (!self->stopping) co_await self->work->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    const std::lock_guard lock(self->mutex);
    --self->idle;
    if (self->stopping && self->queue.empty()) break;
  }
}

// Finishes and refreshes series.
Task<void> EventRecorder::Impl::tick(std::shared_ptr<Impl> self) {
  while (!self->stopped) {
    self->ticker->expires_after(kTick);
    boost::system::error_code ignored;
    co_await self->ticker->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    if (!self->stopped) self->push_due(false);
  }
}

void EventRecorder::Impl::push_due(bool all) {
  const std::lock_guard lock(mutex);
  const auto now = api.clock().now();
  for (auto& write : series.due(now, all)) push({std::move(write), std::nullopt, now});
}

// New events at once; then, one by one, the others and what did not go through.
Task<void> EventRecorder::Impl::write_together(std::vector<Item> items) {
  const auto is_new = [](const Item& item) { return item.write.kind == EventSeries::Write::Kind::create; };
  const auto rest = std::stable_partition(items.begin(), items.end(), is_new);
  const auto fresh = static_cast<std::size_t>(rest - items.begin());
  std::vector<bool> done(items.size());
  if (fresh > 1) {
    std::vector<Request> requests(fresh);
    for (std::size_t i = 0; i < fresh; ++i) {
      requests[i].method = "POST";
      requests[i].target = resource::events.path(items[i].write.ns);
      requests[i].body = text_of(items[i]);
      requests[i].accept = kBriefReply;
      requests[i].timeout = kCall;
    }
    const auto answers = co_await api.send_all(std::move(requests));
    for (std::size_t i = 0; i < fresh; ++i) {
      done[i] = answers[i].has_value();
      written += done[i];
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!done[i]) co_await write(std::move(items[i]));
  }
}

Task<void> EventRecorder::Impl::write(Item item) {
  auto delay = kFirstDelay;
  for (int tries = 1;; ++tries, delay *= 2) {
    auto result = co_await attempt(item);
    if (result) {
      ++written;
      co_return;
    }
    const Error& error = result.error();
    if (expired || tries == kTries || !passing(error)) {
      ++dropped;
      log_loss(item, error);
      co_return;
    }
    const auto jittered =
        delay + std::chrono::milliseconds(static_cast<std::int64_t>(api.random().unit() * delay.count()));
    co_await async::nap(std::max<std::chrono::milliseconds>(
        jittered, std::chrono::seconds(std::min(error.retry_after, kLongestRetryAfter))));
  }
}

// Once a minute at most: one missing right refuses every event.
void EventRecorder::Impl::log_loss(const Item& item, const Error& error) {
  const auto now = api.clock().now();
  const bool is_new = !logged || now - *logged >= kLogEvery;
  if (is_new) logged = now;
  spdlog::log(is_new ? spdlog::level::warn : spdlog::level::debug,
              "event not written event={}/{} lost_so_far={} error=\"{}\"", item.write.ns, item.write.name,
              dropped.load(), error.message);
}

Task<Result<void>> EventRecorder::Impl::attempt(const Item& item) {
  if (item.write.kind == EventSeries::Write::Kind::create) {
    auto created = co_await create(item);
    // The name is ours alone: it is there because an earlier try went through and its reply was lost.
    if (!created && created.error().code == 409) co_return Result<void>();
    co_return created;
  }
  json::object body{
      {"series", {{"count", item.write.count}, {"lastObservedTime", format_micro_time(item.write.last)}}}};
  auto patched = co_await api.patch(resource::events, item.write.ns, item.write.name, PatchType::merge,
                                    std::move(body), "", controller, {kCall, false});
  if (patched) co_return Result<void>();
  if (patched.error().code != 404 || !item.event) co_return std::unexpected(patched.error());
  // Its create is still under way with another writer, or was dropped, or the server has forgotten it.
  auto created = co_await create(item);
  if (!created && created.error().code == 409) created.error().kind = Error::Kind::unavailable;
  co_return created;
}

Task<Result<void>> EventRecorder::Impl::create(const Item& item) {
  co_return co_await api.post(resource::events.path(item.write.ns), text_of(item), {kCall, false});
}

std::string EventRecorder::Impl::text_of(const Item& item) const {
  return event_json(*item.event, item.write.name, item.write.ns, controller, instance, item.write.first,
                    {item.write.count, item.write.last});
}

void EventRecorder::Impl::stop() {
  if (stopped.exchange(true)) return;
  attachment.post([self = shared_from_this()] { self->begin_stop(); });
}

void EventRecorder::Impl::begin_stop() {
  if (std::exchange(stopping, true)) return;
  push_due(true);
  ticker->cancel();
  work->cancel();
  deadline->expires_after(drain);
  deadline->async_wait([self = shared_from_this()](boost::system::error_code failure) {
    if (!failure) self->expire();
  });
}

void EventRecorder::Impl::expire() {
  expired = true;
  {
    const std::lock_guard lock(mutex);
    dropped += queue.size();
    queue.clear();
  }
  attachment.cancel();
}

EventRecorder::EventRecorder(Api& api, const Precedence& precedence, std::string controller,
                             std::string instance, std::size_t capacity, std::size_t writers,
                             std::chrono::milliseconds drain)
    : impl_(std::make_shared<Impl>(api, precedence, std::move(controller), std::move(instance), capacity,
                                   writers, drain)) {}

EventRecorder::~EventRecorder() { stop(); }

void EventRecorder::record(EventRegarding regarding, std::string type, std::string reason, std::string action,
                           std::string note, std::optional<EventRegarding> related) {
  impl_->record({std::move(regarding), std::move(related), std::move(type), std::move(reason),
                 std::move(action), std::move(note)});
}

Task<void> EventRecorder::run() { return Impl::run(impl_); }

void EventRecorder::stop() { impl_->stop(); }

std::uint64_t EventRecorder::dropped() const { return impl_->dropped; }

std::uint64_t EventRecorder::written() const { return impl_->written; }

}  // namespace podium::client
