#include "app/kubectl/beside.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <boost/json/array.hpp>

#include "app/kubectl/ask.h"
#include "app/kubectl/manifest.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr const char* kZone = "/metadata/labels/topology.kubernetes.io~1zone";
constexpr std::size_t kMoreReplicas = 100;

}  // namespace

void add_zones(Cluster& cluster, const std::string& ns, const std::string& selector, render::Beside& beside) {
  client::ListOptions metadata;
  metadata.metadata_only = true;
  static const client::Resource kNodes("", "v1", "nodes", false);
  const auto nodes = cluster.list(kNodes, "", metadata);
  if (!nodes) return;
  for (const auto& node : *nodes) {
    if (auto zone = text_of(node, kZone); !zone.empty())
      beside.zone_of[text_of(node, "/metadata/name")] = render::printable(zone);
  }
  if (selector.empty() || beside.zone_of.empty()) return;
  client::ListOptions of_workload;
  of_workload.label_selector = selector;
  const auto pods = cluster.list(client::resource::pods, ns, of_workload);
  if (!pods) return;
  auto& now = beside.now.emplace();
  for (const auto& pod : *pods) {
    const auto phase = text_of(pod, "/status/phase");
    const auto zone = beside.zone_of.find(text_of(pod, "/spec/nodeName"));
    if (zone != beside.zone_of.end() && phase != "Succeeded" && phase != "Failed") ++now[zone->second];
  }
}

void add_room(Cluster& cluster, const std::string& ns, json::object spec, const render::Report& report,
              render::Beside& beside) {
  if (report.fitting < report.asked || report.asked + kMoreReplicas > kMaxReplicas) return;
  spec["replicas"] = report.asked + kMoreReplicas;
  spec.erase("fixes");
  const auto answered = ask(cluster, ns, std::move(spec), false);
  if (!answered) return;
  const auto more = render::read_report(*answered);
  if (more.refused || more.fitting < report.fitting) return;  // the cluster has changed meanwhile
  const bool stopped = more.failure.has_value();              // else it had no time left, or all fit
  beside.room = render::Room{more.fitting - report.fitting, !stopped, more.failure};
}

std::string other_options(const QuestionFlags& flags, const render::Report& report) {
  std::vector<std::string> out;
  const auto node = !report.placements.empty() ? report.placements.front().node
                    : report.choice            ? report.choice->node
                                               : std::string("NODE");
  if (flags.replicas == 0) out.emplace_back("--replicas N");
  if (flags.weights.empty()) out.emplace_back("--weights NodeResourcesFit=5");
  if (flags.drain.empty() && flags.add_nodes == 0) out.push_back("--drain " + node);
  if (flags.add_nodes == 0) out.push_back("--add-nodes 2 --like " + node);
  if (!flags.fixes && report.fitting < report.asked) out.emplace_back("--fixes");
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string selector_of(const json::value& workload) {
  boost::system::error_code none;
  const auto* expressions = workload.find_pointer("/spec/selector/matchExpressions", none);
  const auto* labels = workload.find_pointer("/spec/selector/matchLabels", none);
  if (expressions || !labels || !labels->is_object()) return {};
  std::vector<std::string> pairs;
  for (const auto& [key, value] : labels->get_object()) {
    if (value.is_string())
      pairs.push_back(fmt::format("{}={}", std::string_view(key), std::string_view(value.get_string())));
  }
  return fmt::format("{}", fmt::join(pairs, ","));
}

}  // namespace podium::kubectl
