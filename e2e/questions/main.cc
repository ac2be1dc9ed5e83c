// podium_questions DIR: answers the what-if question.json of every scenario directory below DIR, and writes
// said.json: {"status": …, "moved": [{"pod": …, "node": …}], "nodes": […]}.
//
// "nodes" has the node of each replica in their order: the answers for one, two, three … replicas differ by
// one placement each. "moved" has the pods that a DrainNode, the last change, places again, in their order.
// Those that preempt others have the names of these as "victims", and victims that are placed again
// have "madeRoom".
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "app/evaluate/manifest_decisions.h"
#include "explain/answer/answer.h"
#include "explain/answer/changes.h"
#include "explain/answer/drain.h"
#include "explain/report/json.h"
#include "explain/report/report.h"
#include "scheduler/config/load.h"

namespace podium {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;
using explain::Question;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string full_name(const explain::DrainedPod& pod, const std::string& ns) {
  return (pod.ns.empty() ? ns : pod.ns) + "/" + pod.name;
}

using Counts = std::map<std::string, std::size_t>;

Counts counts_of(const explain::ReportStatus& status) {
  Counts counts;
  if (status.answer)
    for (const auto& each : status.answer->placements) counts[each.node] = each.count;
  return counts;
}

// The node of each replica that fits. An answer that does not add one to the answer before gives "?".
json::array nodes_of(Question question, std::size_t fitting, const cluster::Snapshot& snapshot,
                     const config::Config& config) {
  json::array nodes;
  Counts before;
  for (std::size_t i = 1; i <= fitting; ++i) {
    question.replicas = static_cast<std::int32_t>(i);
    auto now = counts_of(explain::answer(question, snapshot, config));
    std::vector<std::string> added;
    for (const auto& [node, count] : now) {
      if (count == before[node] + 1) added.push_back(node);
      if (count != before[node] && count != before[node] + 1) added.emplace_back("?");
    }
    const bool only_adds =
        std::ranges::all_of(before, [&](const auto& each) { return now[each.first] >= each.second; });
    nodes.emplace_back(added.size() == 1 && only_adds ? added.front() : "?");
    before = std::move(now);
  }
  return nodes;
}

// Victims by the name of the pod that preempts them; names are as in DrainedPod.
std::map<std::string, json::array> victims_of(const std::vector<explain::DrainedPod>& pods,
                                              const std::string& ns) {
  std::map<std::string, json::array> victims;
  for (const auto& pod : pods) {
    if (!pod.made_room_for.empty()) victims[pod.made_room_for].emplace_back(full_name(pod, ns));
  }
  return victims;
}

Result<json::array> moved_by(const Question& question, cluster::Snapshot fork, const config::Config& config) {
  json::array moved;
  if (question.changes.empty() || question.changes.back().type != explain::Change::Type::drain_node)
    return moved;
  const auto& ns = question.meta.namespace_;
  auto changes = question.changes;
  changes.back().type = explain::Change::Type::cordon_node;
  explain::ForkMemory memory;
  const explain::Budget unbounded;
  const api::AdmissionObjects objects;
  explain::Quotas quotas;
  explain::WaitingLine line({}, config, unbounded, fork);
  explain::Namespaces all;
  fork.each_pod([&](const cluster::PodInfoPtr& pod) { all.insert(pod->pod->meta.namespace_); });
  const explain::ChangeContext context{ns, question.paths.spec, config, unbounded, objects, quotas, line,
                                       all};
  if (auto done = explain::apply_changes(changes, context, memory, fork); !done)
    return std::unexpected(done.error());
  const auto row = fork.find_row(changes.back().node_name);
  if (!row) return invalid("the drained node is gone");
  explain::ChangeResult drained;
  explain::drain({*row}, context, drained, fork);
  auto victims = victims_of(drained.pods, ns);
  for (const auto& pod : drained.pods) {
    if (pod.code == "NoController") continue;
    json::object one{{"pod", full_name(pod, ns)}, {"node", pod.node}};
    if (!pod.made_room_for.empty()) one["madeRoom"] = true;
    if (auto its = victims.extract(pod.ns.empty() ? pod.name : full_name(pod, ns)))
      one["victims"] = its.mapped();
    moved.push_back(std::move(one));
  }
  return moved;
}

Result<json::object> say(const fs::path& scenario) {
  const auto config_file = scenario / "config.yaml";
  evaluate::Inputs inputs{
      .cluster = {scenario / "cluster.yaml"}, .pods = {scenario / "any-pod.json"}, .as_given = true};
  if (fs::exists(config_file)) inputs.config = config_file;
  const auto config = inputs.config.empty() ? config::load("", "") : config::load_file(inputs.config);
  if (!config) return std::unexpected(config.error());
  const auto evaluation = evaluate::evaluate_files(inputs);
  if (!evaluation) return std::unexpected(evaluation.error());
  const auto& snapshot = evaluation->snapshot;
  const auto text = read(scenario / "question.json");
  const auto report = explain::scan_report(text);
  if (!report) return std::unexpected(report.error());
  const auto question = explain::read_question(*report, std::chrono::hours(1));
  if (!question) return std::unexpected(question.error());
  const auto status = explain::answer(*question, snapshot, *config);
  json::object said{{"status", explain::to_json(status)}};
  if (!status.answer) return said;
  auto moved = moved_by(*question, snapshot, *config);
  if (!moved) return std::unexpected(moved.error());
  said["moved"] = std::move(*moved);
  said["nodes"] = nodes_of(*question, status.answer->fitting, snapshot, *config);
  return said;
}

int run(const std::string& directory) {
  int wrong = 0;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const auto said = say(entry.path());
    if (!said) {
      std::cerr << entry.path().string() << ": " << said.error().message << '\n';
      ++wrong;
      continue;
    }
    std::ofstream(entry.path() / "said.json") << json::serialize(*said) << '\n';
  }
  return wrong ? 1 : 0;
}

}  // namespace
}  // namespace podium

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: podium_questions DIR\n";
    return 2;
  }
  return podium::run(argv[1]);
}
