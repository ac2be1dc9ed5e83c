#include "app/kubectl/node_pods.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "api/text/json_view.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr std::size_t kListedOnTheirOwn = 8;

// Node by node; of many nodes, all pods once.
Result<std::vector<json::value>> list_pods_on(const std::vector<std::string>& nodes, const std::string& ns,
                                              Cluster& cluster) {
  std::vector<json::value> out;
  if (nodes.size() > kListedOnTheirOwn) {
    auto all = cluster.list(client::resource::pods, ns, {});
    if (!all) return all;
    const std::set<std::string> wanted(nodes.begin(), nodes.end());
    std::erase_if(
        *all, [&](const json::value& pod) { return !wanted.contains(api::text_at(pod, "/spec/nodeName")); });
    return all;
  }
  for (const auto& node : nodes) {
    client::ListOptions on_node;
    on_node.field_selector = "spec.nodeName=" + node;
    auto listed = cluster.list(client::resource::pods, ns, on_node);
    if (!listed) return listed;
    std::ranges::move(*listed, std::back_inserter(out));
  }
  return out;
}

}  // namespace

Result<NodePods> pods_on(const std::vector<std::string>& nodes, Cluster& cluster) {
  NodePods out;
  auto listed = list_pods_on(nodes, "", cluster);
  if (!listed && client::is_forbidden(listed.error())) {
    out.sees_all = false;
    listed = list_pods_on(nodes, cluster.ns(), cluster);
  }
  if (!listed) return std::unexpected(std::move(listed.error()));
  for (const auto& object : *listed) {
    if (auto pod = render::read_node_pod(object)) out.pods.push_back(std::move(*pod));
  }
  return out;
}

Result<std::optional<std::vector<explain::BrokenBudget>>> Budgets::find_obstacles(const std::string& ns,
                                                                                  render::Drain& drain) {
  static const client::Resource kBudgets("policy", "v1", "poddisruptionbudgets");
  auto found = listed_.find(ns);
  if (found == listed_.end()) {
    auto listed = cluster_.list(kBudgets, ns, {});
    if (!listed && !client::is_forbidden(listed.error())) return std::unexpected(std::move(listed.error()));
    found = listed_.emplace(ns, listed ? Listed(std::move(*listed)) : std::nullopt).first;
  }
  if (!found->second) return std::nullopt;
  return render::find_obstacles(ns, *found->second, drain);
}

}  // namespace podium::kubectl
