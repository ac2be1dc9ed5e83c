#include "simulate/cluster/volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <utility>
#include <vector>

#include "base/time.h"
#include "simulate/cluster/cluster.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kOwners[] = {"shop", "batch"};
constexpr std::string_view kStorageClasses[] = {"local", "late", "now"};

json::value storage_class(std::string_view provisioner, std::string_view mode) {
  return json::parse(fmt::format(R"({{"metadata":{{}},"provisioner":"{}","reclaimPolicy":"Delete",
      "volumeBindingMode":"{}"}})",
                                 provisioner, mode));
}

}  // namespace

std::string claim_class(const json::value& object) { return text_at(object, "/spec/storageClassName"); }

std::int64_t storage_of(const json::value& object) {
  auto text = text_at(object, "/spec/capacity/storage");
  if (text.empty()) text = text_at(object, "/spec/resources/requests/storage");
  return text.empty() ? 0 : std::stoll(text);
}

std::string selected_node(const json::value& claim) {
  return text_at(claim, "/metadata/annotations/volume.kubernetes.io~1selected-node");
}

bool is_reached(const json::value& volume, const json::value& node) {
  const auto* term = find_at(volume, "/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0");
  const auto key = term ? text_at(*term, "/key") : "", value = term ? text_at(*term, "/values/0") : "";
  const auto* labels = find_at(node, "/metadata/labels");
  const auto* label = labels ? labels->as_object().if_contains(key) : nullptr;
  return key.empty() || (label && label->as_string() == value);
}

std::vector<std::string> claims_of(const json::value& pod) {
  std::vector<std::string> out;
  const auto* volumes = find_at(pod, "/spec/volumes");
  if (!volumes) return out;
  for (const auto& volume : volumes->as_array())
    out.push_back(text_at(volume, "/persistentVolumeClaim/claimName"));
  return out;
}

bool uses(const json::value& pod, const std::string& claim) {
  const auto claims = claims_of(pod);
  return std::ranges::find(claims, claim) != claims.end();
}

bool is_for_one_pod(const json::value& claim) {
  return text_at(claim, "/spec/accessModes/0") == "ReadWriteOncePod";
}

json::value volume_for(std::string_view storage_class, std::int64_t storage, std::string_view label,
                       std::string_view value) {
  const auto source = storage_class == "local"
                          ? std::string(R"("local":{"path":"/disk"})")
                          : fmt::format(R"("csi":{{"driver":"{}","volumeHandle":"h"}})", kDiskDriver);
  return json::parse(fmt::format(R"({{"metadata":{{}},"spec":{{"capacity":{{"storage":"{}Gi"}},
      "accessModes":["ReadWriteOnce","ReadWriteOncePod"],"storageClassName":"{}","volumeMode":"Filesystem",
      "persistentVolumeReclaimPolicy":"Delete",{},
      "nodeAffinity":{{"required":{{"nodeSelectorTerms":[{{"matchExpressions":[{{"key":"{}","operator":"In",
      "values":["{}"]}}]}}]}}}}}},"status":{{"phase":"Available"}}}})",
                                 storage, storage_class, source, label, value));
}

Volumes::Volumes(Store& store, Agenda& agenda, Dice dice)
    : store_(store),
      agenda_(agenda),
      dice_(dice),
      pace_(dice_.between(200ms, 3s)),
      pods_(3 + dice_.below(8)),
      claims_(2 + dice_.below(5)) {
  store_.on_commit([this](const Commit& commit) {
    if (commit.key.plural == "nodes") node_committed(commit);
  });
}

void Volumes::node_committed(const Commit& commit) {
  const Key key{std::string(kNodeDrivers), "", commit.key.name};
  if (commit.type == Commit::Type::deleted && store_.find(key)) store_.remove(key, kKubelet);
  if (commit.type != Commit::Type::added) return;
  agenda_.after(dice_.between(5ms, 2s), [this, name = commit.key.name] { register_driver(name); });
}

// A kubelet does so when the driver on its node has started.
void Volumes::register_driver(const std::string& node) {
  const Key key{std::string(kNodeDrivers), "", node};
  if (store_.find(key) || !store_.find({"nodes", "", node})) return;
  store_.create(key,
                json::parse(fmt::format(R"({{"metadata":{{}},"spec":{{"drivers":[{{"name":"{}","nodeID":"{}",
      "topologyKeys":["zone"],"allocatable":{{"count":{}}}}}]}}}})",
                                        kDiskDriver, node, 2 + node.back() % 2)),
                kKubelet);
}

void Volumes::begin() {
  store_.create({"storageclasses", "", "local"},
                storage_class("kubernetes.io/no-provisioner", "WaitForFirstConsumer"), kPeople);
  store_.create({"storageclasses", "", "late"}, storage_class(kDiskDriver, "WaitForFirstConsumer"), kPeople);
  store_.create({"storageclasses", "", "now"}, storage_class(kDiskDriver, "Immediate"), kPeople);
  for (const auto& node : store_.all("nodes")) register_driver(text_at(node->value, "/metadata/name"));
  for (int i = 0; i < 4; ++i) make_volume();
  for (std::uint64_t i = 0; i < pods_ / 2; ++i) make_pod();
  act();
}

void Volumes::act() {
  if (resting_) return;
  one_act();
  agenda_.after(dice_.between(pace_ / 4, pace_ * 2), [this] { act(); });
}

void Volumes::one_act() {
  const auto which = dice_.below(100);
  if (which < 44) return make_pod();
  if (which < 62) return delete_pod();
  if (which < 80) return make_volume();
  if (which < 87) return delete_claim();
  if (which < 94) return delete_volume();
  bind_by_hand();
}

StoredPtr Volumes::any(std::string_view plural, std::string_view prefix) {
  std::vector<StoredPtr> some;
  for (const auto& one : store_.all(plural)) {
    if (text_at(one->value, "/metadata/name").starts_with(prefix)) some.push_back(one);
  }
  return some.empty() ? nullptr : some[dice_.below(some.size())];
}

// --- administrators ---

// Half of them are on one node, the others in reach of a zone. A volume whose claim is deleted is replaced.
void Volumes::make_volume() {
  const Key key{std::string(kVolumes), "", fmt::format("v{}", dice_.below(8))};
  const auto storage = 1 + static_cast<std::int64_t>(dice_.below(2));
  const bool on_node = dice_.one_in(2);
  const auto value = on_node ? fmt::format("n{}", dice_.below(4)) : fmt::format("z{}", dice_.below(2));
  const auto there = store_.find(key);
  if (there && text_at(there->value, "/status/phase") != "Released") return;
  if (there) store_.remove(key, kPeople);
  store_.create(key, volume_for("local", storage, on_node ? "kubernetes.io/hostname" : "zone", value),
                kPeople);
}

// A volume that no claim has: also one that podium is about to bind.
void Volumes::delete_volume() {
  const auto volume = any(kVolumes, "v");
  if (!volume) return;
  const auto claim = text_at(volume->value, "/spec/claimRef/uid");
  for (const auto& one : store_.all(kVolumeClaims)) {
    if (uid_of(one->value) == claim) return;
  }
  store_.remove(key_of(kVolumes, volume->value), kPeople);
}

// --- users ---

void Volumes::make_claim(const std::string& ns, const std::string& name) {
  const Key key{std::string(kVolumeClaims), ns, name};
  const auto* mode = dice_.one_in(4) ? "ReadWriteOncePod" : "ReadWriteOnce";
  const auto of_class = kStorageClasses[dice_.below(3)];
  const auto storage = 1 + dice_.below(2);
  if (store_.find(key)) return;
  store_.create(key,
                json::parse(fmt::format(R"({{"metadata":{{}},"spec":{{"accessModes":["{}"],
      "storageClassName":"{}","volumeMode":"Filesystem","resources":{{"requests":{{"storage":"{}Gi"}}}}}},
      "status":{{"phase":"Pending"}}}})",
                                        mode, of_class, storage)),
                kPeople);
}

// One in eight claims is missing. Two namespaces have no claims of one name: kube-scheduler compares only the
// names when it looks for pods to evict from a claim for one pod, and evicts others in vain (5000363).
void Volumes::make_pod() {
  const auto ns = kOwners[dice_.below(2)];
  const Key key{"pods", std::string(ns), fmt::format("b{}", dice_.below(pods_))};
  const auto cpu = 100 * (1 + dice_.below(6));
  const int priority = dice_.one_in(6) ? 1000 : 0;
  const auto first = dice_.below(claims_), second = dice_.below(claims_);
  const auto name = [&](std::uint64_t which) { return fmt::format("c-{}-{}", ns, which); };
  auto volumes = fmt::format(R"({{"name":"one","persistentVolumeClaim":{{"claimName":"{}"}}}})", name(first));
  if (dice_.one_in(3) && second != first)
    volumes += fmt::format(R"(,{{"name":"two","persistentVolumeClaim":{{"claimName":"{}"}}}})", name(second));
  if (store_.find(key)) return;
  if (!dice_.one_in(8)) make_claim(key.ns, name(first));
  if (!dice_.one_in(8)) make_claim(key.ns, name(second));
  store_.create(key,
                json::parse(fmt::format(R"({{"metadata":{{"labels":{{"app":"{}"}}}},"spec":{{
      "priority":{},"schedulerName":"default-scheduler","volumes":[{}],"containers":[{{"name":"main",
      "image":"app","resources":{{"requests":{{"cpu":"{}m"}}}}}}]}},"status":{{"phase":"Pending"}}}})",
                                        key.name, priority, volumes, cpu)),
                kPeople);
}

void Volumes::delete_pod() {
  const auto pod = any("pods", "b");
  if (!pod || is_leaving(pod->value)) return;
  const auto key = key_of("pods", pod->value);
  if (text_at(pod->value, "/spec/nodeName").empty() || dice_.one_in(8)) return store_.remove(key, kPeople);
  auto leaving = pod->value;
  leaving.as_object()["metadata"].as_object()["deletionTimestamp"] =
      format_time(agenda_.clock().wall() + 30s);
  store_.update(key, std::move(leaving), kPeople);
}

// A finalizer keeps a claim that a pod on a node uses.
bool Volumes::is_used(const json::value& claim) const {
  const auto name = text_at(claim, "/metadata/name");
  return std::ranges::any_of(store_.all("pods", text_at(claim, "/metadata/namespace")),
                             [&](const StoredPtr& pod) {
                               return !text_at(pod->value, "/spec/nodeName").empty() &&
                                      !is_finished(pod->value) && uses(pod->value, name);
                             });
}

void Volumes::delete_claim() {
  const auto claim = any(kVolumeClaims, "c");
  if (claim && !is_used(claim->value)) store_.remove(key_of(kVolumeClaims, claim->value), kPeople);
}

// Reserves a volume for a claim by its name, as users may.
void Volumes::bind_by_hand() {
  const auto volume = any(kVolumes, "v"), claim = any(kVolumeClaims, "c");
  if (!volume || !claim || find_at(volume->value, "/spec/claimRef")) return;
  if (claim_class(claim->value) != "local" || storage_of(claim->value) > storage_of(volume->value)) return;
  auto bound = volume->value;
  bound.as_object()["spec"].as_object()["claimRef"] = {
      {"kind", "PersistentVolumeClaim"},
      {"namespace", text_at(claim->value, "/metadata/namespace")},
      {"name", text_at(claim->value, "/metadata/name")}};
  store_.update(key_of(kVolumes, volume->value), std::move(bound), kPeople);
}

}  // namespace podium::simulate
