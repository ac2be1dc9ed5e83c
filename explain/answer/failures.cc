#include "explain/answer/failures.h"

#include "explain/report/reason_words.h"

namespace podium::explain {

FirstFailure failure_of(const ReplicaSeen& seen, const ReportStatus& failed) {
  return {.replica = static_cast<std::size_t>(seen.index) + 1,
          .reason = seen.refused.empty() ? main_reason(failed) : cut(seen.refused, kReasonBytes),
          .message = seen.refused.empty() ? failed.message : seen.refused,
          .node_counts = failed.node_counts,
          .rejections = failed.rejections,
          .rejections_total = failed.rejections_total};
}

}  // namespace podium::explain
