#include "explain/report/pinned_node.h"

namespace podium::explain {

std::string_view pinned_node(const api::Pod& pod) {
  const auto& terms = pod.node_affinity.required;
  if (!terms || terms->size() != 1 || terms->front().match_fields.size() != 1) return {};
  const auto& field = terms->front().match_fields.front();
  const bool names_one =
      field.key == "metadata.name" && field.op == api::Requirement::Op::in && field.values.size() == 1;
  return names_one ? std::string_view(field.values.front()) : std::string_view();
}

}  // namespace podium::explain
