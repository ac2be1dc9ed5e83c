// Random clusters for the resource plugins, and upstream's arithmetic per node in plain wide integers.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "scheduler/cluster/pod_requests.h"
#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test {

class RandomResources {
 public:
  // `huge`: amounts up to what an int64 holds.
  RandomResources(std::uint64_t seed, bool huge) : random_(seed), huge_(huge) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  // Sizes repeat, so that equal and full nodes occur. Some resources are missing.
  Nodes nodes(int count) {
    Nodes nodes;
    for (int i = 0; i < count; ++i) {
      auto builder = node("n" + std::to_string(i));
      if (below(20)) builder.cap("cpu", cpu());
      if (below(20)) builder.cap("memory", amount());
      if (below(3)) builder.cap("ephemeral-storage", amount());
      if (below(30)) builder.cap("pods", std::to_string(below(12)));
      if (below(3) == 0) builder.cap("example.com/gpu", std::to_string(below(9)));
      if (below(4) == 0) builder.cap("hugepages-2Mi", amount());
      nodes.push_back(builder);
    }
    return nodes;
  }

  Pods placed(int count, int nodes) {
    Pods pods;
    for (int i = 0; i < count; ++i) {
      auto builder = pod("placed" + std::to_string(i));
      add_requests(builder.node("n" + std::to_string(below(nodes))));
      pods.push_back(builder);
    }
    return pods;
  }

  api::Pod incoming() {
    auto builder = pod("incoming");
    add_requests(builder);
    return builder;
  }

 private:
  template <typename Builder>
  void add_requests(Builder& builder) {
    builder.container();
    if (below(4)) builder.req("cpu", below(10) ? cpu() : "0");
    if (below(4)) builder.req("memory", below(10) ? amount() : "0");
    if (below(3) == 0) builder.req("ephemeral-storage", amount());
    if (below(3) == 0) builder.req("example.com/gpu", std::to_string(below(5)));
    if (below(6) == 0) builder.req("hugepages-2Mi", amount());
  }
  std::string cpu() {
    return std::to_string(huge_ && below(2) ? random_() >> (11 + below(40)) : below(64) * 125) + "m";
  }
  std::string amount() {
    if (huge_ && below(2)) return std::to_string(random_() >> (1 + below(40)));
    return below(3) ? std::to_string(below(64)) + "Gi" : std::to_string(below(std::uint64_t{1} << 36));
  }

  std::mt19937_64 random_;
  bool huge_;
};

// The amounts of a node for one resource.
struct Amounts {
  std::int64_t allocatable = 0, requested = 0, non_zero = 0;
};

inline Amounts amounts_of(const Snapshot& snapshot, cluster::Row row, const std::string& resource) {
  const auto& entry = snapshot.entry(row);
  Amounts amounts;
  amounts.allocatable = cluster::to_resources(entry.node->allocatable).get(resource);
  for (const auto& pod : entry.pods) {
    amounts.requested = cluster::saturating_add(amounts.requested, pod->requests.get(resource));
    const auto extra = resource == "cpu"      ? pod->non_zero_milli_cpu
                       : resource == "memory" ? pod->non_zero_memory
                                              : pod->requests.get(resource);
    amounts.non_zero = cluster::saturating_add(amounts.non_zero, extra);
  }
  return amounts;
}

struct Weighted {
  std::string resource;
  std::int64_t weight;
};

// The score of a strategy. `of_resource(requested, allocatable)` returns nullopt if the resource does not
// count towards the score.
template <typename OfResource, typename Average>
std::int64_t reference_score(const Snapshot& snapshot, cluster::Row row, const cluster::PodInfo& pod,
                             const std::vector<Weighted>& resources, OfResource of_resource,
                             Average average) {
  std::int64_t sum = 0, weights = 0;
  for (const auto& [resource, weight] : resources) {
    const auto request = pod.score_requests.get(resource);
    const auto amounts = amounts_of(snapshot, row, resource);
    if ((request == 0 && cluster::is_scalar_resource(resource)) || amounts.allocatable == 0) continue;
    const auto score = of_resource(static_cast<__int128>(amounts.non_zero) + request, amounts.allocatable);
    if (!score) continue;
    sum += *score * weight;
    weights += weight;
  }
  return weights ? average(sum, weights) : 0;
}

inline std::int64_t reference_balance(const std::vector<std::pair<double, double>>& used_of_all) {
  std::vector<double> fractions;
  double total = 0;
  for (const auto& [used, all] : used_of_all) {
    if (all == 0) continue;
    double fraction = used / all;
    if (fraction > 1) fraction = 1;
    total += fraction;
    fractions.push_back(fraction);
  }
  double deviation = 0;
  if (fractions.size() == 2) {
    deviation = std::abs((fractions[0] - fractions[1]) / 2);
  } else if (fractions.size() > 2) {
    const double mean = total / static_cast<double>(fractions.size());
    double sum = 0;
    for (const double fraction : fractions) sum = sum + (fraction - mean) * (fraction - mean);
    deviation = std::sqrt(sum / static_cast<double>(fractions.size()));
  }
  return static_cast<std::int64_t>((1 - deviation) * 100.0);
}

}  // namespace podium::plugins::test
