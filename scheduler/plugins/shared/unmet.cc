#include "scheduler/plugins/shared/unmet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "api/values/node.h"
#include "base/similar.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/node_selector.h"

namespace podium::plugins {
namespace {

using cluster::Snapshot;

std::string text_of(const api::NodeSelectorTerm& term) {
  std::vector<std::string> parts;
  for (const auto* list : {&term.match_expressions, &term.match_fields}) {
    for (const auto& requirement : *list) parts.push_back(requirement_text(requirement));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
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

void add_values(const std::string& key, const Snapshot& snapshot, SelectorPart& part) {
  const auto* column = snapshot.labels().find(key);
  if (!column) return;
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
    out_.push_back(
        {SelectorPart::From::node_affinity_term, text_of(term), count({term, snapshot_}, snapshot_)});
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
    if (part.nodes > 0) return;
    if (auto name = missing_node(requirement, is_field, snapshot_); !name.empty())
      name_similar(name, part);
    else if (!is_field)
      add_values(requirement.key, snapshot_, part);
  }
  std::vector<SelectorPart> take() { return std::move(out_); }

 private:
  void name_similar(const std::string& name, SelectorPart& part) const {
    part.missing_node = name;
    part.values = similar_nodes(name, snapshot_);
    part.values_total = part.values.size();
    part.values.resize(std::min(part.values.size(), kValuesNamed));
  }

  const Snapshot& snapshot_;
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
  std::vector<std::string> names;
  for (const auto row : snapshot.rows_by_name()) names.emplace_back(snapshot.node_name(row));
  return similar(name, std::move(names));
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
    for (const auto& requirement : terms.front().match_expressions) parts.add(requirement, false);
    for (const auto& requirement : terms.front().match_fields) parts.add(requirement, true);
    return parts.take();
  }
  for (const auto& term : terms) parts.add_term(term);
  return parts.take();
}

}  // namespace podium::plugins
