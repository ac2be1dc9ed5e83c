#include "controller/report_writer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <boost/json/value.hpp>
#include <set>

#include "async/writers.h"
#include "base/time.h"
#include "client/decode/watch_lines.h"
#include "controller/known_reports.h"
#include "controller/report_metadata.h"
#include "controller/report_requests.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using async::Task;

constexpr std::size_t kCapacity = 20'000, kWritesAtOnce = 8, kNamespacesLogged = 1'000;
constexpr unsigned kWriters = 4, kFirst = 0, kRewrite = 1;  // lanes
constexpr std::chrono::seconds kUnchanged{60}, kLogEvery{1};
constexpr std::string_view kComplete = "Complete", kScheduled = "Scheduled";

struct Job {
  ReportOwner owner;
  ReportStatus status;
};

using Jobs = async::Writers<Job>;

bool is_of(const json::value& report, const std::string& pod_uid) {
  boost::system::error_code none;
  const auto* dry = report.find_pointer("/spec/dryRun", none);
  return text_at(report, "/spec/podRef/uid") == pod_uid && !(dry && dry->is_bool() && dry->get_bool());
}

// Podium's own report on an earlier pod of this name.
bool is_of_a_dead_pod(const json::value& report, const Job& job) {
  const auto decided = parse_time(text_at(report, "/status/decidedAt"));
  return is_podiums_decision(report) && text_at(report, "/spec/podRef/name") == job.owner.pod &&
         !(decided && job.status.decided_at && *decided > *job.status.decided_at);
}

bool namespace_is_going(const Error& error) {
  const auto& text = error.message;
  return (error.code == 403 && text.find("because it is being terminated") != std::string::npos) ||
         (error.code == 404 && text.find("namespaces \"") != std::string::npos);
}

// 409 and 422 may be about the name, NotFound about a report that was deleted, 413 and 422 about the size.
bool is_about_this_report(const Error& error) {
  return error.code == 409 || error.code == 422 || error.code == 413 ||
         (client::object_is_gone(error) && !namespace_is_going(error));
}

Outcome outcome_of(const Error& error) {
  if (namespace_is_going(error)) return Outcome::failed;
  if (error.kind == Error::Kind::timeout || error.code == 403) return Outcome::retry_namespace;
  if (error.kind == Error::Kind::unavailable || error.code == 404 || error.code == 429 || error.code == 503)
    return Outcome::retry_all;
  if (error.code == 409) return Outcome::retry;
  return error.code >= 500 ? Outcome::retry_namespace : Outcome::failed;
}

async::WritersOptions queue_options(const config::Podium& options, const ReportBackoffs& backoffs) {
  async::WritersOptions made;
  made.name = "write reports";
  made.workers = kWriters;
  made.at_once = kWritesAtOnce;
  made.queue.capacity = kCapacity;
  made.queue.item = backoffs.item;
  made.queue.of_namespace = backoffs.of_namespace;
  made.queue.all = backoffs.all;
  made.queue.most_age = options.reports.ttl;
  return made;
}

}  // namespace

struct ReportWriter::Impl {
  Impl(client::Api& api_, const client::Precedence& precedence_, Retention& retention_,
       const config::Podium& options_, async::Gate& gate, asio::any_io_executor io,
       const ReportBackoffs& backoffs)
      : api(api_),
        precedence(precedence_),
        retention(retention_),
        options(options_),
        known(options.reports.ttl),
        jobs(queue_options(options, backoffs), api.clock(), api.random(), gate, std::move(io),
             [this](std::vector<Jobs::Item>& batch) { return write(this, &batch); }) {}

  // An item of a batch whose requests were sent.
  struct Sent {
    Jobs::Item* item;
    WrittenReport report;
    bool is_new;
    std::size_t first;  // index of its first answer: to the POST if new, else to the PATCH
  };

  static Task<void> write(Impl* self, std::vector<Jobs::Item>* batch);
  static Task<void> write_together(Impl* self, std::vector<Sent>* sent,
                                   std::vector<client::Request> requests);
  static Task<void> write_alone(Impl* self, Sent* sent);
  static Task<Result<WrittenReport>> make(Impl* self, const Job* job, std::string name, bool is_last_try);
  static Task<Result<void>> take_away(Impl* self, const Job* job, const json::value* report);
  static Task<Result<json::value>> fill(Impl* self, Job* job, const WrittenReport* report);
  static Task<Result<json::value>> send(Impl* self, client::Request request);

  void done(const Job& job, WrittenReport report, const json::value& reply, bool is_new);
  void refused(Jobs::Item& item, const Error& error);
  void stamp(WrittenReport& report, ReportStatus& status) const;
  std::chrono::seconds ttl() const { return options.reports.ttl; }

  client::Api& api;
  const client::Precedence& precedence;
  Retention& retention;
  const config::Podium& options;
  KnownReports known;
  std::atomic<std::uint64_t> unchanged{0};
  // Used on io only.
  bool is_paused = false;
  std::set<std::string> held;  // namespaces that refuse reports, to log each once
  std::optional<Steady> logged;
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
    if (is_new) {
      if (!self->retention.reserve()) {
        item.outcome = Outcome::retry;
        continue;
      }
      report.emplace().name = job.owner.pod;
    }
    self->stamp(*report, job.status);
    sent.push_back({&item, std::move(*report), is_new, requests.size()});
    if (is_new) requests.push_back(make_report(job.owner, job.owner.pod, self->ttl()));
    requests.push_back(fill_report(job.owner, sent.back().report.name, job.status));
  }
  if (sent.empty()) co_return;
  co_await write_together(self, &sent, std::move(requests));
  for (const auto& each : sent) {
    if (each.is_new) self->retention.release();
  }
}

Task<void> ReportWriter::Impl::write_together(Impl* self, std::vector<Sent>* sent,
                                              std::vector<client::Request> requests) {
  const auto answers = co_await self->api.send_all(std::move(requests));
  std::vector<Sent*> left;
  bool has_timed_out = false;
  for (auto& each : *sent) {
    const auto& made = answers[each.first];
    const auto& filled = answers[each.first + (each.is_new ? 1 : 0)];
    const auto reply = filled ? client::parse_api_json(*filled, {}) : std::unexpected(filled.error());
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
    filled = co_await fill(self, &job, &sent->report);
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
    sent->report.name = std::move(made->name);
    sent->report.uid = std::move(made->uid);
    filled = co_await fill(self, &job, &sent->report);
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
  for (bool has_taken_away = false;;) {
    const auto made = co_await send(self, make_report(job->owner, name, self->ttl()));
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
    if (is_of(*there, job->owner.uid)) {
      report.uid = text_at(*there, "/metadata/uid");
      co_return report;
    }
    if (is_last_try) co_return std::unexpected(made.error());
    if (has_taken_away || !is_of_a_dead_pod(*there, *job)) break;
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

// If the report is too large, retries once without strategies and rejections.
Task<Result<json::value>> ReportWriter::Impl::fill(Impl* self, Job* job, const WrittenReport* report) {
  client::CallOptions once;
  once.retry = false;
  for (bool is_shortened = false;; is_shortened = true) {
    json::value body = json::object{{"metadata", {{"uid", report->uid}}}, {"status", to_json(job->status)}};
    auto filled =
        co_await self->api.patch(client::resource::scheduling_reports, job->owner.ns, report->name,
                                 client::PatchType::merge, std::move(body), "status", "podium", once);
    if (filled || is_shortened || (filled.error().code != 413 && filled.error().code != 422))
      co_return filled;
    job->status.strategies.clear();
    job->status.rejections.clear();
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
  retention.track(job.owner.ns, report.name, report.uid, ttl(), ReportKind::decision, created);
  // Remembers only pods that will be rescheduled: a placed pod's report is final.
  if (job.status.outcome == kScheduled) {
    known.forget(job.owner.uid);
  } else {
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
  item.outcome = outcome_of(error);
  item.at_least = std::chrono::seconds(error.retry_after);
  if (item.outcome == Outcome::retry_all && !std::exchange(is_paused, true)) {
    spdlog::warn(
        "reports are paused, scheduling goes on: the API server does not accept SchedulingReports "
        "(is the CRD installed, and does RBAC allow podium to write them?) error=\"{}\"",
        error.message);
  }
  if (item.outcome == Outcome::retry_namespace && held.size() < kNamespacesLogged &&
      held.insert(owner.ns).second) {
    spdlog::warn("reports of a namespace are refused, others go on namespace={} error=\"{}\"", owner.ns,
                 error.message);
  }
  const auto now = api.clock().now();
  if (item.outcome == Outcome::failed && !(logged && now - *logged < kLogEvery)) {
    logged = now;
    spdlog::warn("report not written pod={}/{} error=\"{}\"", owner.ns, owner.pod, error.message);
  }
}

// Sets the conditions' times: an unchanged outcome keeps its transition time.
void ReportWriter::Impl::stamp(WrittenReport& report, ReportStatus& status) const {
  if (report.outcome != status.outcome) report.since = status.decided_at.value_or(Wall{});
  for (auto& condition : status.conditions) condition.since = report.since;
}

ReportWriter::ReportWriter(client::Api& api, const client::Precedence& precedence, Retention& retention,
                           const config::Podium& options, async::Gate& gate, asio::any_io_executor io,
                           Announce announce, ReportBackoffs backoffs)
    : options_(options),
      announce_(std::move(announce)),
      impl_(std::make_unique<Impl>(api, precedence, retention, options, gate, std::move(io), backoffs)) {}

ReportWriter::~ReportWriter() = default;

// Samples by the pod's UID, so that all attempts of a pod are either reported or not.
bool ReportWriter::wanted(const cluster::PodInfo& pod, bool fits) const {
  const auto& reports = options_.reports;
  if (!reports.enabled || (fits && reports.only_failures)) return false;
  if (std::ranges::find(reports.exclude_namespaces, pod->meta.namespace_) !=
      reports.exclude_namespaces.end()) {
    return false;
  }
  return !fits || static_cast<double>(pod.uid_hash >> 11) * 0x1p-53 < reports.sampling;
}

void ReportWriter::decided(const framework::Attempt& attempt, const framework::Decision& decision,
                           const cluster::Snapshot& snapshot) {
  const auto& pod = *attempt.pod;
  const bool best_nodes = options_.events.best_nodes && announce_ && decision.fits();
  if (!wanted(pod, decision.fits()) && !best_nodes) return;
  auto status = project(decision, snapshot);
  status.profile = attempt.profile;
  status.decided_at = attempt.decided_at;
  status.expires_at = attempt.decided_at + options_.reports.ttl;
  status.attempts = attempt.number;
  status.queued = attempt.queued;
  status.evaluate = attempt.evaluate;
  if (decision.fits()) {
    binding_.insert_or_assign(pod->meta.uid, std::move(status));
    return;
  }
  status.outcome = decision.error.empty() ? "Unschedulable" : "Failed";
  status.conditions = {{std::string(kComplete), false, status.outcome, status.message, {}}};
  enqueue(pod, std::move(status));
}

void ReportWriter::binding_ended(const cluster::PodInfo& pod, const framework::BindResult& result) {
  const auto it = binding_.find(pod->meta.uid);
  if (it == binding_.end()) return;
  auto status = std::move(it->second);
  binding_.erase(it);
  status.bind = result.duration;
  status.outcome = result.bound ? "Scheduled" : "Failed";
  if (!result.bound) status.message = result.error;
  status.conditions = {{std::string(kComplete),
                        result.bound,
                        status.outcome,
                        result.bound ? "placed on " + result.node : result.error,
                        {}}};
  if (result.bound && options_.events.best_nodes && announce_) announce_(pod, status);
  if (wanted(pod, result.bound)) enqueue(pod, std::move(status));
}

// A queued report is still written: the decision was made, even if the pod is gone.
void ReportWriter::forgotten(std::string_view pod_uid) { impl_->known.forget(std::string(pod_uid)); }

void ReportWriter::enqueue(const cluster::PodInfo& pod, ReportStatus status) {
  const auto& meta = pod->meta;
  const auto report = impl_->known.find(meta.uid);
  const auto age = report ? impl_->api.clock().now() - report->written : Steady::duration();
  if (report && age < std::min(kUnchanged, options_.reports.ttl / 2) &&
      report->content == content_hash(status) && !impl_->jobs.holds(meta.uid)) {
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
          .waiting = counts.waiting};
}

}  // namespace podium::controller
