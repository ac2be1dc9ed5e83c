// KeptCounts: the pods of some classes by the value of a node label, or by node, kept between decisions.
//
// A class knows the last changes of its list of nodes: after a pod was placed, one. KeptCounts applies those
// since the list that it has counted, or counts the whole list. It also holds the label's column, so an
// identical column has not changed; for another column it counts all nodes.
// Owner: an EvaluationMemo. Threads: one at a time. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/cow.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/label_table.h"
#include "scheduler/cluster/node_mask.h"
#include "scheduler/cluster/pod_class.h"

namespace podium::framework {

class KeptCounts {
 public:
  std::vector<std::int64_t> key;
  void forget() { label_.reset(); }

  using LabelBox = Cow<cluster::LabelColumn>;
  using Classes = std::span<const cluster::PodClass* const>;

  // Whose pods count: those on nodes of the mask, null: on all nodes; with or without terminating pods.
  struct Rule {
    const cluster::NodeMask* nodes = nullptr;
    bool with_terminating = true;
  };
  // The pods by value id of the label. Index 0: on nodes without it. Valid until the next call.
  const std::vector<std::int64_t>& by_value(Classes classes, const LabelBox& label, Rule rule);

  // By row: 0 for nodes without the label, else the pods on it plus one.
  struct Levels {
    cluster::Column<std::uint32_t> of_row;
    std::uint32_t most = 0;
  };
  // Valid until the next call.
  const Levels& levels(Classes classes, const LabelBox& label, Rule rule, std::size_t chunks);

 private:
  enum class Kind : std::uint8_t { by_value, levels };
  // True if it counts these, and knows all changes of the classes since.
  bool is_of(Kind kind, Classes classes, const LabelBox& label, Rule rule) const;
  void start(Kind kind, Classes classes, const LabelBox& label, Rule rule);
  // Calls change(row, pods) for what is to be added since the last call, or since start().
  template <typename F>
  void take(Classes classes, F&& change);
  void change_level(cluster::Row row, std::int64_t pods);

  Kind kind_ = Kind::by_value;
  std::optional<LabelBox> label_;  // nullopt: counts nothing
  std::optional<cluster::NodeMask> nodes_;
  bool with_terminating_ = true;
  std::vector<std::optional<cluster::PodClass::Stamp>> seen_;  // by class; nullopt: nothing is counted
  std::vector<std::int64_t> by_value_;
  Levels levels_;
  std::vector<std::uint32_t> rows_with_;  // by level
};

}  // namespace podium::framework
