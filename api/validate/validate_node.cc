#include <set>

#include "api/validate/validate.h"
#include "api/validate/validate_names.h"
#include "api/values/node.h"

namespace podium::api {
namespace {

void check_taints(const std::vector<Taint>& taints, Problems& problems) {
  std::set<std::pair<std::string_view, TaintEffect>> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const auto path = detail::item("spec.taints", i);
    const auto& taint = taints[i];
    detail::check_label_key(taint.key, path + ".key", problems);
    detail::check_label_value(taint.value, path + ".value", problems);
    if (taint.effect == TaintEffect::none) {
      problems.required(path + ".effect");
    } else if (taint.effect == TaintEffect::unknown) {
      problems.not_supported(path + ".effect", kTaintEffectError);
    }
    if (!seen.emplace(taint.key, taint.effect).second) problems.duplicate(path, taint.key);
  }
}

}  // namespace

std::vector<Finding> validate(const Node& node) {
  Problems problems;
  detail::check_metadata(node.meta, problems);
  check_taints(node.taints, problems);
  detail::check_amounts(node.capacity, "status.capacity", problems);
  detail::check_amounts(node.allocatable, "status.allocatable", problems);
  return problems.take();
}

}  // namespace podium::api
