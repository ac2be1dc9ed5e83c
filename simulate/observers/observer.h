// Observer: checks the invariants at every commit, at every request that is sent, and at rest.
//
// At a commit: a pod's UID is bound once and never moves; the pods that one engine bound fit their node. At a
// request: an engine that binds, evicts, nominates or writes claims has the lease, by the server's record.
// For reports see ReportObserver, for devices ClaimObserver. At rest: see at_rest() and at_end().
//
// The first violation ends a life. A violation that no scheduler can avoid is excused: Excuse has the
// reasons. Each excuse is counted.
// Owner: a Life. Threads: one. Errors: failed().
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/http/transport.h"
#include "scheduler/cycle/scheduler.h"
#include "simulate/base/agenda.h"
#include "simulate/base/trace.h"
#include "simulate/observers/assumptions.h"
#include "simulate/observers/budget_observer.h"
#include "simulate/observers/claim_observer.h"
#include "simulate/observers/excuses.h"
#include "simulate/observers/neighbour_observer.h"
#include "simulate/observers/report_observer.h"
#include "simulate/observers/request_observer.h"
#include "simulate/observers/volume_observer.h"
#include "simulate/protocol/route.h"
#include "simulate/server/network.h"
#include "simulate/server/store.h"

namespace podium::simulate {

class Observer {
 public:
  Observer(Store& store, Agenda& agenda, Trace& trace, std::chrono::seconds ttl);

  void sent(const Host& host, const client::Request& request);
  void served(const Host& host, const client::Request& request, int status);
  void may_lose_events() { loses_events_ = true; }      // the watches may: no engine knows all pods of a node
  void keeps_some_reports() { reports_.keeps_some(); }  // a policy keeps them: see stays()
  void has_volumes();                                   // its pods have claims for volumes
  void has_neighbours();  // the life's pods have rules or budgets, or are resized
  // Called when an engine begins a request; `scheduler`: its own.
  void begins(const Host& host, cycle::Scheduler& scheduler, const client::Request& request);
  // Called when an engine asks an extender: it has decided on what it knew then.
  void consults(const Host& host, const std::string& uid) {
    consulted_[host.identity + uid].push_back(agenda_.now());
  }
  void arrives(Steady sent_at) { sent_at_ = sent_at; }  // the request that takes effect next
  void read(const Host& host, const std::string& plural, std::string_view objects);
  void answered(const Host& host, const client::Request& request, const client::Response& reply);
  void lost_its_memory(const std::string& engine) {  // crashed or stopped
    reports_.lost_its_memory(engine);
    requests_.lost_its_memory(engine);
  }
  // Set by the Life: engines that believe they lead.
  std::function<std::vector<std::string>()> leaders;
  void fail(std::string reason);
  // True if the pod's status is this engine's last write: no other engine wrote it, and no write was late.
  bool wrote_last(const std::string& uid, const std::string& engine) const {
    const auto it = nominations_.find(uid);
    return it == nominations_.end() || (it->second.by == engine && !it->second.late);
  }
  // True if a late write set or cleared the pod's nomination, and no write has changed it since (151126).
  bool nomination_is_late(const std::string& uid) const {
    const auto it = nominations_.find(uid);
    return it != nominations_.end() && it->second.node_is_late;
  }

  // Called some time after the last fault and the last change: each pod that fits is bound, each what-if is
  // answered, and reports show the bindings. False: something is unfinished, and there is still time.
  // `flushed`: the queue had time to retry all pods. Without it, at_rest() waits for pods that
  // kube-scheduler does not wake either: the devices that a failed binding gives back do not wake its own
  // pod, nor does a new node wake a pod that only others' anti-affinity concerns.
  bool at_rest(bool has_patience, bool flushed);
  bool awaits_devices() const { return claims_.is_any_being_made_ready(); }
  // When at_end() may be asked: each report that podium has written is expired.
  Steady all_reports_too_old() const { return reports_.all_too_old(); }
  // Only periodic requests were sent since at_rest(), and expired reports are deleted. False: some exist that
  // the leader cannot know before it lists all: their writer has ended, or got no reply.
  bool at_end(std::size_t engines);
  void after_list_of_reports();  // these are also deleted

  const std::optional<std::string>& failure() const { return failure_; }
  const Excuses& excused() const { return excused_; }
  std::uint64_t bound() const { return bound_.size(); }
  std::uint64_t allocated() const { return claims_.allocated(); }

 private:
  void committed(const Commit& commit);
  void pod_committed(const Commit& commit);
  void status_committed(const Commit& commit);
  bool knows_nomination(const std::string& uid) const;
  Steady decided(const json::value& pod, const std::string& by) const;
  void check_node(const json::value& pod, const std::string& by);
  void check_neighbours(const json::value& pod, const std::string& by);
  void check_volumes(const json::value& pod, const std::string& by);
  bool knows(const std::string& engine, const json::value& bound, Steady decided) const;
  bool may_be_on(const json::value& pod, const json::value& node) const;
  void note_nomination(const Host& host, const client::Request& request);
  void note_status(const client::Request& request);
  void count(const Host& host, const client::Request& request, const Route& route);
  void reads_always();
  void read_claims(const std::string& engine, std::string_view objects);
  void read_pods(const std::string& engine, std::string_view objects);
  void read_list(const std::string& engine, const std::string& plural, std::string_view page);
  void check_lease(const Host& host, const client::Request& request);
  void check_leaders();
  void demand(RequestObserver::Broken broken) {
    if (broken) fail(std::move(*broken));
  }
  void judge(std::optional<ClaimObserver::Finding> finding);
  void excuse(Excuse why) { ++excused_[static_cast<std::size_t>(why)]; }
  void excuse_lost_lease(const std::string& engine);
  std::set<std::string> nominated_in_vain() const;
  std::map<std::string, std::int64_t> nominated_until_flush() const;
  // True if no event may wake the pod while it waits for its victims.
  bool waits_for_victims(const json::value& pod) const;
  bool gives_back_a_claim(const json::value& pod) const;
  bool may_be_tried(const json::value& pod) const {
    return claims_.may_be_tried(pod) && (!volumes_ || volumes_->may_be_tried(pod));
  }
  std::optional<std::string> unfinished_pods();
  std::string holder() const;

  Store& store_;
  Agenda& agenda_;
  Trace& trace_;
  std::optional<std::string> failure_;
  Bindings bound_;
  struct Nomination {
    std::string by;
    Steady at{};
    bool late = false;          // a newer write of the status took effect before
    bool node_is_late = false;  // the write that changed the node was late
  };
  struct SentNomination {
    std::string node, by;
    Steady at{};
  };
  // By an engine's identity and a pod's UID: a nomination that it has sent and not withdrawn.
  std::map<std::string, SentNomination> nominated_;  // by the pod's UID: the last one that was sent
  std::map<std::string, Nomination> nominations_;    // by the pod's UID: as it was written last
  // By the pod's UID: the send time of the newest status write that took effect.
  std::map<std::string, Steady> carried_out_;
  std::map<std::string, Steady> given_up_;  // by node: when a pod nominated to it went elsewhere
  // By an engine's identity and a pod's UID: since when it has read that the pod is on a node.
  std::map<std::string, Steady> known_bound_;
  std::map<std::string, std::vector<Steady>> consulted_;  // by an engine's identity and a pod's UID
  struct Begun {
    Steady at{};
    std::uint32_t attempts = 0;  // at the pod; another number: another decision
  };
  std::map<std::string, Begun> begun_;  // bindings; their first request may have found no connection
  // By an engine's identity, the pod's UID and the node: when the binding was sent first.
  std::map<std::string, Steady> bindings_;
  // What an engine reads of a kind by a watch, or by a list.
  using Reader = std::function<void(const std::string& engine, std::string_view objects)>;
  std::map<std::string, Reader> readers_;  // by the kind's plural
  Steady sent_at_{};
  Steady lease_taken_{};                           // the last time by hand
  std::map<std::string, Steady> excused_leaders_;  // by identity: the last deletion that was excused
  bool loses_events_ = false, waits_for_flush_ = false;
  Assumptions assumptions_;
  ReportObserver reports_;
  RequestObserver requests_{store_, agenda_};
  ClaimObserver claims_{store_, agenda_};
  std::optional<NeighbourObserver> neighbours_;  // both nullopt: a life without them
  std::optional<BudgetObserver> budgets_;
  std::optional<VolumeObserver> volumes_;
  Excuses excused_{};
  std::size_t requests_since_rest_ = 0, refused_since_rest_ = 0, writes_since_rest_ = 0;
  std::set<std::string> refused_targets_;  // since then
  std::optional<Steady> rests_since_;
  // Requests about one object by one engine: since when, and how many in that second.
  std::map<std::string, std::pair<Steady, int>> repeated_;
};

}  // namespace podium::simulate
