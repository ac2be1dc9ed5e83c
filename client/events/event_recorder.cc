#include "client/events/event_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <mutex>
#include <utility>
#include <vector>

#include "async/nap.h"
#include "async/writers.h"
#include "base/check.h"
#include "base/time.h"
#include "client/auth/url.h"
#include "client/events/event_json.h"
#include "client/events/event_series.h"
#include "client/request_errors.h"
#include "log/limit.h"
#include "log/log.h"

namespace podium::client {
namespace asio = boost::asio;
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;
using Kind = EventSeries::Write::Kind;

constexpr unsigned kTries = 5;
constexpr std::size_t kMostInBatch = 32;
constexpr std::chrono::milliseconds kFirstDelay = 500ms, kLongestDelay = 30s, kCall = 10s, kTick = 30s;
constexpr std::size_t kInstanceLimit = 128;

// A write of one event; its key in the queue is the event's name, which is unique.
struct Item {
  EventSeries::Write write;
  // The packed event. Empty for the last count of a series: such a write is dropped if the server has
  // deleted the event.
  std::string event;
  bool is_warning = false;

  // The newer count, and what an event that is not written yet needs to be created.
  void replaces(Item&& old) {
    if (old.write.kind == Kind::create) write.kind = Kind::create;
    if (!event.empty()) return;
    event = std::move(old.event);
    is_warning = old.is_warning;
  }
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

// A problem that lasts is reported again by the next process; the count of a series only grows.
bool is_minor(const Item& item) { return item.event.empty() || item.is_warning; }

bool is_retried(const Error& error) {
  return may_pass(error) || is_conflict(error) || error.status.code >= 500;
}

}  // namespace

struct EventRecorder::Impl {
  using Queue = async::Writers<Item>;

  Impl(Api& api, const Precedence& precedence, async::Gate& gate, asio::any_io_executor io,
       EventRecorderOptions options)
      : api(api),
        precedence(precedence),
        gate(gate),
        io(io),
        controller(options.controller),
        instance(options.instance.substr(0, kInstanceLimit)),
        series(std::max<std::size_t>(options.capacity, 1)),
        queue(options_of(options), api.clock(), api.random(), gate, io,
              [this](std::vector<Queue::Item>& batch) { return write(this, batch); }) {}

  static async::WritersOptions options_of(const EventRecorderOptions& options) {
    async::WritersOptions out;
    out.name = "write events of " + options.controller;
    out.workers = std::max(options.writers, 1u);
    out.most_in_batch = kMostInBatch;
    out.queue.capacity = std::max<std::size_t>(options.capacity, 1);
    out.queue.item = out.queue.of_namespace = out.queue.all = {kFirstDelay, kLongestDelay};
    out.queue.most_tries = kTries;
    return out;
  }

  void record(EventText event);
  void push_due(bool all);  // the counts of series
  void push(Item item);
  static Task<void> write(Impl* self, std::vector<Queue::Item>& batch);
  static Task<void> tick(Impl* self);
  Task<Result<void>> attempt(const Item& item);
  Task<Result<void>> create(const Item& item);
  Request request_of(const Item& item) const;
  static json::object patch_of(const Item& item);
  std::string text_of(const Item& item) const;
  void failed(Queue::Item& item, const Error& error);
  void log_loss(const Queue::Item& item, const Error& error);

  Api& api;
  const Precedence& precedence;
  async::Gate& gate;
  const asio::any_io_executor io;
  const std::string controller, instance;
  bool started = false;
  LogLimit log;  // used on io

  std::mutex mutex;  // guards these
  EventSeries series;
  std::uint64_t last_name = 0;  // the time in the last event's name, which no other may have

  Queue queue;
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
  for (auto& other : also) push({std::move(other), {}});
  if (write.kind != Kind::none) push({std::move(write), pack(event), event.type == "Warning"});
}

void EventRecorder::Impl::push(Item item) {
  const std::string ns = item.write.ns, key = ns + "/" + item.write.name;
  queue.push(ns, key, std::move(item));
}

void EventRecorder::Impl::push_due(bool all) {
  const std::lock_guard lock(mutex);
  for (auto& write : series.due(api.clock().now(), all)) push({std::move(write), {}});
}

// Finishes and refreshes series.
Task<void> EventRecorder::Impl::tick(Impl* self) {
  for (;;) {
    co_await async::nap(kTick);
    self->push_due(false);
  }
}

// First tries in one pipelined batch; then, one by one, what the batch did not create.
Task<void> EventRecorder::Impl::write(Impl* self, std::vector<Queue::Item>& batch) {
  if (!self->queue.draining()) {
    co_await self->precedence.turn(batch.front().since);
    self->queue.fill(batch);
  }
  std::vector<std::size_t> fresh;  // indices of those that are tried for the first time
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch[i].tries == 0) fresh.push_back(i);
  }
  std::vector<bool> settled(batch.size());
  if (fresh.size() > 1) {
    std::vector<Request> requests;
    for (const auto i : fresh) requests.push_back(self->request_of(batch[i].value));
    const auto answers = co_await self->api.send_all(std::move(requests));
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      auto& item = batch[fresh[k]];
      // The count of a series is not repeated immediately, unless its event has to be created again; nor is
      // a request with Retry-After.
      const auto* error = answers[k] ? nullptr : &answers[k].error();
      const bool is_repeated =
          error && error->status.retry_after == 0 &&
          (item.value.write.kind == Kind::create || (object_is_gone(*error) && !item.value.event.empty()));
      settled[fresh[k]] = !is_repeated;
      if (error && !is_repeated) self->failed(item, *error);
    }
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (settled[i]) continue;
    const auto done = co_await self->attempt(batch[i].value);
    if (!done) self->failed(batch[i], done.error());
  }
}

void EventRecorder::Impl::failed(Queue::Item& item, const Error& error) {
  item.outcome = is_retried(error) ? classify(error, async::Outcome::retry) : async::Outcome::failed;
  item.at_least = std::chrono::seconds(error.status.retry_after);
  if (item.outcome == async::Outcome::failed || item.tries + 1 >= kTries) log_loss(item, error);
}

Request EventRecorder::Impl::request_of(const Item& item) const {
  Request request;
  if (item.write.kind == Kind::create) {
    request.method = "POST";
    request.target = resource::events.path(item.write.ns);
    request.body = text_of(item);
  } else {
    request.method = "PATCH";
    request.target =
        resource::events.path(item.write.ns, item.write.name) + "?fieldManager=" + percent_encode(controller);
    request.body = json::serialize(patch_of(item));
    request.content_type = "application/merge-patch+json";
  }
  request.accept = kBriefReply;
  request.timeout = kCall;
  return request;
}

json::object EventRecorder::Impl::patch_of(const Item& item) {
  return {
      {"series", {{"count", item.write.count}, {"lastObservedTime", format_micro_time(item.write.last)}}}};
}

// One missing right refuses every event: the log is bounded.
void EventRecorder::Impl::log_loss(const Queue::Item& item, const Error& error) {
  if (is_not_leader(error)) return;
  if (!log.allows(fmt::format("{} {}", error.status.code, error.status.reason), api.clock().now())) return;
  log::warn("event not written verb={} resource={} event={}/{} lost_so_far={} error={:?}", error.request.verb,
            error.request.resource, item.value.write.ns, item.value.write.name,
            queue.counts().failed + queue.counts().dropped + 1, error.text());
}

Task<Result<void>> EventRecorder::Impl::attempt(const Item& item) {
  if (item.write.kind == Kind::create) {
    auto created = co_await create(item);
    // The name is ours alone: it is there because an earlier try went through and its reply was lost.
    if (!created && is_conflict(created.error())) co_return Result<void>();
    co_return created;
  }
  json::value body = patch_of(item);
  auto patched = co_await api.patch(resource::events, item.write.ns, item.write.name, PatchType::merge,
                                    std::move(body), "", controller, {kCall, false});
  if (patched) co_return Result<void>();
  if (!object_is_gone(patched.error()) || item.event.empty()) co_return std::unexpected(patched.error());
  // Its create was dropped, or the server has forgotten the event.
  co_return co_await create(item);
}

Task<Result<void>> EventRecorder::Impl::create(const Item& item) {
  co_return co_await api.post(resource::events.path(item.write.ns), text_of(item), {kCall, false});
}

std::string EventRecorder::Impl::text_of(const Item& item) const {
  return event_json(unpack_event(item.event), item.write.name, item.write.ns, controller, instance,
                    item.write.first, {item.write.count, item.write.last});
}

EventRecorder::EventRecorder(Api& api, const Precedence& precedence, async::Gate& gate,
                             asio::any_io_executor io, EventRecorderOptions options)
    : impl_(std::make_unique<Impl>(api, precedence, gate, std::move(io), std::move(options))) {}

EventRecorder::~EventRecorder() = default;

void EventRecorder::record(EventRegarding regarding, std::string type, std::string reason, std::string action,
                           std::string note, std::optional<EventRegarding> related) {
  impl_->record({std::move(regarding), std::move(related), std::move(type), std::move(reason),
                 std::move(action), std::move(note)});
}

void EventRecorder::start() {
  PODIUM_CHECK(!std::exchange(impl_->started, true), impl_->controller);
  async::spawn(impl_->gate, impl_->io, "series of events of " + impl_->controller, Impl::tick(impl_.get()));
}

Task<void> EventRecorder::drain(async::DrainLimits limits) {
  impl_->push_due(true);
  return impl_->queue.drain(limits, is_minor);
}

std::uint64_t EventRecorder::dropped() const {
  const auto counts = impl_->queue.counts();
  return counts.failed + counts.dropped;
}

std::uint64_t EventRecorder::written() const { return impl_->queue.counts().done; }

std::size_t EventRecorder::waiting() const { return impl_->queue.counts().waiting; }

}  // namespace podium::client
