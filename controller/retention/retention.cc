#include "controller/retention/retention.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "async/timer.h"
#include "base/check.h"
#include "base/clock.h"
#include "client/request_errors.h"
#include "controller/report/metadata.h"
#include "controller/retention/deleter.h"
#include "controller/retention/state.h"
#include "explain/report/ttl.h"
#include "log/limit.h"
#include "log/log.h"
#include "metrics/samples.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using async::Task;
using std::chrono::milliseconds;

using Report = RetentionIndex::Report;

constexpr milliseconds kTick{100};  // while there is a backlog

}  // namespace

struct Retention::Impl {
  Impl(client::Api& api_, RetentionOptions options_, async::Gate& gate_, asio::any_io_executor io_)
      : api(api_),
        options(options_),
        gate(gate_),
        io(io_),
        deleter(api, shared, {options.item, options.all}, gate, io,
                [this](RetentionState& held) { wake(held); }) {
    const auto held = shared.state.hold();
    held->index.set_limits(options.limits);
    held->default_ttl = options.default_ttl;
  }

  static Task<void> run(Impl* self);
  static Task<bool> list(Impl* self);
  static Task<bool> list_kind(Impl* self, ReportKind kind);
  static Task<void> wait(Impl* self, milliseconds time);
  void feed(Steady now);
  milliseconds until_next(Steady now) const;
  void add(const Report& report, RetentionState& held);
  void wake(RetentionState& held);

  Steady now() const { return api.clock().now(); }

  client::Api& api;
  const RetentionOptions options;
  async::Gate& gate;
  const asio::any_io_executor io;

  SharedRetention shared;

  bool started = false;
  std::function<void()> listed;  // set before the loop runs
  // Used on io only.
  bool has_backlog = false;  // the last round could not take all
  Steady next_list{}, last_list{}, fed{};
  double tokens = 0;  // token bucket: deletions allowed now
  LogLimit log{std::chrono::minutes(10)};
  ReportDeleter deleter;
};

Task<void> Retention::Impl::run(Impl* self) {
  self->next_list = self->last_list = self->fed = self->now();
  self->tokens = static_cast<double>(self->options.deletes_per_second);
  for (;;) {
    bool wants_list = self->now() >= self->next_list;
    {
      const auto held = self->shared.state.hold();
      if (held->stopping) co_return;
      if (held->is_full && self->now() >= self->last_list + self->options.relist_when_full) wants_list = true;
    }
    if (wants_list) {
      self->deleter.forget_refusals();
      const bool listed = co_await list(self);
      if (listed && self->listed) std::exchange(self->listed, nullptr)();
      self->last_list = self->now();
      self->next_list = self->last_list + (listed ? self->options.relist : self->options.round);
    }
    const auto now = self->now();
    self->feed(now);
    co_await wait(self, self->until_next(now));
  }
}

// Lists all reports, one kind at a time, and forgets those that no longer exist.
Task<bool> Retention::Impl::list(Impl* self) {
  {
    const auto held = self->shared.state.hold();
    held->index.begin_list();
  }
  const bool has_decisions = co_await list_kind(self, ReportKind::decision);
  if (!has_decisions) co_return false;
  const bool has_questions = co_await list_kind(self, ReportKind::question);
  if (!has_questions) co_return false;
  const auto held = self->shared.state.hold();
  if (!held->stopping) held->index.end_list();
  co_return true;
}

Task<bool> Retention::Impl::list_kind(Impl* self, ReportKind kind) {
  std::vector<ReportMetadata> unknown;
  // Named, because GCC 12 destroys a closure that is made inside a co_await expression twice.
  const std::function<bool(std::vector<json::value>)> each = [self,
                                                              &unknown](std::vector<json::value> items) {
    const auto held = self->shared.state.hold();
    for (const auto& item : items) {
      auto report = read_metadata(item);
      if (!report) continue;
      held->server.saw_at_least(report->created, self->now());
      if (!held->index.mark_listed(report->ns, report->name, report->uid, report->version))
        unknown.push_back(std::move(*report));
    }
    return !held->stopping;
  };
  client::ListOptions metadata;
  metadata.metadata_only = true;
  metadata.field_selector = kind == ReportKind::question ? "spec.dryRun=true" : "spec.dryRun!=true";
  const auto listed = co_await self->api.list_pages(client::resource::scheduling_reports, "", metadata, each);
  if (!listed) {
    // Without the CRD there are none; CrdCheck reports that.
    if (!client::is_not_found(listed.error()) && self->log.allows("list", self->now())) {
      log::warn("cannot list reports verb={} resource={} error={:?}", listed.error().request.verb,
                listed.error().request.resource, listed.error().text());
    }
    co_return false;
  }
  const auto held = self->shared.state.hold();
  const auto now = self->now();
  for (auto& report : unknown) {
    // Written during the list: its pages have an older version.
    if (held->index.is_newer_than_list(report.ns, report.name)) continue;
    report.kind = kind;
    held->index.track(held->listed(report, now));
  }
  co_return true;
}

// Queues due reports and those over a budget for deletion, within the rate limit.
void Retention::Impl::feed(Steady now) {
  const auto rate = static_cast<double>(options.deletes_per_second);
  tokens = std::min(tokens + rate * in_seconds(now - fed), rate);
  fed = now;
  const auto most = static_cast<std::size_t>(tokens);
  std::vector<Report> due;
  std::size_t early = 0;
  {
    const auto held = shared.state.hold();
    due = held->index.take_due(now, most);
    if (due.size() < most) {
      auto more = held->index.take_excess(most - due.size());
      early = more.size();
      due.insert(due.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    held->is_full = false;
    early += std::exchange(held->evictions, 0);
  }
  has_backlog = due.size() >= most;
  tokens -= static_cast<double>(due.size());
  if (!due.empty()) deleter.push(std::move(due));
  if (early > 0 && log.allows("limit", now)) {
    log::warn("report budget reached, deleting the oldest reports before they expire");
  }
}

milliseconds Retention::Impl::until_next(Steady now) const {
  const auto held = shared.state.hold();
  auto next = std::min(next_list, now + options.round);
  if (const auto due = held->index.next_due()) next = std::min(next, *due);
  if (has_backlog || held->is_full) next = now;
  const auto left = std::chrono::ceil<milliseconds>(next - now);
  return std::max(left, std::min(kTick, options.round));
}

Task<void> Retention::Impl::wait(Impl* self, milliseconds time) {
  const auto timer = std::make_shared<async::Timer>(self->io, time);
  {
    const auto held = self->shared.state.hold();
    if (held->stopping) co_return;
    held->timer = timer;
  }
  boost::system::error_code ignored;
  co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  const auto held = self->shared.state.hold();
  held->timer.reset();
}

void Retention::Impl::add(const Report& report, RetentionState& held) {
  const bool first = held.index.next_due() > report.due;
  held.index.track(report);
  if (first || held.index.has_excess()) wake(held);
}

void Retention::Impl::wake(RetentionState& held) {
  if (!held.timer) return;
  asio::post(io, [timer = std::exchange(held.timer, nullptr)] { timer->cancel(); });
}

Retention::Retention(client::Api& api, RetentionOptions options, async::Gate& gate, asio::any_io_executor io)
    : impl_(std::make_unique<Impl>(api, options, gate, std::move(io))) {}
Retention::~Retention() = default;

void Retention::set(std::chrono::seconds default_ttl, const ReportLimits& limits) {
  const auto held = impl_->shared.state.hold();
  held->default_ttl = default_ttl;
  held->index.set_limits(limits);
  impl_->wake(*held);
}

void Retention::track(const std::string& ns, const std::string& name, const std::string& uid,
                      std::chrono::seconds ttl, ReportKind kind, std::optional<Wall> server_time,
                      const StoredReport& facts) {
  if (uid.empty()) return;
  const auto held = impl_->shared.state.hold();
  const auto now = impl_->now();
  if (server_time) held->server.saw(*server_time, now);
  Report report{.ns = ns, .name = name, .uid = uid, .kind = kind};
  const auto written = held->server.now(now);
  report.due = ttl >= explain::kKept
                   ? RetentionIndex::kNever
                   : held->due_of(written.value_or(Wall{}), written ? facts.minute : 0, ttl, now);
  report.failure = facts.failure;
  report.bytes = facts.bytes > 0 ? facts.bytes : kTypicalBytes;
  report.minute = facts.minute;
  report.written = now;
  report.version = facts.version;
  impl_->add(report, *held);
}

void Retention::forget(const std::string& ns, const std::string& name, const std::string& uid) {
  const auto held = impl_->shared.state.hold();
  held->index.forget(ns, name, uid);
}

void Retention::found(const json::value& object) {
  const auto report = read_metadata(object);
  if (!report) return;
  const auto held = impl_->shared.state.hold();
  if (held->index.knows(report->ns, report->name, report->uid, {})) return;
  impl_->add(held->listed(*report, impl_->now()), *held);
}

bool Retention::contains(const std::string& ns, const std::string& name) const {
  const auto held = impl_->shared.state.hold();
  return held->index.contains(ns, name);
}

bool Retention::is_kept(const std::string& ns, const std::string& name, const std::string& uid) const {
  const auto held = impl_->shared.state.hold();
  return held->index.is_kept(ns, name, uid);
}

bool Retention::has_decision(const std::string& ns, const std::string& name) const {
  const auto held = impl_->shared.state.hold();
  return held->index.has_decision(ns, name);
}

void Retention::pod_gone(const std::string& ns, const std::string& name, const std::string& uid) {
  const auto held = impl_->shared.state.hold();
  held->index.pod_gone(ns, name, uid);
}

std::expected<std::vector<Report>, NoRoom> Retention::reserve(const std::string& ns, std::uint32_t bytes,
                                                              bool failure) {
  const auto held = impl_->shared.state.hold();
  auto victims = held->index.reserve(ns, bytes, failure);
  if (victims) {
    held->evictions += victims->size();
  } else {
    held->is_full = true;
    impl_->wake(*held);
  }
  return victims;
}

void Retention::release(const std::string& ns, std::uint32_t bytes, bool failure) {
  const auto held = impl_->shared.state.hold();
  held->index.release(ns, bytes, failure);
}

void Retention::evicted(const Report& report, const Result<std::string>& answer) {
  impl_->deleter.deleted(report, answer);
}

bool Retention::may_keep(const std::string& ns, const std::string& name, std::uint32_t bytes) const {
  const auto held = impl_->shared.state.hold();
  return held->index.may_keep(ns, name, bytes);
}

std::size_t Retention::size() const {
  const auto held = impl_->shared.state.hold();
  return held->index.size();
}
std::size_t Retention::size(ReportKind kind) const {
  const auto held = impl_->shared.state.hold();
  return held->index.size(kind);
}
std::uint64_t Retention::bytes(ReportKind kind) const {
  const auto held = impl_->shared.state.hold();
  return held->index.used(kind).bytes;
}
std::uint64_t Retention::deleted() const { return impl_->shared.deleted; }
std::uint64_t Retention::deleted_early() const { return impl_->shared.deleted_early; }
std::uint64_t Retention::deleted_before_pod() const { return impl_->shared.deleted_before_pod; }

std::chrono::nanoseconds Retention::overdue() const {
  const auto held = impl_->shared.state.hold();
  const auto due = held->index.earliest_due();
  return due ? std::max(impl_->now() - *due, Steady::duration::zero()) : Steady::duration::zero();
}

void Retention::start(std::function<void()> listed) {
  PODIUM_CHECK(!std::exchange(impl_->started, true));
  impl_->listed = std::move(listed);
  async::spawn(impl_->gate, impl_->io, "retention", Impl::run(impl_.get()));
}

void Retention::stop() {
  const auto held = impl_->shared.state.hold();
  held->stopping = true;
  impl_->wake(*held);
}

void Retention::sample_metrics(metrics::Samples& out) const {
  const std::pair<const char*, ReportKind> kinds[] = {{"decision", ReportKind::decision},
                                                      {"what_if", ReportKind::question}};
  auto& stored = out.gauges(
      "podium_reports_stored",
      "SchedulingReports in the API server that podium knows of: `decision` or `what_if`.", {"kind"});
  auto& stored_bytes =
      out.gauges("podium_reports_stored_bytes", "Estimated size of these reports in etcd.", {"kind"});
  for (const auto& [name, kind] : kinds) {
    stored.add({name}, size(kind));
    stored_bytes.add({name}, bytes(kind));
  }
  auto& deletions =
      out.counters("podium_reports_deleted_total",
                   "Reports deleted: `expired`, or `limit` if a budget was exceeded before they "
                   "expired.",
                   {"reason"});
  const auto early = deleted_early();
  deletions.add({"expired"}, deleted() - early);
  deletions.add({"limit"}, early);
  out.counter("podium_reports_deleted_before_pod_total",
              "Reports that a budget deleted before they expired and before their pod was deleted, as far as "
              "podium has seen. What-ifs are not counted.",
              deleted_before_pod());
  out.gauge("podium_reports_overdue_seconds",
            "Time since the oldest overdue report expired; 0: none is overdue.", in_seconds(overdue()));
}

}  // namespace podium::controller
