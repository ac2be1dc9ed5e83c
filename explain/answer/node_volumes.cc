#include "explain/answer/node_volumes.h"

#include <optional>
#include <string>
#include <string_view>

namespace podium::explain {
namespace {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

// The nodes by host name. nullopt: several have it.
using NodesByHost = std::map<std::string, std::optional<cluster::Row>, std::less<>>;
NodesByHost nodes_by_host(const cluster::Snapshot& snapshot) {
  NodesByHost out;
  snapshot.present().each([&](cluster::Row row) {
    const auto* host = snapshot.entry(row).node->meta.labels.find(kHostname);
    if (!host) return;
    const auto [known, is_new] = out.try_emplace(*host, row);
    if (!is_new) known->second.reset();
  });
  return out;
}

// The node that an expression of a volume's affinity requires; nullopt: it may be one of several.
std::optional<cluster::Row> required_node(const api::Requirement& expression, const NodesByHost& by_host,
                                          const cluster::Snapshot& snapshot) {
  if (expression.op != api::Requirement::Op::in || expression.values.size() != 1) return std::nullopt;
  const auto& value = expression.values.front();
  if (expression.key == kHostname) {
    const auto found = by_host.find(value);
    return found == by_host.end() ? std::nullopt : found->second;
  }
  // Drivers of local disks have labels of their own: topology.topolvm.io/node=n1.
  const auto row = snapshot.find_row(value);
  const auto* label = row ? snapshot.entry(*row).node->meta.labels.find(expression.key) : nullptr;
  return label && *label == value ? row : std::nullopt;
}

bool is_of(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  return claim.volume_name == volume.meta.name ||
         (!claim.meta.uid.empty() && claim.meta.uid == volume.claim->uid);
}

}  // namespace

std::map<cluster::Row, cluster::ObjectKey> claims_of_one_node(const cluster::Snapshot& snapshot,
                                                              const Budget& budget) {
  std::map<cluster::Row, cluster::ObjectKey> out;
  std::optional<NodesByHost> by_host;
  const auto& objects = snapshot.objects();
  for (const auto& [_, volume] : objects.all<api::PersistentVolume>()) {
    if (!has_time(budget)) break;
    if (!volume->claim || !volume->node_affinity || volume->node_affinity->size() != 1) continue;
    const auto& [ns, name, uid] = *volume->claim;
    const auto* claim = objects.find<api::PersistentVolumeClaim>(ns, name);
    if (!claim || !is_of(*volume, *claim)) continue;
    if (!by_host) by_host = nodes_by_host(snapshot);
    for (const auto& expression : volume->node_affinity->front().match_expressions) {
      if (const auto row = required_node(expression, *by_host, snapshot)) out.try_emplace(*row, ns, name);
    }
  }
  return out;
}

}  // namespace podium::explain
