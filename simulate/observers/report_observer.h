// ReportObserver: the Observer's part about reports and what-ifs.
//
// At a commit: no report is deleted before its TTL, except by hand or for the next pod of its name; no late
// request changes a report's status. At rest: each what-if is answered, and each bound pod has a report that
// shows the binding. At the end: expired reports are deleted.
// Owner: an Observer. Threads: one. Errors: a broken rule is a text.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "client/http/transport.h"
#include "simulate/base/agenda.h"
#include "simulate/server/network.h"
#include "simulate/server/store.h"

namespace podium::simulate {

// Reports that a policy keeps, if a life has one.
bool stays(const Key& key);

struct Bound {
  std::string node, by;
  Steady at{};
  bool late = false;  // by an engine that no longer had the lease
};
using Bindings = std::map<std::string, Bound>;  // by the pod's UID

class ReportObserver {
 public:
  ReportObserver(const Store& store, const Agenda& agenda, std::chrono::seconds ttl)
      : store_(store), agenda_(agenda), ttl_(ttl) {}

  void keeps_some() { keeps_some_ = true; }                                           // see stays()
  void lost_its_memory(const std::string& identity) { forgetful_.insert(identity); }  // crashed or stopped

  void sent(const client::Request& request);
  void answered(const Host& host, const client::Request& request, const client::Response& reply);
  // `sent_at`: the send time of the request that takes effect.
  std::optional<std::string> committed(const Commit& commit, Steady sent_at);

  std::optional<std::string> unanswered() const;  // a what-if
  // A bound pod without a report that shows the binding. If the lease was deleted by hand, two leaders
  // try, and the second one may report that it failed: that is excused, and counted.
  std::optional<std::string> unwritten(const Bindings& bound, bool lease_was_deleted,
                                       std::uint64_t& excused) const;
  // When each report that podium has written so far is too old, if it still exists: see kept().
  Steady all_too_old() const;
  // A report that exists long after its TTL; one that this engine knows.
  std::optional<std::string> kept() const;
  std::optional<std::string> kept_by(const std::string& engine) const;

 private:
  std::optional<std::string> written(const Commit& commit, Steady sent_at);
  std::optional<std::string> deleted(const Commit& commit) const;
  std::map<std::string, StoredPtr> of_pods() const;  // by the pod's UID: its last report
  bool is_expired(const Stored& report) const;
  std::string age_text(const Stored& report) const;

  const Store& store_;
  const Agenda& agenda_;
  const std::chrono::seconds ttl_;
  Steady last_written_{};
  bool keeps_some_ = false;
  std::set<std::string> touched_;       // UIDs of reports that were edited by hand
  std::set<std::string> touched_pods_;  // UIDs of pods whose report was deleted or edited by hand
  std::set<std::string> forgetful_;
  // By a report's UID: the time of podium's last write, or of its answer; the send time of its last status
  // write; its writer; the receiver of the reply to its last write.
  std::map<std::string, Steady> written_, filled_;
  std::map<std::string, std::string> writers_, knows_;
  // By a what-if's key: when podium first read its current version; and the same with the time of the answer.
  std::map<std::string, Steady> read_, answered_;
};

}  // namespace podium::simulate
