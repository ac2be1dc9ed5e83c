#include "controller/report_writer.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json/value.hpp>
#include <mutex>

#include "async/nap.h"
#include "base/coalescing_queue.h"
#include "client/watch_lines.h"
#include "controller/report_requests.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using client::Task;

constexpr std::size_t kCapacity = 20'000, kWriters = 4, kAtOnce = 8;
constexpr std::size_t kSuffixedName = 246;  // 253 less a dash and six characters
constexpr std::chrono::milliseconds kPause{5'000}, kPauseStep{100}, kDrainPoll{10};
constexpr std::string_view kComplete = "Complete";

struct Job {
  ReportOwner owner;
  ReportStatus status;
  Steady since{};  // when it was queued
};

// What is known of a pod's report on the API server.
struct Written {
  std::string name, report_uid;
  std::string outcome;
  Wall since{};  // when the outcome last changed
};

std::string suffixed(const std::string& pod, const std::string& uid) {
  return fmt::format("{}-{:06x}", pod.substr(0, std::min(pod.size(), kSuffixedName)),
                     std::hash<std::string>{}(uid) & 0xFFFFFF);
}

std::string text_at(const json::value& value, std::string_view pointer) {
  boost::system::error_code none;
  const auto* found = value.find_pointer(pointer, none);
  return found && found->is_string() ? std::string(found->as_string()) : std::string();
}

bool is_ours(const json::value& report, const std::string& pod_uid) {
  boost::system::error_code none;
  const auto* dry = report.find_pointer("/spec/dryRun", none);
  return text_at(report, "/spec/podRef/uid") == pod_uid && !(dry && dry->is_bool() && dry->as_bool());
}

// The kind is missing, or podium may not write it, or the API server is not there: wait rather than drop. A
// namespace that is going away (403) or gone (404) is neither.
bool worth_a_pause(const Error& error) {
  for (const auto* words : {"because it is being terminated", "namespaces \""}) {
    if (error.message.find(words) != std::string::npos) return false;
  }
  return error.code == 404 || error.code == 403 || error.code == 429 || error.code >= 500 ||
         error.kind == Error::Kind::unavailable || error.kind == Error::Kind::timeout;
}

}  // namespace

struct ReportWriter::Impl {
  Impl(client::Api& api_, const client::Precedence& precedence_, Retention& retention_,
       const config::Podium& options_, async::Gate& gate_, asio::any_io_executor io_)
      : api(api_),
        precedence(precedence_),
        retention(retention_),
        options(options_),
        gate(gate_),
        io(std::move(io_)),
        queue(kCapacity, kWriters) {}

  // The usual way: the requests of several reports go out at once. The jobs for which that did not do are the
  // answer.
  static Task<std::vector<Job*>> write_together(std::shared_ptr<Impl> self, std::vector<Job*> jobs) {
    struct Sent {
      Written report;
      std::size_t answer;  // to the request that fills it
    };
    std::vector<Sent> sent;
    std::vector<client::Request> requests;
    for (auto* each : jobs) {
      auto& job = *each;
      auto report = self->known(job.owner.uid);
      if (!report) {
        report = Written{job.owner.pod, {}, {}, {}};
        requests.push_back(make_report(job.owner, report->name));
      }
      self->stamp(*report, job.status);
      sent.push_back({std::move(*report), requests.size()});
      requests.push_back(fill_report(job.owner, sent.back().report.name, job.status));
    }
    const auto answers = co_await self->api.send_all(std::move(requests));
    std::vector<Job*> left;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto& answer = answers[sent[i].answer];
      const auto reply = answer ? client::parse_api_json(*answer, {}) : std::unexpected(answer.error());
      auto report_uid = reply ? text_at(*reply, "/metadata/uid") : std::string();
      if (report_uid.empty()) {
        left.push_back(jobs[i]);
      } else {
        sent[i].report.report_uid = std::move(report_uid);
        self->done(*jobs[i], std::move(sent[i].report));
      }
    }
    co_return left;
  }

  // Makes the report, or finds the one that is there; its name and UID.
  static Task<Result<Written>> make(std::shared_ptr<Impl> self, const ReportOwner& owner, std::string name,
                                    bool last_try) {
    auto created =
        co_await self->api.create(client::resource::scheduling_reports, owner.ns, report_body(owner, name));
    if (created) co_return Written{name, text_at(*created, "/metadata/uid"), {}, {}};
    if (created.error().code != 409 && !created.error().maybe_applied)
      co_return std::unexpected(created.error());
    const auto there = co_await self->api.get(client::resource::scheduling_reports, owner.ns, name);
    if (there && is_ours(*there, owner.uid))
      co_return Written{name, text_at(*there, "/metadata/uid"), {}, {}};
    if (!there && there.error().code != 404) co_return std::unexpected(there.error());
    if (last_try) co_return std::unexpected(created.error());
    co_return co_await make(self, owner, suffixed(owner.pod, owner.uid), true);
  }

  static Task<Result<void>> patch(std::shared_ptr<Impl> self, const Job& job, const Written& report) {
    auto body = json::object{{"status", to_json(job.status)}};
    const auto done =
        co_await self->api.patch(client::resource::scheduling_reports, job.owner.ns, report.name,
                                 client::PatchType::merge, std::move(body), "status");
    if (!done) co_return std::unexpected(done.error());
    co_return Result<void>{};
  }

  static Task<Result<void>> write_once(std::shared_ptr<Impl> self, Job& job) {
    auto report = self->known(job.owner.uid);
    if (!report) {
      auto made = co_await make(self, job.owner, job.owner.pod, false);
      if (!made) co_return std::unexpected(made.error());
      report = std::move(*made);
    }
    self->stamp(*report, job.status);
    const auto patched = co_await patch(self, job, *report);
    if (!patched) {
      // What was there has been deleted by hand: it is made anew. Where the kind is missing, that fails in
      // its turn.
      const bool deleted = patched.error().code == 404 && self->known(job.owner.uid);
      if (!deleted) co_return patched;
      self->forget(job.owner.uid);
      co_return co_await write_once(self, job);
    }
    self->done(job, std::move(*report));
    co_return Result<void>{};
  }

  static Task<void> write(std::shared_ptr<Impl> self, Job job) {
    for (bool shortened = false;;) {
      const auto done = co_await write_once(self, job);
      if (done) break;
      const auto& error = done.error();
      if ((error.code == 413 || error.code == 422) && !shortened) {
        shortened = true;
        job.status.strategies.clear();
        job.status.rejections.clear();
      } else if (worth_a_pause(error) && !self->stopping.load()) {
        self->paused_by(error);
        for (auto left = kPause; left.count() > 0 && !self->stopping.load(); left -= kPauseStep) {
          co_await async::nap(kPauseStep);
        }
      } else {
        self->failed.fetch_add(1, std::memory_order_relaxed);
        spdlog::warn("report not written pod={}/{} error=\"{}\"", job.owner.ns, job.owner.pod, error.message);
        break;
      }
    }
  }

  static Task<void> work(std::shared_ptr<Impl> self) {
    for (;;) {
      auto taken = self->queue.take(kAtOnce);
      if (taken.empty()) co_return;
      if (!self->stopping.load()) co_await self->precedence.turn(taken.front()->since);
      std::vector<Job*> jobs;
      std::size_t fresh = 0;
      for (auto& job : taken) {
        if (self->known(job->owner.uid)) {
          jobs.push_back(&*job);
        } else if (self->in_budget(fresh + 1)) {
          jobs.push_back(&*job);
          ++fresh;
        }
      }
      const auto left = co_await write_together(self, std::move(jobs));
      for (auto* job : left) co_await write(self, std::move(*job));
    }
  }

  void done(const Job& job, Written report) {
    retention.track(job.owner.ns, report.name, report.report_uid, *job.status.expires_at);
    remember(job.owner.uid, std::move(report), job.status.outcome);
    written.fetch_add(1, std::memory_order_relaxed);
    resumed();
  }

  // The times of the conditions: an outcome that stays keeps the moment when it came.
  void stamp(Written& report, ReportStatus& status) {
    if (report.outcome != status.outcome) report.since = status.decided_at.value_or(Wall{});
    for (auto& condition : status.conditions) condition.since = report.since;
  }

  std::optional<Written> known(const std::string& uid) {
    std::lock_guard lock(mutex);
    const auto it = reports.find(uid);
    return it == reports.end() ? std::nullopt : std::optional(it->second);
  }
  // Only pods that will be tried again are remembered: a placed pod's report is final.
  void remember(const std::string& uid, Written report, const std::string& outcome) {
    report.outcome = outcome;
    std::lock_guard lock(mutex);
    if (outcome == "Scheduled") {
      reports.erase(uid);
    } else {
      reports.insert_or_assign(uid, std::move(report));
    }
  }
  void forget(const std::string& uid) {
    std::lock_guard lock(mutex);
    reports.erase(uid);
  }

  void paused_by(const Error& error) {
    if (paused.exchange(true)) return;
    spdlog::warn(
        "reports are paused, scheduling goes on: the API server does not take SchedulingReports "
        "(is the CRD installed, and may podium write them?) error=\"{}\"",
        error.message);
  }
  void resumed() {
    if (paused.exchange(false)) spdlog::info("reports are written again");
  }
  // Only new reports cost budget. That some are dropped is said once.
  bool in_budget(std::size_t more) {
    if (retention.size() + more <= static_cast<std::size_t>(options.reports.max_reports)) return true;
    budget_drops.fetch_add(1, std::memory_order_relaxed);
    if (!budget_warned.exchange(true)) {
      spdlog::warn("report budget reached, no more are made until some expire max={}",
                   options.reports.max_reports);
    }
    return false;
  }

  client::Api& api;
  const client::Precedence& precedence;
  Retention& retention;
  const config::Podium& options;
  async::Gate& gate;
  asio::any_io_executor io;
  CoalescingQueue<Job> queue;
  std::mutex mutex;
  boost::unordered_flat_map<std::string, Written> reports;  // by pod UID
  std::atomic<bool> paused{false}, stopping{false}, budget_warned{false};
  std::atomic<std::uint64_t> written{0}, failed{0}, budget_drops{0};
};

ReportWriter::ReportWriter(client::Api& api, const client::Precedence& precedence, Retention& retention,
                           const config::Podium& options, async::Gate& gate, asio::any_io_executor io,
                           Announce announce)
    : options_(options),
      announce_(std::move(announce)),
      impl_(std::make_shared<Impl>(api, precedence, retention, options, gate, std::move(io))) {}

ReportWriter::~ReportWriter() = default;

// Sampling is by the pod's UID, so that a retried pod is either always reported or never.
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

// A report that waits is written all the same: what was decided stays true when the pod is gone.
void ReportWriter::forgotten(std::string_view pod_uid) { impl_->forget(std::string(pod_uid)); }

void ReportWriter::enqueue(const cluster::PodInfo& pod, ReportStatus status) {
  const auto& meta = pod->meta;
  Job job{{meta.namespace_, meta.name, meta.uid}, std::move(status), impl_->api.clock().now()};
  if (impl_->queue.push(meta.uid, std::move(job))) {
    async::spawn(impl_->gate, impl_->io, "write", Impl::work(impl_));
  }
}

Task<void> ReportWriter::drain(std::chrono::milliseconds deadline) {
  const auto self = impl_;
  const auto end = self->api.clock().now() + deadline;
  self->stopping = true;
  while (!self->queue.idle() && self->api.clock().now() < end) co_await async::nap(kDrainPoll);
  self->queue.clear();
}

ReportCounts ReportWriter::counts() const {
  return {.written = impl_->written.load(),
          .dropped = impl_->queue.dropped() + impl_->budget_drops.load(),
          .failed = impl_->failed.load(),
          .waiting = impl_->queue.size()};
}

}  // namespace podium::controller
