#include "simulate/cluster/cluster.h"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <utility>

#include "base/time.h"
#include "simulate/protocol/patch.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kNamespaces[] = {"shop", "batch", "full"};

json::value crd() {
  return json::parse(R"({"metadata":{"name":"schedulingreports.podium.dev"},"spec":{"versions":[{
    "name":"v1alpha1","served":true,"subresources":{"status":{}},"selectableFields":[{"jsonPath":".spec.dryRun"},
    {"jsonPath":".spec.podRef.name"},{"jsonPath":".spec.podRef.uid"},{"jsonPath":".status.choice.nodeName"},
    {"jsonPath":".status.outcome"}],
    "schema":{"openAPIV3Schema":{"x-kubernetes-preserve-unknown-fields":true}}}]}})");
}

}  // namespace

Cluster::Cluster(Store& store, Agenda& agenda, Faults faults, Dice dice)
    : store_(store),
      agenda_(agenda),
      faults_(faults),
      dice_(dice),
      pace_(dice_.between(200ms, 3s)),
      nodes_(2 + dice_.below(4)),
      names_(4 + dice_.below(12)) {
  store_.on_commit([this](const Commit& commit) { committed(commit); });
}

void Cluster::change(const Key& key, const std::string& uid, const std::string& by,
                     const std::function<void(json::value&)>& how) {
  const auto object = store_.find(key);
  if (!object || uid_of(object->value) != uid) return;
  auto changed = object->value;
  how(changed);
  store_.update(key, std::move(changed), by);
}

StoredPtr Cluster::any(std::string_view plural) {
  const auto all = store_.all(plural);
  return all.empty() ? nullptr : all[dice_.below(all.size())];
}

void Cluster::begin() {
  store_.create({"customresourcedefinitions", "", "schedulingreports.podium.dev"}, crd(), kPeople);
  for (const auto ns : kNamespaces)
    store_.create({"namespaces", "", std::string(ns)}, json::object{{"metadata", json::object()}}, kPeople);
  for (std::size_t i = 0; i < nodes_; ++i) make_node(fmt::format("n{}", i));
  for (std::size_t i = 0; i < names_ / 2; ++i) make_pod();
  act();
}

void Cluster::act() {
  if (resting_) return;
  one_act();
  agenda_.after(dice_.between(pace_ / 4, pace_ * 2), [this] { act(); });
}

void Cluster::one_act() {
  const auto which = dice_.below(100);
  if (which < 40) return make_pod();
  if (which < 58) return delete_pod();
  if (which < 64) return finish_pod();
  if (which < 70) return cordon();
  if (which < 75) return node_goes_or_comes();
  if (which < 79) return open_gate();
  if (which < 90) return make_what_if();
  if (which < 93) return change_what_if();
  if (!faults_.has(Fault::hands)) return make_pod();
  if (which < 99) return meddle_with_report();
  meddle_with_lease();
}

// --- people ---

void Cluster::make_node(const std::string& name) {
  const int zone = name.back() % 2;
  store_.create({"nodes", "", name},
                json::parse(fmt::format(
                    R"({{"metadata":{{"labels":{{"zone":"z{}","kubernetes.io/hostname":"{}"}}}},"spec":{{}},
              "status":{{"allocatable":{{"cpu":"4","memory":"8Gi","pods":"6"}}}}}})",
                    zone, name)),
                kPeople);
}

// As a StatefulSet does: a name is used again after its pod is deleted.
void Cluster::make_pod() {
  const auto ns = kNamespaces[dice_.below(3)];
  const auto name = fmt::format("p{}", dice_.below(names_));
  const Key key{"pods", std::string(ns), name};
  const auto cpu = 250 * (1 + dice_.below(8));
  const int priority = dice_.one_in(4) ? 1000 : 0;
  const auto selector =
      dice_.one_in(4) ? fmt::format(R"("nodeSelector":{{"zone":"z{}"}},)", dice_.below(2)) : "";
  const auto* gates = dice_.one_in(12) ? R"("schedulingGates":[{"name":"quota"}],)" : "";
  if (store_.find(key)) return;
  store_.create(
      key,
      json::parse(fmt::format(R"({{"metadata":{{"labels":{{"app":"{}"}}}},"spec":{{{}{}"priority":{},
        "schedulerName":"default-scheduler","containers":[{{"name":"main","image":"app",
        "resources":{{"requests":{{"cpu":"{}m"}}}}}}]}},"status":{{"phase":"Pending"}}}})",
                              name, selector, gates, priority, cpu)),
      kPeople);
}

void Cluster::make_what_if() {
  const auto name = fmt::format("w{}", dice_.below(6));
  const Key key{"schedulingreports", "shop", name};
  std::string about;
  switch (dice_.below(4)) {
    case 0:
      about = fmt::format(R"("podRef":{{"name":"p{}"}})", dice_.below(names_));
      break;
    case 1:
      about = R"("template":{"spec":{"containers":"none"}})";
      break;
    default:
      about = fmt::format(R"("replicas":{},"template":{{"spec":{{"containers":[
        {{"name":"main","image":"app","resources":{{"requests":{{"cpu":"500m"}}}}}}]}}}})",
                          1 + dice_.below(3));
  }
  if (store_.find(key)) return;
  store_.create(key, json::parse(fmt::format(R"({{"spec":{{"dryRun":true,{}}}}})", about)), kPeople);
}

void Cluster::change_what_if() {
  const auto report = any("schedulingreports");
  if (!report || !text_at(report->value, "/spec/podRef/uid").empty()) return;
  if (!find_at(report->value, "/spec/template")) return;
  const auto replicas = 1 + dice_.below(5);
  change(key_of("schedulingreports", report->value), uid_of(report->value), kPeople,
         [&](json::value& object) { object.as_object()["spec"].as_object()["replicas"] = replicas; });
}

void Cluster::delete_pod() {
  const auto pod = any("pods");
  if (!pod) return;
  const auto key = key_of("pods", pod->value);
  if (text_at(pod->value, "/spec/nodeName").empty() || dice_.one_in(8))
    return store_.remove(key, kPeople);  // also with force
  change(key, uid_of(pod->value), kPeople, [&](json::value& object) {
    object.as_object()["metadata"].as_object()["deletionTimestamp"] =
        format_time(agenda_.clock().wall() + 30s);
  });
}

void Cluster::finish_pod() {
  const auto pod = any("pods");
  if (!pod || text_at(pod->value, "/spec/nodeName").empty()) return;
  change(key_of("pods", pod->value), uid_of(pod->value), kKubelet,
         [](json::value& object) { object.as_object()["status"].as_object()["phase"] = "Succeeded"; });
}

void Cluster::open_gate() {
  for (const auto& pod : store_.all("pods")) {
    const auto* gates = find_at(pod->value, "/spec/schedulingGates");
    if (!gates) continue;
    return change(key_of("pods", pod->value), uid_of(pod->value), kPeople, [](json::value& object) {
      object.as_object()["spec"].as_object().erase("schedulingGates");
    });
  }
}

void Cluster::cordon() {
  const auto node = any("nodes");
  if (!node) return;
  const auto* cordoned = find_at(node->value, "/spec/unschedulable");
  change(key_of("nodes", node->value), uid_of(node->value), kPeople, [&](json::value& object) {
    auto& spec = object.as_object()["spec"].as_object();
    cordoned ? (void)spec.erase("unschedulable") : (void)(spec["unschedulable"] = true);
  });
}

void Cluster::node_goes_or_comes() {
  const auto name = fmt::format("n{}", dice_.below(nodes_));
  if (store_.find({"nodes", "", name})) {
    store_.remove({"nodes", "", name}, kPeople);
    // Soon a machine of this name exists again, and maybe its pods.
    agenda_.after(dice_.between(10ms, 20s), [this, name] {
      if (!store_.find({"nodes", "", name})) make_node(name);
    });
  }
}

// --- people who meddle ---

void Cluster::meddle_with_report() {
  const auto report = any("schedulingreports");
  if (!report) return;
  const auto key = key_of("schedulingreports", report->value);
  if (dice_.one_in(2)) return store_.remove(key, kHands);
  const auto what = dice_.below(3);
  change(key, uid_of(report->value), kHands, [&](json::value& object) {
    if (what == 0) object.as_object()["status"] = {{"outcome", "Scheduled"}, {"choice", {{"nodeName", "?"}}}};
    if (what == 1) object.as_object()["metadata"].as_object().erase("labels");
    if (what == 2) object.as_object().erase("status");
  });
}

void Cluster::meddle_with_lease() {
  const Key key{"leases", "kube-system", "kube-scheduler"};
  if (store_.find(key)) store_.remove(key, kHands);
}

// --- kubelets and controllers ---

void Cluster::committed(const Commit& commit) {
  if (commit.key.plural == "pods") return pod_committed(commit);
  if (commit.key.plural != "nodes" || commit.type != Commit::Type::deleted) return;
  const auto node = commit.key.name;
  agenda_.after(dice_.between(2s, 8s), [this, node] {
    if (store_.find({"nodes", "", node})) return;
    for (const auto& pod : store_.all("pods")) {
      if (text_at(pod->value, "/spec/nodeName") == node) store_.remove(key_of("pods", pod->value), kKubelet);
    }
  });
}

void Cluster::pod_committed(const Commit& commit) {
  if (commit.type == Commit::Type::deleted) return;
  const auto& pod = commit.after->value;
  const auto key = commit.key;
  const auto uid = uid_of(pod);
  const auto was = [&](std::string_view pointer) {
    return commit.before ? text_at(commit.before->value, pointer) : std::string();
  };
  if (is_leaving(pod) && was("/metadata/deletionTimestamp").empty()) {
    agenda_.after(dice_.between(500ms, 5s), [this, key, uid] {
      const auto there = store_.find(key);
      if (there && uid_of(there->value) == uid) store_.remove(key, kKubelet);
    });
  }
  if (!text_at(pod, "/spec/nodeName").empty() && was("/spec/nodeName").empty()) {
    agenda_.after(dice_.between(300ms, 3s), [this, key, uid] {
      change(key, uid, kKubelet, [](json::value& object) {
        auto& phase = object.as_object()["status"].as_object()["phase"];
        if (phase == "Pending") phase = "Running";
      });
    });
  }
}

}  // namespace podium::simulate
