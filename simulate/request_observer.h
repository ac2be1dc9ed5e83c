// RequestObserver: checks what an engine may ask, and when, by the requests alone.
//
// A deletion by name says which object it means, and a pod that is deleted has been told so before. Pods that
// wait when an engine begins are tried in the queue's order. Each binding is followed by its event.
//
// Owner: an Observer. Threads: one. Errors: what is broken is returned.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "client/http/transport.h"
#include "simulate/agenda.h"
#include "simulate/network.h"
#include "simulate/store.h"

namespace podium::simulate {

class RequestObserver {
 public:
  using Broken = std::optional<std::string>;

  RequestObserver(const Store& store, const Agenda& agenda) : store_(store), agenda_(agenda) {}

  // A coroutine of the engine hands the request over: in the order in which it decided.
  Broken begins(const Host& host, const client::Request& request);
  Broken sent(const Host& host, const client::Request& request);
  void served(const Host& host, const client::Request& request, int status);
  void committed(const Commit& commit);
  void lost_its_memory(const std::string& engine) { forgetful_.insert(engine); }

  // At rest: a binding without its event.
  Broken unwritten() const;

 private:
  struct Place {
    std::string pod, node, by;
    auto operator<=>(const Place&) const = default;
  };
  struct First {
    Steady at{};
    std::int64_t priority = 0;
    std::string pod;
  };

  Broken check_deletion(const Host& host, const client::Request& request, const json::value& body) const;
  Broken check_order(const Host& host, const json::value& binding);
  void note_event(const Commit& commit);
  void count_event(const Host& host, const json::value& event);

  const Store& store_;
  const Agenda& agenda_;
  std::map<std::string, First> first_;   // by an engine's identity: its last binding at the first moment
  std::map<std::string, Steady> known_;  // by the pod's UID: since when it waits without gates
  std::set<Place> bound_, announced_;
  std::map<std::string, int> tries_;  // by an event's name
  std::set<std::string> given_up_;    // by an engine's identity and a pod's UID: an event is not written
  std::set<std::string> forgetful_;
};

}  // namespace podium::simulate
