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

using Attachables = std::map<std::string, std::string>;  // unique volume name to driver

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
  return CsiVolume{std::string(driver_of_provisioner(storage_class->provisioner)),
                   "\n" + claim.meta.namespace_ + "/" + claim.meta.name};
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
    if (attachable && !attachable->driver.empty() && !attachable->handle.empty()) {
      to[attachable->unique_name()] = attachable->driver;
    }
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
    result[attachment->node_name][attached.unique_name()] = attached.driver;
  }
  return result;
}

class LimitsFilter final : public NodeFilter {
 public:
  LimitsFilter(const Snapshot& snapshot, Attachables wanted)
      : NodeFilter(snapshot), wanted_(std::move(wanted)), attachments_(attachments_by_node(snapshot)) {}

  void filter(NodeMask& nodes, Rejections& out) const override {
    for (const auto& [key, csi_node] : snapshot_.objects().all<api::CsiNode>()) {
      const auto row = snapshot_.find_row(csi_node->meta.name);
      if (!row || !nodes.test(*row)) continue;
      if (auto verdict = judge(*row, *csi_node, {})) out.reject(nodes, *row, out.add(std::move(*verdict)));
    }
  }

  std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
    const auto* csi_node = snapshot_.objects().find<api::CsiNode>("", snapshot_.node_name(row));
    return csi_node ? judge(row, *csi_node, delta) : std::nullopt;
  }

 private:
  std::optional<Verdict> judge(Row row, const api::CsiNode& csi_node, const PodDelta& delta) const {
    const auto limited = [&](const auto& volume) { return limit_of(csi_node, volume.second) != nullptr; };
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
    for (const auto& [name, driver] : wanted_) {
      if (!attached.contains(name)) ++added[driver];
    }
    if (const auto it = attachments_.find(csi_node.meta.name); it != attachments_.end()) {
      for (const auto& [name, driver] : it->second) attached.try_emplace(name, driver);
    }
    for (const auto& [name, driver] : attached) ++used[driver];
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
  std::string_view name() const override { return kName; }
  bool has_pre_filter() const override { return true; }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    if (std::ranges::none_of(pod->volumes, may_be_attachable)) return {};
    Attachables wanted;
    if (auto verdict = add_attachables(*pod, snapshot, true, wanted)) {
      return {.filter = std::make_unique<EverywhereFilter>(snapshot, std::move(*verdict))};
    }
    if (wanted.empty()) return {};
    return {.filter = std::make_unique<LimitsFilter>(snapshot, std::move(wanted))};
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
};

}  // namespace

PluginPtr make_node_volume_limits(const boost::json::object&) { return std::make_shared<NodeVolumeLimits>(); }

}  // namespace podium::plugins
