#include "simulate/observers/volume_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scheduler/cluster/snapshot.h"
#include "simulate/cluster/volumes.h"

namespace podium::simulate {
namespace {

// True if the volume refers to the claim; an empty UID: it was reserved by name.
bool names_claim(const json::value& volume, const json::value& claim) {
  const auto uid = text_at(volume, "/spec/claimRef/uid");
  return text_at(volume, "/spec/claimRef/namespace") == text_at(claim, "/metadata/namespace") &&
         text_at(volume, "/spec/claimRef/name") == text_at(claim, "/metadata/name") &&
         (uid.empty() || uid == uid_of(claim));
}

constexpr std::string_view kReferenceNames[] = {"/spec/claimRef/namespace", "/spec/claimRef/name"};

bool has_reference(const json::value& volume) { return find_at(volume, "/spec/claimRef") != nullptr; }

}  // namespace

void VolumeObserver::read(const std::string& engine, std::string_view kind, std::string_view objects) {
  static constexpr std::string_view kUid = R"("uid":")";
  const auto key = fmt::format("{} {} ", engine, kind);
  for (auto at = find_words(objects, kUid); at != objects.npos; at = find_words(objects, kUid, at)) {
    at += kUid.size();
    read_.try_emplace(key + std::string(objects.substr(at, objects.find('"', at) - at)), agenda_.now());
  }
}

bool VolumeObserver::knew(const std::string& engine, std::string_view kind, const json::value& object,
                          Steady decided) const {
  const auto it = read_.find(fmt::format("{} {} {}", engine, kind, uid_of(object)));
  return it != read_.end() && it->second <= decided;
}

VolumeObserver::Broken VolumeObserver::committed(const Commit& commit) const {
  const auto& now = commit.after->value;
  const auto name = text_at(now, "/metadata/name");
  if (commit.type == Commit::Type::deleted) return std::nullopt;
  if (commit.key.plural == kVolumes && is_engine(commit.by) && commit.before) {
    const auto& before = commit.before->value;
    const auto uid = text_at(before, "/spec/claimRef/uid");
    const bool is_other = std::ranges::any_of(kReferenceNames, [&](std::string_view field) {
      return text_at(before, field) != text_at(now, field);
    });
    if (has_reference(before) && (is_other || (!uid.empty() && uid != text_at(now, "/spec/claimRef/uid"))))
      return fmt::format("{} takes the volume {} from another claim", commit.by, name);
  }
  const auto volume = commit.key.plural == kVolumeClaims ? text_at(now, "/spec/volumeName") : "";
  if (volume.empty()) return std::nullopt;
  for (const auto& other : store_.all(kVolumeClaims)) {
    if (uid_of(other->value) != uid_of(now) && text_at(other->value, "/spec/volumeName") == volume)
      return fmt::format("{} and {} have the volume {}", full_name(now), full_name(other->value), volume);
  }
  return std::nullopt;
}

StoredPtr VolumeObserver::claim_of(const json::value& pod, const std::string& name) const {
  return store_.find({std::string(kVolumeClaims), text_at(pod, "/metadata/namespace"), name});
}

VolumeObserver::Broken VolumeObserver::bound(const json::value& pod, const std::string& by,
                                             Steady decided) const {
  const auto node = store_.find({"nodes", "", text_at(pod, "/spec/nodeName")});
  for (const auto& name : claims_of(pod)) {
    const auto claim = claim_of(pod, name);
    if (!claim || !knew(by, kVolumeClaims, claim->value, decided)) continue;
    const auto volume = text_at(claim->value, "/spec/volumeName");
    if (volume.empty())
      return fmt::format("{} binds {}, whose claim {} has no volume", by, full_name(pod), name);
    const auto there = store_.find({std::string(kVolumes), "", volume});
    if (node && there && knew(by, kVolumes, there->value, decided) && !is_reached(there->value, node->value))
      return fmt::format("{} binds {} to {}, which cannot reach the volume {}", by, full_name(pod),
                         text_at(pod, "/spec/nodeName"), volume);
  }
  return std::nullopt;
}

void VolumeObserver::begins(const std::string& engine, const cluster::Snapshot& snapshot) {
  auto& [placed, generation] = placed_[engine];
  if (std::exchange(generation, snapshot.generation()) == snapshot.generation()) return;
  const auto now = agenda_.now();
  std::set<std::string> there;
  snapshot.each_pod([&](const cluster::PodInfoPtr& info) {
    const auto& pod = **info;
    std::vector<std::string> claims;
    for (const auto& volume : pod.volumes) {
      if (volume.kind == api::Volume::Kind::claim) claims.push_back(volume.id);
    }
    if (claims.empty()) return;
    const auto& key = *there.insert(pod.meta.uid + " " + pod.node_name).first;
    auto& one =
        placed
            .try_emplace(key,
                         Placed{pod.meta.uid, pod.meta.namespace_, pod.node_name, std::move(claims), now, {}})
            .first->second;
    one.until.reset();
  });
  for (auto& [key, one] : placed) {
    if (!one.until && !there.contains(key)) one.until = now;
  }
}

VolumeObserver::Broken VolumeObserver::shares(const json::value& pod, const std::string& by, Steady first,
                                              Steady last, const Knows& knows) const {
  const auto node = text_at(pod, "/spec/nodeName");
  // kube-scheduler also does not count the pods of a node that is deleted.
  const auto known = [&](const json::value& other) {
    const auto there = store_.find({"nodes", "", text_at(other, "/spec/nodeName")});
    return there && knew(by, "nodes", there->value, first) && knows(other) &&
           std::ranges::all_of(claims_of(other), [&](const std::string& name) {
             const auto claim = claim_of(other, name);
             return claim && knew(by, kVolumeClaims, claim->value, first);
           });
  };
  if (!known(pod)) return std::nullopt;
  if (const auto claim = claim_in_use(pod, known); !claim.empty())
    return fmt::format("{} binds {}, whose claim {} is of another pod", by, full_name(pod), claim);
  const auto drivers = store_.find({std::string(kNodeDrivers), "", node});
  if (!drivers || !knew(by, kNodeDrivers, drivers->value, first) || attaches(pod, node, known) ||
      attaches(pod, node, known, counted(pod, by, first, last)))
    return std::nullopt;
  return fmt::format("{} binds {} to {}, which attaches fewer volumes", by, full_name(pod), node);
}

std::string VolumeObserver::claim_in_use(const json::value& pod, const Knows& counts) const {
  for (const auto& name : claims_of(pod)) {
    const auto claim = claim_of(pod, name);
    if (!claim || !is_for_one_pod(claim->value)) continue;
    for (const auto& other : store_.all("pods", text_at(pod, "/metadata/namespace"))) {
      if (uid_of(other->value) == uid_of(pod) || is_finished(other->value)) continue;
      if (text_at(other->value, "/spec/nodeName").empty()) continue;
      if (uses(other->value, name) && counts(other->value)) return name;
    }
  }
  return {};
}

std::optional<std::string> VolumeObserver::attached_for(const std::string& namespace_,
                                                        const std::string& name) const {
  const auto claim = store_.find({std::string(kVolumeClaims), namespace_, name});
  if (!claim || claim_class(claim->value) == "local") return std::nullopt;
  return uid_of(claim->value);
}

// The provisioned volumes of the pod.
std::set<std::string> VolumeObserver::attached_by(const json::value& pod) const {
  std::set<std::string> out;
  for (const auto& name : claims_of(pod)) {
    if (auto volume = attached_for(text_at(pod, "/metadata/namespace"), name)) out.insert(*std::move(volume));
  }
  return out;
}

std::set<std::string> VolumeObserver::counted(const json::value& pod, const std::string& engine, Steady first,
                                              Steady last) const {
  std::set<std::string> out;
  const auto of_engine = placed_.find(engine);
  if (of_engine == placed_.end()) return out;
  for (const auto& [key, one] : of_engine->second.pods) {
    const bool is_there = one.node == text_at(pod, "/spec/nodeName") && one.uid != uid_of(pod);
    if (!is_there || one.since > last || (one.until && *one.until < first)) continue;
    for (const auto& name : one.claims) {
      if (auto volume = attached_for(one.namespace_, name)) out.insert(*std::move(volume));
    }
  }
  return out;
}

// As in kube-scheduler, a pod that adds no volume fits on a node that has too many.
bool VolumeObserver::attaches(const json::value& pod, const std::string& node, const Knows& counts,
                              std::set<std::string> attached) const {
  const auto drivers = store_.find({std::string(kNodeDrivers), "", node});
  if (!drivers) return true;
  for (const auto& other : store_.all("pods")) {
    if (text_at(other->value, "/spec/nodeName") != node || uid_of(other->value) == uid_of(pod)) continue;
    if (!is_finished(other->value) && counts(other->value)) attached.merge(attached_by(other->value));
  }
  const auto before = attached.size();
  attached.merge(attached_by(pod));
  const auto most = number_at(drivers->value, "/spec/drivers/0/allocatable/count");
  return attached.size() == before || static_cast<std::int64_t>(attached.size()) <= most;
}

bool VolumeObserver::fits(const json::value& pod, const json::value& node) const {
  const auto all = [](const json::value&) { return true; };
  if (!claim_in_use(pod, all).empty() || !attaches(pod, text_at(node, "/metadata/name"), all)) return false;
  std::vector<StoredPtr> claims;
  for (const auto& name : claims_of(pod)) {
    claims.push_back(claim_of(pod, name));
    if (!claims.back()) return false;
  }
  std::vector<std::string> taken;
  return have_volumes(claims, 0, node, taken);
}

bool VolumeObserver::may_wait_for_flush(const json::value& pod, const json::value& node, bool evicts,
                                        const std::string& engine) const {
  if (evicts) return !claims_of(pod).empty();
  const auto drivers = store_.find({std::string(kNodeDrivers), "", text_at(node, "/metadata/name")});
  if (attached_by(pod).empty() || !drivers) return false;
  const auto read = [&](std::string_view kind, const json::value& object) {
    return read_.find(fmt::format("{} {} {}", engine, kind, uid_of(object)));
  };
  const auto first = read(kNodeDrivers, drivers->value), second = read("nodes", node);
  return first != read_.end() && second != read_.end() && first->second <= second->second;
}

bool VolumeObserver::lacks_its_claim(const json::value& pod) const {
  return !claim_in_use(pod, [](const json::value&) { return true; }).empty();
}

bool VolumeObserver::may_be_tried(const json::value& pod) const {
  return std::ranges::all_of(claims_of(pod), [&](const std::string& name) {
    const auto claim = claim_of(pod, name);
    return claim &&
           (claim_class(claim->value) != "now" || !text_at(claim->value, "/spec/volumeName").empty());
  });
}

bool VolumeObserver::have_volumes(const std::vector<StoredPtr>& claims, std::size_t from,
                                  const json::value& node, std::vector<std::string>& taken) const {
  if (from == claims.size()) return true;
  const auto& claim = claims[from]->value;
  const auto rest_have = [&] { return have_volumes(claims, from + 1, node, taken); };
  if (const auto name = text_at(claim, "/spec/volumeName"); !name.empty()) {
    const auto volume = store_.find({std::string(kVolumes), "", name});
    return volume && is_reached(volume->value, node) && rest_have();
  }
  const auto of_class = claim_class(claim);
  if (of_class == "late") return rest_have();
  if (of_class == "now") return false;  // it gets its volume from its controller
  return std::ranges::any_of(store_.all(kVolumes), [&](const StoredPtr& volume) {
    const auto name = text_at(volume->value, "/metadata/name");
    const bool is_free = text_at(volume->value, "/status/phase") == "Available" &&
                         (!has_reference(volume->value) || names_claim(volume->value, claim));
    const bool suits = claim_class(volume->value) == of_class &&
                       storage_of(volume->value) >= storage_of(claim) && is_reached(volume->value, node);
    if (!is_free || !suits || std::ranges::find(taken, name) != taken.end()) return false;
    taken.push_back(name);
    const bool have = rest_have();
    taken.pop_back();
    return have;
  });
}

}  // namespace podium::simulate
