#include "controller/what_if/asker.h"

#include "explain/answer/answer.h"

namespace podium::controller {

explain::ReportStatus Asker::answer(const explain::Question& question, cluster::Snapshot snapshot,
                                    const api::AdmissionObjects& objects,
                                    const std::vector<cluster::PodInfoPtr>& waiting) const {
  const auto decided_at = clock_.wall();
  const auto began = clock_.now();
  const auto deadline = clock_.cpu_time() + config_.podium.what_if.deadline;
  const explain::Budget budget = [&] { return clock_.cpu_time() < deadline && !stopped(); };
  auto status = explain::answer(question, std::move(snapshot), config_, budget, objects, waiting);
  status.decided_at = decided_at;
  status.evaluate = clock_.now() - began;
  return status;
}

explain::ReportStatus Asker::out_of_time() const {
  auto status = explain::declined(explain::kDeadlineExceeded, "no thread for what-ifs was free in time");
  status.decided_at = clock_.wall();
  return status;
}

}  // namespace podium::controller
