// EngineObserver: compares the state of a working engine with what it may know, and with its actions.
//
// - An engine that writes anything, even the lease, holds each node and pod that existed when it began and
//   still exists. Not each slice and claim: a proxy's 404 is taken for a kind that is not served (1000241).
// - At the moment of its first decisions, an engine binds the pods in the queue's order: by priority, then by
//   time. Pods that it has tried before are not compared.
// - When an engine has nothing more to write, the status of a waiting pod is its last decision.
//
// Owner: a Life. Threads: one. Errors: returns the broken rule.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "app/engine/engine.h"
#include "client/http/transport.h"
#include "simulate/base/agenda.h"
#include "simulate/observers/podium_process.h"
#include "simulate/server/store.h"

namespace podium::simulate {

class EngineObserver {
 public:
  using Broken = std::optional<std::string>;

  EngineObserver(Store& store, const Agenda& agenda);

  // True if the last write of the pod's status was this engine's newest one.
  std::function<bool(const std::string& pod_uid, const std::string& engine)> wrote_last;
  std::function<bool(const std::string& pod_uid)> nomination_is_late;
  void may_lose_events() { loses_events_ = true; }  // also an event of the first list
  void began(const Process& process);
  Broken begins(Process& process, const client::Request& request);  // in the order of decisions
  Broken sent(Process& process, const client::Request& request);
  Broken works(Process& process);  // called every few seconds

 private:
  struct Place {
    std::string name, node;  // with its kind; of a pod: where it runs
  };
  struct Queued {
    std::int64_t priority = 0;
    Steady since{};
    std::string name;
  };
  // What check_statuses() reads: it does not repeat a check with the same result.
  struct Checked {
    Version pods = 0;       // of the store
    std::string decisions;  // of the engine
    std::uint64_t snapshot = 0;
    bool operator==(const Checked&) const = default;
  };
  struct Known {
    std::map<std::string, Place> at_first;  // by UID
    bool has_written = false;
    std::map<std::string, Queued> queued;                 // by UID: when it first asked for the lease
    Steady decides_at{};                                  // the moment when it began its first bindings
    std::optional<Queued> last;                           // of these
    std::map<std::string, Steady> nominated;              // by the UID and the node: since when
    std::uint64_t nominated_at = UINT64_MAX;              // the snapshot's generation with these
    std::map<std::string, std::string> sent_nominations;  // by the UID: the last node; empty: none
    std::set<std::string> bindings;                       // by the UID and the node: that it has begun
    Checked checked;                                      // the last statuses, if they are as they should be
  };
  Broken lacks(app::Engine& engine, const Known& known) const;
  void note_queue(app::Engine& engine, Known& known) const;
  void forget_tried(app::Engine& engine, Known& known) const;
  void note_nominations(app::Engine& engine, Known& known) const;
  Broken check_order(Process& process, Known& known, const json::value& binding) const;
  Broken check_nominations(Process& process, const Known& known) const;
  Broken check_statuses(Process& process, Known& known) const;

  const Store& store_;
  const Agenda& agenda_;
  Version pods_version_ = 0;  // of the last write of a pod
  bool loses_events_ = false;
  std::map<std::string, Known> known_;  // by the engine's identity
};

}  // namespace podium::simulate
