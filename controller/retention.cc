#include "controller/retention.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <mutex>
#include <vector>

#include "async/timer.h"
#include "async/writers.h"
#include "controller/report_metadata.h"
#include "controller/report_requests.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using async::Task;
using std::chrono::milliseconds;

using Report = RetentionIndex::Report;
using Deletions = async::Writers<Report>;

constexpr unsigned kWorkers = 4;
constexpr std::size_t kDeletesAtOnce = 16;
constexpr milliseconds kTick{100};  // while there is a backlog
constexpr std::chrono::seconds kLookAfter{60};
constexpr std::chrono::minutes kWarnEvery{10};
constexpr std::size_t kMarginPart = 50;  // 1/50 of the bound is kept free

std::string key_of(const Report& report) { return report.ns + '/' + report.name; }

bool is_away(const Error& error) {
  return error.kind == Error::Kind::unavailable || error.kind == Error::Kind::timeout || error.code == 429 ||
         error.code == 503;
}

async::WritersOptions queue_options(const RetentionOptions& options) {
  async::WritersOptions made;
  made.name = "delete reports";
  made.workers = kWorkers;
  made.at_once = kDeletesAtOnce;
  made.queue.capacity = SIZE_MAX;  // the index holds all of them anyway
  made.queue.item = options.item;
  made.queue.all = options.all;
  return made;
}

// Estimates the API server's time from the timestamps in its replies.
class ServerTime {
 public:
  void is(Wall server, Steady now) { ahead_ = server.time_since_epoch() - now.time_since_epoch(); }
  void is_at_least(Wall server, Steady now) {
    const auto ahead = server.time_since_epoch() - now.time_since_epoch();
    if (!ahead_ || ahead > *ahead_) ahead_ = ahead;
  }
  // The least time that has passed since `server`; 0 while nothing is known.
  Steady::duration since(Wall server, Steady now) const {
    if (!ahead_) return {};
    return std::max(Steady::duration::zero(), now.time_since_epoch() + *ahead_ - server.time_since_epoch());
  }

 private:
  std::optional<Steady::duration> ahead_;  // server time minus steady time
};

}  // namespace

struct Retention::Impl {
  Impl(client::Api& api_, RetentionOptions options_, async::Gate& gate_, asio::any_io_executor io_)
      : api(api_),
        options(options_),
        gate(gate_),
        io(io_),
        deletions(queue_options(options), api.clock(), api.random(), gate, io,
                  [this](std::vector<Deletions::Item>& batch) { return remove(this, &batch); }) {}

  static Task<void> run(Impl* self);
  static Task<bool> list(Impl* self);
  static Task<bool> list_kind(Impl* self, ReportKind kind);
  static Task<void> wait(Impl* self, milliseconds time);
  static Task<void> remove(Impl* self, std::vector<Deletions::Item>* batch);
  static Task<void> look(Impl* self, Deletions::Item* item);
  void feed(Steady now);
  milliseconds until_next(Steady now) const;
  void removed(Deletions::Item& item, const Result<std::string>& answer);
  bool is_warned();
  void wake();  // under the mutex

  Steady now() const { return api.clock().now(); }
  // When the report expires; later than that while the server's time is not known well.
  Steady due_of(const ReportMetadata& report, Steady::duration ttl, Steady at) const {
    return at + std::max(Steady::duration::zero(), ttl - server.since(report.written, at));
  }
  std::size_t bound() const {  // decision reports to keep; above it the earliest are deleted
    const auto most = options.max_decisions - options.max_decisions / kMarginPart;
    return is_full ? std::min(most, options.max_decisions - 1) : most;
  }

  client::Api& api;
  const RetentionOptions options;
  async::Gate& gate;
  const asio::any_io_executor io;

  mutable std::mutex mutex;  // guards the members up to `timer`
  RetentionIndex index;
  ServerTime server;
  std::size_t reserved = 0;
  bool is_full = false;  // a reserve() failed since the last round
  bool stopping = false;
  std::shared_ptr<async::Timer> timer;  // of the loop, used on io only

  // Used on io only.
  Steady next_list{}, last_list{}, fed{};
  double tokens = 0;  // token bucket: deletions allowed now
  std::optional<Steady> warned;

  std::atomic<std::uint64_t> deleted{0}, deleted_early{0};
  Deletions deletions;
};

Task<void> Retention::Impl::run(Impl* self) {
  self->next_list = self->last_list = self->fed = self->now();
  self->tokens = static_cast<double>(self->options.deletes_per_second);
  for (;;) {
    bool wants_list = self->now() >= self->next_list;
    {
      const std::lock_guard lock(self->mutex);
      if (self->stopping) co_return;
      if (self->is_full && self->now() >= self->last_list + self->options.relist_when_full) wants_list = true;
    }
    if (wants_list) {
      const bool listed = co_await list(self);
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
    const std::lock_guard lock(self->mutex);
    self->index.begin_list();
  }
  const bool has_decisions = co_await list_kind(self, ReportKind::decision);
  if (!has_decisions) co_return false;
  const bool has_questions = co_await list_kind(self, ReportKind::question);
  if (!has_questions) co_return false;
  const std::lock_guard lock(self->mutex);
  if (!self->stopping) self->index.end_list();
  co_return true;
}

Task<bool> Retention::Impl::list_kind(Impl* self, ReportKind kind) {
  std::vector<ReportMetadata> unknown;
  // Named, because GCC 12 destroys a closure that is made inside a co_await expression twice.
  const std::function<bool(std::vector<json::value>)> each = [self,
                                                              &unknown](std::vector<json::value> items) {
    const std::lock_guard lock(self->mutex);
    for (const auto& item : items) {
      auto report = read_metadata(item);
      if (!report) continue;
      self->server.is_at_least(report->written, self->now());
      if (!self->index.saw(report->ns, report->name, report->uid)) unknown.push_back(std::move(*report));
    }
    return !self->stopping;
  };
  client::ListOptions metadata;
  metadata.metadata_only = true;
  metadata.field_selector = kind == ReportKind::question ? "spec.dryRun=true" : "spec.dryRun!=true";
  const auto listed = co_await self->api.list_pages(client::resource::scheduling_reports, "", metadata, each);
  if (!listed) {
    spdlog::debug("reports not listed error=\"{}\"", listed.error().message);
    co_return false;
  }
  const std::lock_guard lock(self->mutex);
  const auto now = self->now();
  for (const auto& report : unknown) {
    // A report without a TTL in its metadata is read in full when it may be due.
    const bool look = !report.ttl || kind == ReportKind::question;
    const auto due = self->due_of(report, look ? kLookAfter : *report.ttl, now);
    self->index.track({report.ns, report.name, report.uid, due, kind, look});
  }
  co_return true;
}

// Queues due reports for deletion, within the rate limit.
void Retention::Impl::feed(Steady now) {
  const auto rate = static_cast<double>(options.deletes_per_second);
  tokens = std::min(tokens + rate * in_seconds(now - fed), rate);
  fed = now;
  const auto most = static_cast<std::size_t>(tokens);
  std::vector<Report> due;
  std::size_t early = 0;
  {
    const std::lock_guard lock(mutex);
    due = index.take_due(now, most);
    if (index.decisions_kept() > bound() && due.size() < most) {
      auto more =
          index.take_earliest_decisions(std::min(index.decisions_kept() - bound(), most - due.size()));
      early = more.size();
      due.insert(due.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    is_full = false;
  }
  tokens -= static_cast<double>(due.size());
  for (auto& report : due) {
    const auto ns = report.ns, key = key_of(report);
    deletions.push(ns, key, std::move(report));
  }
  deleted_early += early;
  if (early > 0 && !is_warned()) {
    spdlog::warn("report budget reached, deleting the oldest reports before they expire max={}",
                 options.max_decisions);
  }
}

bool Retention::Impl::is_warned() {
  const bool is = warned && now() - *warned < kWarnEvery;
  if (!is) warned = now();
  return is;
}

milliseconds Retention::Impl::until_next(Steady now) const {
  const std::lock_guard lock(mutex);
  auto next = std::min(next_list, now + options.round);
  if (const auto due = index.next_due()) next = std::min(next, *due);
  if (index.decisions_kept() > bound()) next = now;
  const auto left = std::chrono::ceil<milliseconds>(next - now);
  return std::max(left, std::min(kTick, options.round));
}

Task<void> Retention::Impl::wait(Impl* self, milliseconds time) {
  const auto timer = std::make_shared<async::Timer>(self->io, time);
  {
    const std::lock_guard lock(self->mutex);
    if (self->stopping) co_return;
    self->timer = timer;
  }
  boost::system::error_code ignored;
  co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  const std::lock_guard lock(self->mutex);
  self->timer.reset();
}

void Retention::Impl::wake() {
  if (!timer) return;
  asio::post(io, [timer = std::exchange(timer, nullptr)] { timer->cancel(); });
}

Task<void> Retention::Impl::remove(Impl* self, std::vector<Deletions::Item>* batch) {
  std::vector<client::Request> requests;
  std::vector<Deletions::Item*> sent, looks;
  {
    const std::lock_guard lock(self->mutex);
    for (auto& item : *batch) {
      const auto& report = item.value;
      // A report that was rewritten meanwhile has a new expiry.
      if (self->stopping || !self->index.is_taken(report.ns, report.name, report.uid)) continue;
      if (report.look) {
        looks.push_back(&item);
      } else {
        requests.push_back(delete_report(report.ns, report.name, report.uid));
        sent.push_back(&item);
      }
    }
  }
  if (!sent.empty()) {
    const auto answers = co_await self->api.send_all(std::move(requests));
    for (std::size_t i = 0; i < sent.size(); ++i) self->removed(*sent[i], answers[i]);
  }
  for (auto* item : looks) co_await look(self, item);
}

void Retention::Impl::removed(Deletions::Item& item, const Result<std::string>& answer) {
  const auto& report = item.value;
  // Gone: already deleted; 409: another report of this name, which gets its own entry from the next list.
  if (answer || client::object_is_gone(answer.error()) || answer.error().code == 409) {
    if (answer) ++deleted;
    const std::lock_guard lock(mutex);
    index.forget(report.ns, report.name, report.uid);
    return;
  }
  const auto& error = answer.error();
  item.outcome = is_away(error) ? Outcome::retry_all : Outcome::retry;
  item.at_least = std::chrono::seconds(error.retry_after);
  if (item.tries == 0 && item.outcome == Outcome::retry && !is_warned()) {
    spdlog::warn("report not deleted, will retry report={}/{} error=\"{}\"", report.ns, report.name,
                 error.message);
  }
}

Task<void> Retention::Impl::look(Impl* self, Deletions::Item* item) {
  const auto& report = item->value;
  client::CallOptions once;
  once.retry = false;
  const auto object =
      co_await self->api.get(client::resource::scheduling_reports, report.ns, report.name, once);
  const auto read = object ? read_metadata(*object) : std::nullopt;
  const std::lock_guard lock(self->mutex);
  if (!object && !client::object_is_gone(object.error())) {
    item->outcome = is_away(object.error()) ? Outcome::retry_all : Outcome::retry;
  } else if (!read || read->uid != report.uid) {
    self->index.forget(report.ns, report.name, report.uid);
  } else {
    const auto now = self->now();
    const auto ttl = full_ttl(*object, *read, self->options.default_ttl);
    self->index.track({report.ns, report.name, report.uid, self->due_of(*read, ttl, now), read->kind, false});
    self->wake();
  }
}

Retention::Retention(client::Api& api, RetentionOptions options, async::Gate& gate, asio::any_io_executor io)
    : impl_(std::make_unique<Impl>(api, options, gate, std::move(io))) {}
Retention::~Retention() = default;

void Retention::track(const std::string& ns, const std::string& name, const std::string& uid,
                      std::chrono::seconds ttl, ReportKind kind, std::optional<Wall> server_time) {
  if (uid.empty()) return;
  const std::lock_guard lock(impl_->mutex);
  const auto now = impl_->now();
  if (server_time) impl_->server.is(*server_time, now);
  const bool first = impl_->index.next_due() > now + ttl;
  impl_->index.track({ns, name, uid, now + ttl, kind, false});
  if (first || impl_->index.decisions_kept() > impl_->bound()) impl_->wake();
}

void Retention::track(const std::string& ns, const std::string& name, const std::string& uid, Wall expires) {
  const auto ttl = std::chrono::ceil<std::chrono::seconds>(expires - impl_->api.clock().wall());
  track(ns, name, uid, std::max(ttl, std::chrono::seconds(0)), ReportKind::question);
}

void Retention::forget(const std::string& ns, const std::string& name, const std::string& uid) {
  const std::lock_guard lock(impl_->mutex);
  impl_->index.forget(ns, name, uid);
}

bool Retention::reserve() {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->index.size(ReportKind::decision) + impl_->reserved < impl_->options.max_decisions) {
    ++impl_->reserved;
    return true;
  }
  impl_->is_full = true;
  impl_->wake();
  return false;
}

void Retention::release() {
  const std::lock_guard lock(impl_->mutex);
  --impl_->reserved;
}

std::size_t Retention::size() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->index.size();
}
std::size_t Retention::size(ReportKind kind) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->index.size(kind);
}
std::uint64_t Retention::deleted() const { return impl_->deleted; }
std::uint64_t Retention::deleted_early() const { return impl_->deleted_early; }

void Retention::start() { async::spawn(impl_->gate, impl_->io, "retention", Impl::run(impl_.get())); }

void Retention::stop() {
  const std::lock_guard lock(impl_->mutex);
  impl_->stopping = true;
  impl_->wake();
}

}  // namespace podium::controller
