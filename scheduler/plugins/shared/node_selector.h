// Node selectors over columns. A selector is compiled once per snapshot and then selects nodes one chunk at
// a time. Each requirement is evaluated once per label value, not once per node.
//
// Source: component-helpers/scheduling/corev1/nodeaffinity and apimachinery labels.Requirement.
// Threads: immutable once compiled; the snapshot must outlive the selector.
// Errors: none; a term that upstream cannot parse selects nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "api/values/pod.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/column_scan.h"

namespace podium::plugins {

// One term: requirements on labels and on metadata.name, ANDed.
class CompiledTerm {
 public:
  CompiledTerm(const api::NodeSelectorTerm& term, const cluster::Snapshot& snapshot);
  // Compiles spec.nodeSelector.
  CompiledTerm(const api::Labels& exact, const cluster::Snapshot& snapshot);

  // True if the term selects no node of the snapshot.
  bool matches_nothing() const { return nothing_; }
  // Clears the bits of the rows in this chunk that the term does not select.
  void narrow(std::size_t chunk, ChunkWords& rows) const;

 private:
  struct LabelTest {
    const cluster::LabelColumn* column;
    IdSet ids;
    bool negated;  // selects rows whose value is not in `ids`
  };
  struct NameTest {
    std::optional<cluster::Row> row;  // of the node with that name; nullopt: no such node
    bool negated;
  };

  void add(const api::Requirement& requirement, const cluster::Snapshot& snapshot);

  std::vector<LabelTest> labels_;
  std::vector<NameTest> names_;
  bool nothing_ = false;
};

// Terms are ORed; a term without requirements selects nothing.
class CompiledSelector {
 public:
  CompiledSelector(std::span<const api::NodeSelectorTerm> terms, const cluster::Snapshot& snapshot);
  void narrow(std::size_t chunk, ChunkWords& rows) const;

 private:
  std::vector<CompiledTerm> terms_;
};

// A pod's spec.nodeSelector and required node affinity, ANDed.
class RequiredNodeAffinity {
 public:
  RequiredNodeAffinity(const api::Pod& pod, const cluster::Snapshot& snapshot);
  bool selects_all() const { return !node_selector_ && !affinity_; }
  void narrow(std::size_t chunk, ChunkWords& rows) const;

 private:
  std::optional<CompiledTerm> node_selector_;
  std::optional<CompiledSelector> affinity_;
};

// The nodes that the pod's spec.nodeSelector and required node affinity select.
cluster::NodeMask selected_nodes(const api::Pod& pod, const cluster::Snapshot& snapshot);

// True if upstream can parse the term's matchFields.
bool has_valid_fields(const api::NodeSelectorTerm& term);

// The same checks on one node object that need not be in a snapshot. Each parses all terms: for many nodes,
// selected_nodes() is linear in them.
bool selects(std::span<const api::NodeSelectorTerm> terms, const api::Node& node);
bool required_affinity_selects(const api::Pod& pod, const api::Node& node);
// nullopt: no term selects the node, and upstream cannot parse one of them.
std::optional<bool> match_required_affinity(const api::Pod& pod, const api::Node& node);

}  // namespace podium::plugins
