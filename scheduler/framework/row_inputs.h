// RowInputs: what a plugin's answer about a node follows from, if that is the pod, the plugin's settings and
// columns at the node's own row. With these declared, an EvaluationMemo can keep the answers.
//
// Threads: values. Errors: none.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text_hash.h"
#include "scheduler/cluster/column.h"

namespace podium::framework {

// A column, and what it is compared with in the next decision: the column of the same label. A label that two
// columns share costs time, never a wrong answer.
// A column that is a member of the snapshot is not compared: RowChanges has the rows that changed. Declared
// finds these, and makes the label the member's place.
struct RowInput {
  using AnyColumn = std::variant<const cluster::Column<std::int64_t>*, const cluster::Column<std::int32_t>*,
                                 const cluster::Column<std::uint32_t>*>;
  std::uint64_t label;
  AnyColumn column;
  bool is_member = false;  // of the snapshot
};
inline std::uint64_t label_of(std::string_view what, std::uint64_t part = 0) {
  return stable_hash(what) + part;
}

struct RowInputs {
  // All that the answer depends on besides the columns: of the pod, and of settings that may differ between
  // two evaluators of one plugin.
  std::vector<std::int64_t> asks;
  std::vector<RowInput> columns;
};

}  // namespace podium::framework
