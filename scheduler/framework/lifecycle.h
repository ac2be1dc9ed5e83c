// The plugin contract after a decision: Reserve, Permit, PreBind, PostBind. It keeps plugins free of I/O.
//
//   reserve … ─▶ permit … ─▶ (wait) ─▶ pre_bind …: writes, wait until ready ─▶ bind ─▶ post_bind …
//       └────────────┴──────────┴──────────┴──────────────────────────────────┴─▶ on failure:
//                                                                         unreserve … in reverse
//
// Reserve writes to the snapshot: it assumes there what will be written. PreBind returns API writes as data
// and reports whether the cluster has followed; the binding cycle makes the writes, keeps the deadline and
// asks again after each event. A plugin keeps per-pod data in its PluginState.
//
// Threads: the scheduling strand, one call at a time; calls must not block. What-ifs also call Reserve and
// Unreserve, on their threads and forks. Plugins are const.
// Errors: a Verdict with the code `error` is retried as a SchedulerError; any other code rejects the pod.
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

// A pod with a chosen node. The snapshot counts it there; it is not bound on the API server yet.
struct AssumedPod {
  PodInfoPtr pod;    // as evaluated: without a node name
  std::string node;  // may no longer be in the snapshot
};

// Per-pod data of one plugin, from Reserve to the end of the binding. Each plugin derives its own type.
class PluginState {
 public:
  virtual ~PluginState() = default;
};

// The pods that wait for a permit. Calls for a pod that does not wait, or for a plugin that it does not wait
// for, have no effect. The pod proceeds or fails only after the caller returns.
// Threads: the scheduling strand only; code on other threads posts to it.
class Handle {
 public:
  virtual ~Handle() = default;
  virtual void each_waiting_pod(const std::function<void(const AssumedPod&)>& visit) const = 0;
  // The plugins that the pod waits for, sorted; empty: it does not wait.
  virtual std::vector<std::string> pending_plugins(std::string_view uid) const = 0;
  // `plugin` approves; the pod proceeds once no plugin is left.
  virtual void allow(std::string_view uid, std::string_view plugin) = 0;
  // Rejects the pod as `plugin`'s verdict, even if others are pending; false if it does not wait.
  virtual bool reject(std::string_view uid, std::string_view plugin, std::string message) = 0;
  // Sends a request without waiting for its outcome; logs a failure. Has no effect on a fork.
  virtual void send(ObjectWrite) {}
  // Called by unreserve() with a change that it made in the snapshot and that may help other pods. Has no
  // effect on a fork.
  virtual void gave_back(ClusterEvent) {}
};

// --- Reserve ---

struct ReserveResult {
  std::optional<Verdict> failed;       // nullopt: reserved
  std::unique_ptr<PluginState> state;  // null: none
};

class ReservePlugin {
 public:
  virtual ~ReservePlugin() = default;
  virtual ReserveResult reserve(const AssumedPod& pod, Snapshot& snapshot) const = 0;
  // Reverts reserve(). Called for every Reserve plugin when the pod fails, also for those that failed or did
  // not run; `state` is null then. Must be idempotent.
  virtual void unreserve(const AssumedPod& pod, PluginState* state, Snapshot& snapshot,
                         Handle& handle) const = 0;
  // The events after which a pod that this plugin rejected may fit. Not used if the plugin is also a filter.
  virtual std::vector<EventHint> hints() const {
    return {EventHint{EventResource::wild_card, kAll, nullptr}};
  }
};

// --- Permit ---

inline constexpr std::chrono::milliseconds kLongestPermitWait = std::chrono::minutes(15);

struct PermitResult {
  std::optional<Verdict> denied;      // nullopt: approved or wait
  bool wait = false;                  // until allowed or rejected through the Handle,
  std::chrono::milliseconds timeout;  // or rejected after this; capped at kLongestPermitWait

  static PermitResult approve() { return {std::nullopt, false, {}}; }
  static PermitResult deny(Verdict verdict) { return {std::move(verdict), false, {}}; }
  static PermitResult wait_for(std::chrono::milliseconds timeout) { return {std::nullopt, true, timeout}; }
};

class PermitPlugin {
 public:
  virtual ~PermitPlugin() = default;
  virtual PermitResult permit(const AssumedPod& pod, const Snapshot& snapshot, Handle& handle) const = 0;
  virtual std::vector<EventHint> hints() const {
    return {EventHint{EventResource::wild_card, kAll, nullptr}};
  }
};

// --- PreBind ---

struct PreBindPlan {
  std::optional<Verdict> failed;
  std::vector<ObjectWrite> writes;                   // in order; the first failure fails the pod
  std::optional<std::chrono::milliseconds> timeout;  // for ready(), after the writes; nullopt: no wait
  std::string timed_out;                             // the error after the timeout
  std::chrono::milliseconds poll{0};                 // period of calls to ready(); 0: after events
  // A Normal event about the pod when the wait begins; an empty reason: none.
  std::string reason = {}, note = {};
};

// A device that a wait was for. For metrics.
struct AwaitedDevice {
  std::string driver;
  bool has_conditions = false;  // the wait was for this device, not only for others of the pod
};

// The reply to a write of the plan.
struct WriteReply {
  const boost::json::value* object = nullptr;  // in the response; null: the write failed
  std::string error;                           // why it failed
  bool conflict = false;                       // it failed because the object has changed
};

// What the binding does after the reply to a write.
struct NextStep {
  std::vector<ObjectWrite> writes;   // replace the remaining writes
  std::string error;                 // not empty: the pod fails
  std::vector<ClusterEvent> events;  // the changes that replied() made in the snapshot
};

struct Progress {
  // The last three fail the pod; metrics distinguish them.
  enum class State { ready, not_yet, failed, timed_out, error };
  State state = State::ready;
  std::string error = {};
  Reason waits_for = {};  // not_yet: what the pod waits for; without text or code: nothing to report yet

  static Progress ready() { return {}; }
  static Progress not_yet(Reason waits_for = {}) { return {State::not_yet, {}, std::move(waits_for)}; }
  static Progress failed(std::string error) { return {State::failed, std::move(error)}; }
};

class PreBindPlugin {
 public:
  virtual ~PreBindPlugin() = default;
  // PreBindPreFlight: true if the plugin has work for this pod. The cycle then sets
  // status.nominatedNodeName, since binding may take long. If false, pre_bind() is not called.
  virtual std::expected<bool, Verdict> needs_pre_bind(const AssumedPod& pod,
                                                      const PluginState* state) const = 0;
  virtual PreBindPlan pre_bind(const AssumedPod& pod, PluginState* state, const Snapshot& snapshot) const = 0;
  // The reply to writes[index] of the plan or of the last step; nullopt: the next write follows, or the pod
  // fails with the error. Also called if the pod is gone by then.
  virtual std::optional<NextStep> replied(const AssumedPod& pod, PluginState* state, std::size_t index,
                                          const WriteReply& reply, Snapshot& snapshot) const {
    (void)pod, (void)state, (void)index, (void)reply, (void)snapshot;
    return std::nullopt;
  }
  // Called after the writes, and after each event for which concerns() is true; or periodically, if the
  // plan says so. The snapshot knows the time.
  virtual Progress ready(const AssumedPod&, const PluginState*, const Snapshot&) const {
    return Progress::ready();
  }
  virtual bool concerns(const AssumedPod&, const PluginState*, const ClusterEvent&) const { return true; }
  // The plugin's PreBind has succeeded: the writes are made, and ready() has nothing to wait for.
  virtual void pre_bound(const AssumedPod&, PluginState*, Snapshot&) const {}
  // The devices that the wait was for, after its end.
  virtual std::vector<AwaitedDevice> awaited(const AssumedPod&, const PluginState*, const Snapshot&) const {
    return {};
  }
};

// --- PostBind ---

class PostBindPlugin {
 public:
  virtual ~PostBindPlugin() = default;
  // The pod is bound.
  virtual void post_bind(const AssumedPod& pod, PluginState* state, Handle& handle) const = 0;
};

}  // namespace podium::framework
