#include "simulate/observers/recount.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "simulate/cluster/rules.h"
#include "simulate/server/cpu_requests.h"

namespace podium::simulate {
namespace {

// Lines that describe a state, sorted: as many of one line as there are objects of that kind.
using Lines = std::vector<std::string>;

// A container without a memory request counts as 200 Mi where nodes are compared, and without a cpu request
// as 100m.
constexpr std::int64_t kDefaultMemory = 200 << 20;
constexpr std::int64_t kDefaultCpu = 100;

struct Sums {
  std::int64_t cpu = 0, non_zero_cpu = 0, non_zero_memory = 0, pods = 0;
};

std::string node_line(std::string_view name, std::string_view zone, std::int64_t cpu, std::int64_t pods,
                      bool cordoned, const Sums& used) {
  return fmt::format("{} in {} with {}m and {} pods{}: {}m, {}m and {} not zero, {} pods", name, zone, cpu,
                     pods, cordoned ? ", cordoned" : "", used.cpu, used.non_zero_cpu, used.non_zero_memory,
                     used.pods);
}

std::string terms_text(std::vector<std::string> keys) {
  std::ranges::sort(keys);
  return fmt::format("{}", fmt::join(keys, ","));
}

std::string rule_text(const Rule& rule) {
  return fmt::format("{} {} {}", rule.kind == Rule::Kind::affinity ? "near" : "far from", rule.app, rule.key);
}

// Spread constraints are not a part of a class.
std::string class_text(const Neighbour& pod) {
  std::vector<std::string> rules;
  for (const auto& rule : pod.rules) {
    if (rule.kind != Rule::Kind::spread) rules.push_back(rule_text(rule));
  }
  return fmt::format("{} app={} {}", pod.ns, pod.app, terms_text(std::move(rules)));
}

std::string class_text(const cluster::PodClass& of) {
  api::Pod pod;
  pod.meta.namespace_ = of.namespace_name();
  pod.meta.labels = of.labels();
  pod.pod_affinity = of.affinity();
  pod.pod_anti_affinity = of.anti_affinity();
  return class_text(neighbour_of(pod));
}

struct Counted {
  std::int64_t pods = 0, leaving = 0;
};
using Classes = std::map<std::pair<std::string, std::string>, Counted>;  // by the class and the node

void add_classes(Lines& lines, const Classes& classes) {
  for (const auto& [of, counted] : classes)
    lines.push_back(
        fmt::format("class {} on {}: {} pods, {} leave", of.first, of.second, counted.pods, counted.leaving));
}

Lines counted(const cluster::Snapshot& snapshot) {
  Lines out;
  for (const auto row : snapshot.rows_by_name()) {
    const auto& node = *snapshot.entry(row).node;
    const auto* zones = snapshot.labels().find("zone");
    const auto zone = zones ? zones->value(row) : cluster::kNoValue;
    const Sums used{snapshot.requested_milli_cpu[row], snapshot.non_zero_milli_cpu[row],
                    snapshot.non_zero_memory[row], snapshot.pod_count[row]};
    out.push_back(node_line(node.meta.name, zone == cluster::kNoValue ? "none" : zones->name(zone),
                            snapshot.allocatable_milli_cpu[row], snapshot.allocatable_pods[row],
                            node.unschedulable, used));
  }
  Classes classes;
  snapshot.pod_classes().each([&](const cluster::PodClass& of) {
    for (const auto& posting : of.postings()) {
      auto& one = classes[{class_text(of), std::string(snapshot.node_name(posting.row))}];
      one.pods += posting.pods;
      one.leaving += posting.terminating;
    }
  });
  add_classes(out, classes);
  snapshot.each_pod([&](const cluster::PodInfoPtr& pod) {
    const auto of = neighbour_of(**pod);
    out.push_back(fmt::format("{} on {}: {}", of.name, of.node, class_text(of)));
  });
  std::ranges::sort(out);
  return out;
}

Lines counted(const Store& store) {
  Lines out;
  std::map<std::string, Sums> used;
  Classes classes;
  for (const auto& pod : store.all("pods")) {
    const auto of = neighbour_of(pod->value);
    if (of.node.empty() || is_finished(pod->value)) continue;
    const auto cpu = counted_cpu(pod->value);
    auto& sums = used[of.node];
    sums.cpu += cpu;
    sums.non_zero_cpu += cpu == 0 ? kDefaultCpu : cpu;
    sums.non_zero_memory += kDefaultMemory;
    ++sums.pods;
    out.push_back(fmt::format("{} on {}: {}", of.name, of.node, class_text(of)));
    if (!store.find({"nodes", "", of.node})) continue;
    auto& one = classes[{class_text(of), of.node}];
    ++one.pods;
    if (of.leaves) ++one.leaving;
  }
  for (const auto& node : store.all("nodes")) {
    const auto name = text_at(node->value, "/metadata/name");
    out.push_back(node_line(name, text_at(node->value, "/metadata/labels/zone"), allocatable_cpu(node->value),
                            allocatable_pods(node->value), find_at(node->value, "/spec/unschedulable"),
                            used[name]));
  }
  add_classes(out, classes);
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::optional<std::string> miscounted(const cluster::Snapshot& snapshot, const Store& store) {
  const auto has = counted(snapshot), there = counted(store);
  const auto [left, right] = std::ranges::mismatch(has, there);
  if (left == has.end() && right == there.end()) return std::nullopt;
  return fmt::format("has counted \"{}\", and \"{}\" is there", left == has.end() ? "nothing more" : *left,
                     right == there.end() ? "nothing more" : *right);
}

}  // namespace podium::simulate
