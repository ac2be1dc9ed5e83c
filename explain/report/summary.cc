// The summary of a report: a line for people and for the columns of kubectl get.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "explain/report/main_rejection.h"
#include "explain/report/reason_words.h"
#include "explain/report/report.h"

namespace podium::explain {
namespace {

constexpr std::size_t kSummaryBytes = 100;

std::string shortened(std::string text) {
  return text.size() <= kSummaryBytes ? text : cut(std::move(text), kSummaryBytes - 3) + "...";
}

// Describes how the choice between the feasible nodes was made.
std::string lead_of(const ReportStatus& status) {
  const auto& choice = *status.choice;
  if (status.node_counts.feasible == 1) return "only node that fits";
  if (choice.tied_nodes > 1) return fmt::format("tie of {} nodes", choice.tied_nodes);
  if (choice.margin) return fmt::format("ahead by {}", *choice.margin);
  return "-";
}

// True if the reason is the message, and not how many nodes rejected the pod.
bool says_message(const ReportStatus& status) {
  return status.outcome == kBinding || status.outcome == kFailed || status.outcome == kRefused;
}

std::string held_by(const std::string& reason, std::size_t nodes, std::size_t total) {
  return shortened(nodes == total ? fmt::format("{} (all {} nodes)", reason, total)
                                  : fmt::format("{} ({} of {} nodes)", reason, nodes, total));
}

std::string reason_of(const ReportStatus& status) {
  if (!status.scheduling_gates.empty())
    return shortened(fmt::format("gate {}", fmt::join(status.scheduling_gates, ", ")));
  const auto& answer = status.answer;
  if (const auto* quota = answer ? exceeded_quota(*answer) : nullptr)
    return shortened(fmt::format("quota {} {}", quota->name, quota_words(*quota, answer->asked)));
  if (answer && (answer->nodes_wanted || answer->nodes_spare || answer->weights_compared))
    return shortened(status.message);
  if (answer && answer->asked > 1 && answer->fitting == answer->asked)
    return fmt::format("all {} replicas fit", answer->asked);
  if (answer && answer->fitting > 0 && answer->fitting < answer->asked) {
    auto text = fmt::format("{} of {} replicas fit", answer->fitting, answer->asked);
    if (answer->first_failure && !answer->first_failure->reason.empty())
      text += "; then " + answer->first_failure->reason;
    return shortened(std::move(text));
  }
  if (status.choice && !says_message(status)) return lead_of(status);
  if (status.rejections.empty() || says_message(status))
    return status.message.empty() ? "-" : main_reason(status);
  const auto& main = *main_rejection(status.rejections);
  return held_by(main.reason, main.nodes, status.node_counts.total);
}

}  // namespace

std::string main_reason(const ReportStatus& status) {
  if (!says_message(status) && !status.rejections.empty())
    return shortened(main_rejection(status.rejections)->reason);
  return shortened(status.message);
}

ReportSummary summary_of(const ReportStatus& status) {
  ReportSummary out{"-", "-", reason_of(status)};
  if (status.choice) {
    out.node = status.choice->node;
    if (status.choice->score) out.score = fmt::format("{}", *status.choice->score);
  }
  return out;
}

}  // namespace podium::explain
