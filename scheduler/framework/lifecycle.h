// What follows a decision: Reserve, Permit, PreBind and PostBind, in a form that keeps plugins pure.
//
//   reserve … ─▶ permit … ─▶ (wait) ─▶ pre_bind …: writes, then wait until ready ─▶ bind ─▶ post_bind …
//       └────────────┴──────────┴──────────┴───────────────────────────────────────┴─▶ a failure:
//                                                                       unreserve … in reverse
//
// Reserve changes the snapshot itself: it assumes there what will be written. PreBind says which API writes
// to make, as data, and whether the cluster has followed; the cycle makes the writes, keeps the time and asks
// again when something changes. What a plugin has to remember of one pod in between is its PluginState.
//
// Threads: all on the scheduling strand, one call after the other, returning at once; Reserve and Unreserve also
// for what-ifs, on their threads and forks: what they give away is in that snapshot only. Plugins are const.
// Errors: a Verdict with the code `error` is retried as a SchedulerError; any other code turns the pod down.
// Source: pkg/scheduler/framework/runtime/framework.go, pkg/scheduler/schedule_one.go.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/framework/plugin.h"

namespace podium::framework {

// A pod that has been given a node. The snapshot counts it there; the API server does not know yet.
struct AssumedPod {
  PodInfoPtr pod;    // as it was decided upon: without a node name
  std::string node;  // may leave the snapshot meanwhile
};

// What a plugin keeps of one pod from Reserve to the end of its binding. Each plugin has its own kind.
class PluginState {
 public:
  virtual ~PluginState() = default;
};

// The pods that wait for a permit, for the plugins that made them wait. Pods are named by UID; a pod that
// does not wait, or a plugin that it does not wait for, is no error. Nothing moves before the caller returns.
// For the strand only: who decides elsewhere posts there.
class Handle {
 public:
  virtual ~Handle() = default;
  virtual void each_waiting_pod(const std::function<void(const AssumedPod&)>& visit) const = 0;
  // The plugins that the pod still waits for, sorted; empty: it does not wait.
  virtual std::vector<std::string> pending_plugins(std::string_view uid) const = 0;
  // One plugin is content; the pod goes on when none is left.
  virtual void allow(std::string_view uid, std::string_view plugin) = 0;
  // Turns the pod down as `plugin`'s verdict, whoever it still waits for; false where it no longer waits.
  virtual bool reject(std::string_view uid, std::string_view plugin, std::string message) = 0;
};

// --- Reserve ---

struct ReserveResult {
  std::optional<Verdict> failed;       // nullopt: reserved
  std::unique_ptr<PluginState> state;  // null: nothing to remember
};

class ReservePlugin {
 public:
  virtual ~ReservePlugin() = default;
  virtual ReserveResult reserve(const AssumedPod& pod, Snapshot& snapshot) const = 0;
  // Takes it back. Asked of every Reserve plugin when the pod is given up, also of those that failed or had
  // no turn: `state` is null then. Has to be idempotent.
  virtual void unreserve(const AssumedPod& pod, PluginState* state, Snapshot& snapshot,
                         Handle& handle) const = 0;
  // The events after which a pod that this plugin turned down may fit; where the plugin filters, its hints
  // there count.
  virtual std::vector<EventHint> hints() const { return {EventHint{Resource::wild_card, kAll, nullptr}}; }
};

// --- Permit ---

inline constexpr std::chrono::milliseconds kLongestPermitWait = std::chrono::minutes(15);

struct PermitResult {
  std::optional<Verdict> denied;      // nullopt: approved, or wait
  bool wait = false;                  // until allowed or rejected through the Handle, or
  std::chrono::milliseconds timeout;  // … rejected when this has passed; at most kLongestPermitWait counts

  static PermitResult approve() { return {std::nullopt, false, {}}; }
  static PermitResult deny(Verdict verdict) { return {std::move(verdict), false, {}}; }
  static PermitResult wait_for(std::chrono::milliseconds timeout) { return {std::nullopt, true, timeout}; }
};

class PermitPlugin {
 public:
  virtual ~PermitPlugin() = default;
  virtual PermitResult permit(const AssumedPod& pod, const Snapshot& snapshot, Handle& handle) const = 0;
  virtual std::vector<EventHint> hints() const { return {EventHint{Resource::wild_card, kAll, nullptr}}; }
};

// --- PreBind ---

// One change of an object on the API server: a JSON merge patch, made only if the object is still the one
// that was seen.
struct ObjectWrite {
  std::string group, version = "v1", resource;  // "", "v1", "persistentvolumes"
  std::string namespace_, name, subresource;
  std::string uid, resource_version;  // preconditions
  boost::json::value patch;           // without the preconditions
};

struct PreBindPlan {
  std::optional<Verdict> failed;
  std::vector<ObjectWrite> writes;  // made one after the other; the first that fails fails the pod
  std::optional<std::chrono::milliseconds> timeout;  // for ready() to come true then; nullopt: it is not
                                                     // asked
  std::string timed_out;                             // the error when it does not
};

struct Progress {
  enum class State { ready, not_yet, failed };
  State state = State::ready;
  std::string error;

  static Progress ready() { return {}; }
  static Progress not_yet() { return {State::not_yet, {}}; }
  static Progress failed(std::string error) { return {State::failed, std::move(error)}; }
};

class PreBindPlugin {
 public:
  virtual ~PreBindPlugin() = default;
  // PreBindPreFlight: whether there is anything to do for this pod. True lets others know by
  // status.nominatedNodeName that the pod will be bound there, since it may take long. Where it is false, the
  // rest is not asked.
  virtual std::expected<bool, Verdict> needs_pre_bind(const AssumedPod& pod,
                                                      const PluginState* state) const = 0;
  virtual PreBindPlan pre_bind(const AssumedPod& pod, PluginState* state, const Snapshot& snapshot) const = 0;
  // The API server has made writes[index]; `object` is what it has now.
  virtual void written(const AssumedPod& pod, PluginState* state, std::size_t index,
                       const boost::json::value& object) const {
    (void)pod, (void)state, (void)index, (void)object;
  }
  // Asked after the writes, and after each event that concerns the pod.
  virtual Progress ready(const AssumedPod&, const PluginState*, const Snapshot&) const {
    return Progress::ready();
  }
  virtual bool concerns(const AssumedPod&, const PluginState*, const ClusterEvent&) const { return true; }
};

// --- PostBind ---

class PostBindPlugin {
 public:
  virtual ~PostBindPlugin() = default;
  // For information: the pod is bound.
  virtual void post_bind(const AssumedPod& pod, PluginState* state, Handle& handle) const = 0;
};

}  // namespace podium::framework
