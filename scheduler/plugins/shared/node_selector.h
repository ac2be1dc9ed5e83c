// Node selectors over columns: a selector is compiled once for a snapshot, and then finds the nodes that it
// selects a chunk at a time. Each requirement is evaluated once a label value, never once a node.
//
// Source: component-helpers/scheduling/corev1/nodeaffinity and apimachinery labels.Requirement.
// Threads: none; a compiled selector refers to its snapshot. Errors: none; what upstream cannot parse selects nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "api/pod.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/plugins/shared/column_scan.h"

namespace podium::plugins {

// One term: all requirements on labels and on metadata.name, ANDed.
class CompiledTerm {
 public:
  CompiledTerm(const api::NodeSelectorTerm& term, const cluster::Snapshot& snapshot);
  // spec.nodeSelector
  CompiledTerm(const api::Labels& exact, const cluster::Snapshot& snapshot);

  // The term can select no node of the snapshot.
  bool matches_nothing() const { return nothing_; }
  // Clears the bits of the rows of this chunk that the term does not select.
  void narrow(std::size_t chunk, ChunkWords& rows) const;

 private:
  struct LabelTest {
    const cluster::LabelColumn* column;
    IdSet ids;
    bool negated;  // selects the rows whose value is not one of `ids`
  };
  struct NameTest {
    std::optional<cluster::Row> row;  // of the node with that name
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

// A pod's spec.nodeSelector and required node affinity; nodes that fail it are outside of the pod's reach.
class RequiredNodeAffinity {
 public:
  RequiredNodeAffinity(const api::Pod& pod, const cluster::Snapshot& snapshot);
  bool selects_all() const { return !node_selector_ && !affinity_; }
  void narrow(std::size_t chunk, ChunkWords& rows) const;

 private:
  std::optional<CompiledTerm> node_selector_;
  std::optional<CompiledSelector> affinity_;
};

// Whether upstream can parse what the term says of fields.
bool has_valid_fields(const api::NodeSelectorTerm& term);

// The same for a node that is not, or no longer, part of a snapshot.
bool selects(std::span<const api::NodeSelectorTerm> terms, const api::Node& node);
bool required_affinity_selects(const api::Pod& pod, const api::Node& node);

}  // namespace podium::plugins
