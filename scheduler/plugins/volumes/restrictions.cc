// VolumeRestrictions: enforces that conflicting pods do not share a disk on one node, and that only one pod
// uses a ReadWriteOncePod claim.
// Source: pkg/scheduler/framework/plugins/volumerestrictions.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"
#include "scheduler/plugins/volumes/claim_lookup.h"

namespace podium::plugins {
namespace {

using namespace framework;
using Kind = api::Volume::Kind;

using framework::names::kVolumeRestrictions;

bool is_exclusive_disk(const api::Volume& volume) {
  return volume.kind == Kind::gce_disk || volume.kind == Kind::aws_disk || volume.kind == Kind::rbd ||
         volume.kind == Kind::iscsi;
}

// The exclusive disks of a pod, indexed: many volumes are looked up, by pod and by node.
class Disks {
 public:
  explicit Disks(const api::Pod& pod) {
    for (const auto& volume : pod.volumes) {
      if (!is_exclusive_disk(volume)) continue;
      auto& disk = disks_[key_of(volume)];
      disk.is_writable |= !volume.read_only;
      for (const auto& monitor : volume.monitors) disk.monitors[monitor] |= !volume.read_only;
    }
  }

  bool empty() const { return disks_.empty(); }
  // True if both have the same disk and at least one may write to it. EBS volumes conflict even if read-only,
  // RBD volumes only if they share a monitor.
  bool conflict_with(const api::Pod& other) const {
    return !disks_.empty() && std::ranges::any_of(other.volumes, [&](const api::Volume& volume) {
      return conflict_with(volume);
    });
  }

 private:
  struct Disk {
    bool is_writable = false;
    std::map<std::string_view, bool> monitors;  // true: one may write to it
  };
  using Key = std::tuple<Kind, std::string_view, std::string_view>;

  static Key key_of(const api::Volume& volume) {
    return {volume.kind, volume.id,
            volume.kind == Kind::rbd ? std::string_view(volume.pool) : std::string_view()};
  }
  bool conflict_with(const api::Volume& other) const {
    if (!is_exclusive_disk(other)) return false;
    const auto it = disks_.find(key_of(other));
    if (it == disks_.end()) return false;
    if (other.kind == Kind::aws_disk) return true;
    if (other.kind != Kind::rbd) return it->second.is_writable || !other.read_only;
    return std::ranges::any_of(other.monitors, [&](const auto& name) {
      const auto monitor = it->second.monitors.find(name);
      return monitor != it->second.monitors.end() && (monitor->second || !other.read_only);
    });
  }

  std::map<Key, Disk> disks_;
};

Verdict disk_conflict() {
  return {std::string(kVolumeRestrictions), Code::unschedulable, {Reason(ReasonCode::disk_conflict)}};
}
Verdict claim_in_use() {
  return {std::string(kVolumeRestrictions), Code::unschedulable, {Reason(ReasonCode::claim_in_use)}};
}

// Counts the pods of a node that hold a disk, and the uses of the ReadWriteOncePod claims in the cluster.
class RestrictionsTrial final : public NodeTrial {
 public:
  RestrictionsTrial(const Disks& disks, const std::set<std::string>& claims, std::int64_t used_claims,
                    std::span<const PodInfoPtr> pods)
      : disks_(disks), claims_(claims), used_claims_(used_claims) {
    for (const auto& pod : pods) holders_ += disks.conflict_with(**pod);
  }

  void add(const PodInfoPtr& pod) override { change(**pod, 1); }
  void remove(const PodInfoPtr& pod) override { change(**pod, -1); }
  void restore(const PodInfoPtr& pod) override { change(**pod, 1); }
  std::optional<Verdict> check() override {
    if (holders_ > 0) return disk_conflict();
    if (used_claims_ > 0) return claim_in_use();
    return std::nullopt;
  }

 private:
  void change(const api::Pod& pod, std::int64_t sign) {
    if (disks_.conflict_with(pod)) holders_ += sign;
    used_claims_ += sign * uses_of(pod);
  }
  // As upstream, compares only claim names: pods of other namespaces also count.
  std::int64_t uses_of(const api::Pod& other) const {
    if (claims_.empty()) return 0;
    return std::ranges::count_if(other.volumes, [&](const api::Volume& volume) {
      return volume.kind == Kind::claim && claims_.contains(volume.id);
    });
  }

  const Disks& disks_;
  const std::set<std::string>& claims_;
  std::int64_t used_claims_, holders_ = 0;
};

class RestrictionsFilter final : public NodeFilter {
 public:
  RestrictionsFilter(const Snapshot& snapshot, const api::Pod& pod, std::set<std::string> claims,
                     std::int64_t used_claims)
      : NodeFilter(snapshot), disks_(pod), claims_(std::move(claims)), used_claims_(used_claims) {}

  void filter(NodeMask& nodes, Rejections& out) const override {
    if (!disks_.empty()) {
      const auto id = out.add(disk_conflict());
      NodeMask(nodes).each([&](Row row) {
        const auto holds = [&](const PodInfoPtr& other) { return disks_.conflict_with(**other); };
        if (std::ranges::any_of(snapshot_.entry(row).pods, holds)) out.reject(nodes, row, id);
      });
    }
    if (used_claims_ <= 0) return;
    const auto id = out.add(claim_in_use());
    for (std::size_t w = 0; w < nodes.words(); ++w) {
      if (const auto bits = nodes.word(w)) out.reject_word(nodes, w, bits, id);
    }
  }

  std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
    return check_on_trial(row, delta);
  }

  std::unique_ptr<NodeTrial> try_on(Row row) const override {
    return std::make_unique<RestrictionsTrial>(disks_, claims_, used_claims_, snapshot_.entry(row).pods);
  }

 private:
  const Disks disks_;                   // the pod's
  const std::set<std::string> claims_;  // the pod's claims with the access mode ReadWriteOncePod
  const std::int64_t used_claims_;      // the number of `claims_` that placed pods use
};

// The number of the claims that placed pods use. users() also has pods whose ephemeral volume has a claim;
// they do not count.
std::int64_t count_used(const Snapshot& snapshot, const api::Pod& pod, const std::set<std::string>& claims) {
  std::set<Row> rows;
  for (const auto& claim : claims) {
    const auto& users = snapshot.objects().volumes().users(pod.meta.namespace_, claim);
    rows.insert(users.begin(), users.end());
  }
  std::set<std::string_view> used;
  for (const Row row : rows) {
    for (const auto& other : snapshot.entry(row).pods) {
      if ((*other)->meta.namespace_ != pod.meta.namespace_) continue;
      for (const auto& volume : (*other)->volumes) {
        if (volume.kind == Kind::claim && claims.contains(volume.id)) used.insert(volume.id);
      }
    }
  }
  return static_cast<std::int64_t>(used.size());
}

class VolumeRestrictions final : public Plugin, public FilterPlugin {
 public:
  std::string_view name() const override { return kVolumeRestrictions; }
  bool has_pre_filter() const override { return true; }
  std::string error_without_pre_filter() const override {
    return "cannot read \"PreFilterVolumeRestrictions\" from cycleState";
  }

  PreparedFilter prepare_filter(const PodInfo& pod, const Snapshot& snapshot) const override {
    std::set<std::string> claims;
    for (const auto& volume : pod->volumes) {
      if (volume.kind != Kind::claim) continue;
      const auto* claim = find_claim(snapshot, *pod, volume.id);
      if (!claim) return {.rejected = unresolvable(kVolumeRestrictions, claim_not_found(volume.id))};
      const auto& modes = claim->access_modes;
      if (std::ranges::find(modes, "ReadWriteOncePod") != modes.end()) claims.insert(volume.id);
    }
    const auto used = count_used(snapshot, *pod, claims);
    if (used == 0 && std::ranges::none_of(pod->volumes, is_exclusive_disk)) return {};
    return {.filter = std::make_unique<RestrictionsFilter>(snapshot, *pod, std::move(claims), used)};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints;
    const auto helps = [](const PodInfo& rejected, const ClusterEvent& event) {
      const auto* gone = object_before<api::Pod>(event);
      if (!gone || gone->meta.namespace_ != rejected->meta.namespace_) return !gone;
      if (Disks(*rejected).conflict_with(*gone)) return true;
      std::set<std::string_view> claims;
      for (const auto& volume : rejected->volumes) {
        if (volume.kind == Kind::claim) claims.insert(volume.id);
      }
      return std::ranges::any_of(gone->volumes, [&](const api::Volume& volume) {
        return volume.kind == Kind::claim && claims.contains(volume.id);
      });
    };
    hints.push_back({EventResource::assigned_pod, kDelete, helps});
    hints.push_back({EventResource::node, kAdd, nullptr});
    hints.push_back({EventResource::persistent_volume_claim, kAdd,
                     [](const PodInfo& rejected, const ClusterEvent& event) {
                       const auto* claim = object_after<api::PersistentVolumeClaim>(event);
                       return !claim || uses_claim(*rejected, *claim, false);
                     }});
    return hints;
  }
};

}  // namespace

PluginPtr make_volume_restrictions(const boost::json::object&) {
  return std::make_shared<VolumeRestrictions>();
}

}  // namespace podium::plugins
