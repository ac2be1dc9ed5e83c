// NodeSelectorTerm: a part of a node selector, whose requirements are ANDed.
#pragma once

#include <vector>

#include "api/values/selector.h"

namespace podium::api {

struct NodeSelectorTerm {
  std::vector<Requirement> match_expressions, match_fields;
  bool operator==(const NodeSelectorTerm&) const = default;
};

}  // namespace podium::api
