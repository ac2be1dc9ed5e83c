#include "client/leader/leader.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <limits>
#include <mutex>
#include <optional>

#include "async/attachment.h"
#include "async/nap.h"
#include "base/clock.h"
#include "base/time.h"
#include "client/leader/leader_state.h"
#include "log/limit.h"
#include "log/log.h"
#include "metrics/samples.h"

namespace podium::client {
namespace asio = boost::asio;
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;

constexpr unsigned kFailures = 2;                        // in a row; one may be an accident
constexpr auto kReleaseTime = 2s, kReleaseRequest = 1s;  // of a release, and of each of its requests
constexpr int kReleaseTries = 3;
constexpr auto kNotLeading = std::numeric_limits<Steady::rep>::min(), kNever = kNotLeading;

// The API server has numbers of 32 bits that are not negative.
int int_of(std::int64_t number) {
  return static_cast<int>(std::clamp<std::int64_t>(number, 0, std::numeric_limits<std::int32_t>::max()));
}

LeaseRecord read_record(const json::value& lease) {
  LeaseRecord record;
  const json::object* top = lease.if_object();
  const json::value* found = top ? top->if_contains("spec") : nullptr;
  const json::object* spec = found ? found->if_object() : nullptr;
  if (!spec) return record;
  for (const auto& [key, value] : *spec) {
    const json::string* text = value.if_string();
    const std::int64_t* number = value.if_int64();
    if (key == "holderIdentity" && text) record.holder = *text;
    if (key == "acquireTime" && text) record.acquire_time = *text;
    if (key == "renewTime" && text) record.renew_time = *text;
    if (key == "leaseDurationSeconds" && number) record.duration_seconds = int_of(*number);
    if (key == "leaseTransitions" && number) record.transitions = int_of(*number);
  }
  return record;
}

// Updates the lease as it was read, so that its labels and other fields stay.
void write_record(const LeaseRecord& record, json::value& lease) {
  if (!lease.is_object()) lease = json::object();
  json::value& spec = lease.get_object()["spec"];
  if (!spec.is_object()) spec = json::object();
  json::object& fields = spec.get_object();
  fields["holderIdentity"] = record.holder;
  fields["leaseDurationSeconds"] = record.duration_seconds;
  // Not as it is read: null stays null, as kube-scheduler leaves it. "" would be refused.
  fields["acquireTime"] = record.acquire_time.empty() ? json::value() : json::value(record.acquire_time);
  fields["renewTime"] = record.renew_time;
  fields["leaseTransitions"] = record.transitions;
}

}  // namespace

struct LeaderElector::Impl {
  Impl(Api& api, LeaderOptions given) : options(std::move(given)), api(api), state(options, api.random()) {}

  static Task<Result<void>> run(std::shared_ptr<Impl> self, std::function<void()> on_started);
  static Task<void> loop(std::shared_ptr<Impl> self, std::function<void()> on_started);
  Task<void> step(LeaderState::Action action);
  Task<void> get(std::chrono::milliseconds time);
  Task<void> write(LeaderState::Action action);
  Task<void> wait(std::chrono::milliseconds delay);
  Task<void> release();
  void publish();
  std::string loss() const;
  void succeeded();
  void failed(const Error& error);
  void log_failure(const Error& error);

  const LeaderOptions options;
  Api& api;
  LeaderState state;
  json::value lease;     // as last read or written
  bool wrote = false;    // the lease may name this process
  std::string reported;  // the holder that was logged last

  std::atomic<Steady::rep> until{kNotLeading};  // when leadership ends, on the steady clock
  std::atomic<Steady::rep> stepped{kNever};     // when run() last completed a step
  std::atomic<bool> stopped{false};
  LogLimit log;
  mutable std::mutex mutex;  // guards these
  std::string holder;
  unsigned failures = 0;  // in a row
  std::string failure;    // the last one
  async::Attachment attachment;
};

Task<Result<void>> LeaderElector::Impl::run(std::shared_ptr<Impl> self, std::function<void()> on_started) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto strand = asio::make_strand(executor);
  const async::Attachment::Scope scope(self->attachment, strand);
  co_await asio::co_spawn(strand, loop(self, std::move(on_started)),
                          asio::bind_cancellation_slot(self->attachment.slot(), asio::use_awaitable));
  self->until = kNotLeading;
  if (!self->stopped) co_return fail(Error::Kind::unavailable, self->loss());
  // Not with the caller's cancellation, which would reach the strand after the release may have ended. Its
  // requests take two seconds at most, and end when their transport is closed.
  if (self->wrote) {
    co_await asio::co_spawn(strand, self->release(),
                            asio::bind_cancellation_slot(self->attachment.slot(), asio::use_awaitable));
  }
  co_return Result<void>();
}

Task<void> LeaderElector::Impl::loop(std::shared_ptr<Impl> self, std::function<void()> on_started) {
  co_await asio::this_coro::throw_if_cancelled(false);
  bool started = false;
  while (!self->stopped) {
    self->stepped = self->api.clock().now().time_since_epoch().count();
    const auto action = self->state.next(self->api.clock().now(), self->api.clock().wall());
    self->publish();
    if (action.kind == LeaderState::Action::Kind::lost) co_return;
    co_await self->step(action);
    self->publish();
    if (self->stopped || started || !self->state.leading_until()) continue;
    started = true;
    log::info("leader: acquired the lease lease={}/{} identity={}", self->options.lease_namespace,
              self->options.lease_name, self->options.identity);
    on_started();
  }
}

Task<void> LeaderElector::Impl::step(LeaderState::Action action) {
  switch (action.kind) {
    case LeaderState::Action::Kind::get:
      co_await get(action.time);
      break;
    case LeaderState::Action::Kind::create:
    case LeaderState::Action::Kind::update:
      co_await write(std::move(action));
      break;
    case LeaderState::Action::Kind::wait:
      co_await wait(action.time);
      break;
    case LeaderState::Action::Kind::lost:
      break;
  }
}

Task<void> LeaderElector::Impl::get(std::chrono::milliseconds time) {
  auto reply = co_await api.get(resource::leases, options.lease_namespace, options.lease_name, {time, false});
  if (stopped) co_return;
  if (reply) {
    lease = std::move(*reply);
    state.observed(read_record(lease), api.clock().now());
    if (state.is_held_by_another()) succeeded();
  } else if (object_is_gone(reply.error())) {
    state.absent();
  } else {
    failed(reply.error());
    state.failed();
  }
}

Task<void> LeaderElector::Impl::write(LeaderState::Action action) {
  const CallOptions call{action.time, false};
  const bool create = action.kind == LeaderState::Action::Kind::create;
  json::value object = create ? json::value(json::object()) : lease;
  if (create) {
    object.get_object()["apiVersion"] = "coordination.k8s.io/v1";
    object.get_object()["kind"] = "Lease";
    object.get_object()["metadata"] = {{"name", options.lease_name}, {"namespace", options.lease_namespace}};
  }
  write_record(action.record, object);
  wrote = true;
  Result<json::value> reply;
  if (create) {
    reply = co_await api.create(resource::leases, options.lease_namespace, std::move(object), call);
  } else {
    reply = co_await api.update(resource::leases, options.lease_namespace, options.lease_name,
                                std::move(object), "", call);
  }
  // Also after a stop; leading() is then false because of `stopped`.
  if (reply) {
    lease = std::move(*reply);
    succeeded();
    state.written(api.clock().now());
  } else {
    if (!stopped) failed(reply.error());
    state.failed();
  }
}

Task<void> LeaderElector::Impl::wait(std::chrono::milliseconds delay) {
  co_await async::nap(delay);
  state.waited();
}

// Reads the lease first: the result of the last write may be unknown, so the record may have changed. A
// renewal in flight may still arrive between the two requests; the release is then retried.
Task<void> LeaderElector::Impl::release() {
  const auto end = api.clock().now() + kReleaseTime;
  for (int tries = 0; tries < kReleaseTries && api.clock().now() < end; ++tries) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - api.clock().now());
    const CallOptions call{std::min<std::chrono::milliseconds>(left, kReleaseRequest), false};
    auto found = co_await api.get(resource::leases, options.lease_namespace, options.lease_name, call);
    if (!found) co_return log_failure(found.error());
    auto record = read_record(*found);
    if (record.holder != options.identity) co_return;
    record.holder.clear();
    record.duration_seconds = 1;
    record.acquire_time = record.renew_time = format_micro_time(api.clock().wall());
    write_record(record, *found);
    auto reply = co_await api.update(resource::leases, options.lease_namespace, options.lease_name,
                                     std::move(*found), "", call);
    if (reply) {
      log::info("leader: released lease={}/{}", options.lease_namespace, options.lease_name);
      co_return;
    }
    log_failure(reply.error());
    if (!is_conflict(reply.error())) co_return;
  }
}

void LeaderElector::Impl::publish() {
  const auto limit = state.leading_until();
  until = limit && !stopped ? limit->time_since_epoch().count() : kNotLeading;
  if (state.holder() == reported) return;
  reported = state.holder();
  if (reported.empty()) {
    log::info("leader: the lease is free lease={}/{}", options.lease_namespace, options.lease_name);
  } else if (reported != options.identity) {
    log::info("leader: another process holds the lease lease={}/{} holder={:?}", options.lease_namespace,
              options.lease_name, reported);
  }
  const std::lock_guard lock(mutex);
  holder = reported;
}

std::string LeaderElector::Impl::loss() const {
  const auto lease = options.lease_namespace + "/" + options.lease_name;
  if (state.holder() == options.identity)
    return fmt::format("lease {} was not renewed within {} ms", lease, options.renew_deadline.count());
  if (state.holder().empty()) return fmt::format("lease {} was released by another", lease);
  return fmt::format("lease {} was lost to {}", lease, state.holder());
}

// Called after a write, or if another candidate leads. A read alone is not a success: a candidate that may
// not write the lease cannot lead.
void LeaderElector::Impl::succeeded() {
  const std::lock_guard lock(mutex);
  failures = 0;
  failure.clear();
}

void LeaderElector::Impl::failed(const Error& error) {
  log_failure(error);
  if (is_conflict(error)) return;  // another was faster
  const std::lock_guard lock(mutex);
  ++failures;
  failure = error.text();
}

void LeaderElector::Impl::log_failure(const Error& error) {
  const auto& request = error.request;
  const auto cause = fmt::format("{} {} {} {}", request.verb, request.resource, static_cast<int>(error.kind),
                                 error.status.code);
  if (!log.allows(cause, api.clock().now())) return;
  log::warn("leader: request failed verb={} resource={} lease={}/{} code={} error={:?}", request.verb,
            request.resource, options.lease_namespace, options.lease_name, error.status.code, error.text());
}

LeaderElector::LeaderElector(Api& api, LeaderOptions options)
    : impl_(std::make_shared<Impl>(api, std::move(options))) {}

LeaderElector::~LeaderElector() { stop(); }

Task<Result<void>> LeaderElector::run(std::function<void()> on_started) {
  return Impl::run(impl_, std::move(on_started));
}

void LeaderElector::stop() {
  if (impl_->stopped.exchange(true)) return;
  impl_->attachment.post([self = impl_] { self->attachment.cancel(); });
}

bool LeaderElector::leading() const {
  const auto until = impl_->until.load();
  return !impl_->stopped && until != kNotLeading &&
         impl_->api.clock().now().time_since_epoch().count() < until;
}

std::optional<std::chrono::nanoseconds> LeaderElector::since_last_step() const {
  const auto stepped = impl_->stepped.load();
  if (stepped == kNever) return std::nullopt;
  return impl_->api.clock().now().time_since_epoch() - Steady::duration(stepped);
}

std::optional<std::string> LeaderElector::why_unavailable() const {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->failures < kFailures) return std::nullopt;
  return fmt::format("cannot acquire lease {}/{}: {}", impl_->options.lease_namespace,
                     impl_->options.lease_name, impl_->failure);
}

std::optional<std::chrono::nanoseconds> LeaderElector::since_renewal() const {
  const auto until = impl_->until.load();
  if (impl_->stopped || until == kNotLeading) return std::nullopt;
  const Steady renewed{Steady::duration(until) - impl_->options.renew_deadline};
  return std::max(impl_->api.clock().now() - renewed, Steady::duration::zero());
}

std::string LeaderElector::holder() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->holder;
}

void LeaderElector::sample_metrics(metrics::Samples& out) const {
  auto& age =
      out.gauges("podium_lease_renewal_age_seconds",
                 "Time since this process last renewed the lease; absent while it does not lead.", {});
  if (const auto since = since_renewal()) age.add({}, in_seconds(*since));
}

}  // namespace podium::client
