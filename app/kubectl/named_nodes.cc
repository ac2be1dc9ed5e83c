#include "app/kubectl/named_nodes.h"

#include <algorithm>

#include "api/text/json_view.h"
#include "api/validate/validate.h"
#include "app/kubectl/question_spec.h"
#include "app/render/report.h"
#include "app/render/text.h"
#include "app/render/what_if.h"
#include "app/render/why.h"
#include "base/ascii.h"
#include "base/similar.h"
#include "explain/report/reason_words.h"

namespace podium::kubectl {
namespace {

constexpr std::size_t kMostAsked = 16;  // spec.nodes of a question

bool is_node_type(std::string_view word) {
  return word == "node" || word == "nodes" || word == "no" || word == "node.v1." || word == "nodes.v1.";
}

// "n1,n2" are two.
std::vector<std::string> split_at_commas(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const auto& word : words) {
    if (word.empty()) out.emplace_back();
    for (const auto part : split_without_empty(word, ",")) out.emplace_back(part);
  }
  return out;
}

// The nodes with a similar name.
std::vector<std::string> nodes_like(Cluster& cluster, const std::string& name) {
  client::ListOptions names_only;
  names_only.metadata_only = true;
  const auto listed = cluster.list(kNodeResource, "", names_only);
  std::vector<std::string> names;
  for (const auto& node : listed ? *listed : std::vector<boost::json::value>())
    names.push_back(render::printable(api::text_at(node, "/metadata/name")));
  return similar(name, names);
}

// Asks podium which of the nodes exist, for a user without the right to get nodes.
Result<void> ask_about(const std::vector<std::string>& nodes, Cluster& cluster) {
  boost::json::object spec{{"dryRun", true}, {"template", no_pod()}};
  const auto count = std::min(nodes.size(), kMostAsked);
  spec["nodes"] = boost::json::array(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count));
  const auto answered = cluster.ask(cluster.ns(), std::move(spec), false);
  if (!answered) return std::unexpected(answered.error());
  const auto report = render::read_report(*answered);
  std::vector<std::string> lines;
  for (const auto& verdict : render::answer_of(report).verdicts) {
    if (render::is_unknown_node(verdict)) lines.push_back(render::unknown_node(verdict));
  }
  if (lines.empty()) return {};
  return std::unexpected(Error{.message = join_lines(lines)});
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
      out.lines.push_back(explain::no_node(name, nodes_like(cluster, name)));
    else
      out.unread.push_back(name);
  }
  return out;
}

Result<std::vector<std::string>> nodes_of(const std::vector<std::string>& words, const std::string& selector,
                                          Cluster& cluster) {
  auto out = words;
  if (selector.empty()) return out;
  client::ListOptions selected;
  selected.label_selector = selector;
  selected.metadata_only = true;
  const auto listed = cluster.list(kNodeResource, "", selected);
  if (!listed) return std::unexpected(listed.error());
  if (listed->empty()) return std::unexpected(Error{.message = "no node matches the selector " + selector});
  for (const auto& node : *listed) {
    auto name = api::text_at(node, "/metadata/name");
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  }
  std::ranges::sort(out);
  return out;
}

Result<void> check_nodes(const std::vector<std::string>& nodes, Cluster& cluster) {
  const auto missing = missing_nodes(nodes, cluster);
  if (!missing.lines.empty()) return std::unexpected(Error{.message = join_lines(missing.lines)});
  return missing.unread.empty() ? Result<void>() : ask_about(missing.unread, cluster);
}

Result<void> check_like(const std::string& like, Cluster& cluster) {
  if (like.empty()) return {};
  auto there = check_nodes({like}, cluster);
  if (!there) there = invalid("--like: " + there.error().message);
  return there;
}

}  // namespace podium::kubectl
