// NodeVolumeLimits: limits the volumes on a node to what its CSI drivers can attach.
// Source: pkg/scheduler/framework/plugins/nodevolumelimits.
#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "base/text_hash.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/claim_owner.h"
#include "scheduler/plugins/shared/csi_migration.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"
#include "scheduler/plugins/volumes/claim_lookup.h"

namespace podium::plugins {
namespace {

using namespace framework;
using Kind = api::Volume::Kind;

using framework::names::kNodeVolumeLimits;

using Attachables = std::map<std::string, std::string>;  // unique name of a volume → driver

// True if a node has a CSINode object. Without one, in-tree volumes are not translated and do not count.
enum class Node { without_csi, with_csi };

bool may_be_attachable(const api::Volume& volume) {
  return volume.kind == Kind::claim || volume.kind == Kind::ephemeral || volume.kind == Kind::azure_file ||
         volume.kind == Kind::vsphere || translated(volume);
}

// The claim's volume. For an unbound claim: the driver of its class and a name unique to the claim. nullopt:
// it does not count against a limit.
std::optional<CsiVolume> volume_of(const api::PersistentVolumeClaim& claim, const Snapshot& snapshot,
                                   Node node) {
  if (const auto* volume = claim.volume_name.empty() ? nullptr : find_volume(snapshot, claim.volume_name)) {
    if (!volume->csi_driver.empty()) return CsiVolume{volume->csi_driver, volume->csi_handle};
    const auto in_tree = node == Node::with_csi ? translated(*volume) : std::nullopt;
    return in_tree && *in_tree ? std::optional(**in_tree) : std::nullopt;
  }
  const auto* storage_class = class_of(snapshot, claim);
  if (!storage_class || is_uncounted_provisioner(storage_class->provisioner)) return std::nullopt;
  const auto driver = driver_of_provisioner(storage_class->provisioner);
  if (node == Node::without_csi && driver != storage_class->provisioner) return std::nullopt;
  // Volume handles contain no line feed, so the name cannot collide with one.
  return CsiVolume{std::string(driver), "\n" + claim.meta.namespace_ + "/" + claim.meta.name};
}

// Adds the pod's volumes that count against limits. A missing claim is a verdict for an incoming pod and
// ignored for a placed one.
std::optional<Verdict> add_attachables(const api::Pod& pod, const Snapshot& snapshot, Node node,
                                       bool incoming, Attachables& to) {
  for (const auto& volume : pod.volumes) {
    const auto name = claim_name(pod, volume);
    if (!name) {
      const auto disk = node == Node::with_csi ? translated(volume) : std::nullopt;
      if (!disk) continue;
      if (!*disk) {
        return plugin_error(kNodeVolumeLimits, fmt::format("converting volume({}) from inline to csi: {}",
                                                           volume.name, disk->error()));
      }
      to.emplace((*disk)->unique_name(), (*disk)->driver);
      continue;
    }
    if (name->empty()) return plugin_error(kNodeVolumeLimits, kClaimWithoutName);
    const auto* claim = find_claim(snapshot, pod, *name);
    if (!claim && !incoming) continue;
    if (!claim) {
      auto reason = claim_not_found(*name);
      reason.text = fmt::format("looking up PVC {}/{}: {}", pod.meta.namespace_, *name, reason.text);
      return unresolvable(kNodeVolumeLimits, std::move(reason));
    }
    if (volume.kind == Kind::ephemeral && !is_for_pod(claim->meta, pod))
      return plugin_error(kNodeVolumeLimits, not_for_pod(*claim, pod));
    const auto attachable = volume_of(*claim, snapshot, node);
    if (!attachable || attachable->driver.empty() || attachable->handle.empty()) continue;
    to.emplace(attachable->unique_name(), attachable->driver);
  }
  return std::nullopt;
}

// Adds the volumes that are attached to the node, used by a pod or not.
void add_attached(std::string_view node, const Snapshot& snapshot, Attachables& to) {
  for (const auto& attachment : snapshot.objects().volumes().attachments(node)) {
    if (attachment->attacher.empty() || attachment->volume_name.empty()) continue;
    const auto* volume = find_volume(snapshot, attachment->volume_name);
    if (!volume || volume->csi_driver.empty()) continue;
    const CsiVolume attached{attachment->attacher, volume->csi_handle};
    to.emplace(attached.unique_name(), attached.driver);
  }
}

bool has_limit(const api::CsiNode::Driver& driver) { return driver.allocatable.has_value(); }

// The volume usage of a node, for VolumeIndex.
cluster::NodeVolumes volumes_on(Row row, const Snapshot& snapshot) {
  cluster::NodeVolumes known;
  const auto* csi_node = snapshot.objects().find<api::CsiNode>("", snapshot.node_name(row));
  known.has_csi_node = csi_node != nullptr;
  if (!csi_node) return known;
  for (const auto& driver : csi_node->drivers) known.drivers.push_back({driver.name, driver.allocatable, 0});
  if (std::ranges::none_of(csi_node->drivers, has_limit)) return known;
  Attachables in_use;
  for (const auto& pod : snapshot.entry(row).pods) {
    if (add_attachables(**pod, snapshot, Node::with_csi, false, in_use)) {
      known.is_countable = false;
      return known;
    }
  }
  for (const auto& [name, driver] : in_use) known.used_by_pods.push_back(hash_text(name));
  std::ranges::sort(known.used_by_pods);
  add_attached(csi_node->meta.name, snapshot, in_use);
  for (const auto& [name, driver] : in_use) {
    const auto it = std::ranges::find(known.drivers, driver, &cluster::NodeVolumes::Driver::name);
    if (it != known.drivers.end()) ++it->in_use;
  }
  return known;
}

// The volumes of the incoming pod, for nodes with or without a CSINode.
struct Wanted {
  Attachables volumes;
  std::optional<Verdict> problem;   // set if the volumes cannot be counted
  std::vector<std::string> strict;  // drivers with preventPodSchedulingIfMissing
  // Derived from `volumes` for a fast check of many nodes: the number per driver, and the hashed names.
  std::vector<std::pair<std::string, std::int32_t>> by_driver;
  std::vector<std::uint64_t> hashes;

  bool is_nothing() const { return volumes.empty() && !problem; }
};

Wanted wanted_by(const api::Pod& pod, const Snapshot& snapshot, Node node, bool asks_for_drivers) {
  Wanted wanted;
  wanted.problem = add_attachables(pod, snapshot, node, true, wanted.volumes);
  std::map<std::string, std::int32_t> by_driver;
  for (const auto& [name, driver] : wanted.volumes) {
    ++by_driver[driver];
    wanted.hashes.push_back(hash_text(name));
    const auto* installed = asks_for_drivers ? snapshot.objects().find<api::CsiDriver>("", driver) : nullptr;
    if (installed && installed->prevents_scheduling_if_missing) wanted.strict.push_back(driver);
  }
  wanted.by_driver.assign(by_driver.begin(), by_driver.end());
  return wanted;
}

std::optional<Verdict> too_many(const Wanted& wanted) {
  Topics about;
  if (wanted.by_driver.size() == 1) about = {{Topic::driver, wanted.by_driver.front().first}};
  return Verdict{std::string(kNodeVolumeLimits),
                 Code::unschedulable,
                 {Reason(ReasonCode::too_many_volumes, std::move(about))}};
}

const api::CsiNode::Driver* find_driver(const api::CsiNode& csi_node, std::string_view name) {
  const auto it = std::ranges::find(csi_node.drivers, name, &api::CsiNode::Driver::name);
  return it == csi_node.drivers.end() ? nullptr : &*it;
}

// The exact check of one node: counts the users of each volume, and the volumes of each driver.
class LimitsTrial final : public NodeTrial {
 public:
  // `csi_node`: null if the node has none.
  LimitsTrial(const Snapshot& snapshot, const Wanted& wanted, const api::CsiNode* csi_node,
              std::span<const PodInfoPtr> pods)
      : snapshot_(snapshot), wanted_(wanted), csi_node_(csi_node), verdict_(find_verdict()) {
    if (verdict_) return;
    for (const auto& [name, driver] : wanted.volumes) ++missing_[driver];
    for (const auto& pod : pods) add(pod);
    Attachables attached;
    add_attached(csi_node->meta.name, snapshot, attached);
    for (const auto& [name, driver] : attached) use(name, driver, 1, true);
  }

  void add(const PodInfoPtr& pod) override {
    place_of_.try_emplace(pod.get(), place_of_.size());
    change(pod, 1);
  }
  void remove(const PodInfoPtr& pod) override { change(pod, -1); }
  void restore(const PodInfoPtr& pod) override { change(pod, 1); }
  std::optional<Verdict> check() override {
    if (verdict_) return *verdict_;
    if (!problems_.empty()) return problems_.begin()->second;
    const bool is_too_much = std::ranges::any_of(missing_, [&](const auto& of_driver) {
      const auto& [name, missing] = of_driver;
      const auto* driver = missing > 0 ? find_driver(*csi_node_, name) : nullptr;
      return driver && driver->allocatable && used_[name] + missing > *driver->allocatable;
    });
    if (is_too_much) return too_many(wanted_);
    return std::nullopt;
  }

 private:
  struct Volume {
    std::string driver;
    std::int64_t users = 0, uses = 0;  // pods; pods and the attachment
  };

  // The verdict for any set of pods; an inner nullopt: fits.
  std::optional<std::optional<Verdict>> find_verdict() const {
    if (wanted_.problem) return wanted_.problem;
    if (wanted_.volumes.empty()) return std::optional<Verdict>();
    // If several drivers are missing, upstream names any of them; podium names the first by name.
    for (const auto& driver : wanted_.strict) {
      if (csi_node_ && find_driver(*csi_node_, driver)) continue;
      return Verdict{std::string(kNodeVolumeLimits),
                     Code::unschedulable,
                     {Reason(ReasonCode::csi_driver_missing, {{Topic::driver, driver}})}};
    }
    if (!csi_node_ || std::ranges::none_of(csi_node_->drivers, has_limit)) return std::optional<Verdict>();
    return std::nullopt;
  }

  void change(const PodInfoPtr& pod, std::int64_t sign) {
    if (verdict_ || (*pod)->volumes.empty()) return;
    Attachables volumes;
    if (auto problem = add_attachables(**pod, snapshot_, Node::with_csi, false, volumes)) {
      const auto place = place_of_[pod.get()];
      if (sign > 0)
        problems_.insert_or_assign(place, std::move(*problem));
      else
        problems_.erase(place);
      return;
    }
    for (const auto& [name, driver] : volumes) use(name, driver, sign, false);
  }

  void use(const std::string& name, const std::string& driver, std::int64_t sign, bool is_attachment) {
    auto& volume = volumes_.try_emplace(name, Volume{driver}).first->second;
    const bool had_users = volume.users > 0, was_used = volume.uses > 0;
    volume.users += is_attachment ? 0 : sign;
    volume.uses += sign;
    used_[volume.driver] += (volume.uses > 0) - was_used;
    if (had_users == (volume.users > 0)) return;
    const auto it = wanted_.volumes.find(name);
    if (it != wanted_.volumes.end()) missing_[it->second] += had_users ? 1 : -1;
  }

  const Snapshot& snapshot_;
  const Wanted& wanted_;
  const api::CsiNode* const csi_node_;
  const std::optional<std::optional<Verdict>> verdict_;
  std::map<std::string, Volume> volumes_;                            // by unique name
  std::map<std::string, std::int64_t, std::less<>> used_;            // by driver: volumes in use or attached
  std::map<std::string, std::int64_t, std::less<>> missing_;         // by driver: wanted and unused
  boost::unordered_flat_map<const PodInfo*, std::size_t> place_of_;  // pods in their order
  std::map<std::size_t, Verdict> problems_;  // of pods whose volumes cannot be counted
};

class LimitsFilter final : public NodeFilter {
 public:
  LimitsFilter(const Snapshot& snapshot, Wanted without_csi, Wanted with_csi)
      : NodeFilter(snapshot), without_csi_(std::move(without_csi)), with_csi_(std::move(with_csi)) {}

  void filter(NodeMask& nodes, Rejections& out) const override {
    NodeMask(nodes).each([&](Row row) {
      const auto fits = within_limits(row);
      if (fits == true) return;
      if (auto verdict = fits ? too_many(with_csi_) : try_on(row)->check())
        out.reject(nodes, row, out.add(std::move(*verdict)));
    });
  }

  std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
    return check_on_trial(row, delta);
  }

  // A pod that leaves takes no room.
  bool ignores_pods_of(Row row) const override { return within_limits(row) == true; }

  std::unique_ptr<NodeTrial> try_on(Row row) const override {
    const auto* csi_node = snapshot_.objects().find<api::CsiNode>("", snapshot_.node_name(row));
    return std::make_unique<LimitsTrial>(snapshot_, csi_node ? with_csi_ : without_csi_, csi_node,
                                         snapshot_.entry(row).pods);
  }

 private:
  // Checks the limits with cached usage; nullopt: a trial must decide.
  std::optional<bool> within_limits(Row row) const {
    const auto& known = snapshot_.objects().volumes().at(row, [&] { return volumes_on(row, snapshot_); });
    const auto& wanted = known.has_csi_node ? with_csi_ : without_csi_;
    if (wanted.problem || !known.is_countable || !wanted.strict.empty()) return std::nullopt;
    // Compares names last: on most nodes each driver has room for the volumes of any driver.
    const bool all_fit = std::ranges::none_of(known.drivers, [&](const auto& driver) {
      return driver.limit && std::ranges::any_of(wanted.by_driver, [&](const auto& of_driver) {
               return driver.in_use + of_driver.second > *driver.limit && driver.name == of_driver.first;
             });
    });
    if (all_fit) return true;
    const bool may_be_in_use = std::ranges::any_of(wanted.hashes, [&](std::uint64_t hash) {
      return std::ranges::binary_search(known.used_by_pods, hash);
    });
    return may_be_in_use ? std::nullopt : std::optional(false);
  }

  Wanted without_csi_, with_csi_;
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

  std::string_view name() const override { return kNodeVolumeLimits; }
  bool has_pre_filter() const override { return true; }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    if (std::ranges::none_of(pod->volumes, may_be_attachable)) return {};
    auto without_csi = wanted_by(*pod, snapshot, Node::without_csi, asks_for_drivers_);
    auto with_csi = wanted_by(*pod, snapshot, Node::with_csi, asks_for_drivers_);
    if (without_csi.is_nothing() && with_csi.is_nothing()) return {};
    return {.filter = std::make_unique<LimitsFilter>(snapshot, std::move(without_csi), std::move(with_csi))};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints;
    hints.push_back({EventResource::csi_node, kAdd, nullptr});
    hints.push_back({EventResource::csi_node, kUpdate, [](const PodInfo&, const ClusterEvent& event) {
                       const auto *before = object_before<api::CsiNode>(event),
                                  *after = object_after<api::CsiNode>(event);
                       return !before || !after || limit_went_up(*before, *after);
                     }});
    const auto helps_if_gone = [](const PodInfo&, const ClusterEvent& event) {
      const auto* gone = object_before<api::Pod>(event);
      if (!gone) return true;
      return (!gone->node_name.empty() || !gone->nominated_node.empty()) &&
             std::ranges::any_of(gone->volumes, may_be_attachable);
    };
    hints.push_back({EventResource::assigned_pod, kDelete, helps_if_gone});
    hints.push_back({EventResource::persistent_volume_claim, kAdd,
                     [](const PodInfo& rejected, const ClusterEvent& event) {
                       const auto* claim = object_after<api::PersistentVolumeClaim>(event);
                       return !claim || uses_claim(*rejected, *claim, true);
                     }});
    hints.push_back(
        {EventResource::volume_attachment, kDelete, [](const PodInfo& rejected, const ClusterEvent& event) {
           const auto* gone = object_before<api::VolumeAttachment>(event);
           return std::ranges::any_of(rejected->volumes, [&](const api::Volume& volume) {
             const auto disk = translated(volume);
             return claim_name(*rejected, volume) ||
                    (disk && (!gone || !*disk || (*disk)->driver == gone->attacher));
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
