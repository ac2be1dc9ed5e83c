#include "explain/answer/node_volumes.h"

#include <optional>
#include <string>
#include <string_view>

namespace podium::explain {
namespace {

// The nodes by the value of one label.
class NodesByLabel {
 public:
  NodesByLabel(const std::string& key, const cluster::Snapshot& snapshot) {
    snapshot.present().each([&](cluster::Row row) {
      const auto* value = snapshot.entry(row).node->meta.labels.find(key);
      if (!value) return;
      const auto [known, is_new] = only_.try_emplace(*value, row);
      if (!is_new) known->second.reset();
    });
  }

  // nullopt: no node has the value, or several have it.
  std::optional<cluster::Row> only(const std::string& value) const {
    const auto found = only_.find(value);
    return found == only_.end() ? std::nullopt : found->second;
  }

 private:
  std::map<std::string, std::optional<cluster::Row>, std::less<>> only_;
};

}  // namespace

std::map<cluster::Row, cluster::ObjectKey> claims_of_one_node(const cluster::Snapshot& snapshot,
                                                              const Budget& budget) {
  std::map<cluster::Row, cluster::ObjectKey> out;
  std::map<std::string, NodesByLabel, std::less<>> by_key;
  const auto& objects = snapshot.objects();
  for (const auto& [_, volume] : objects.all<api::PersistentVolume>()) {
    if (!has_time(budget)) break;
    const auto& claim = volume->claim;
    if (!claim || !volume->node_affinity || volume->node_affinity->size() != 1) continue;
    if (!objects.find<api::PersistentVolumeClaim>(claim->namespace_, claim->name)) continue;
    for (const auto& expression : volume->node_affinity->front().match_expressions) {
      if (expression.op != api::Requirement::Op::in || expression.values.size() != 1) continue;
      const auto nodes = by_key.try_emplace(expression.key, expression.key, snapshot).first;
      if (const auto row = nodes->second.only(expression.values.front()))
        out.try_emplace(*row, claim->namespace_, claim->name);
    }
  }
  return out;
}

}  // namespace podium::explain
