#include "scheduler/cluster/taint_table.h"

#include "base/check.h"

namespace podium::cluster {
namespace {

// Unique per set: each string is prefixed by its length.
std::string text_of(const std::vector<api::Taint>& taints, bool unschedulable) {
  std::string text(1, unschedulable ? 'u' : 's');
  for (const auto& taint : taints) {
    text += static_cast<char>('0' + static_cast<int>(taint.effect));
    for (const auto* part : {&taint.key, &taint.value}) {
      text.append(std::to_string(part->size())).append(":").append(*part);
    }
  }
  return text;
}

}  // namespace

TaintSetId TaintTable::take(const std::vector<api::Taint>& taints, bool unschedulable) {
  TaintSetId id = 0;
  if (unschedulable || !taints.empty()) {
    auto& known = ids_[text_of(taints, unschedulable)];
    if (known == 0) {
      known = free_.empty() ? sets_.size() : free_.back();
      if (free_.empty())
        sets_.emplace_back();
      else
        free_.pop_back();
      sets_[known] = {.taints = taints, .unschedulable = unschedulable};
    }
    id = known;
  }
  ++sets_[id].nodes;
  return id;
}

void TaintTable::release(TaintSetId id) {
  PODIUM_CHECK(id < sets_.size() && sets_[id].nodes > 0, id, sets_.size());
  auto& set = sets_[id];
  if (--set.nodes > 0 || id == 0) return;
  ids_.erase(text_of(set.taints, set.unschedulable));
  set = {};
  free_.push_back(id);
}

}  // namespace podium::cluster
