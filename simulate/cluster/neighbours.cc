#include "simulate/cluster/neighbours.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <utility>
#include <vector>

#include "base/time.h"
#include "simulate/cluster/cluster.h"
#include "simulate/server/cpu_requests.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kTeams[] = {"shop", "batch"};
constexpr std::string_view kApps[] = {"web", "cache", "db"};
constexpr std::string_view kTopologies[] = {"zone", "kubernetes.io/hostname"};
constexpr auto kNextLook = 7s;  // at a deferred resize

Key key_of_pod(const json::value& pod) {
  return {"pods", text_at(pod, "/metadata/namespace"), text_at(pod, "/metadata/name")};
}

bool is_running(const json::value& pod) { return text_at(pod, "/status/phase") == "Running"; }

}  // namespace

Neighbours::Neighbours(Store& store, Agenda& agenda, Dice dice)
    : store_(store),
      agenda_(agenda),
      dice_(dice),
      pace_(dice_.between(200ms, 3s)),
      pods_(4 + dice_.below(8)) {
  store_.on_commit([this](const Commit& commit) { committed(commit); });
}

void Neighbours::begin() {
  for (std::uint64_t i = 0; i < pods_ / 2; ++i) make_pod();
  act();
}

void Neighbours::act() {
  if (resting_) return;
  one_act();
  agenda_.after(dice_.between(pace_ / 4, pace_ * 2), [this] { act(); });
}

void Neighbours::one_act() {
  const auto which = dice_.below(100);
  if (which < 40) return make_pod();
  if (which < 55) return delete_pod();
  if (which < 75) return relabel();
  resize();
}

StoredPtr Neighbours::any_pod(bool on_a_node, std::string_view prefix) {
  std::vector<StoredPtr> some;
  for (const auto& pod : store_.all("pods")) {
    if (on_a_node && text_at(pod->value, "/spec/nodeName").empty()) continue;
    if (is_finished(pod->value) || is_leaving(pod->value)) continue;
    if (text_at(pod->value, "/metadata/name").starts_with(prefix)) some.push_back(pod);
  }
  return some.empty() ? nullptr : some[dice_.below(some.size())];
}

void Neighbours::change(const Key& key, const std::string& uid, const std::string& by,
                        const std::function<void(json::value&)>& how) {
  const auto pod = store_.find(key);
  if (!pod || uid_of(pod->value) != uid) return;
  auto changed = pod->value;
  how(changed);
  store_.update(key, std::move(changed), by);
}

// --- people ---

std::string Neighbours::app() { return std::string(kApps[dice_.below(std::size(kApps))]); }

// The affinity and the spread constraints of a pod's spec.
std::string Neighbours::rules() {
  const auto term = [this](std::string_view more) {
    const auto key = kTopologies[dice_.below(2)];
    const auto selected = app();
    return fmt::format(R"({{{}"topologyKey":"{}","labelSelector":{{"matchLabels":{{"app":"{}"}}}}}})", more,
                       key, selected);
  };
  const auto required = [&](std::string_view kind) {
    return fmt::format(R"("affinity":{{"{}":{{"requiredDuringSchedulingIgnoredDuringExecution":[{}]}}}},)",
                       kind, term(""));
  };
  switch (dice_.below(6)) {
    case 0:
    case 1:
      return required("podAntiAffinity");
    case 2:
      return required("podAffinity");
    case 3:
    case 4:
      return fmt::format(
          R"("topologySpreadConstraints":[{}],)",
          term(fmt::format(R"("maxSkew":{},"whenUnsatisfiable":"DoNotSchedule",)", 1 + dice_.below(2))));
    default:
      return {};
  }
}

void Neighbours::make_pod() {
  const auto ns = kTeams[dice_.below(2)];
  const Key key{"pods", std::string(ns), fmt::format("a{}", dice_.below(pods_))};
  const auto cpu = 100 * (1 + dice_.below(6));
  const int priority = dice_.one_in(4) ? 1000 : 0;
  const auto label = app(), constraints = rules();
  if (store_.find(key)) return;
  store_.create(key,
                json::parse(fmt::format(R"({{"metadata":{{"labels":{{"app":"{}"}}}},"spec":{{{}"priority":{},
        "schedulerName":"default-scheduler","containers":[{{"name":"main","image":"app",
        "resources":{{"requests":{{"cpu":"{}m"}}}}}}]}},"status":{{"phase":"Pending"}}}})",
                                        label, constraints, priority, cpu)),
                kPeople);
}

void Neighbours::delete_pod() {
  const auto pod = any_pod(false, "a");
  if (!pod) return;
  const auto key = key_of_pod(pod->value);
  if (text_at(pod->value, "/spec/nodeName").empty() || dice_.one_in(8)) return store_.remove(key, kPeople);
  change(key, uid_of(pod->value), kPeople, [&](json::value& object) {
    object.as_object()["metadata"].as_object()["deletionTimestamp"] =
        format_time(agenda_.clock().wall() + 30s);
  });
}

// Relabels any pod: also one that waits, and one whose name is its label.
void Neighbours::relabel() {
  const auto pod = any_pod(dice_.one_in(2), dice_.one_in(4) ? "p" : "a");
  const auto label = app();
  if (!pod) return;
  change(key_of_pod(pod->value), uid_of(pod->value), kPeople, [&](json::value& object) {
    object.as_object()["metadata"].as_object()["labels"].as_object()["app"] = label;
  });
}

// Resizes a pod through the subresource "resize". The kubelet refuses more than its node has.
void Neighbours::resize() {
  const auto pod = any_pod(true, "");
  const auto cpu = dice_.one_in(8) ? 5000 : 100 * (1 + dice_.below(12));
  if (!pod || !is_running(pod->value)) return;
  change(key_of_pod(pod->value), uid_of(pod->value), kPeople,
         [&](json::value& object) { set_requested_cpu(object, static_cast<std::int64_t>(cpu)); });
}

// --- kubelets ---

void Neighbours::committed(const Commit& commit) {
  if (commit.key.plural != "pods" || commit.type == Commit::Type::deleted) return;
  const auto& pod = commit.after->value;
  const auto uid = uid_of(pod);
  if (!is_running(pod) || is_leaving(pod)) return;
  const bool starts = !commit.before || !is_running(commit.before->value);
  if (!starts && requested_cpu(commit.before->value) == requested_cpu(pod)) return;
  agenda_.after(dice_.between(300ms, 3s), [this, key = commit.key, uid] { look_at_resize(key, uid); });
}

// Grants the spec's resources if the node has them. The resources in use follow the allocated ones.
void Neighbours::look_at_resize(const Key& key, const std::string& uid) {
  const auto pod = store_.find(key);
  if (!pod || uid_of(pod->value) != uid || !is_running(pod->value) || is_leaving(pod->value)) return;
  const auto wanted = requested_cpu(pod->value);
  if (allocated_cpu(pod->value) == wanted) {
    // A resize that waited was withdrawn.
    return change(key, uid, kKubelet, [](json::value& object) { set_resize_pending(object, ""); });
  }
  const auto node = text_at(pod->value, "/spec/nodeName");
  const auto there = store_.find({"nodes", "", node});
  if (!there) return;
  const auto has = allocatable_cpu(there->value);
  std::int64_t granted = wanted;  // on the node, in all
  for (const auto& other : store_.all("pods")) {
    const bool counts = text_at(other->value, "/spec/nodeName") == node && !is_finished(other->value);
    if (counts && uid_of(other->value) != uid) granted += granted_cpu(other->value);
  }
  if (allocated_cpu(pod->value) == 0 || granted <= has) {
    change(key, uid, kKubelet, [&](json::value& object) {
      set_resize_pending(object, "");
      set_allocated_cpu(object, wanted);
    });
    agenda_.after(dice_.between(100ms, 2s), [this, key, uid, wanted] {
      change(key, uid, kKubelet, [&](json::value& object) {
        if (allocated_cpu(object) == wanted) set_cpu_in_use(object, wanted);
      });
    });
    return;
  }
  change(key, uid, kKubelet,
         [&](json::value& object) { set_resize_pending(object, wanted > has ? "Infeasible" : "Deferred"); });
  if (!resting_) agenda_.after(kNextLook, [this, key, uid] { look_at_resize(key, uid); });
}

}  // namespace podium::simulate
