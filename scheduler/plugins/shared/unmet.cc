#include "scheduler/plugins/shared/unmet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/node_selector.h"

namespace podium::plugins {
namespace {

using cluster::Snapshot;

std::string text_of(const api::Requirement& requirement) {
  using enum api::Requirement::Op;
  if (requirement.op == exists || requirement.op == does_not_exist)
    return fmt::format("{} {}", requirement.key, requirement.op_text());
  return fmt::format("{} {} [{}]", requirement.key, requirement.op_text(),
                     fmt::join(requirement.values, ", "));
}

std::string text_of(const api::NodeSelectorTerm& term) {
  std::vector<std::string> parts;
  for (const auto* list : {&term.match_expressions, &term.match_fields}) {
    for (const auto& requirement : *list) parts.push_back(text_of(requirement));
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

class Parts {
 public:
  explicit Parts(const Snapshot& snapshot) : snapshot_(snapshot) {}

  bool is_full() const { return out_.size() == kSelectorParts; }
  // `key`: the only label of the part; null: several.
  void add(SelectorPart::From from, std::string text, const CompiledTerm& term, const std::string* key) {
    if (is_full()) return;
    auto& part = out_.emplace_back(SelectorPart{from, std::move(text), count(term, snapshot_)});
    if (part.nodes == 0 && key) add_values(*key, snapshot_, part);
  }
  std::vector<SelectorPart> take() { return std::move(out_); }

 private:
  const Snapshot& snapshot_;
  std::vector<SelectorPart> out_;
};

void add_term(const api::NodeSelectorTerm& term, const Snapshot& snapshot, Parts& parts) {
  for (const auto& requirement : term.match_expressions) {
    if (parts.is_full()) return;
    api::NodeSelectorTerm alone;
    alone.match_expressions = {requirement};
    parts.add(SelectorPart::From::node_affinity, text_of(requirement), CompiledTerm(alone, snapshot),
              &requirement.key);
  }
  for (const auto& requirement : term.match_fields) {
    if (parts.is_full()) return;
    api::NodeSelectorTerm alone;
    alone.match_fields = {requirement};
    parts.add(SelectorPart::From::node_affinity, text_of(requirement), CompiledTerm(alone, snapshot),
              nullptr);
  }
}

}  // namespace

std::vector<SelectorPart> selector_parts(const api::Pod& pod, const Snapshot& snapshot) {
  Parts parts(snapshot);
  for (const auto& [key, value] : pod.node_selector) {
    if (parts.is_full()) break;
    api::Labels alone;
    alone.set(key, value);
    parts.add(SelectorPart::From::node_selector, key + "=" + value, CompiledTerm(alone, snapshot), &key);
  }
  if (!pod.node_affinity.required) return parts.take();
  const auto& terms = *pod.node_affinity.required;
  if (terms.size() == 1) {
    add_term(terms.front(), snapshot, parts);
  } else {
    for (const auto& term : terms) {
      if (parts.is_full()) break;
      parts.add(SelectorPart::From::node_affinity_term, text_of(term), CompiledTerm(term, snapshot), nullptr);
    }
  }
  return parts.take();
}

}  // namespace podium::plugins
