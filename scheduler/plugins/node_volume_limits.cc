// NodeVolumeLimits: no more volumes on a node than its CSI drivers can attach.
// Source: pkg/scheduler/framework/plugins/nodevolumelimits.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "scheduler/plugins/csi_migration.h"
#include "scheduler/plugins/event_objects.h"
#include "scheduler/plugins/factories.h"
#include "scheduler/plugins/volume_claims.h"

namespace podium::plugins {
namespace {

using namespace framework;
using Kind = api::Volume::Kind;

constexpr std::string_view kName = "NodeVolumeLimits";

using Attachables = std::map<std::string, CsiVolume>;  // by unique name

bool may_be_attachable(const api::Volume& volume) {
  return volume.kind == Kind::claim || volume.kind == Kind::ephemeral || volume.kind == Kind::azure_file ||
         volume.kind == Kind::vsphere || migrated(volume);
}

// The volume that the claim has, or will have: before it is bound, its class's provisioner and a name of its
// own.
std::optional<CsiVolume> volume_of(const api::PersistentVolumeClaim& claim, const Snapshot& snapshot) {
  if (!claim.volume_name.empty()) {
    if (const auto* volume = find_volume(snapshot, claim.volume_name)) return csi_volume(*volume);
  }
  const auto* storage_class = class_of(snapshot, claim);
  if (!storage_class || is_uncounted_provisioner(storage_class->provisioner)) return std::nullopt;
  // No volume handle holds a line feed.
  const auto driver = driver_of_provisioner(storage_class->provisioner);
  return CsiVolume{std::string(driver), "\n" + claim.meta.namespace_ + "/" + claim.meta.name,
                   driver != storage_class->provisioner};
}

// Adds the pod's volumes that take up room on a node. A claim that is missing is the verdict on a pod to be
// scheduled, and nothing on one that runs.
std::optional<Verdict> add_attachables(const api::Pod& pod, const Snapshot& snapshot, bool incoming,
                                       Attachables& to) {
  for (const auto& volume : pod.volumes) {
    std::optional<CsiVolume> attachable;
    if (const auto name = claim_name(pod, volume)) {
      if (name->empty()) return plugin_error(kName, "PersistentVolumeClaim had no name");
      const auto* claim = find_claim(snapshot, pod, *name);
      if (!claim && !incoming) continue;
      if (!claim) {
        return unresolvable(kName, fmt::format("looking up PVC {}/{}: {}", pod.meta.namespace_, *name,
                                               claim_not_found(*name)));
      }
      if (volume.kind == Kind::ephemeral && !is_for_pod(*claim, pod))
        return plugin_error(kName, not_for_pod(*claim, pod));
      attachable = volume_of(*claim, snapshot);
    } else {
      attachable = migrated(volume);
    }
    if (!attachable || attachable->driver.empty() || attachable->handle.empty()) continue;
    const auto [it, is_new] = to.try_emplace(attachable->unique_name(), *attachable);
    if (!is_new) it->second.migrated = it->second.migrated && attachable->migrated;
  }
  return std::nullopt;
}

// Volumes that are attached to nodes by name of the node, whether or not a pod uses them.
std::map<std::string, Attachables, std::less<>> attachments_by_node(const Snapshot& snapshot) {
  std::map<std::string, Attachables, std::less<>> result;
  for (const auto& [key, attachment] : snapshot.objects().all<api::VolumeAttachment>()) {
    if (attachment->attacher.empty() || attachment->volume_name.empty()) continue;
    const auto* volume = find_volume(snapshot, attachment->volume_name);
    if (!volume || volume->csi_driver.empty()) continue;
    const CsiVolume attached{attachment->attacher, volume->csi_handle};
    result[attachment->node_name].try_emplace(attached.unique_name(), attached);
  }
  return result;
}

// Those whose driver asks that their pods go to no node without it.
std::vector<CsiVolume> in_need_of_their_driver(const Attachables& volumes, const Snapshot& snapshot) {
  std::vector<CsiVolume> result;
  for (const auto& [name, volume] : volumes) {
    const auto* driver = snapshot.objects().find<api::CsiDriver>("", volume.driver);
    if (driver && driver->prevents_scheduling_if_missing) result.push_back(volume);
  }
  return result;
}

class LimitsFilter final : public NodeFilter {
 public:
  // `needy` are those of the wanted volumes that need their driver on the node.
  LimitsFilter(const Snapshot& snapshot, Attachables wanted, std::vector<CsiVolume> needy)
      : NodeFilter(snapshot),
        wanted_(std::move(wanted)),
        needy_(std::move(needy)),
        attachments_(attachments_by_node(snapshot)) {}

  void filter(NodeMask& nodes, Rejections& out) const override {
    if (!needy_.empty()) {
      NodeMask(nodes).each([&](Row row) {
        if (auto verdict = lacks_driver(csi_node(row))) out.reject(nodes, row, out.add(std::move(*verdict)));
      });
    }
    for (const auto& [key, csi_node] : snapshot_.objects().all<api::CsiNode>()) {
      const auto row = snapshot_.find_row(csi_node->meta.name);
      if (!row || !nodes.test(*row)) continue;
      if (auto verdict = judge(*row, *csi_node, {})) out.reject(nodes, *row, out.add(std::move(*verdict)));
    }
  }

  std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
    const auto* node = csi_node(row);
    if (auto verdict = lacks_driver(node)) return verdict;
    return node ? judge(row, *node, delta) : std::nullopt;
  }

 private:
  const api::CsiNode* csi_node(Row row) const {
    return snapshot_.objects().find<api::CsiNode>("", snapshot_.node_name(row));
  }

  // Where several drivers are missing upstream names any; here it is the first by name.
  std::optional<Verdict> lacks_driver(const api::CsiNode* csi_node) const {
    for (const auto& volume : needy_) {
      const bool is_fine = csi_node
                               ? std::ranges::find(csi_node->drivers, volume.driver,
                                                   &api::CsiNode::Driver::name) != csi_node->drivers.end()
                               : volume.migrated;
      if (is_fine) continue;
      return Verdict{std::string(kName),
                     Code::unschedulable,
                     {fmt::format("{} CSI driver is not installed on the node", volume.driver)}};
    }
    return std::nullopt;
  }

  std::optional<Verdict> judge(Row row, const api::CsiNode& csi_node, const PodDelta& delta) const {
    const auto limited = [&](const auto& volume) {
      return limit_of(csi_node, volume.second.driver) != nullptr;
    };
    if (std::ranges::none_of(wanted_, limited)) return std::nullopt;

    Attachables attached;
    for (const auto& pod : snapshot_.entry(row).pods) {
      const bool gone = std::ranges::any_of(
          delta.removed, [&](const PodInfoPtr& each) { return (*each)->meta.uid == (*pod)->meta.uid; });
      if (gone || (*pod)->volumes.empty()) continue;
      if (auto verdict = add_attachables(**pod, snapshot_, false, attached)) return verdict;
    }
    for (const auto& pod : delta.added) {
      if (auto verdict = add_attachables(**pod, snapshot_, false, attached)) return verdict;
    }
    std::map<std::string_view, std::int64_t> used, added;
    for (const auto& [name, volume] : wanted_) {
      if (!attached.contains(name)) ++added[volume.driver];
    }
    if (const auto it = attachments_.find(csi_node.meta.name); it != attachments_.end()) {
      attached.insert(it->second.begin(), it->second.end());
    }
    for (const auto& [name, volume] : attached) ++used[volume.driver];
    for (const auto& [driver, count] : added) {
      const auto* limit = limit_of(csi_node, driver);
      if (limit && used[driver] + count > *limit) {
        return Verdict{std::string(kName), Code::unschedulable, {"node(s) exceed max volume count"}};
      }
    }
    return std::nullopt;
  }

  static const std::int32_t* limit_of(const api::CsiNode& csi_node, std::string_view driver) {
    const auto it = std::ranges::find(csi_node.drivers, driver, &api::CsiNode::Driver::name);
    return it != csi_node.drivers.end() && it->allocatable ? &*it->allocatable : nullptr;
  }

  Attachables wanted_;
  std::vector<CsiVolume> needy_;
  std::map<std::string, Attachables, std::less<>> attachments_;
};

// The same verdict on every node.
class EverywhereFilter final : public NodeFilter {
 public:
  EverywhereFilter(const Snapshot& snapshot, Verdict verdict)
      : NodeFilter(snapshot), verdict_(std::move(verdict)) {}
  void filter(NodeMask& nodes, Rejections& out) const override {
    const auto id = out.add(verdict_);
    for (std::size_t w = 0; w < nodes.words(); ++w) {
      if (const auto bits = nodes.word(w)) out.reject_word(nodes, w, bits, id);
    }
  }
  std::optional<Verdict> check(Row, const PodDelta&) const override { return verdict_; }

 private:
  Verdict verdict_;
};

bool limit_went_up(const api::CsiNode& before, const api::CsiNode& after) {
  return std::ranges::any_of(after.drivers, [&](const auto& driver) {
    const auto it = std::ranges::find(before.drivers, driver.name, &api::CsiNode::Driver::name);
    const auto old = it == before.drivers.end() ? 0 : it->allocatable.value_or(0);
    return driver.allocatable.value_or(0) > old;
  });
}

class NodeVolumeLimits final : public Plugin, public FilterPlugin {
 public:
  explicit NodeVolumeLimits(bool asks_for_drivers) : asks_for_drivers_(asks_for_drivers) {}

  std::string_view name() const override { return kName; }
  bool has_pre_filter() const override { return true; }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    if (std::ranges::none_of(pod->volumes, may_be_attachable)) return {};
    Attachables wanted;
    if (auto verdict = add_attachables(*pod, snapshot, true, wanted)) {
      return {.filter = std::make_unique<EverywhereFilter>(snapshot, std::move(*verdict))};
    }
    if (wanted.empty()) return {};
    auto needy = asks_for_drivers_ ? in_need_of_their_driver(wanted, snapshot) : std::vector<CsiVolume>();
    return {.filter = std::make_unique<LimitsFilter>(snapshot, std::move(wanted), std::move(needy))};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints;
    hints.push_back({Resource::csi_node, kAdd, nullptr});
    hints.push_back({Resource::csi_node, kUpdate, [](const PodInfo&, const ClusterEvent& event) {
                       const auto *before = object_before<api::CsiNode>(event),
                                  *after = object_after<api::CsiNode>(event);
                       return !before || !after || limit_went_up(*before, *after);
                     }});
    add_pod_hints(hints, kDelete, [](const PodInfo&, const ClusterEvent& event) {
      const auto* gone = object_before<api::Pod>(event);
      if (!gone) return true;
      return (!gone->node_name.empty() || !gone->nominated_node.empty()) &&
             std::ranges::any_of(gone->volumes, may_be_attachable);
    });
    hints.push_back(
        {Resource::persistent_volume_claim, kAdd, [](const PodInfo& rejected, const ClusterEvent& event) {
           const auto* claim = object_after<api::PersistentVolumeClaim>(event);
           return !claim || uses_claim(*rejected, *claim, true);
         }});
    hints.push_back(
        {Resource::volume_attachment, kDelete, [](const PodInfo& rejected, const ClusterEvent& event) {
           const auto* gone = object_before<api::VolumeAttachment>(event);
           return std::ranges::any_of(rejected->volumes, [&](const api::Volume& volume) {
             const auto csi = migrated(volume);
             return claim_name(*rejected, volume) || (csi && (!gone || csi->driver == gone->attacher));
           });
         }});
    return hints;
  }

 private:
  bool asks_for_drivers_;  // VolumeLimitScaling
};

}  // namespace

PluginPtr make_node_volume_limits(const boost::json::object&, const Features& features) {
  return std::make_shared<NodeVolumeLimits>(features.volume_limit_scaling);
}

}  // namespace podium::plugins
