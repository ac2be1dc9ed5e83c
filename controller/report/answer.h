// The parts of a report's status that a what-if's answer has beside those of a decision, as values.
//
// Threads: values. Errors: none.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/framework/findings.h"

namespace podium::controller {

struct NodeCounts {
  std::size_t total = 0, evaluated = 0, feasible = 0;
};

struct ReportRejection {
  std::string plugin, code, reason;  // plugin: empty if it is no single one
  std::size_t nodes = 0;
  bool preemption_may_help = false;
  struct Shortfall {
    std::string resource, least;  // the least missing amount, as a quantity
    std::string node = {};        // where that much is missing
  };
  std::optional<Shortfall> shortfall = {};
  std::vector<framework::DeviceTally> devices = {};  // of InsufficientDevices: at most 8 requests
  std::vector<std::string> taints = {};              // of UntoleratedTaint: at most 3, most nodes first
  std::size_t taints_total = 0;
  std::vector<std::string> examples = {};  // at most 3
};

struct ReplicaPlacement {
  std::string node;
  std::size_t count = 0;
};

// The first replica that does not fit.
struct FirstFailure {
  std::size_t replica = 1;  // from 1
  std::string reason, message;
  NodeCounts node_counts = {};
  std::vector<ReportRejection> rejections = {};  // at most 16
  std::size_t rejections_total = 0;
};

// How many more fit after all that were asked for.
struct Room {
  std::size_t count = 0;
  bool may_be_more = false;  // not counted further: the bound of replicas, or the deadline
  std::optional<FirstFailure> first_failure = {};
};

// A value of the label topology.kubernetes.io/zone.
struct ZonePlacements {
  std::string name;
  std::size_t count = 0;  // replicas on its nodes
  std::size_t now = 0;    // placed pods of the workload, as if which were not there it was asked
};

// The verdict on a node that the question names.
struct NodeVerdict {
  std::string node;
  bool fits = false;
  std::optional<std::int64_t> score = {};
  std::vector<std::int64_t> strategy_scores = {};
  std::optional<std::size_t> rank = {};  // from 1
  std::string plugin = {}, code = {};
  std::vector<std::string> reasons = {};
  std::string would_fit_with = {};
  // Each filter's own verdict, also those of filters after the one that rejects.
  struct Check {
    std::string plugin;
    std::vector<std::string> reasons = {};  // none: it passes
    std::vector<std::string> taints = {};   // at most 3 that are not tolerated
  };
  std::vector<Check> checks = {};  // at most 16
  // What the first replica requests, and what is free there, as quantities.
  struct Amount {
    std::string resource, requested, free;
  };
  std::vector<Amount> resources = {};  // at most 16
};

// Whether a group fits together.
struct GroupAnswer {
  std::size_t min_count = 1;
  std::string topology_key;
  bool fits = false;
  std::string domain = {};
  struct Domain {
    std::string name;
    std::size_t fitting = 0, missing = 0;
  };
  std::vector<Domain> domains = {};  // at most 16
  std::size_t domains_total = 0;
};

// A pod of a drained node, in the namespace of the what-if.
struct DrainedPod {
  std::string name;
  std::string node = {};  // its new one; empty: none
  std::optional<std::int64_t> score = {};
  std::optional<std::size_t> feasible = {};  // nodes on which it fits
  std::string code = {}, reason = {};        // why it has no place: NoNode, NoController, …
};

// A node that took pods of a drained one, and the resource of which most is taken then.
struct FullNode {
  std::string node, resource = {};
  std::size_t percent = 0;
};

// What one change of the question did.
struct ChangeResult {
  std::string type, node, message;
  std::optional<std::size_t> pods_moved = {}, pods_pending = {}, budgets_broken = {};
  std::optional<std::size_t> pods_evicted = {}, pods_total = {};  // pods_total: in the what-if's namespace
  std::vector<DrainedPod> pods = {};                              // at most 64 of those
  std::vector<FullNode> fullest = {};                             // at most 3
};

// A single change with which the pod fits.
struct ReportFix {
  std::string type;
  boost::json::object fields = {};  // those of its type
  std::string message, node;
  std::optional<std::int64_t> score = {};
};

struct ReportAnswer {
  std::size_t asked = 1, fitting = 0;        // replicas
  std::vector<ReplicaPlacement> placements;  // at most 64, by count, then name
  std::size_t placements_total = 0;          // nodes that take replicas
  std::vector<ZonePlacements> zones;         // at most 16, by count, then name; also those without replicas
  std::size_t zones_total = 0;
  std::optional<Room> room;
  std::optional<FirstFailure> first_failure;
  std::vector<NodeVerdict> verdicts;
  std::optional<GroupAnswer> group;
  std::vector<ChangeResult> changes;
  std::vector<ReportFix> fixes;
  std::vector<std::string> not_modelled;
};

// Counts the replicas of each node. `nodes`: the node of each replica.
void set_placements(ReportAnswer& answer, const std::vector<std::string>& nodes);
void set_zones(ReportAnswer& answer, std::vector<ZonePlacements> zones);

}  // namespace podium::controller
