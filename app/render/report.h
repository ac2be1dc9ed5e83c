// Report: a SchedulingReport (podium.dev/v1alpha1) as people read it, from its JSON.
//
// Tolerant: an absent field, or one of another type, is empty. So a report of a newer podium can be read.
// Text is made printable, since reports contain what others wrote.
//
// Threads: values and a pure function. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace podium::render {

struct NodeScore {
  std::string node;
  std::int64_t score = 0;
  std::vector<std::int64_t> strategies;  // before the weight, in the order of Report::strategies
};

struct Strategy {
  std::string name;
  std::int64_t weight = 1;
};

// How devices suit one request of the pod's claims.
struct DeviceCounts {
  std::string claim, request;
  std::size_t matched = 0;
  std::size_t in_use = 0, tainted = 0, too_small = 0;  // of these; the rest is free
};

struct Device {
  std::string claim, request, driver, pool, name;
};

struct Rejection {
  std::string plugin, code, reason;
  std::size_t nodes = 0;
  bool preemption_may_help = false;
  std::string resource, least;      // of a resource that is short: the least that is missing on any node
  std::string nearest;              // the node on which that much is missing; empty: not told
  std::vector<std::string> taints;  // that are not tolerated: "gpu=a100:NoSchedule"
  std::size_t taints_total = 0;
  std::vector<DeviceCounts> devices;  // where devices are missing
  std::vector<std::string> examples;
};

struct Choice {
  std::string node;
  std::optional<std::int64_t> score;
  std::size_t tied = 1;  // nodes with this score, the chosen one included
  std::optional<std::int64_t> margin;
};

struct NodeCounts {
  std::size_t total = 0, evaluated = 0, feasible = 0;
};

struct Attempt {
  std::optional<Wall> at;
  std::string outcome, reason;
  std::size_t nodes = 0;
};

struct Eviction {
  std::string node;
  std::vector<std::string> pods;  // namespace/name
  std::size_t total = 0;
};

// A pod of a drained node, in the question's namespace.
struct DrainedPod {
  std::string name, node;  // node: the new one; empty: none
  std::optional<std::int64_t> score;
  std::optional<std::size_t> feasible;
  std::string code, reason;  // why it has no place
};

struct FullNode {
  std::string node, resource;
  std::size_t percent = 0;
};

// What a drain did; the numbers are of all namespaces.
struct DrainAnswer {
  std::size_t evicted = 0, moved = 0, pending = 0, budgets_broken = 0;
  std::vector<DrainedPod> pods;
  std::size_t pods_total = 0;  // in the question's namespace
  std::vector<FullNode> fullest;
};

// What a change did, or a fix that was tried.
struct Step {
  std::string type, message, node;
  std::optional<std::int64_t> score;
  std::string fields;   // of a fix: those of this type only, as YAML on one line; empty: none
  std::string snippet;  // of TolerateTaint: lines of YAML to paste into the pod's spec, each with its newline
  std::optional<DrainAnswer> drain;
};

// What one filter says of a named node.
struct Check {
  std::string plugin;
  bool passes = false;
  std::vector<std::string> reasons;
  std::vector<std::string> taints;  // that are not tolerated
};

struct Amount {
  std::string resource, requested, free;
};

// The full verdict on one node.
struct NodeVerdict {
  std::string node, plugin, code, would_fit_with;
  bool fits = false;
  std::optional<std::int64_t> score;
  std::optional<std::size_t> rank;
  std::vector<std::string> reasons;
  std::vector<Check> checks;      // empty: an older podium
  std::vector<Amount> resources;  // that the pod requests
};

struct Domain {
  std::string name;
  std::size_t fitting = 0, missing = 0;
};

struct Group {
  std::size_t min_count = 0;
  std::string topology_key, domain;
  bool fits = false;
  std::vector<Domain> domains;
  std::size_t domains_total = 0;
};

struct Placement {
  std::string node;
  std::size_t pods = 0;
};

struct Zone {
  std::string name;
  std::size_t pods = 0, now = 0;  // now: pods of the workload that are there
};

struct Failure {
  std::size_t replica = 0;  // from 1
  std::string reason;
  std::vector<Rejection> rejections;
  std::size_t rejections_total = 0;
};

// How many more fit after all that were asked for.
struct Room {
  std::size_t more = 0;
  bool at_least = false;           // it was not counted further
  std::optional<Failure> failure;  // what stops the next one
};

struct Report {
  std::string ns, name;  // of the object
  std::string pod;       // spec.podRef
  std::string pod_uid;
  bool is_question = false;
  bool complete = false;
  std::optional<std::string> refused;  // why the question was not answered

  std::string outcome, profile, message;
  std::optional<Choice> choice;
  std::optional<Wall> decided_at, expires_at;
  std::size_t attempts = 0;
  NodeCounts nodes;
  std::vector<Strategy> strategies;
  std::vector<NodeScore> top;  // the chosen node first, then by score
  std::vector<Rejection> rejections;
  std::size_t rejections_total = 0;
  std::vector<Device> devices;  // that the pod gets
  std::size_t devices_total = 0;
  std::optional<Eviction> preemption;
  std::vector<std::string> gates;
  std::vector<Attempt> history;

  // Of a question.
  std::size_t asked = 1, fitting = 0;
  std::vector<Placement> placements;
  std::size_t placements_total = 0;  // distinct nodes
  std::vector<Zone> zones;           // also those that take none
  std::size_t zones_total = 0;
  std::optional<Failure> failure;
  std::optional<Room> room;
  std::vector<NodeVerdict> verdicts;
  std::optional<Group> group;
  std::vector<Step> changes, fixes;
  std::vector<std::string> not_modelled;
};

Report read_report(const boost::json::value& object);

// A value on one line, as YAML: {key: gpu, operator: Exists}.
std::string flow(const boost::json::value& value);

}  // namespace podium::render
