#include "scheduler/framework/kept_counts.h"

namespace podium::framework {

using cluster::kNoValue;

const std::vector<std::int64_t>& KeptCounts::by_value(Classes classes, const LabelBox& label, Rule rule) {
  if (!is_of(Kind::by_value, classes, label, rule)) {
    start(Kind::by_value, classes, label, rule);
    by_value_.assign(label->id_limit(), 0);
  }
  take(classes, [&](cluster::Row row, std::int64_t pods) { by_value_[label->value(row)] += pods; });
  return by_value_;
}

const KeptCounts::Levels& KeptCounts::levels(Classes classes, const LabelBox& label, Rule rule,
                                             std::size_t chunks) {
  if (!is_of(Kind::levels, classes, label, rule) || levels_.of_row.chunks() != chunks) {
    start(Kind::levels, classes, label, rule);
    levels_ = {};
    levels_.of_row.grow_to(chunks * cluster::kChunkRows);
    rows_with_.assign(2, 0);
    cluster::RareColumn<cluster::ValueId>::Chunk space;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      const auto values = label->values().chunk(chunk, space);
      auto& levels = levels_.of_row.write_chunk(chunk);
      for (std::size_t i = 0; i < values.size(); ++i) {
        levels[i] = values[i] != kNoValue;
        ++rows_with_[levels[i]];
      }
    }
  }
  take(classes, [&](cluster::Row row, std::int64_t pods) { change_level(row, pods); });
  while (rows_with_.size() > 1 && rows_with_.back() == 0) rows_with_.pop_back();
  levels_.most = static_cast<std::uint32_t>(rows_with_.size() - 1);
  return levels_;
}

bool KeptCounts::is_of(Kind kind, Classes classes, const LabelBox& label, Rule rule) const {
  if (kind_ != kind || seen_.size() != classes.size() || !label_ || !label_->is(label)) return false;
  if (with_terminating_ != rule.with_terminating || nodes_.has_value() != (rule.nodes != nullptr))
    return false;
  if (rule.nodes && *nodes_ != *rule.nodes) return false;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (!classes[i]->changes_since(*seen_[i])) return false;
  }
  return true;
}

void KeptCounts::start(Kind kind, Classes classes, const LabelBox& label, Rule rule) {
  kind_ = kind;
  label_ = label;
  nodes_.reset();
  if (rule.nodes) nodes_ = *rule.nodes;
  with_terminating_ = rule.with_terminating;
  seen_.assign(classes.size(), std::nullopt);
}

template <typename F>
void KeptCounts::take(Classes classes, F&& change) {
  const auto count = [&](cluster::Row row, std::int64_t pods, std::int64_t terminating) {
    if (nodes_ && !nodes_->test(row)) return;
    if (const auto added = with_terminating_ ? pods : pods - terminating; added != 0) change(row, added);
  };
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (seen_[i]) {
      const auto changes = *classes[i]->changes_since(*seen_[i]);
      for (const auto& each : changes) count(each.row, each.pods, each.terminating);
    } else {
      for (const auto& each : classes[i]->postings()) count(each.row, each.pods, each.terminating);
    }
    seen_[i] = classes[i]->stamp();
  }
}

// Nodes without the label stay at level 0.
void KeptCounts::change_level(cluster::Row row, std::int64_t pods) {
  const auto from = levels_.of_row[row];
  if (from == 0) return;
  const auto to = static_cast<std::uint32_t>(from + pods);
  if (rows_with_.size() <= to) rows_with_.resize(to + 1);
  --rows_with_[from];
  ++rows_with_[to];
  levels_.of_row.write(row) = to;
}

}  // namespace podium::framework
