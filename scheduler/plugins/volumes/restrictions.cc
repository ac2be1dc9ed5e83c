// VolumeRestrictions: enforces that conflicting pods do not share a disk on one node, and that only one pod
// uses a ReadWriteOncePod claim.
// Source: pkg/scheduler/framework/plugins/volumerestrictions.
#include <algorithm>
#include <set>

#include "scheduler/plugins/shared/event_objects.h"
#include "scheduler/plugins/shared/factories.h"
#include "scheduler/plugins/volumes/claims.h"

namespace podium::plugins {
namespace {

using namespace framework;
using Kind = api::Volume::Kind;

constexpr std::string_view kVolumeRestrictions = "VolumeRestrictions";

bool is_exclusive_disk(const api::Volume& volume) {
  return volume.kind == Kind::gce_disk || volume.kind == Kind::aws_disk || volume.kind == Kind::rbd ||
         volume.kind == Kind::iscsi;
}

bool shares_monitor(const api::Volume& a, const api::Volume& b) {
  return std::ranges::any_of(
      a.monitors, [&](const auto& m) { return std::ranges::find(b.monitors, m) != b.monitors.end(); });
}

// True if both are the same disk and at least one is writable. EBS volumes conflict even if read-only.
bool conflicts(const api::Volume& a, const api::Volume& b) {
  if (a.kind != b.kind || a.id != b.id) return false;
  if (a.kind == Kind::aws_disk) return true;
  if (!is_exclusive_disk(a) || (a.read_only && b.read_only)) return false;
  return a.kind != Kind::rbd || (a.pool == b.pool && shares_monitor(a, b));
}

bool conflicts(const api::Pod& a, const api::Pod& b) {
  return std::ranges::any_of(a.volumes, [&](const api::Volume& volume) {
    return std::ranges::any_of(b.volumes, [&](const api::Volume& other) { return conflicts(volume, other); });
  });
}

Verdict disk_conflict() {
  return {std::string(kVolumeRestrictions), Code::unschedulable, {"node(s) had no available disk"}};
}
Verdict claim_in_use() {
  return {std::string(kVolumeRestrictions),
          Code::unschedulable,
          {"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
           "in-use by another "
           "pod"}};
}

class RestrictionsFilter final : public NodeFilter {
 public:
  RestrictionsFilter(const Snapshot& snapshot, const api::Pod& pod, std::set<std::string> claims,
                     std::int64_t used_claims)
      : NodeFilter(snapshot), pod_(pod), claims_(std::move(claims)), used_claims_(used_claims) {
    has_disks_ = std::ranges::any_of(pod.volumes, is_exclusive_disk);
  }

  void filter(NodeMask& nodes, Rejections& out) const override {
    if (has_disks_) {
      const auto id = out.add(disk_conflict());
      NodeMask(nodes).each([&](Row row) {
        if (disk_is_taken(row, {})) out.reject(nodes, row, id);
      });
    }
    if (used_claims_ <= 0) return;
    const auto id = out.add(claim_in_use());
    for (std::size_t w = 0; w < nodes.words(); ++w) {
      if (const auto bits = nodes.word(w)) out.reject_word(nodes, w, bits, id);
    }
  }

  std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
    if (has_disks_ && disk_is_taken(row, delta)) return disk_conflict();
    auto used = used_claims_;
    for (const auto& pod : delta.added) used += uses_of(**pod);
    for (const auto& pod : delta.removed) used -= uses_of(**pod);
    if (used > 0) return claim_in_use();
    return std::nullopt;
  }

 private:
  bool disk_is_taken(Row row, const PodDelta& delta) const {
    const auto takes = [&](const PodInfoPtr& other) { return conflicts(pod_, **other); };
    const auto stays = [&](const PodInfoPtr& other) {
      return std::ranges::none_of(delta.removed,
                                  [&](const auto& gone) { return (*gone)->meta.uid == (*other)->meta.uid; });
    };
    return std::ranges::any_of(delta.added, takes) ||
           std::ranges::any_of(snapshot_.entry(row).pods,
                               [&](const auto& other) { return takes(other) && stays(other); });
  }

  // As upstream, compares claim names only: pods of other namespaces count too.
  std::int64_t uses_of(const api::Pod& other) const {
    return std::ranges::count_if(other.volumes, [&](const api::Volume& volume) {
      return volume.kind == Kind::claim && claims_.contains(volume.id);
    });
  }

  const api::Pod& pod_;
  std::set<std::string> claims_;  // the pod's claims with the access mode ReadWriteOncePod
  std::int64_t used_claims_;      // the number of `claims_` that placed pods use
  bool has_disks_;
};

bool is_used(const Snapshot& snapshot, const api::Pod& pod, const std::string& claim) {
  const auto uses = [&](const PodInfoPtr& other) {
    return (*other)->meta.namespace_ == pod.meta.namespace_ &&
           std::ranges::any_of((*other)->volumes, [&](const api::Volume& volume) {
             return volume.kind == Kind::claim && volume.id == claim;
           });
  };
  // users() also has pods whose ephemeral volume has this claim; `uses` excludes them.
  return std::ranges::any_of(snapshot.objects().volumes().users(pod.meta.namespace_, claim),
                             [&](Row row) { return std::ranges::any_of(snapshot.entry(row).pods, uses); });
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
    const auto used =
        std::ranges::count_if(claims, [&](const auto& claim) { return is_used(snapshot, *pod, claim); });
    if (used == 0 && std::ranges::none_of(pod->volumes, is_exclusive_disk)) return {};
    return {.filter = std::make_unique<RestrictionsFilter>(snapshot, *pod, std::move(claims), used)};
  }

  std::vector<EventHint> hints() const override {
    std::vector<EventHint> hints;
    add_pod_hints(hints, kDelete, [](const PodInfo& rejected, const ClusterEvent& event) {
      const auto* gone = object_before<api::Pod>(event);
      if (!gone || gone->meta.namespace_ != rejected->meta.namespace_) return !gone;
      return conflicts(*rejected, *gone) ||
             std::ranges::any_of(gone->volumes, [&](const api::Volume& volume) {
               return volume.kind == Kind::claim &&
                      std::ranges::any_of(rejected->volumes, [&](const api::Volume& own) {
                        return own.kind == Kind::claim && own.id == volume.id;
                      });
             });
    });
    hints.push_back({Resource::node, kAdd, nullptr});
    hints.push_back(
        {Resource::persistent_volume_claim, kAdd, [](const PodInfo& rejected, const ClusterEvent& event) {
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
