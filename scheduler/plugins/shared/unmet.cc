#include "scheduler/plugins/shared/unmet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <tuple>
#include <utility>

#include "api/values/node.h"
#include "base/ascii.h"
#include "base/similar.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/node_selector.h"

namespace podium::plugins {
namespace {

using cluster::Snapshot;

// "zone" of "topology.kubernetes.io/zone".
std::string_view name_part(std::string_view key) { return key.substr(key.rfind('/') + 1); }

}  // namespace

// A pod may ask for labels and values that do not exist, and each attempt compares them with all names: one
// that is not similar is not allocated.
std::vector<std::string> resembling(std::string_view typed, const std::vector<std::string>& names) {
  constexpr std::size_t kMostCompared = 4096;
  if (names.size() > kMostCompared || typed.empty()) return {};
  const auto wanted = to_lower(std::string(typed));
  std::string name_lower;
  std::vector<std::tuple<std::size_t, std::string, const std::string*>> near;
  for (const auto& name : names) {
    name_lower.resize(name.size());
    std::ranges::transform(name, name_lower.begin(), [](char c) { return to_lower(c); });
    const auto apart = distance_if_similar(wanted, name_lower);
    if (!apart) continue;
    // Most short words differ in two letters.
    const bool is_near =
        name_lower.starts_with(wanted) ? wanted.size() > 2 || *apart == 0 : 3 * *apart < wanted.size();
    if (is_near) near.emplace_back(*apart, name_lower, &name);
  }
  std::ranges::sort(near);
  if (near.size() > kNearNamed) near.resize(kNearNamed);
  std::vector<std::string> out;
  for (const auto& each : near) out.push_back(*std::get<const std::string*>(each));
  return out;
}

// Keys that resemble the typed one, then those whose name after the prefix is the typed one's:
// failure-domain.beta.kubernetes.io/zone is now topology.kubernetes.io/zone.
std::vector<std::string> similar_keys(std::string_view key, const std::vector<std::string>& keys) {
  auto out = resembling(key, keys);
  for (const auto& each : keys) {
    if (out.size() == kNearNamed) break;
    if (name_part(each) == name_part(key) && std::ranges::find(out, each) == out.end()) out.push_back(each);
  }
  return out;
}

std::vector<std::string> similar_labels(std::string_view key, const Snapshot& snapshot) {
  return similar_keys(key, snapshot.labels().keys());
}

namespace {

std::string text_of(const api::NodeSelectorTerm& term) {
  std::vector<std::string> parts;
  for (const auto* list : {&term.match_expressions, &term.match_fields}) {
    for (const auto& requirement : *list) parts.push_back(requirement_text(requirement));
  }
  return parts.empty() ? "an empty term, which matches no node" : fmt::format("{}", fmt::join(parts, ", "));
}

std::size_t count(const CompiledTerm& term, const Snapshot& snapshot) {
  std::size_t nodes = 0;
  for (std::size_t chunk = 0; chunk < snapshot.chunks(); ++chunk) {
    auto rows = chunk_of(snapshot.present(), chunk);
    term.narrow(chunk, rows);
    for (const auto word : rows) nodes += static_cast<std::size_t>(std::popcount(word));
  }
  return nodes;
}

void add_values(const api::Requirement& requirement, const Snapshot& snapshot, SelectorPart& part) {
  const auto* column = snapshot.labels().find(requirement.key);
  if (!column) {
    part.missing_key = requirement.key;
    part.near = similar_labels(requirement.key, snapshot);
    return;
  }
  std::vector<std::pair<std::uint32_t, std::string_view>> values;
  for (cluster::ValueId id = 1; id < column->id_limit(); ++id) {
    if (const auto nodes = column->nodes_with(id)) values.emplace_back(nodes, column->name(id));
  }
  part.values_total = values.size();
  const auto most = std::min(values.size(), kValuesNamed);
  std::ranges::partial_sort(values, values.begin() + static_cast<std::ptrdiff_t>(most),
                            [](const auto& a, const auto& b) {
                              return a.first != b.first ? a.first > b.first : a.second < b.second;
                            });
  for (std::size_t i = 0; i < most; ++i) part.values.emplace_back(values[i].second);
  if (requirement.op != api::Requirement::Op::in) return;
  std::vector<std::string> all;
  for (const auto& [_, value] : values) all.emplace_back(value);
  // A reader sees what differs from few values, unless it is the case.
  const bool are_few = values.size() <= kValuesNamed;
  for (const auto& wanted :
       std::span(requirement.values).first(std::min(requirement.values.size(), kNearNamed))) {
    for (auto& near : resembling(wanted, all)) {
      if (are_few && !equal_fold(near, wanted)) continue;
      if (part.near.size() < kNearNamed && std::ranges::find(part.near, near) == part.near.end())
        part.near.push_back(std::move(near));
    }
  }
}

// The first node that the requirement names, if none of them exists; empty: it names none.
std::string missing_node(const api::Requirement& requirement, bool is_field, const Snapshot& snapshot) {
  if (requirement.op != api::Requirement::Op::in || requirement.values.empty()) return {};
  if (requirement.key != (is_field ? "metadata.name" : api::label::hostname)) return {};
  const auto exists = [&](const std::string& name) { return snapshot.find_row(name).has_value(); };
  return std::ranges::any_of(requirement.values, exists) ? std::string() : requirement.values.front();
}

class Parts {
 public:
  explicit Parts(const Snapshot& snapshot) : snapshot_(snapshot) {}

  bool is_full() const { return out_.size() == kSelectorParts; }
  void add_node_name(const std::string& name) {
    auto& part = out_.emplace_back(SelectorPart{SelectorPart::From::node_name, name});
    name_similar(name, part);
  }
  void add_term(const api::NodeSelectorTerm& term) {
    if (is_full()) return;
    auto& part = out_.emplace_back(SelectorPart{SelectorPart::From::node_affinity_term, text_of(term),
                                                count({term, snapshot_}, snapshot_)});
    if (part.nodes > 0) return;
    if (term.match_expressions.size() == 1 && term.match_fields.empty())
      explain(term.match_expressions.front(), false, part);
    else
      find_missing_key(term, part);
  }
  // The only term, if it has no requirements.
  void add_empty(const api::NodeSelectorTerm& term) {
    if (!is_full() && term == api::NodeSelectorTerm())
      out_.emplace_back(SelectorPart{SelectorPart::From::node_affinity, text_of(term)});
  }
  // A requirement of the only term.
  void add(const api::Requirement& requirement, bool is_field) {
    if (!is_full())
      add(SelectorPart::From::node_affinity, requirement_text(requirement), requirement, is_field);
  }
  void add(SelectorPart::From from, std::string text, const api::Requirement& requirement, bool is_field) {
    api::NodeSelectorTerm alone;
    (is_field ? alone.match_fields : alone.match_expressions) = {requirement};
    auto& part = out_.emplace_back(SelectorPart{from, std::move(text), count({alone, snapshot_}, snapshot_)});
    if (part.nodes == 0) explain(requirement, is_field, part);
  }
  std::vector<SelectorPart> take() { return std::move(out_); }

 private:
  // Sets what nodes have instead of a requirement that no node meets.
  void explain(const api::Requirement& requirement, bool is_field, SelectorPart& part) {
    if (auto name = missing_node(requirement, is_field, snapshot_); !name.empty())
      name_similar(name, part);
    else if (!is_field)
      add_values(requirement, snapshot_, part);
  }
  // The first label of the term that it needs and no node has.
  void find_missing_key(const api::NodeSelectorTerm& term, SelectorPart& part) const {
    using enum api::Requirement::Op;
    for (const auto& each : term.match_expressions) {
      if (each.op == not_in || each.op == does_not_exist || snapshot_.labels().find(each.key)) continue;
      part.missing_key = each.key;
      part.near = similar_labels(each.key, snapshot_);
      return;
    }
  }
  void name_similar(const std::string& name, SelectorPart& part) {
    part.missing_node = name;
    if (std::exchange(has_named_, true)) return;  // each costs a walk through the nodes, at each attempt
    part.values = similar_nodes(name, snapshot_);
    part.values_total = part.values.size();  // there may be more names
  }

  const Snapshot& snapshot_;
  bool has_named_ = false;  // nodes like the first missing one
  std::vector<SelectorPart> out_;
};

}  // namespace

std::string requirement_text(const api::Requirement& requirement) {
  using enum api::Requirement::Op;
  if (requirement.op == exists || requirement.op == does_not_exist)
    return fmt::format("{} {}", requirement.key, requirement.op_text());
  return fmt::format("{} {} [{}]", requirement.key, requirement.op_text(),
                     fmt::join(requirement.values, ", "));
}

std::vector<std::string> similar_nodes(std::string_view name, const Snapshot& snapshot) {
  std::vector<std::string_view> names;
  for (const auto row : snapshot.rows_by_name()) names.push_back(snapshot.node_name(row));
  return similar(name, names, kValuesNamed);
}

std::vector<SelectorPart> selector_parts(const api::Pod& pod, const Snapshot& snapshot) {
  using enum SelectorPart::From;
  Parts parts(snapshot);
  if (!pod.node_name.empty() && !snapshot.find_row(pod.node_name)) parts.add_node_name(pod.node_name);
  for (const auto& [key, value] : pod.node_selector) {
    if (parts.is_full()) break;
    parts.add(node_selector, key + "=" + value, {key, api::Requirement::Op::in, {value}}, false);
  }
  if (!pod.node_affinity.required) return parts.take();
  const auto& terms = *pod.node_affinity.required;
  if (terms.size() == 1) {
    parts.add_empty(terms.front());
    for (const auto& requirement : terms.front().match_expressions) parts.add(requirement, false);
    for (const auto& requirement : terms.front().match_fields) parts.add(requirement, true);
    return parts.take();
  }
  for (const auto& term : terms) parts.add_term(term);
  return parts.take();
}

namespace {

// The label for which the node fails the requirements; empty: none of them is about a label.
UnmetPartOfNode unmet_part(SelectorPart::From from, std::string text, const api::Requirement* requirement,
                           const api::Node& node) {
  UnmetPartOfNode out{.from = from, .text = std::move(text)};
  if (!requirement) return out;
  out.key = requirement->key;
  if (const auto* value = node.meta.labels.find(requirement->key)) out.value = *value;
  return out;
}

bool meets(const api::NodeSelectorTerm& term, const api::Node& node) { return selects({&term, 1}, node); }

// The first requirement of the term on a label that the node does not meet; null: there is none.
const api::Requirement* first_unmet(const api::NodeSelectorTerm& term, const api::Node& node) {
  const auto found = std::ranges::find_if(
      term.match_expressions, [&](const api::Requirement& each) { return !meets({{each}, {}}, node); });
  return found == term.match_expressions.end() ? nullptr : &*found;
}

}  // namespace

std::vector<UnmetPartOfNode> unmet_on(const api::Pod& pod, cluster::Row row, const Snapshot& snapshot) {
  using enum SelectorPart::From;
  const auto& node = *snapshot.entry(row).node;
  std::vector<UnmetPartOfNode> out;
  for (const auto& [key, value] : pod.node_selector) {
    const api::Requirement requirement{key, api::Requirement::Op::in, {value}};
    if (!meets({{requirement}, {}}, node))
      out.push_back(unmet_part(node_selector, key + "=" + value, &requirement, node));
  }
  const auto& terms = pod.node_affinity.required;
  const auto is_met = [&](const api::NodeSelectorTerm& term) { return meets(term, node); };
  if (terms && terms->size() == 1) {
    for (const auto& each : terms->front().match_expressions) {
      if (!meets({{each}, {}}, node))
        out.push_back(unmet_part(node_affinity, requirement_text(each), &each, node));
    }
    for (const auto& each : terms->front().match_fields) {
      if (!meets({{}, {each}}, node))
        out.push_back(unmet_part(node_affinity, requirement_text(each), nullptr, node));
    }
  } else if (terms && std::ranges::none_of(*terms, is_met)) {
    for (const auto& term : *terms)
      out.push_back(unmet_part(node_affinity_term, text_of(term), first_unmet(term, node), node));
  }
  if (out.size() > kSelectorParts) out.resize(kSelectorParts);
  return out;
}

}  // namespace podium::plugins
