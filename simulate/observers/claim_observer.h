// ClaimObserver: the Observer's part about devices.
//
// At a commit: no device is exclusively in two claims; an allocated claim has the finalizer; podium takes no
// claim from a pod that is bound. At a binding: each claim of the pod is allocated on the node, and reserved
// for the pod, and its devices are ready where they have binding conditions.
// At rest: no claim is reserved for a deleted pod, running pods have their claims, and no pod waits for a
// device, unless it was allocated just now. A pod whose device failed can have another one.
// Owner: an Observer. Threads: one. Errors: Finding.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/http/transport.h"
#include "simulate/base/agenda.h"
#include "simulate/server/network.h"
#include "simulate/server/store.h"

namespace podium::simulate {

// From a device's allocation to the binding, at rest: a driver takes 3 s, podium checks every 5 s.
inline constexpr std::chrono::seconds kToReady{15};

class ClaimObserver {
 public:
  struct Finding {
    std::string what;
    bool is_takeovers = false;  // of writes that one of two leaders cannot know
  };

  ClaimObserver(const Store& store, const Agenda& agenda) : store_(store), agenda_(agenda) {}

  void sent(const Host& host, const client::Request& request);
  void read(const std::string& identity, std::string_view objects);  // whole lines of a watch, or a list
  // The reply to a request for one claim: the engine knows it for this claim, and its decisions on others
  // follow its watch.
  void asked(const std::string& identity, std::string_view claim);
  // `late`: the writer no longer has the lease.
  std::optional<Finding> committed(const Commit& commit, bool late);
  // `decided`: the latest possible time of the decision.
  std::optional<Finding> bound(const json::value& pod, const std::string& by, bool late, Steady decided);

  // True if the node has the devices that the pod requests, and the pod can use its claims there.
  // After PostFilter has deallocated a claim that the pod cannot use or that failed.
  enum class Fit : std::uint8_t { no, once_given_back, yes };
  Fit fits(const json::value& pod, const json::value& node) const;
  // True if the filter of devices, on this node, finds a claim that is allocated where the pod cannot use it.
  bool meets_held_claim(const json::value& pod, const json::value& node) const;
  // The time of the engine's first write of a claim of the pod; now, if it has sent none: a binding that
  // waits for its devices was decided before that.
  Steady decided(const std::string& by, const json::value& pod) const;
  // True if its claims exist. If not, a pod keeps its nomination, since it is not tried.
  bool may_be_tried(const json::value& pod) const;
  std::optional<std::string> unfinished() const;
  bool is_any_being_made_ready() const;
  std::uint64_t allocated() const { return count_; }

 private:
  struct Allocated {
    std::vector<std::string> devices;
    std::string by, name;
    Version version = 0;
    Steady at{};
  };
  struct Chain {
    Steady first{}, last{};
  };

  std::optional<Finding> doubly(const Commit& commit, const Allocated& made, bool late) const;
  std::optional<Finding> taken(const Commit& commit, bool late);
  // By engine, claim UID and version of its allocation: since when the engine has known it.
  using Known = std::map<std::string, Steady>;

  void note(Known& known, const std::string& identity, std::string_view objects) const;
  bool knew(const Known& by_what, const std::string& by, const std::string& uid, Version version,
            const json::value& claim) const;
  Steady decided_on_users(const std::string& by, const json::value& claim) const;
  Steady first_write(const std::string& by, const std::string& ns, const std::set<std::string>& names) const;
  // True if another engine wrote the claim last, or since then.
  bool another_wrote(const std::string& uid, const std::string& by, Steady since = Steady::max()) const;
  bool is_being_made_ready(const json::value& claim) const;
  StoredPtr pod_of(const std::string& uid, const std::string& ns) const;
  bool is_tainted(const json::value& slice, const std::string& device) const;
  std::int64_t free_devices(const std::string& node, const std::vector<std::string>& with) const;

  const Store& store_;
  const Agenda& agenda_;
  std::map<std::string, Allocated> allocated_;  // by the claim's UID
  std::map<std::string, std::string> gone_;     // by the claim's path: the UID of the last that was deleted
  std::map<std::string, std::map<std::string, Steady>> written_;  // by the claim's UID and an engine: last
  std::map<std::string, std::string> binders_;                    // by the pod's UID
  std::map<std::string, Chain> chains_;  // by an engine and a claim's path: its requests
  Known known_, asked_;                  // by its watch; by a request
  // Pods whose claims were taken by a leader that did not know that they run or are bound.
  std::set<std::string> robbed_;
  std::uint64_t count_ = 0;
};

}  // namespace podium::simulate
