// Asks for the nodes that waiting pods need (spec.search.forPending).
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "explain/report/refusal.h"
#include "unit/explain/answer/asking.h"

namespace podium::unit {

using Pods = std::vector<cluster::PodInfoPtr>;

inline cluster::PodInfoPtr waits(const api::Pod& pod) { return cluster::make_pod_info(test::share(pod)); }

// Pods of the Deployment `name`, as its ReplicaSet makes them.
inline test::PodBuilder one_of(const std::string& name, int number, const char* cpu) {
  return test::pod(fmt::format("{}-{}", name, number))
      .ns("shop")
      .uid(fmt::format("{}-{}", name, number))
      .label("pod-template-hash", "5d8f")
      .owner("ReplicaSet", name + "-5d8f")
      .req("cpu", cpu);
}
inline Pods many(const std::string& name, int count, const char* cpu) {
  Pods out;
  for (int i = 0; i < count; ++i) out.push_back(waits(one_of(name, i, cpu)));
  return out;
}
inline explain::ReportStatus search(const std::string& shapes, const Pods& waiting,
                                    const cluster::Snapshot& snapshot, const explain::Budget& budget = {}) {
  const auto question = read(fmt::format(R"({{"search": {{"forPending": {{{}}}}}}})",
                                         shapes.empty() ? "" : "\"shapes\": [" + shapes + "]"));
  return question ? explain::answer(*question, snapshot, default_config(), budget, {}, waiting)
                  : explain::refusal(question.error());
}

// "2 l (10 hungry)": nodes of a shape, and the pods that they take.
inline std::string choice_in(const explain::ReportStatus& status) {
  if (!status.answer || !status.answer->nodes_wanted) return status.message;
  std::string out;
  for (const auto& added : status.answer->nodes_wanted->added) {
    std::string of;
    for (const auto& each : added.workloads)
      of += fmt::format("{}{} {}", of.empty() ? "" : ", ", each.count,
                        each.name.empty() ? "others" : each.name);
    out += fmt::format("{}{} {} ({})", out.empty() ? "" : "; ", added.nodes, added.shape, of);
  }
  for (const auto& each : status.answer->nodes_wanted->unplaced)
    out += fmt::format("{}none ({} {}): {}", out.empty() ? "" : "; ", each.pods.count,
                       each.pods.name.empty() ? "others" : each.pods.name, each.reason);
  return out;
}

inline cluster::Snapshot full_cluster() {
  auto snapshot = nodes_of({{"n1", "4"}});
  run_pod(snapshot, test::pod("runs").req("cpu", "3500m").node("n1"));
  return snapshot;
}

}  // namespace podium::unit
