// BudgetObserver: no eviction breaks a budget if another candidate breaks none.
//
// It is checked where it is decidable: at the moment of the decision, for a preemptor without rules, and with
// another node on which the preemptor fits after pods without a budget leave.
// Owner: an Observer of a life with neighbours. Threads: one. Errors: returns the broken rule.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "client/http/transport.h"
#include "scheduler/cluster/snapshot.h"
#include "simulate/base/agenda.h"
#include "simulate/server/object_history.h"
#include "simulate/server/store.h"

namespace podium::simulate {

class BudgetObserver {
 public:
  using Broken = std::optional<std::string>;

  BudgetObserver(const Store& store, const Agenda& agenda) : store_(store), agenda_(agenda) {}

  void committed(const Commit& commit);
  void read(const std::string& engine, std::string_view objects) {
    history_.read(engine, objects, agenda_.now());
  }
  // Called when an engine begins a request; `snapshot`: its own.
  Broken begins(const std::string& engine, const cluster::Snapshot& snapshot, const client::Request& request);

 private:
  void note_nominations(const std::string& engine, const cluster::Snapshot& snapshot);
  StoredPtr broken_budget(const std::string& engine, const cluster::PodInfo& victim) const;
  bool may_have_budget(const api::Pod& pod) const;
  bool is_better(const cluster::Snapshot& snapshot, cluster::Row row,
                 const cluster::PodInfo& preemptor) const;

  const Store& store_;
  const Agenda& agenda_;
  History history_{"poddisruptionbudgets"};
  std::set<std::string> covered_;  // namespaces and labels that have had a budget
  std::map<std::string, std::map<std::string, Steady>>
      nominated_;  // by engine: by the UID and the node, since when
};

}  // namespace podium::simulate
