#include "app/kubectl/named_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/text/json_view.h"
#include "api/validate/validate.h"
#include "app/render/text.h"

namespace podium::kubectl {
namespace {

const client::Resource kNodeResource("", "v1", "nodes", false);
constexpr std::size_t kNodesSuggested = 3, kNodesNear = 2;

bool is_node_type(std::string_view word) {
  return word == "node" || word == "nodes" || word == "no" || word == "node.v1." || word == "nodes.v1.";
}

// "n1,n2" are two.
std::vector<std::string> split_at_commas(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const auto& word : words) {
    for (std::size_t start = 0; start <= word.size();) {
      const auto end = std::min(word.find(',', start), word.size());
      if (end > start || word.empty()) out.push_back(word.substr(start, end - start));
      start = end + 1;
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> parse_nodes(const std::vector<std::string>& words, Problems& problems) {
  std::vector<std::string> out;
  const bool has_type = words.size() > 1 && is_node_type(words.front());
  for (auto word : split_at_commas(std::vector(words.begin() + (has_type ? 1 : 0), words.end()))) {
    if (const auto slash = word.find('/'); slash != word.npos && is_node_type(word.substr(0, slash)))
      word.erase(0, slash + 1);
    if (!api::is_dns_subdomain(word))
      problems.add("\"" + word + "\" is not the name of a node");
    else if (std::ranges::find(out, word) == out.end())
      out.push_back(word);
  }
  return out;
}

MissingNodes missing_nodes(const std::vector<std::string>& names, Cluster& cluster) {
  MissingNodes out;
  for (const auto& name : names) {
    const auto found = cluster.get(kNodeResource, "", name);
    if (found) continue;
    if (client::object_is_gone(found.error()))
      out.lines.push_back(fmt::format("there is no node {}{}", name, nodes_like(cluster, name)));
    else
      out.unread.push_back(name);
  }
  return out;
}

std::string nodes_like(Cluster& cluster, const std::string& name) {
  client::ListOptions names_only;
  names_only.metadata_only = true;
  const auto listed = cluster.list(kNodeResource, "", names_only);
  if (!listed) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const auto& node : *listed) {
    auto each = render::printable(api::text_at(node, "/metadata/name"));
    if (each.starts_with(name) || render::distance(each, name) <= kNodesNear)
      near.emplace_back(render::distance(each, name), std::move(each));
  }
  std::ranges::sort(near);
  std::vector<std::string> names;
  for (auto& each : near) names.push_back(std::move(each.second));
  return names.empty() ? "" : fmt::format(". Did you mean {}?", render::listed(names, kNodesSuggested));
}

}  // namespace podium::kubectl
