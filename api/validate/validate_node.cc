#include <set>

#include "api/validate/validate.h"
#include "api/validate/validate_names.h"
#include "api/values/node.h"

namespace podium::api {
namespace {

using detail::FieldFindings;

void check_taints(const std::vector<Taint>& taints, FieldFindings& findings) {
  std::set<std::pair<std::string_view, TaintEffect>> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const auto path = detail::item("spec.taints", i);
    const auto& taint = taints[i];
    detail::check_label_key(taint.key, path + ".key", findings);
    detail::check_label_value(taint.value, path + ".value", findings);
    if (taint.effect == TaintEffect::none) {
      findings.required(path + ".effect");
    } else if (taint.effect == TaintEffect::unknown) {
      findings.unsupported(path + ".effect", "must be NoSchedule, PreferNoSchedule or NoExecute");
    }
    if (!seen.emplace(taint.key, taint.effect).second) findings.duplicate(path, taint.key);
  }
}

}  // namespace

std::vector<Finding> validate(const Node& node) {
  FieldFindings findings;
  detail::check_metadata(node.meta, findings);
  check_taints(node.taints, findings);
  detail::check_amounts(node.capacity, "status.capacity", findings);
  detail::check_amounts(node.allocatable, "status.allocatable", findings);
  return findings.take();
}

}  // namespace podium::api
