#include "scheduler/plugins/shared/node_selector.h"

#include <algorithm>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/node_selector_errors.h"

namespace podium::plugins {
namespace {

using api::Requirement;
using Op = api::Requirement::Op;

bool is_valid(const api::NodeSelectorTerm& term) {
  const bool empty = term.match_expressions.empty() && term.match_fields.empty();
  return !empty && parse_errors(term, "").empty();
}

// metadata.name is the only supported field; any other field has the value "".
std::string_view field_of(const api::Node& node, std::string_view key) {
  return key == "metadata.name" ? std::string_view(node.meta.name) : std::string_view();
}

// The term must be valid.
bool is_met(const api::NodeSelectorTerm& term, const api::Node& node) {
  return std::ranges::all_of(term.match_expressions,
                             [&](const Requirement& r) { return r.matches(node.meta.labels.find(r.key)); }) &&
         std::ranges::all_of(term.match_fields, [&](const Requirement& r) {
           return (field_of(node, r.key) == r.values.front()) == (r.op == Op::in);
         });
}

// True if one of the terms selects the node. nullopt: none does, and upstream cannot parse one of them.
std::optional<bool> match(std::span<const api::NodeSelectorTerm> terms, const api::Node& node) {
  bool has_errors = false;
  for (const auto& term : terms) {
    if (is_valid(term)) {
      if (is_met(term, node)) return true;
    } else if (!term.match_expressions.empty() || !term.match_fields.empty()) {
      has_errors = true;
    }
  }
  return has_errors ? std::nullopt : std::optional(false);
}

}  // namespace

CompiledTerm::CompiledTerm(const api::NodeSelectorTerm& term, const cluster::Snapshot& snapshot)
    : nothing_(!is_valid(term)) {
  if (nothing_) return;
  for (const auto& requirement : term.match_expressions) add(requirement, snapshot);
  for (const auto& requirement : term.match_fields) {
    const bool negated = requirement.op == Op::not_in;
    if (requirement.key == "metadata.name") {
      names_.push_back({snapshot.find_row(requirement.values.front()), negated});
      nothing_ |= !negated && !names_.back().row;
    } else {
      nothing_ |= requirement.values.front().empty() == negated;
    }
  }
}

CompiledTerm::CompiledTerm(const api::Labels& exact, const cluster::Snapshot& snapshot) {
  for (const auto& [key, value] : exact) add({key, Op::in, {value}}, snapshot);
}

void CompiledTerm::add(const Requirement& requirement, const cluster::Snapshot& snapshot) {
  const auto* column = snapshot.labels().find(requirement.key);
  if (!column) {
    nothing_ |= !requirement.matches(nullptr);
    return;
  }
  IdSet ids(column->id_limit());
  switch (requirement.op) {
    case Op::in:
    case Op::not_in:
      for (const auto& value : requirement.values) {
        if (const auto id = column->find(value); id != cluster::kNoValue) ids.insert(id);
      }
      break;
    case Op::exists:
    case Op::does_not_exist:
      ids.insert(cluster::kNoValue);
      break;
    default:
      for (cluster::ValueId id = 1; id < column->id_limit(); ++id) {
        if (column->nodes_with(id) == 0) continue;
        const std::string value(column->name(id));
        if (requirement.matches(&value)) ids.insert(id);
      }
  }
  const bool negated = requirement.op == Op::not_in || requirement.op == Op::exists;
  nothing_ |= ids.empty() && !negated;
  if (!ids.empty()) labels_.push_back({column, std::move(ids), negated});
}

void CompiledTerm::narrow(std::size_t chunk, ChunkWords& rows) const {
  if (nothing_) rows.fill(0);
  for (const auto& test : labels_) {
    cluster::RareColumn<cluster::ValueId>::Chunk space;
    const auto found = test.ids.match(test.column->values().chunk(chunk, space));
    for (std::size_t w = 0; w < kChunkWords; ++w) rows[w] &= test.negated ? ~found[w] : found[w];
  }
  for (const auto& test : names_) {
    ChunkWords found{};
    if (test.row && *test.row / kChunkRows == chunk) {
      const auto row = *test.row % kChunkRows;
      found[row / 64] = std::uint64_t{1} << row % 64;
    }
    for (std::size_t w = 0; w < kChunkWords; ++w) rows[w] &= test.negated ? ~found[w] : found[w];
  }
}

CompiledSelector::CompiledSelector(std::span<const api::NodeSelectorTerm> terms,
                                   const cluster::Snapshot& snapshot) {
  for (const auto& term : terms) {
    CompiledTerm compiled(term, snapshot);
    if (!compiled.matches_nothing()) terms_.push_back(std::move(compiled));
  }
}

void CompiledSelector::narrow(std::size_t chunk, ChunkWords& rows) const {
  ChunkWords any{};
  for (const auto& term : terms_) {
    auto selected = rows;
    term.narrow(chunk, selected);
    for (std::size_t w = 0; w < kChunkWords; ++w) any[w] |= selected[w];
  }
  rows = any;
}

RequiredNodeAffinity::RequiredNodeAffinity(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  if (!pod.node_selector.empty()) node_selector_.emplace(pod.node_selector, snapshot);
  if (pod.node_affinity.required) affinity_.emplace(*pod.node_affinity.required, snapshot);
}

void RequiredNodeAffinity::narrow(std::size_t chunk, ChunkWords& rows) const {
  if (node_selector_) node_selector_->narrow(chunk, rows);
  if (affinity_) affinity_->narrow(chunk, rows);
}

cluster::NodeMask selected_nodes(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  cluster::NodeMask selected = snapshot.present();
  const RequiredNodeAffinity affinity(pod, snapshot);
  for (std::size_t chunk = 0; chunk < snapshot.chunks(); ++chunk) {
    auto rows = chunk_of(selected, chunk);
    affinity.narrow(chunk, rows);
    selected.set_chunk(chunk, rows);
  }
  return selected;
}

bool has_valid_fields(const api::NodeSelectorTerm& term) {
  return parse_errors({.match_expressions = {}, .match_fields = term.match_fields}, "").empty();
}

bool selects(std::span<const api::NodeSelectorTerm> terms, const api::Node& node) {
  return match(terms, node).value_or(false);
}

std::optional<bool> match_required_affinity(const api::Pod& pod, const api::Node& node) {
  const bool selected = node.meta.labels.contains_all(pod.node_selector);
  const auto& terms = pod.node_affinity.required;
  return selected && terms ? match(*terms, node) : std::optional(selected);
}

bool required_affinity_selects(const api::Pod& pod, const api::Node& node) {
  return match_required_affinity(pod, node).value_or(false);
}

}  // namespace podium::plugins
