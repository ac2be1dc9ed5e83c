#include "controller/recorder/report_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "api/text/json_view.h"
#include "api/text/parse_json.h"
#include "async/writers.h"
#include "base/time.h"
#include "client/decode/managed_fields.h"
#include "client/request_errors.h"
#include "controller/recorder/known_reports.h"
#include "controller/recorder/packed_status.h"
#include "controller/recorder/report_calls.h"
#include "controller/recorder/write_log.h"
#include "controller/recorder/write_replies.h"
#include "controller/report/metadata.h"
#include "controller/report/report_requests.h"
#include "explain/report/json.h"
#include "metrics/samples.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using async::Task;

constexpr std::size_t kCapacity = 20'000, kWritesInBatch = 16;
constexpr unsigned kReportWriters = 4;
// A user looks for the report of a pod that waits; a placed pod shows its node. Rewrites come last.
enum Lane : unsigned { kOfWaitingPod, kOfPlacedPod, kRewrite };
constexpr std::chrono::seconds kUnchanged{60};

struct Job {
  ReportOwner owner;
  std::string packed;                             // the status: a tenth of it, and thousands may wait
  std::unique_ptr<explain::ReportStatus> status;  // the same, while it is being written
  std::uint32_t bytes = 0;                        // of the report, once it is written
  bool is_placed = false;                         // else the next leader decides again, and writes
};

using Jobs = async::Writers<Job>;

async::WritersOptions queue_options(std::chrono::seconds ttl, const ReportBackoffs& backoffs) {
  async::WritersOptions made;
  made.name = "write reports";
  made.workers = kReportWriters;
  made.most_in_batch = kWritesInBatch;
  made.queue.capacity = kCapacity;
  made.queue.item = backoffs.item;
  made.queue.of_namespace = backoffs.of_namespace;
  made.queue.all = backoffs.all;
  made.queue.most_age = ttl;
  return made;
}

// The error that decides how a report is tried again. `made`, `labelled`: those of earlier requests, or null.
const Error& deciding(const Error& last, const Error* made, const Error* labelled) {
  // A request with Retry-After is not repeated immediately, whatever the reply to its predecessor was.
  const auto* which = made && last.status.retry_after == 0 ? made : &last;
  // With Retry-After on several, the longest time counts: all of them are sent again.
  for (const auto* other : {made, labelled}) {
    if (other && other->status.retry_after > which->status.retry_after) which = other;
  }
  return *which;
}

}  // namespace

struct ReportWriter::Impl {
  Impl(client::Api& api_, const client::Precedence& precedence_, Retention& retention_,
       const config::LivePodium& settings_, async::Gate& gate, asio::any_io_executor io,
       const ReportBackoffs& backoffs)
      : api(api_),
        precedence(precedence_),
        retention(retention_),
        settings(settings_),
        known(ttl()),
        jobs(queue_options(ttl(), backoffs), api.clock(), api.random(), gate, std::move(io),
             [this](std::vector<Jobs::Item>& batch) { return write(this, &batch); }) {}

  // A queued report whose requests are in flight.
  struct Sent {
    Jobs::Item* item;
    WrittenReport report;
    bool is_new;
    bool has_room;  // reserved
    bool relabels;
    std::vector<RetentionIndex::Report> leaving;
    // Its replies from here on: to each deletion, to the POST if new, to the labels' PATCH if it relabels, to
    // the status's PATCH. The status is last, so that a reader of the outcome also sees matching labels.
    std::size_t first;
  };

  static Task<void> write(Impl* self, std::vector<Jobs::Item>* batch);
  static Task<void> write_together(Impl* self, std::vector<Sent>* sent,
                                   std::vector<client::Request> requests);
  static Task<void> write_alone(Impl* self, Sent* sent);
  static Task<Result<WrittenReport>> make(Impl* self, const Job* job, std::string name, bool is_last_try);
  static Task<Result<json::value>> rewrite(Impl* self, Job* job, WrittenReport* report);

  std::string first_name(const ReportOwner& pod) const;
  void created(const Job& job, const json::value& reply, WrittenReport& report);
  void done(const Jobs::Item& item, WrittenReport report, const json::value& reply, bool is_new);
  void refused(Jobs::Item& item, const Error& error);
  void no_room(Jobs::Item& item, NoRoom why);
  bool continues_without_labels(const Error& error);
  std::chrono::seconds ttl() const { return settings.now()->reports.ttl; }
  ReportNotes notes(const Job& job) const { return {ttl(), job.bytes}; }

  client::Api& api;
  const client::Precedence& precedence;
  Retention& retention;
  const config::LivePodium& settings;
  KnownReports known;
  std::atomic<std::uint64_t> unchanged{0}, retried{0}, left_out{0};  // left_out: done without a request
  std::atomic<std::uint64_t> delay{0};  // that written reports waited, in nanoseconds
  WriteLog log;
  Jobs jobs;
};

// Sends the requests of several reports in one batch. write_together() then handles the failed ones
// one by one.
Task<void> ReportWriter::Impl::write(Impl* self, std::vector<Jobs::Item>* batch) {
  if (!self->jobs.draining()) {
    co_await self->precedence.turn(batch->front().since);
    self->jobs.fill(*batch);
  }
  const bool ends = self->jobs.draining();
  std::vector<Sent> sent;
  std::vector<client::Request> requests;
  for (auto& item : *batch) {
    auto& job = item.value;
    job.status = std::make_unique<explain::ReportStatus>(unpack(job.packed));
    auto report = self->known.find(job.owner.uid);
    // It was evicted for another report, or deleted.
    if (report && !self->retention.is_kept(job.owner.ns, report->name, report->uid)) {
      self->known.forget(job.owner.uid);
      report.reset();
    }
    // A stop writes what is new only. The next leader's attempts renew the counters and the expiry.
    if (report && ends && report->has_said(*job.status, self->ttl() / 2, self->api.clock().now())) {
      self->left_out.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    const bool is_new = !report;
    if (is_new) report.emplace().name = self->first_name(job.owner);
    stamp(*report, *job.status);
    auto filling = fill_report(job.owner, report->name, report->before, *job.status);
    job.bytes = stored_bytes(filling.body.size());
    std::vector<RetentionIndex::Report> leaving;
    // A report of that name, of an earlier leader or an earlier pod, is rewritten or replaced.
    const bool needs_room = is_new && !self->retention.has_decision(job.owner.ns, report->name);
    if (needs_room) {
      auto room = self->retention.reserve(job.owner.ns, job.bytes, !job.is_placed);
      if (!room) {
        self->no_room(item, room.error());
        continue;
      }
      leaving = std::move(*room);
    }
    const bool relabels = !is_new && needs_labels(*report, *job.status, self->ttl());
    sent.push_back(
        {&item, std::move(*report), is_new, needs_room, relabels, std::move(leaving), requests.size()});
    const auto& written = sent.back().report;
    for (const auto& old : sent.back().leaving) requests.push_back(delete_report(old.ns, old.name, old.uid));
    if (is_new) requests.push_back(make_report(job.owner, written.name, self->notes(job), *job.status));
    if (relabels) {
      requests.push_back(label_report(job.owner.ns, written.name, written.uid,
                                      labels_of(*job.status, explain::kDecision), written.version));
    }
    requests.push_back(std::move(filling));
  }
  if (!sent.empty()) co_await write_together(self, &sent, std::move(requests));
  for (const auto& each : sent) {
    const auto& job = each.item->value;
    if (each.has_room) self->retention.release(job.owner.ns, job.bytes, !job.is_placed);
  }
  for (auto& item : *batch) item.value.status.reset();  // some are retried
}

Task<void> ReportWriter::Impl::write_together(Impl* self, std::vector<Sent>* sent,
                                              std::vector<client::Request> requests) {
  const auto answers = co_await self->api.send_all(std::move(requests));
  std::vector<Sent*> left;
  bool has_timed_out = false;
  for (auto& each : *sent) {
    auto answer = answers.begin() + static_cast<std::ptrdiff_t>(each.first);
    for (const auto& old : each.leaving) self->retention.evicted(old, *answer++);
    const auto& made = *answer;
    if (each.is_new) ++answer;
    const auto* labelled = each.relabels ? &*answer++ : nullptr;
    const auto& filled = *answer;
    std::string part;
    auto reply = filled ? api::parse_json(client::without_managed_fields(*filled, part))
                        : std::unexpected(filled.error());
    if (reply && labelled && !*labelled && !self->continues_without_labels(labelled->error()))
      reply = std::unexpected(labelled->error());
    // It exists without a status: a write failed halfway, possibly for another outcome.
    if (reply && each.is_new && !made &&
        needs_labels(written_before(*reply), *each.item->value.status, self->ttl())) {
      if (made.error().status.retry_after > 0) {
        self->refused(*each.item, made.error());
      } else {
        left.push_back(&each);
      }
      continue;
    }
    if (reply) {
      self->done(*each.item, std::move(each.report), *reply, each.is_new && made);
      continue;
    }
    if (each.is_new && made) {
      if (const auto alone = api::parse_json(*made)) self->created(each.item->value, *alone, each.report);
    }
    const auto& error = deciding(reply.error(), each.is_new && !made ? &made.error() : nullptr,
                                 labelled && !*labelled ? &labelled->error() : nullptr);
    if (is_about_this_report(error) && !(client::object_is_gone(error) && each.is_new)) {
      left.push_back(&each);
      continue;
    }
    // Requests after the one that timed out only waited for it; their namespace is not the cause.
    if (error.kind == Error::Kind::timeout && std::exchange(has_timed_out, true)) {
      each.item->outcome = async::Outcome::retry;
    } else {
      self->refused(*each.item, error);
    }
  }
  for (auto* each : left) co_await write_alone(self, each);
}

Task<void> ReportWriter::Impl::write_alone(Impl* self, Sent* sent) {
  auto& job = sent->item->value;
  if (!sent->is_new) {
    // It was edited, or a write without an answer took effect: continues from the stored report.
    const auto there = co_await read_report(&self->api, &job.owner, &sent->report.name);
    if (!there && !client::object_is_gone(there.error())) {
      self->refused(*sent->item, there.error());
      co_return;
    }
    // Deleted by hand, or another report has this name: the next try creates a new one, if it has room.
    if (!there || api::text_at(*there, "/metadata/uid") != sent->report.uid) {
      self->known.forget(job.owner.uid);
      self->retention.forget(job.owner.ns, sent->report.name, sent->report.uid);
      if (there) self->retention.found(*there);
      sent->item->outcome = async::Outcome::retry;
      self->retried.fetch_add(1, std::memory_order_relaxed);
      co_return;
    }
    sent->report = written_before(*there);
  } else {
    auto made = co_await make(self, &job, sent->report.name, false);
    if (!made) {
      self->refused(*sent->item, made.error());
      co_return;
    }
    sent->report = std::move(*made);
  }
  stamp(sent->report, *job.status);
  const auto filled = co_await rewrite(self, &job, &sent->report);
  if (filled) {
    self->done(*sent->item, std::move(sent->report), *filled, false);
    co_return;
  }
  self->refused(*sent->item, filled.error());
}

// Creates the report, or finds the existing one. Returns its name and UID.
Task<Result<WrittenReport>> ReportWriter::Impl::make(Impl* self, const Job* job, std::string name,
                                                     bool is_last_try) {
  WrittenReport report;
  report.name = name;
  for (bool has_taken_away = false;;) {
    const auto made = co_await send_report_request(
        &self->api, make_report(job->owner, name, self->notes(*job), *job->status));
    if (made) {
      self->created(*job, *made, report);
      co_return report;
    }
    if (!client::is_conflict(made.error()) && !made.error().maybe_applied)
      co_return std::unexpected(made.error());
    const auto there = co_await read_report(&self->api, &job->owner, &name);
    if (!there)
      co_return std::unexpected(client::object_is_gone(there.error()) ? made.error() : there.error());
    if (is_of(*there, job->owner.uid)) co_return written_before(*there);
    if (is_last_try) co_return std::unexpected(made.error());
    if (has_taken_away || !is_of_a_pod_of_this_name(*there, job->owner.pod)) break;
    const auto superseded = co_await is_superseded(&self->api, &job->owner, &*there, job->status->decided_at);
    if (!superseded) co_return std::unexpected(superseded.error());
    if (!*superseded) break;
    const auto gone = co_await delete_superseded(&self->api, &self->retention, &job->owner, &*there);
    if (!gone) break;
    has_taken_away = true;
  }
  co_return co_await make(self, job, suffixed(job->owner.pod, job->owner.uid), true);
}

// Fills in the status, and changes the labels if they differ.
Task<Result<json::value>> ReportWriter::Impl::rewrite(Impl* self, Job* job, WrittenReport* report) {
  if (needs_labels(*report, *job->status, self->ttl())) {
    auto labelled = co_await send_report_request(
        &self->api, label_report(job->owner.ns, report->name, report->uid,
                                 labels_of(*job->status, explain::kDecision), report->version));
    if (!labelled && !self->continues_without_labels(labelled.error())) co_return labelled;
    if (labelled) report->version = api::text_at(*labelled, "/metadata/resourceVersion");
  }
  co_return co_await fill_status(&self->api, &job->owner, report, job->status.get());
}

// An earlier leader may have found the pod's name taken: its report is rewritten, so that the pod has one.
std::string ReportWriter::Impl::first_name(const ReportOwner& pod) const {
  auto other = suffixed(pod.pod, pod.uid);
  return retention.has_decision(pod.ns, other) ? other : pod.pod;
}

// It has no status yet: the next try fills it, and without a next try it expires.
void ReportWriter::Impl::created(const Job& job, const json::value& reply, WrittenReport& report) {
  report.ns = job.owner.ns;
  report.uid = api::text_at(reply, "/metadata/uid");
  report.version = api::text_at(reply, "/metadata/resourceVersion");
  report.outcome = job.status->outcome;  // as its labels say
  report.labelled = job.status->expires_at.value_or(Wall{});
  report.written = api.clock().now();
  const StoredReport facts{.failure = !job.is_placed, .bytes = job.bytes, .version = report.version};
  retention.track(job.owner.ns, report.name, report.uid, ttl(), ReportKind::decision, std::nullopt, facts);
  known.remember(job.owner.uid, report);
}

void ReportWriter::Impl::done(const Jobs::Item& item, WrittenReport report, const json::value& reply,
                              bool is_new) {
  const auto& job = item.value;
  report.uid = api::text_at(reply, "/metadata/uid");
  const auto created = is_new ? parse_time(api::text_at(reply, "/metadata/creationTimestamp")) : std::nullopt;
  // An existing report keeps its label until the label lags far behind.
  const bool is_labelled = is_new || needs_labels(report, *job.status, ttl());
  const auto label = is_labelled ? job.status->expires_at.value_or(Wall{}) : report.labelled;
  const StoredReport facts{.failure = !job.is_placed,
                           .bytes = job.bytes,
                           .minute = minute_of(label),
                           .version = api::text_at(reply, "/metadata/resourceVersion")};
  retention.track(job.owner.ns, report.name, report.uid, ttl(), ReportKind::decision, created, facts);
  // Remembers only pods that will be rescheduled: a placed pod's report is final.
  if (job.status->outcome == explain::kScheduled) {
    known.forget(job.owner.uid);
  } else {
    if (needs_labels(report, *job.status, ttl())) report.labelled = job.status->expires_at.value_or(Wall{});
    report.version = api::text_at(reply, "/metadata/resourceVersion");
    report.before = identify(*job.status);
    report.outcome = job.status->outcome;
    report.ns = job.owner.ns;
    report.content = explain::content_hash(*job.status);
    report.written = api.clock().now();
    known.remember(job.owner.uid, std::move(report));
  }
  delay.fetch_add(static_cast<std::uint64_t>((api.clock().now() - item.since).count()),
                  std::memory_order_relaxed);
  log.written(job.owner.ns);
}

void ReportWriter::Impl::refused(Jobs::Item& item, const Error& error) {
  // podium stops, and logs how many are lost.
  if (error.kind == Error::Kind::cancelled) return void(item.outcome = async::Outcome::dropped);
  item.outcome = backoff_of(error);
  item.at_least = std::chrono::seconds(error.status.retry_after);
  if (item.outcome != async::Outcome::failed) retried.fetch_add(1, std::memory_order_relaxed);
  log.refused(item.value.owner, item.outcome, error, api.clock().now());
}

// Drops a report that does not fit: waiting for capacity might never end.
void ReportWriter::Impl::no_room(Jobs::Item& item, NoRoom why) {
  item.outcome = why == NoRoom::now ? async::Outcome::retry : async::Outcome::dropped;
  if (item.outcome == async::Outcome::retry) {
    retried.fetch_add(1, std::memory_order_relaxed);
  } else {
    log.no_room(item.value.owner, api.clock().now());
  }
}

// Do not retry label updates if RBAC forbids them.
bool ReportWriter::Impl::continues_without_labels(const Error& error) {
  if (!client::lacks_right(error)) return false;
  log.without_labels(error, api.clock().now());
  return true;
}

ReportWriter::ReportWriter(client::Api& api, const client::Precedence& precedence, Retention& retention,
                           const config::LivePodium& settings, async::Gate& gate, asio::any_io_executor io,
                           ReportBackoffs backoffs)
    : impl_(std::make_unique<Impl>(api, precedence, retention, settings, gate, std::move(io), backoffs)) {}

ReportWriter::~ReportWriter() = default;

void ReportWriter::write(const ReportOwner& pod, const explain::ReportStatus& status, std::string packed) {
  const auto report = impl_->known.find(pod.uid);
  const auto now = impl_->api.clock().now();
  if (report && report->has_said(status, std::min(kUnchanged, impl_->ttl() / 2), now) &&
      !impl_->jobs.holds(pod.uid)) {
    impl_->unchanged.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const bool is_placed = status.outcome == explain::kScheduled;
  const auto lane = is_placed ? kOfPlacedPod : report ? kRewrite : kOfWaitingPod;
  impl_->jobs.push(pod.ns, pod.uid, {pod, std::move(packed), nullptr, 0, is_placed}, lane);
}

std::string ReportWriter::name_of(const ReportOwner& pod) const {
  const auto report = impl_->known.find(pod.uid);
  return report ? report->name : impl_->first_name(pod);
}

// A write in progress continues with its report; KnownReports sweeps it.
void ReportWriter::forget(std::string_view pod_uid) {
  const std::string uid(pod_uid);
  if (const auto report = impl_->known.find(uid))
    impl_->retention.pod_gone(report->ns, report->name, report->uid);
  if (!impl_->jobs.holds(uid)) impl_->known.forget(uid);
}

Task<void> ReportWriter::drain(async::DrainLimits limits) {
  return impl_->jobs.drain(limits, [](const Job& job) { return !job.is_placed; });
}

ReportCounts ReportWriter::counts() const {
  const auto left_out = impl_->left_out.load(std::memory_order_relaxed);
  const auto counts = impl_->jobs.counts();
  return {.written = counts.done - std::min(left_out, counts.done),
          .dropped = counts.dropped,
          .failed = counts.failed,
          .unchanged = impl_->unchanged.load(std::memory_order_relaxed) + left_out,
          .retried = impl_->retried.load(std::memory_order_relaxed),
          .waiting = counts.waiting};
}

void ReportWriter::sample_metrics(metrics::Samples& out) const {
  const auto now = counts();
  out.counter("podium_reports_written_total",
              "Reports that the API server accepted, rewritten ones included.", now.written);
  out.counter("podium_reports_unchanged_total",
              "Reports that were not rewritten because nothing had changed.", now.unchanged);
  out.counter("podium_reports_failed_total", "Reports that the API server refused and that are not retried.",
              now.failed);
  out.counter("podium_reports_retried_total", "Writes of reports that failed and are retried.", now.retried);
  out.counter("podium_reports_dropped_total",
              "Reports that were never written: the queue was full, the budget was used up, they waited "
              "longer than their TTL, or podium stopped.",
              now.dropped);
  out.counter("podium_reports_delay_seconds_total",
              "Sum of the times that written reports waited; divided by podium_reports_written_total, it is "
              "the average.",
              1e-9 * static_cast<double>(impl_->delay.load(std::memory_order_relaxed)));
  out.gauge("podium_reports_pending", "Reports that wait to be written.", now.waiting);
}

}  // namespace podium::controller
