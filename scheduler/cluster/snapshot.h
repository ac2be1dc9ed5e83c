// Snapshot: the cluster as tables, the one input of a decision besides the pod and the profile.
//
// A value: copying it is a fork. Copies share everything until one of them writes, chunk by chunk, so a fork
// costs a few pointers and a write costs what it touches. The live cache is the snapshot that the scheduling
// strand writes to; what it hands to other threads (what-ifs, reports) are copies.
//
// A node has a row in every column; rows of removed nodes are reused, `present()` tells which are in use;
// every column holds its zero for the others. A pod on a node that is not known (yet, or any more) is kept
// aside and counted when the node appears.
//
// Threads: a copy may be read on any thread; each copy has one writer. Errors: none; adding a pod twice (by
// UID) replaces it, removing an unknown one does nothing.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/node.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/cow_map.h"
#include "scheduler/cluster/label_table.h"
#include "scheduler/cluster/name_order.h"
#include "scheduler/cluster/node_mask.h"
#include "scheduler/cluster/objects.h"
#include "scheduler/cluster/pod_class.h"
#include "scheduler/cluster/pod_info.h"
#include "scheduler/cluster/taint_table.h"

namespace podium::cluster {

// What of a node is not a column: read for few nodes a decision.
struct NodeEntry {
  api::NodePtr node;
  std::vector<PodInfoPtr> pods;  // in kube-scheduler's order: a removal moves the last pod into the gap
};

struct ImageState {
  std::int64_t size = 0;   // bytes, as reported by the node that was added first
  std::vector<Row> nodes;  // that have it, ascending
};

class Snapshot {
 public:
  // --- shape ---
  std::size_t rows() const { return rows_; }  // every row is below this; some may be free, see present()
  std::size_t chunks() const { return allocatable_milli_cpu.chunks(); }
  std::size_t node_count() const { return node_count_; }
  const NodeMask& present() const { return *present_; }
  std::optional<Row> find_row(std::string_view node) const;
  const NodeEntry& entry(Row row) const { return *entries_[row]; }
  std::string_view node_name(Row row) const { return entries_[row]->node->meta.name; }
  // Rows in the order of their nodes' names; made on demand after nodes came or went, then shared. Holds
  // until the next set_node or remove_node on this copy.
  std::span<const Row> rows_by_name() const;
  std::uint64_t generation() const { return generation_; }  // goes up with every write

  // --- columns; read-only outside of this class. int64 columns are thousandths for cpu, else whole units ---
  Column<std::int64_t> allocatable_milli_cpu, allocatable_memory, allocatable_ephemeral, allocatable_pods;
  Column<std::int64_t> requested_milli_cpu, requested_memory, requested_ephemeral;
  Column<std::int64_t> non_zero_milli_cpu, non_zero_memory;
  Column<std::int32_t> pod_count;
  Column<TaintSetId> taint_set;
  Column<std::uint64_t> name_hash;  // for spreading ties

  struct ScalarColumn {
    std::string name;
    Column<std::int64_t> allocatable, requested;
    std::uint32_t users = 0;  // nodes that list it and placed pods that ask for it
  };
  // Null where no node lists the resource and no pod on a node asks for it.
  const ScalarColumn* scalar(std::string_view resource) const;

  const LabelTable& labels() const { return *labels_; }
  std::span<const TaintSet> taint_sets() const { return taints_->sets(); }
  const ImageState* image(std::string_view name) const;
  // Nodes on which some pod has a host port; others need no look.
  const NodeMask& with_host_ports() const { return *with_host_ports_; }
  const PodClassTable& pod_classes() const { return *classes_; }
  const Objects& objects() const { return objects_; }
  Objects& objects() {  // to write to; counts as a write
    ++generation_;
    return objects_;
  }

  // --- writes ---
  void set_node(api::NodePtr node);  // adds or replaces
  void remove_node(std::string_view name);
  // By pod->node_name. Replaces one of the same UID, and withdraws its nomination. Without a node name:
  // remove_pod.
  void add_pod(PodInfoPtr pod);
  void remove_pod(std::string_view uid);
  // Pods with a node name, be the node known or not; null where unknown. Holds until the next write to this
  // copy.
  const PodInfoPtr* find_pod(std::string_view uid) const;
  std::size_t pod_total() const { return pods_.size(); }
  template <typename F>
  void each_pod(F&& f) const {  // f(PodInfoPtr) for every one of them
    present().each([&](Row row) { std::ranges::for_each(entry(row).pods, f); });
    for (const auto& [node, pods] : *pods_on_unknown_nodes_) std::ranges::for_each(pods, f);
  }

  // Pods that are nominated to a node and not placed yet (status.nominatedNodeName).
  void nominate(PodInfoPtr pod, std::string node);
  void withdraw_nomination(std::string_view uid);
  struct Nomination {
    PodInfoPtr pod;
    std::string node;
  };
  std::span<const Nomination> nominations() const { return *nominations_; }

 private:
  // snapshot_nodes.cc
  Row take_row();
  void apply_node(Row row, const api::Node& from, const api::Node& to);
  void set_allocatable(Row row, const api::Node& from, const api::Node& to);
  void set_images(Row row, const api::Node& from, const api::Node& to);
  ScalarColumn& use_scalar(const std::string& resource);  // counts a user
  void release_scalar(const std::string& resource);       // counts it out
  // snapshot_pods.cc
  void place(const PodInfo& pod, Row row);  // onto a row, but for its place in the entry and its class
  void displace(const PodInfo& pod, Row row);
  void add_requests(const PodInfo& pod, Row row, int sign);
  void detach(const PodInfoPtr& pod);
  NameOrder::NameOf name_of() const;

  std::size_t node_count_ = 0, rows_ = 0;
  std::uint64_t generation_ = 0;
  Cow<NodeMask> present_, with_host_ports_;
  Column<Cow<NodeEntry>, 128> entries_;
  Cow<boost::unordered_flat_map<std::string, Cow<ScalarColumn>, TextHash, std::equal_to<>>> scalars_;
  Cow<LabelTable> labels_;
  Cow<TaintTable> taints_;
  CowMap<std::string, Cow<ImageState>> images_;
  Cow<PodClassTable> classes_;
  CowIndex<Row> row_of_node_;      // by name
  CowIndex<const PodInfo*> pods_;  // by UID; each is owned by an entry or by the homeless
  Cow<boost::unordered_flat_map<std::string, std::vector<PodInfoPtr>, TextHash, std::equal_to<>>>
      pods_on_unknown_nodes_;  // by the missing node's name, in the order of an entry
  Cow<std::vector<Nomination>> nominations_;
  Objects objects_;
  Cow<std::vector<Row>> free_rows_;
  std::shared_ptr<NameOrder> by_name_ = std::make_shared<NameOrder>();
};

}  // namespace podium::cluster
