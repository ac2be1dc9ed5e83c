#include "controller/report_writer.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <boost/json/value.hpp>
#include <set>

#include "async/writers.h"
#include "base/log_limit.h"
#include "base/time.h"
#include "client/decode/watch_lines.h"
#include "client/request_info.h"
#include "controller/known_reports.h"
#include "controller/report_metadata.h"
#include "controller/report_replies.h"
#include "controller/report_requests.h"
#include "controller/report_scope.h"
#include "controller/report_summary.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using async::Task;

constexpr std::size_t kCapacity = 20'000, kWritesAtOnce = 8, kNamespacesLogged = 1'000;
constexpr unsigned kReportWriters = 4, kFirst = 0, kRewrite = 1;  // lanes
constexpr std::chrono::seconds kUnchanged{60};
constexpr std::string_view kScheduled = "Scheduled";
constexpr const char *kUnschedulable = "Unschedulable", *kFailed = "Failed";

struct Job {
  ReportOwner owner;
  ReportStatus status;
  std::uint32_t bytes = 0;  // of the report, once it is written
};

using Jobs = async::Writers<Job>;

ReportCondition complete(bool is_true, std::string reason, std::string message) {
  return {"Complete", is_true, std::move(reason), std::move(message), {}};
}

async::WritersOptions queue_options(std::chrono::seconds ttl, const ReportBackoffs& backoffs) {
  async::WritersOptions made;
  made.name = "write reports";
  made.workers = kReportWriters;
  made.at_once = kWritesAtOnce;
  made.queue.capacity = kCapacity;
  made.queue.item = backoffs.item;
  made.queue.of_namespace = backoffs.of_namespace;
  made.queue.all = backoffs.all;
  made.queue.most_age = ttl;
  return made;
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

  // An item of a batch whose requests were sent.
  struct Sent {
    Jobs::Item* item;
    WrittenReport report;
    bool is_new;
    std::size_t first;  // index of its first answer: to the POST if new, else to the PATCH
    bool relabels;      // its last answer is to the PATCH of its labels
    std::vector<RetentionIndex::Report> leaving;  // the answers to their deletion are before the first
  };

  static Task<void> write(Impl* self, std::vector<Jobs::Item>* batch);
  static Task<void> write_together(Impl* self, std::vector<Sent>* sent,
                                   std::vector<client::Request> requests);
  static Task<void> write_alone(Impl* self, Sent* sent);
  static Task<Result<WrittenReport>> make(Impl* self, const Job* job, std::string name, bool is_last_try);
  static Task<Result<void>> take_away(Impl* self, const Job* job, const json::value* report);
  static Task<Result<json::value>> rewrite(Impl* self, Job* job, const WrittenReport* report);
  static Task<Result<json::value>> fill(Impl* self, Job* job, const WrittenReport* report);
  static Task<Result<json::value>> send(Impl* self, client::Request request);

  void done(const Job& job, WrittenReport report, const json::value& reply, bool is_new);
  void refused(Jobs::Item& item, const Error& error);
  bool goes_on_without_labels(const Error& error);
  std::chrono::seconds ttl() const { return settings.now()->reports.ttl; }
  ReportNotes notes(const Job& job) const { return {ttl(), job.bytes}; }

  client::Api& api;
  const client::Precedence& precedence;
  Retention& retention;
  const config::LivePodium& settings;
  KnownReports known;
  std::atomic<std::uint64_t> unchanged{0}, retried{0};
  LogLimit log;
  // Used on io only.
  bool is_paused = false;
  std::set<std::string> held;  // namespaces that refuse reports, to log each once
  Jobs jobs;
};

// Sends the requests of several reports in one batch. write_together() then handles the failed ones
// one by one.
Task<void> ReportWriter::Impl::write(Impl* self, std::vector<Jobs::Item>* batch) {
  const bool gives_way = !self->jobs.draining();
  if (gives_way) co_await self->precedence.turn(batch->front().since);
  std::vector<Sent> sent;
  std::vector<client::Request> requests;
  for (auto& item : *batch) {
    auto& job = item.value;
    auto report = self->known.find(job.owner.uid);
    const bool is_new = !report;
    if (is_new) report.emplace().name = job.owner.pod;
    stamp(*report, job.status);
    auto filling = fill_report(job.owner, report->name, job.status);
    job.bytes = stored_bytes(filling.body.size());
    std::vector<RetentionIndex::Report> leaving;
    if (is_new) {
      auto room = self->retention.reserve(job.owner.ns, job.bytes, job.status.outcome != kScheduled);
      if (!room) {
        item.outcome = Outcome::retry;
        continue;
      }
      leaving = std::move(*room);
    }
    for (const auto& old : leaving) requests.push_back(delete_report(old.ns, old.name, old.uid));
    const bool relabels = !is_new && needs_labels(*report, job.status, self->ttl());
    sent.push_back({&item, std::move(*report), is_new, requests.size(), relabels, std::move(leaving)});
    const auto& written = sent.back().report;
    if (is_new) requests.push_back(make_report(job.owner, job.owner.pod, self->notes(job), job.status));
    requests.push_back(std::move(filling));
    if (relabels) {
      requests.push_back(
          label_report(job.owner.ns, written.name, written.uid, labels_of(job.status, kDecision)));
    }
  }
  if (sent.empty()) co_return;
  co_await write_together(self, &sent, std::move(requests));
  for (const auto& each : sent) {
    if (each.is_new) self->retention.release(each.item->value.owner.ns, each.item->value.bytes);
  }
}

Task<void> ReportWriter::Impl::write_together(Impl* self, std::vector<Sent>* sent,
                                              std::vector<client::Request> requests) {
  const auto answers = co_await self->api.send_all(std::move(requests));
  std::vector<Sent*> left;
  bool has_timed_out = false;
  for (auto& each : *sent) {
    const auto before = each.first - each.leaving.size();
    for (std::size_t i = 0; i < each.leaving.size(); ++i)
      self->retention.evicted(each.leaving[i], answers[before + i]);
    const auto& made = answers[each.first];
    const auto& filled = answers[each.first + (each.is_new ? 1 : 0)];
    auto reply = filled ? client::parse_api_json(*filled, {}) : std::unexpected(filled.error());
    if (const auto* labelled = each.relabels ? &answers[each.first + 1] : nullptr;
        reply && labelled && !*labelled && !self->goes_on_without_labels(labelled->error()))
      reply = std::unexpected(labelled->error());
    if (reply) {
      self->done(each.item->value, std::move(each.report), *reply, each.is_new && made);
      continue;
    }
    const auto& error = made ? reply.error() : made.error();
    if (is_about_this_report(error) && !(client::object_is_gone(error) && each.is_new)) {
      left.push_back(&each);
      continue;
    }
    // Requests behind the one that timed out only waited for it; their namespace is not to blame.
    if (error.kind == Error::Kind::timeout && std::exchange(has_timed_out, true)) {
      each.item->outcome = Outcome::retry;
    } else {
      self->refused(*each.item, error);
    }
  }
  for (auto* each : left) co_await write_alone(self, each);
}

Task<void> ReportWriter::Impl::write_alone(Impl* self, Sent* sent) {
  auto& job = sent->item->value;
  bool is_new = sent->is_new;
  Result<json::value> filled = std::unexpected(Error{});
  if (!is_new) {
    filled = co_await rewrite(self, &job, &sent->report);
    // Gone: deleted by hand; 409: another report has this name. Creates a new one.
    is_new = !filled && (client::object_is_gone(filled.error()) || filled.error().code == 409);
    if (is_new) {
      self->known.forget(job.owner.uid);
      self->retention.forget(job.owner.ns, sent->report.name, sent->report.uid);
    }
  }
  if (is_new) {
    auto made = co_await make(self, &job, job.owner.pod, false);
    if (!made) {
      self->refused(*sent->item, made.error());
      co_return;
    }
    sent->report = std::move(*made);
    stamp(sent->report, job.status);
    filled = co_await rewrite(self, &job, &sent->report);
  }
  if (filled) {
    self->done(job, std::move(sent->report), *filled, false);
  } else {
    self->refused(*sent->item, filled.error());
  }
}

// Creates the report, or finds the existing one. Returns its name and UID.
Task<Result<WrittenReport>> ReportWriter::Impl::make(Impl* self, const Job* job, std::string name,
                                                     bool is_last_try) {
  WrittenReport report;
  report.name = name;
  report.outcome = job->status.outcome;  // as the new report's labels say
  report.labelled = job->status.expires_at.value_or(Wall{});
  for (bool has_taken_away = false;;) {
    const auto made = co_await send(self, make_report(job->owner, name, self->notes(*job), job->status));
    if (made) {
      report.uid = text_at(*made, "/metadata/uid");
      co_return report;
    }
    if (made.error().code != 409 && !made.error().maybe_applied) co_return std::unexpected(made.error());
    client::CallOptions once;
    once.retry = false;
    const auto there =
        co_await self->api.get(client::resource::scheduling_reports, job->owner.ns, name, once);
    if (!there)
      co_return std::unexpected(client::object_is_gone(there.error()) ? made.error() : there.error());
    if (is_of(*there, job->owner.uid)) co_return written_before(*there);
    if (is_last_try) co_return std::unexpected(made.error());
    if (has_taken_away || !is_of_a_dead_pod(*there, job->owner.pod, job->status.decided_at)) break;
    const auto gone = co_await take_away(self, job, &*there);
    if (!gone) break;
    has_taken_away = true;
  }
  co_return co_await make(self, job, suffixed(job->owner.pod, job->owner.uid), true);
}

Task<Result<void>> ReportWriter::Impl::take_away(Impl* self, const Job* job, const json::value* report) {
  const auto name = text_at(*report, "/metadata/name"), uid = text_at(*report, "/metadata/uid");
  const auto gone = co_await send(self, delete_report(job->owner.ns, name, uid));
  if (!gone && !client::object_is_gone(gone.error())) co_return std::unexpected(gone.error());
  self->retention.forget(job->owner.ns, name, uid);
  co_return Result<void>{};
}

// Fills in the status, and changes the labels where they say something else.
Task<Result<json::value>> ReportWriter::Impl::rewrite(Impl* self, Job* job, const WrittenReport* report) {
  if (needs_labels(*report, job->status, self->ttl())) {
    auto labelled = co_await send(
        self, label_report(job->owner.ns, report->name, report->uid, labels_of(job->status, kDecision)));
    if (!labelled && !self->goes_on_without_labels(labelled.error())) co_return labelled;
  }
  co_return co_await fill(self, job, report);
}

// If the report is too large, retries once without strategies and rejections.
Task<Result<json::value>> ReportWriter::Impl::fill(Impl* self, Job* job, const WrittenReport* report) {
  client::CallOptions once;
  once.retry = false;
  for (bool is_shortened = false;; is_shortened = true) {
    json::value body =
        json::object{{"metadata", {{"uid", report->uid}}}, {"status", to_merge_patch(job->status)}};
    auto filled =
        co_await self->api.patch(client::resource::scheduling_reports, job->owner.ns, report->name,
                                 client::PatchType::merge, std::move(body), "status", "podium", once);
    if (filled || is_shortened || (filled.error().code != 413 && filled.error().code != 422))
      co_return filled;
    job->status.strategies.clear();
    job->status.rejections.clear();
    for (auto& top : job->status.top_nodes) top.strategy_scores.clear();
  }
}

Task<Result<json::value>> ReportWriter::Impl::send(Impl* self, client::Request request) {
  std::vector<client::Request> one;
  one.push_back(std::move(request));
  const auto answers = co_await self->api.send_all(std::move(one));
  if (!answers[0]) co_return std::unexpected(answers[0].error());
  co_return client::parse_api_json(*answers[0], {});
}

void ReportWriter::Impl::done(const Job& job, WrittenReport report, const json::value& reply, bool is_new) {
  report.uid = text_at(reply, "/metadata/uid");
  const auto created = is_new ? parse_time(text_at(reply, "/metadata/creationTimestamp")) : std::nullopt;
  // A report that is there keeps its label until that is far behind.
  const bool is_labelled = is_new || needs_labels(report, job.status, ttl());
  const auto label = is_labelled ? job.status.expires_at.value_or(Wall{}) : report.labelled;
  const ReportFacts facts{.failure = job.status.outcome != kScheduled,
                          .bytes = job.bytes,
                          .minute = minute_of(expiry_minute(label))};
  retention.track(job.owner.ns, report.name, report.uid, ttl(), ReportKind::decision, created, facts);
  // Remembers only pods that will be rescheduled: a placed pod's report is final.
  if (job.status.outcome == kScheduled) {
    known.forget(job.owner.uid);
  } else {
    if (needs_labels(report, job.status, ttl())) report.labelled = job.status.expires_at.value_or(Wall{});
    report.outcome = job.status.outcome;
    report.content = content_hash(job.status);
    report.written = api.clock().now();
    known.remember(job.owner.uid, std::move(report));
  }
  if (std::exchange(is_paused, false)) spdlog::info("reports are written again");
  if (held.erase(job.owner.ns) > 0) spdlog::info("reports are written again namespace={}", job.owner.ns);
}

void ReportWriter::Impl::refused(Jobs::Item& item, const Error& error) {
  const auto& owner = item.value.owner;
  item.outcome = backoff_of(error);
  item.at_least = std::chrono::seconds(error.retry_after);
  if (item.outcome != Outcome::failed) retried.fetch_add(1, std::memory_order_relaxed);
  const auto now = api.clock().now();
  const auto fields = client::request_fields(error);
  if (item.outcome == Outcome::retry_all && !std::exchange(is_paused, true)) {
    spdlog::warn(
        "reports are paused, scheduling goes on: the API server does not accept SchedulingReports "
        "(is the CRD installed?) {}error={:?}",
        fields, error.message);
  }
  const bool is_new = item.outcome == Outcome::retry_namespace && held.size() < kNamespacesLogged &&
                      held.insert(owner.ns).second;
  // A right that is missing is missing in all namespaces: one line.
  if (item.outcome == Outcome::retry_namespace && client::lacks_right(error)) {
    if (log.allows(fields, now))
      spdlog::warn("reports are refused, scheduling goes on {}error={:?}", fields, error.message);
  } else if (is_new) {
    spdlog::warn("reports of a namespace are refused, others go on namespace={} {}error={:?}", owner.ns,
                 fields, error.message);
  }
  if (item.outcome == Outcome::failed && log.allows(fmt::format("failed {}", error.code), now)) {
    spdlog::warn("report not written {}pod={}/{} error={:?}", fields, owner.ns, owner.pod, error.message);
  }
}

// Labels are worth no retry where the right to change them is missing.
bool ReportWriter::Impl::goes_on_without_labels(const Error& error) {
  if (!client::lacks_right(error)) return false;
  const auto fields = client::request_fields(error);
  if (log.allows(fields, api.clock().now()))
    spdlog::warn("labels of reports are not kept up to date {}error={:?}", fields, error.message);
  return true;
}

ReportWriter::ReportWriter(client::Api& api, const client::Precedence& precedence, Retention& retention,
                           const config::LivePodium& settings, async::Gate& gate, asio::any_io_executor io,
                           Announce announce, ReportBackoffs backoffs)
    : settings_(settings),
      announce_(std::move(announce)),
      impl_(std::make_unique<Impl>(api, precedence, retention, settings, gate, std::move(io), backoffs)) {}

ReportWriter::~ReportWriter() = default;

void ReportWriter::decided(const framework::Attempt& attempt, const framework::Decision& decision,
                           const cluster::Snapshot& snapshot) {
  const auto& pod = *attempt.pod;
  const auto settings = settings_.now();
  const bool in_scope = is_in_scope(settings->reports, pod->meta.namespace_, snapshot);
  const bool best_nodes = settings->events.best_nodes && announce_ && decision.fits();
  const bool wanted = in_scope && is_wanted(settings->reports, pod, decision.fits());
  if (!wanted && !best_nodes && !ended_) return;
  const auto& uid = pod->meta.uid;
  auto status = project(pod, decision, snapshot);
  status.profile = attempt.profile;
  status.decided_at = attempt.decided_at;
  status.expires_at = attempt.decided_at + settings->reports.ttl;
  status.attempts = attempt.number;
  status.queued = attempt.queued;
  status.evaluate = attempt.evaluate;
  if (decision.fits()) {
    binding_.insert_or_assign(uid, Binding{std::move(status), in_scope});
    return;
  }
  status.outcome = decision.error.empty() ? kUnschedulable : kFailed;
  status.conditions = {complete(false, status.outcome, status.message)};
  end_attempt(pod, status, status.outcome == kFailed ? kFailed : kUnschedulable);
  if (ended_) ended_(pod, status);
  if (wanted) enqueue(pod, std::move(status));
}

void ReportWriter::binding_ended(const cluster::PodInfo& pod, const framework::BindResult& result) {
  const auto it = binding_.find(pod->meta.uid);
  if (it == binding_.end()) return;
  const auto settings = settings_.now();
  const bool wanted = it->second.in_scope && is_wanted(settings->reports, pod, result.bound);
  auto status = std::move(it->second.status);
  binding_.erase(it);
  status.bind = result.duration;
  status.outcome = result.bound ? kScheduled : kFailed;
  if (!result.bound) status.message = result.error;
  status.conditions = {
      complete(result.bound, status.outcome, result.bound ? "placed on " + result.node : result.error)};
  if (result.bound) {
    history_.add_to(pod->meta.uid, status);
    history_.forget(pod->meta.uid);
  } else {
    end_attempt(pod, status, kFailed);
  }
  if (result.bound && settings->events.best_nodes && announce_) {
    const auto report = impl_->known.find(pod->meta.uid);
    announce_(pod, status, !wanted ? "" : report ? report->name : pod->meta.name);
  }
  if (ended_) ended_(pod, status);
  if (wanted) enqueue(pod, std::move(status));
}

// Adds the attempts before this one to the status, and this one to the history.
void ReportWriter::end_attempt(const cluster::PodInfo& pod, ReportStatus& status, const char* outcome) {
  const auto own = status.preemption;
  history_.add_to(pod->meta.uid, status);
  const auto nodes = status.rejections.empty() || outcome == kFailed ? 0 : status.rejections.front().nodes;
  history_.failed(pod->meta.uid, *status.decided_at, outcome, main_reason(status), nodes, own);
}

// A pod whose gates are removed is decided on, which rewrites its report.
void ReportWriter::gated(const cluster::PodInfo& pod, const std::set<std::string>& plugins,
                         const cluster::Snapshot& snapshot, Wall now) {
  const auto settings = settings_.now();
  const bool wanted = is_in_scope(settings->reports, pod->meta.namespace_, snapshot) &&
                      is_wanted(settings->reports, pod, false);
  if (!wanted && !ended_) return;
  auto status = project_gated(pod, plugins);
  status.decided_at = now;
  status.expires_at = now + settings->reports.ttl;
  status.conditions = {complete(false, status.outcome, status.message)};
  if (ended_) ended_(pod, status);
  if (wanted) enqueue(pod, std::move(status));
}

// A queued report is still written: the decision was made, even if the pod is gone.
void ReportWriter::forgotten(std::string_view pod_uid) {
  impl_->known.forget(std::string(pod_uid));
  history_.forget(pod_uid);
}

void ReportWriter::enqueue(const cluster::PodInfo& pod, ReportStatus status) {
  const auto& meta = pod->meta;
  const auto report = impl_->known.find(meta.uid);
  const auto age = report ? impl_->api.clock().now() - report->written : Steady::duration();
  if (report && age < std::min(kUnchanged, impl_->ttl() / 2) && report->content == content_hash(status) &&
      !impl_->jobs.holds(meta.uid)) {
    impl_->unchanged.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const bool is_rewrite = report && status.outcome != kScheduled;
  impl_->jobs.push(meta.namespace_, meta.uid, {{meta.namespace_, meta.name, meta.uid}, std::move(status)},
                   is_rewrite ? kRewrite : kFirst);
}

Task<void> ReportWriter::drain(std::chrono::milliseconds deadline) { return impl_->jobs.drain(deadline); }

ReportCounts ReportWriter::counts() const {
  const auto counts = impl_->jobs.counts();
  return {.written = counts.done,
          .dropped = counts.dropped,
          .failed = counts.failed,
          .unchanged = impl_->unchanged.load(std::memory_order_relaxed),
          .retried = impl_->retried.load(std::memory_order_relaxed),
          .waiting = counts.waiting};
}

}  // namespace podium::controller
