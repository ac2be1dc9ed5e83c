// Snapshot: the cluster as tables; with the pod and the profile, the only input of a decision.
//
// A value: a copy is a fork. Copies share all data until one of them writes, chunk by chunk, so a fork
// costs a few pointers and a write costs what it touches. The scheduling strand owns and writes the live
// snapshot; other threads (what-ifs, reports) get copies.
//
// A node is a row in every column. Rows of removed nodes are zeroed and reused; present() has the rows in
// use. A pod on an unknown node is kept aside and counted when the node is added.
//
// Threads: a copy may be read on any thread; each copy has one writer. Errors: none. Adding a pod with a
// known UID replaces it; removing an unknown pod or node has no effect.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/node.h"
#include "base/text_hash.h"
#include "scheduler/cluster/cluster_objects.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/cow_map.h"
#include "scheduler/cluster/cow_ordered_map.h"
#include "scheduler/cluster/label_table.h"
#include "scheduler/cluster/lazy.h"
#include "scheduler/cluster/name_order.h"
#include "scheduler/cluster/node_mask.h"
#include "scheduler/cluster/pod_class.h"
#include "scheduler/cluster/pod_info.h"
#include "scheduler/cluster/pods_by_importance.h"
#include "scheduler/cluster/rare_column.h"
#include "scheduler/cluster/row_changes.h"
#include "scheduler/cluster/taint_table.h"

namespace podium::cluster {

// The parts of a node that are not columns; a decision reads them for few nodes.
struct NodeEntry {
  api::NodePtr node;
  std::vector<PodInfoPtr> pods;       // in kube-scheduler's order: removal moves the last pod into the gap
  Lazy<PodsByImportance> order = {};  // dropped when `pods` changes

  const PodsByImportance& by_importance() const {
    return order.get([&] { return std::make_unique<const PodsByImportance>(pods); });
  }
};

// Exact sums over the pods of the nodes whose column holds a clamped sum.
using ExactSums = std::map<Row, __int128>;

struct ImageState {
  std::int64_t size = 0;   // bytes, as reported by the node that was added first
  std::vector<Row> nodes;  // nodes that have it, ascending
};

// The time, which a decision depends on in addition to the cluster: the core has no clock.
struct Moment {
  Wall time{};              // now: for claims whose devices were not ready in time
  bool is_hurried = false;  // long searches for devices have kept other pods waiting: they end early
};

class Snapshot {
 public:
  // In snapshot.cc: they concern a hundred kinds of tables, which each file would compile that copies one.
  Snapshot();
  Snapshot(const Snapshot& other);
  Snapshot(Snapshot&& other) noexcept;
  Snapshot& operator=(const Snapshot& other);
  Snapshot& operator=(Snapshot&& other) noexcept;
  ~Snapshot();

  // --- shape ---
  std::size_t rows() const { return rows_; }  // greater than every row; see present() for free rows
  std::size_t chunks() const { return allocatable_milli_cpu.chunks(); }
  std::size_t node_count() const { return node_count_; }
  const NodeMask& present() const { return *present_; }
  std::optional<Row> find_row(std::string_view node) const;
  const NodeEntry& entry(Row row) const { return *entries_[row]; }
  std::string_view node_name(Row row) const { return entries_[row]->node->meta.name; }
  // Rows sorted by node name; sorted on demand after nodes change, then shared. Valid until the next
  // set_node or remove_node on this copy.
  std::span<const Row> rows_by_name() const;
  std::uint64_t generation() const { return generation_; }  // incremented by every write
  // The highest resourceVersion of a pod's change that the snapshot contains; 0: unknown.
  std::uint64_t pods_version() const { return pods_version_; }
  void saw_pods(std::uint64_t version) { pods_version_ = std::max(pods_version_, version); }

  // The time of the decision. Its caller sets it; this does not write to the cluster. Unset: no timeouts.
  const Moment& moment() const { return moment_; }
  void set_moment(Moment moment) { moment_ = moment; }

  // --- columns; read-only outside this class. Units: thousandths of a core for cpu, else whole units ---
  Column<std::int64_t> allocatable_milli_cpu, allocatable_memory, allocatable_ephemeral, allocatable_pods;
  Column<std::int64_t> requested_milli_cpu, requested_memory, requested_ephemeral;
  Column<std::int64_t> non_zero_milli_cpu, non_zero_memory;
  Column<std::int32_t> pod_count;
  Column<TaintSetId> taint_set;
  Column<std::uint64_t> name_hash;  // breaks ties between nodes
  // Notes the row of each write to these columns. A copy of it keeps it as it is.
  const Cow<RowChanges>& row_changes() const { return row_changes_; }

  struct ScalarColumn {
    RareColumn<std::int64_t> allocatable, requested;
    std::uint32_t nodes = 0;  // that list it
    std::uint32_t users = 0;  // these, and placed pods that request it
  };
  // Null if no node lists the resource and no pod on a node requests it.
  const ScalarColumn* scalar(std::string_view resource) const;
  // The scalar resources that nodes list, by name.
  std::vector<std::string> resources_of_nodes() const;

  const LabelTable& labels() const { return *labels_; }
  std::span<const TaintSet> taint_sets() const { return taints_->sets(); }
  const ImageState* image(std::string_view name) const;
  // Nodes with a pod that has a host port.
  const NodeMask& with_host_ports() const { return *with_host_ports_; }
  const PodClassTable& pod_classes() const { return *classes_; }
  const Objects& objects() const { return objects_; }
  Objects& objects() {  // for writing; counts as a write
    ++generation_;
    return objects_;
  }

  // --- writes ---
  void set_node(api::NodePtr node);  // adds or replaces
  void remove_node(std::string_view name);
  // Adds the pod to pod->node_name or replaces the one with its UID; withdraws its nomination. Without a node
  // name it acts as remove_pod.
  void add_pod(PodInfoPtr pod);
  void remove_pod(std::string_view uid);
  // Null if unknown. Includes pods on unknown nodes. Valid until the next write to this copy.
  const PodInfoPtr* find_pod(std::string_view uid) const;
  std::size_t pod_total() const { return pods_.size(); }
  template <typename F>
  void each_pod(F&& f) const {  // f(PodInfoPtr), pods on unknown nodes included
    present().each([&](Row row) { std::ranges::for_each(entry(row).pods, f); });
    for (const auto& [node, pods] : *pods_on_unknown_nodes_) std::ranges::for_each(pods, f);
  }

  // Pods that are nominated to a node and not placed (status.nominatedNodeName).
  void nominate(PodInfoPtr pod, std::string node);
  void withdraw_nomination(std::string_view uid);
  struct Nomination {
    PodInfoPtr pod;
    std::string node;
    std::uint64_t node_hash = 0;
    std::optional<Row> row = {};  // of the node when the pod was nominated
  };
  // In the order in which they were made.
  auto nominations() const { return std::views::values(nominations_); }
  const Nomination* find_nomination(std::string_view uid) const;  // null if the pod is not nominated
  // The row of the nomination's node, as find_row(), mostly without reading the node.
  std::optional<Row> row_of(const Nomination& nomination) const;

 private:
  // snapshot_nodes.cc
  Row take_row();
  void apply_node(Row row, const api::Node& from, const api::Node& to);
  void set_allocatable(Row row, const api::Node& from, const api::Node& to);
  void set_images(Row row, const api::Node& from, const api::Node& to);
  ScalarColumn& use_scalar(const std::string& resource);   // adds a user
  ScalarColumn& used_scalar(const std::string& resource);  // one that has a user
  void release_scalar(const std::string& resource);        // removes a user
  // snapshot_pods.cc
  std::vector<PodInfoPtr>& write_pods(Row row);
  void place(const PodInfo& pod, Row row);  // all but NodeEntry::pods and the class
  void displace(const PodInfo& pod, Row row);
  void add_requests(const PodInfo& pod, Row row, int sign);
  void detach(const PodInfoPtr& pod);
  NameOrder::NameOf name_of() const;

  std::size_t node_count_ = 0, rows_ = 0;
  std::uint64_t generation_ = 0, pods_version_ = 0;
  Moment moment_;
  Cow<RowChanges> row_changes_;
  Cow<NodeMask> present_, with_host_ports_;
  struct ClampedSums {
    ExactSums requested_milli_cpu, requested_memory, requested_ephemeral, non_zero_milli_cpu, non_zero_memory;
  };
  Cow<ClampedSums> clamped_;
  CowMap<std::string, Cow<ExactSums>>
      clamped_scalars_;  // by resource; not in ScalarColumn, since few have any
  Column<Cow<NodeEntry>, 128> entries_;
  CowMap<std::string, Cow<ScalarColumn>> scalars_;
  Cow<LabelTable> labels_;
  Cow<TaintTable> taints_;
  CowMap<std::string, Cow<ImageState>> images_;
  Cow<PodClassTable> classes_;
  CowIndex<Row> row_of_node_;      // by name
  CowIndex<const PodInfo*> pods_;  // by UID; owned by an entry or pods_on_unknown_nodes_
  Cow<boost::unordered_flat_map<std::string, std::vector<PodInfoPtr>, TextHash, std::equal_to<>>>
      pods_on_unknown_nodes_;                             // by node name, ordered as NodeEntry::pods
  CowOrderedMap<std::uint64_t, Nomination> nominations_;  // by number
  CowMap<std::string, std::uint64_t> nomination_of_pod_;  // by UID: the number
  std::uint64_t last_nomination_ = 0;
  Objects objects_;
  Cow<std::vector<Row>> free_rows_;
  std::shared_ptr<NameOrder> by_name_ = std::make_shared<NameOrder>();
};

}  // namespace podium::cluster
