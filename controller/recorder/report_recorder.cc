#include "controller/recorder/report_recorder.h"

#include "api/values/pod.h"
#include "controller/recorder/packed_status.h"
#include "controller/recorder/scope.h"
#include "controller/report/metadata.h"
#include "explain/report/node_names.h"
#include "explain/report/project.h"
#include "metrics/samples.h"

namespace podium::controller {
namespace {

ReportOwner owner_of(const cluster::PodInfo& pod) {
  return {pod->meta.namespace_, pod->meta.name, pod->meta.uid};
}

// When the pod left its gates. The queue knows it of the first attempt only; later ones begin soon after.
Wall entered_queue(const framework::Attempt& attempt) {
  const auto began = attempt.decided_at - attempt.evaluate;
  return std::chrono::time_point_cast<Wall::duration>(attempt.number > 1 ? began : began - attempt.queued);
}

explain::ReportCondition complete(bool is_true, std::string reason, std::string message) {
  return {"Complete", is_true, std::move(reason), std::move(message), {}};
}

}  // namespace

void ReportRecorder::decided(const framework::Attempt& attempt, const framework::Decision& decision,
                             const cluster::Snapshot& snapshot) {
  const auto& pod = *attempt.pod;
  const auto settings = settings_.now();
  const bool in_scope = is_in_scope(settings->reports, pod->meta.namespace_, snapshot);
  const bool best_nodes = settings->events.best_nodes && announce_ && decision.fits();
  const bool wanted = in_scope && is_wanted(settings->reports, pod, decision.fits());
  if (!wanted && !best_nodes && !ended_) return;
  const auto& uid = pod->meta.uid;
  history_.ungated(uid, entered_queue(attempt));
  auto status = explain::project(pod, decision, snapshot);
  status.profile = attempt.profile;
  status.decided_at = attempt.decided_at;
  status.expires_at = attempt.decided_at + settings->reports.ttl;
  status.attempts = attempt.number;
  status.queued = attempt.queued;
  status.evaluate = attempt.evaluate;
  if (decision.fits()) {
    for (const auto& strategy : status.strategies) decided_by_[strategy.name] += strategy.without.has_value();
    if (binding_.size() < kFew)
      binding_.insert_or_assign(
          uid, Binding{std::make_unique<explain::ReportStatus>(std::move(status)), in_scope});
    else
      binding_.insert_or_assign(uid, Binding{pack(status), in_scope});
    return;
  }
  const auto* outcome = decision.error.empty() ? explain::kUnschedulable : explain::kFailed;
  status.outcome = outcome;
  status.conditions = {complete(false, outcome, status.message)};
  end_attempt(pod, status, outcome);
  finish(pod, std::move(status), wanted);
}

explain::ReportStatus ReportRecorder::Binding::read() const {
  const auto* whole = std::get_if<std::unique_ptr<explain::ReportStatus>>(&status);
  return whole ? **whole : unpack(std::get<std::string>(status));
}

explain::ReportStatus ReportRecorder::Binding::take() && {
  auto* const whole = std::get_if<std::unique_ptr<explain::ReportStatus>>(&status);
  return whole ? std::move(**whole) : unpack(std::get<std::string>(status));
}

// The binding may wait for minutes, for a provisioner or other pods. Until its end, this is the decision.
void ReportRecorder::binding_waits(const cluster::PodInfo& pod, const framework::Reason& wait) {
  const auto it = binding_.find(pod->meta.uid);
  if (it == binding_.end()) return;
  const bool wanted = it->second.in_scope && is_wanted(settings_.now()->reports, pod, true);
  if (!wanted && !ended_) return;
  auto status = it->second.read();
  explain::set_binding(status, wait);
  status.conditions = {complete(false, status.outcome, status.message)};
  history_.add_to(pod->meta.uid, status);
  finish(pod, std::move(status), wanted);
}

void ReportRecorder::binding_ended(const cluster::PodInfo& pod, const framework::BindResult& result) {
  const auto it = binding_.find(pod->meta.uid);
  if (it == binding_.end()) return;
  const auto settings = settings_.now();
  const bool wanted = it->second.in_scope && is_wanted(settings->reports, pod, result.bound);
  auto status = std::move(it->second).take();
  binding_.erase(it);
  status.bind = result.duration;
  status.outcome = result.bound ? explain::kScheduled : explain::kFailed;
  if (!result.bound) status.message = result.error;
  status.conditions = {
      complete(result.bound, status.outcome, result.bound ? "placed on " + result.node : result.error)};
  if (result.bound) {
    history_.add_to(pod->meta.uid, status);
    history_.forget(pod->meta.uid);
  } else {
    end_attempt(pod, status, explain::kFailed);
  }
  if (result.bound && settings->events.best_nodes && announce_) {
    announce_(pod, status, wanted ? writer_.name_of(owner_of(pod)) : "");
  }
  finish(pod, std::move(status), wanted);
}

// Adds the attempts before this one to the status, and this one to the history.
void ReportRecorder::end_attempt(const cluster::PodInfo& pod, explain::ReportStatus& status,
                                 const char* outcome) {
  if (status.preemption) status.preemption->decided_at = status.decided_at;
  const auto own = status.preemption;
  history_.add_to(pod->meta.uid, status);
  history_.failed(pod->meta.uid, status, outcome, own);
}

// When the gates of a pod are removed, a decision follows, which rewrites its report. Gates are only given to
// a pod that is created.
void ReportRecorder::gated(const framework::Gated& gated, const cluster::Snapshot& snapshot) {
  const auto& pod = gated.pod;
  const auto settings = settings_.now();
  const bool wanted = is_in_scope(settings->reports, pod->meta.namespace_, snapshot) &&
                      is_wanted(settings->reports, pod, false);
  if (!wanted && !ended_) return;
  auto status = explain::project_gated(pod, gated.gate);
  status.attempts = gated.attempts;
  status.decided_at = gated.at;
  status.expires_at = gated.at + settings->reports.ttl;
  status.conditions = {complete(false, status.outcome, status.message)};
  const auto since = pod->scheduling_gates.empty() ? gated.at : pod->meta.created.value_or(gated.at);
  history_.gated(pod->meta.uid, since, explain::gates_of(pod, gated.gate));
  history_.add_to(pod->meta.uid, status);
  finish(pod, std::move(status), wanted);
}

// The status is packed once for all who keep it.
void ReportRecorder::finish(const cluster::PodInfo& pod, explain::ReportStatus status, bool is_written) {
  if (!is_written && !ended_) return;
  auto packed = pack(status);
  if (ended_) ended_(pod, status, packed);
  if (!is_written) return;
  if (settings_.now()->withhold_node_names) {
    explain::withhold_node_names(status);
    packed = pack(status);
  }
  writer_.write(owner_of(pod), status, std::move(packed));
}

// A queued report is still written: the decision was made, even if the pod is gone.
void ReportRecorder::forgotten(std::string_view pod_uid) {
  writer_.forget(pod_uid);
  history_.forget(pod_uid);
}

void ReportRecorder::sample_metrics(metrics::Samples& out) const {
  auto& decided = out.counters("podium_decisions_by_strategy_total",
                               "Decisions for a node that another node would have won without this strategy.",
                               {"strategy"});
  for (const auto& [strategy, decisions] : decided_by_) decided.add({strategy}, decisions);
}

}  // namespace podium::controller
