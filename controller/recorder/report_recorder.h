// ReportRecorder: makes a pod's SchedulingReport from each decision and from the end of the attempt.
//
// A decision that fits waits here until its binding has ended; any other becomes a report immediately. A
// report also has the pod's last attempts and its preemption (ReportHistory). Whether a decision gets
// a report is read from the settings for each one; they may change while the program runs.
//
// Owner: the Engine. Threads: the scheduling strand. Errors: none.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/text_hash.h"
#include "controller/recorder/report_history.h"
#include "controller/recorder/report_writer.h"
#include "explain/report/report.h"
#include "scheduler/config/values/live_podium.h"
#include "scheduler/framework/recorder.h"

namespace podium::metrics {
class Samples;
}

namespace podium::controller {

class ReportRecorder final : public framework::Recorder {
 public:
  // Called with a bound pod, its report and the report's name, if events.bestNodes is on.
  // No name: the pod gets no report. May be empty.
  using Announce =
      std::function<void(const cluster::PodInfo&, const explain::ReportStatus&, const std::string& name)>;
  // Called with the report of each attempt's end and of each wait of a binding, also packed, whether or not
  // it is written. May be empty.
  using Ended =
      std::function<void(const cluster::PodInfo&, const explain::ReportStatus&, std::string_view packed)>;

  ReportRecorder(ReportWriter& writer, const config::LivePodium& settings, Announce announce, Ended ended)
      : writer_(writer), settings_(settings), announce_(std::move(announce)), ended_(std::move(ended)) {}

  void decided(const framework::Attempt&, const framework::Decision&, const cluster::Snapshot&) override;
  void binding_waits(const cluster::PodInfo&, const framework::Reason&) override;
  void binding_ended(const cluster::PodInfo&, const framework::BindResult&) override;
  void binding_withdrawn(std::string_view pod_uid) override { binding_.erase(std::string(pod_uid)); }
  void gated(const framework::Gated&, const cluster::Snapshot&) override;
  void forgotten(std::string_view pod_uid) override;
  // A pod that still waits for the room that an earlier process made for it.
  void recall(const std::string& pod_uid, const explain::Preempted& preempted) {
    history_.recall(pod_uid, preempted);
  }

  void sample_metrics(metrics::Samples& out) const;

 private:
  // A pod in its binding cycle. In a drain decisions are thousands of bindings ahead: then its status is
  // packed, which a few are not worth.
  struct Binding {
    std::variant<std::string, std::unique_ptr<explain::ReportStatus>> status;
    bool in_scope;  // its namespace gets reports
    explain::ReportStatus read() const;
    explain::ReportStatus take() &&;
  };
  static constexpr std::size_t kFew = 64;
  void end_attempt(const cluster::PodInfo& pod, explain::ReportStatus& status, const char* outcome);
  void finish(const cluster::PodInfo& pod, explain::ReportStatus status, bool is_written);

  ReportWriter& writer_;
  const config::LivePodium& settings_;
  const Announce announce_;
  const Ended ended_;
  boost::unordered_flat_map<std::string, Binding, TextHash> binding_;  // by pod UID
  ReportHistory history_;
  std::map<std::string, std::uint64_t, std::less<>> decided_by_;  // placements by strategy
};

}  // namespace podium::controller
