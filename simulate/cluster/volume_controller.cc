#include "simulate/cluster/volume_controller.h"

#include <fmt/format.h>

#include <utility>

#include "simulate/cluster/volumes.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr const char* kVolumeController = "volume-controller";

Key claim_named_by(const json::value& volume) {
  return {std::string(kVolumeClaims), text_at(volume, "/spec/claimRef/namespace"),
          text_at(volume, "/spec/claimRef/name")};
}

json::object reference_to(const Key& claim, const std::string& uid) {
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"namespace", claim.ns},
          {"name", claim.name},
          {"uid", uid}};
}

json::object& annotations_of(json::value& object) {
  auto& annotations = object.as_object()["metadata"].as_object()["annotations"];
  if (!annotations.is_object()) annotations = json::object();
  return annotations.get_object();
}

void set_phase(json::value& object, std::string_view phase) {
  object.as_object()["status"].as_object()["phase"] = phase;
}

}  // namespace

VolumeController::VolumeController(Store& store, Agenda& agenda, Dice dice)
    : store_(store), agenda_(agenda), dice_(dice) {
  store_.on_commit([this](const Commit& commit) { committed(commit); });
}

void VolumeController::committed(const Commit& commit) {
  const bool is_gone = commit.type == Commit::Type::deleted;
  const auto uid = uid_of(commit.after->value);
  if (commit.key.plural == kVolumes && !is_gone) {
    agenda_.after(dice_.between(5ms, 3s), [this, key = commit.key, uid] { sync_volume(key, uid); });
  } else if (commit.key.plural == kVolumeClaims && is_gone) {
    for (const auto& volume : store_.all(kVolumes)) {
      if (text_at(volume->value, "/spec/claimRef/uid") != uid) continue;
      const Key key{std::string(kVolumes), "", text_at(volume->value, "/metadata/name")};
      agenda_.after(dice_.between(5ms, 3s),
                    [this, key, its = uid_of(volume->value)] { sync_volume(key, its); });
    }
  } else if (commit.key.plural == kVolumeClaims && text_at(commit.after->value, "/spec/volumeName").empty()) {
    agenda_.after(dice_.between(5ms, 2s), [this, key = commit.key, uid] { sync_claim(key, uid); });
  }
}

void VolumeController::sync_claim(const Key& key, const std::string& uid) {
  const auto claim = store_.find(key);
  if (!claim || uid_of(claim->value) != uid || !text_at(claim->value, "/spec/volumeName").empty()) return;
  const auto of_class = claim_class(claim->value);
  if (of_class == "now") return make_for(key, claim->value, fmt::format("z{}", dice_.below(2)));
  if (of_class == "local") {
    for (const auto& volume : store_.all(kVolumes)) {
      if (claim_named_by(volume->value) == key)
        sync_volume({std::string(kVolumes), "", text_at(volume->value, "/metadata/name")},
                    uid_of(volume->value));
    }
    return;
  }
  const auto node = selected_node(claim->value);
  if (node.empty()) return;
  // Some provisioners take longer than podium waits.
  const auto slow = !resting_ && dice_.one_in(6);
  agenda_.after(slow ? dice_.between(5s, 30s) : dice_.between(20ms, 2s),
                [this, key, uid, node] { provision(key, uid, node); });
}

void VolumeController::provision(const Key& key, const std::string& uid, const std::string& node) {
  const auto claim = store_.find(key);
  if (!claim || uid_of(claim->value) != uid || !text_at(claim->value, "/spec/volumeName").empty()) return;
  if (selected_node(claim->value) != node) return;  // it is synced again for that node
  const auto there = store_.find({"nodes", "", node});
  if (!there || (!resting_ && dice_.one_in(4))) {
    auto failed = claim->value;
    annotations_of(failed).erase(kSelectedNode);
    store_.update(key, std::move(failed), kVolumeController);
    return;
  }
  make_for(key, claim->value, text_at(there->value, "/metadata/labels/zone"));
}

// The volume is made first, and bound to the claim when it is synced.
void VolumeController::make_for(const Key& key, const json::value& claim, const std::string& zone) {
  const Key made{std::string(kVolumes), "", "pvc-" + uid_of(claim)};
  if (store_.find(made)) return;
  auto volume = volume_for(claim_class(claim), storage_of(claim), "zone", zone);
  volume.as_object()["spec"].as_object()["claimRef"] = reference_to(key, uid_of(claim));
  annotations_of(volume)["pv.kubernetes.io/provisioned-by"] = kDiskDriver;
  volume.as_object()["spec"].as_object()["csi"].as_object()["volumeHandle"] = made.name;
  set_phase(volume, "Bound");
  store_.create(made, std::move(volume), kVolumeController);
}

void VolumeController::sync_volume(const Key& key, const std::string& uid) {
  const auto volume = store_.find(key);
  if (!volume || uid_of(volume->value) != uid || !find_at(volume->value, "/spec/claimRef")) return;
  const auto named = claim_named_by(volume->value);
  const auto claim = store_.find(named);
  const auto its = text_at(volume->value, "/spec/claimRef/uid");
  const bool is_gone = !its.empty() && (!claim || uid_of(claim->value) != its);
  auto changed = volume->value;
  if (is_gone && key.name.starts_with("pvc-")) return store_.remove(key, kVolumeController);
  if (is_gone) {
    set_phase(changed, "Released");
  } else if (!claim) {
    return;  // reserved by hand, for a claim that does not exist
  } else if (const auto has = text_at(claim->value, "/spec/volumeName"); has.empty()) {
    const bool is_other = claim_class(claim->value) != claim_class(volume->value);
    if (is_other || storage_of(claim->value) > storage_of(volume->value)) return;
    return bind(named, claim->value, key.name);
  } else if (has == key.name) {
    changed.as_object()["spec"].as_object()["claimRef"] = reference_to(named, uid_of(claim->value));
    set_phase(changed, "Bound");
  } else if (find_at(changed, "/metadata/annotations/pv.kubernetes.io~1bound-by-controller")) {
    changed.as_object()["spec"].as_object().erase("claimRef");
    annotations_of(changed).erase("pv.kubernetes.io/bound-by-controller");
    set_phase(changed, "Available");
  }
  store_.update(key, std::move(changed), kVolumeController);
}

// The volume is synced again: its reference gets the claim's UID.
void VolumeController::bind(const Key& key, const json::value& claim, const std::string& volume) {
  auto bound = claim;
  bound.as_object()["spec"].as_object()["volumeName"] = volume;
  annotations_of(bound)["pv.kubernetes.io/bind-completed"] = "yes";
  set_phase(bound, "Bound");
  store_.update(key, std::move(bound), kVolumeController);
  const Key its{std::string(kVolumes), "", volume};
  if (const auto there = store_.find(its)) sync_volume(its, uid_of(there->value));
}

}  // namespace podium::simulate
