// Answers what-ifs on a snapshot in tests: from the text of a spec, or about a built pod.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/answer/answer.h"
#include "explain/question/question.h"
#include "unit/explain/question/reading.h"
#include "unit/scheduler/config/default_config.h"
#include "unit/support/builders.h"

namespace podium::unit {

// Nodes with 8 GiB and room for 110 pods: {{"n1", "4"}, {"n2", "2"}} by name and CPUs.
inline cluster::Snapshot nodes_of(std::initializer_list<std::pair<const char*, const char*>> nodes) {
  cluster::Snapshot snapshot;
  for (const auto& [name, cpu] : nodes)
    snapshot.set_node(test::node(name).cap("cpu", cpu).cap("memory", "8Gi").cap("pods", "110").ptr());
  return snapshot;
}

// n1 has 4 CPUs, n2 has 2.
inline cluster::Snapshot two_nodes() { return nodes_of({{"n1", "4"}, {"n2", "2"}}); }

inline void run_pod(cluster::Snapshot& snapshot, const api::Pod& pod) {
  snapshot.add_pod(cluster::make_pod_info(test::share(pod)));
}

inline explain::ReportStatus ask(std::string_view spec, const cluster::Snapshot& snapshot,
                                 const config::Config& config = default_config(),
                                 const explain::Budget& budget = {}) {
  const auto question = read(spec);
  return question ? explain::answer(*question, snapshot, config, budget) : explain::refusal(question.error());
}

// A spec about pods with 1 CPU and the label app=web, with more fields.
inline constexpr std::string_view kWeb =
    R"("template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i",
       "resources": {"requests": {"cpu": "1"}}}]}})";
inline std::string web(std::string_view more) { return fmt::format("{{{}, {}}}", kWeb, more); }

// About a pod as the API server has stored it.
inline explain::Question about(api::Pod pod, int replicas, std::vector<explain::EphemeralClaim> claims = {}) {
  explain::Question question;
  question.meta.namespace_ = pod.meta.namespace_;
  question.about = explain::Question::About::pod;
  question.replicas = replicas;
  auto& subject = question.subject.emplace();
  subject.is_stored = true;
  subject.claims = std::move(claims);
  pod.meta.created = Wall{};
  subject.pod = std::move(pod);
  return question;
}

inline explain::ReportStatus ask(const api::Pod& pod, int replicas, const cluster::Snapshot& snapshot,
                                 const config::Config& config = default_config(),
                                 const explain::Budget& budget = {}) {
  return explain::answer(about(pod, replicas), snapshot, config, budget);
}

// "true Reason: message"
inline std::string condition(const explain::ReportStatus& status, std::string_view type) {
  for (const auto& c : status.conditions) {
    if (c.type == type) return fmt::format("{} {}: {}", c.is_true.is, c.reason, c.message);
  }
  return "";
}

using Counts = std::map<std::string, std::size_t>;
inline Counts placements(const explain::ReportStatus& status) {
  Counts counts;
  if (status.answer) {
    for (const auto& each : status.answer->placements) counts[each.node] = each.count;
  }
  return counts;
}

}  // namespace podium::unit
