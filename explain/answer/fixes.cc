#include "explain/answer/fixes.h"

#include "explain/answer/fix_kinds.h"

namespace podium::explain {

std::vector<ReportFix> find_fixes(const FixQuestion& question) {
  const Trials trials(question);
  Fixes out;
  if (trials.rejected().empty()) return {};
  add_constraint_fixes(trials, out);
  add_resource_fixes(trials, out);
  add_cluster_fixes(trials, out);
  return out.take();
}

}  // namespace podium::explain
