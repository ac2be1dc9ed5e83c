// RequestObserver: checks which requests an engine sends, and when, by the requests alone.
//
// A deletion by name has the UID, and a deleted pod gets a condition first. Each binding is followed by its
// event. A request that was refused with a Retry-After is not sent again before that time.
//
// Owner: an Observer. Threads: one. Errors: returns the broken rule.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "client/http/transport.h"
#include "simulate/base/agenda.h"
#include "simulate/protocol/route.h"
#include "simulate/server/network.h"
#include "simulate/server/store.h"

namespace podium::simulate {

class RequestObserver {
 public:
  using Broken = std::optional<std::string>;

  RequestObserver(const Store& store, const Agenda& agenda) : store_(store), agenda_(agenda) {}

  // Called before it is sent; without a connection it never is.
  void begins(const Host& host, const client::Request& request);
  Broken sent(const Host& host, const client::Request& request, const Route& route);  // a write
  void served(const Host& host, const client::Request& request, int status);
  void answered(const Host& host, const client::Request& request, const client::Response& reply);
  void committed(const Commit& commit);
  void lost_its_memory(const std::string& engine) { forgetful_.insert(engine); }

  // Finds a binding without its event. Only valid at rest.
  Broken unwritten() const;

 private:
  struct Place {
    std::string pod, node, by;
    auto operator<=>(const Place&) const = default;
  };
  Broken check_deletion(const Host& host, const client::Request& request, const Route& route,
                        const json::value& body) const;
  bool is_too_early(const Host& host, const client::Request& request);
  void note_event(const Commit& commit);

  const Store& store_;
  const Agenda& agenda_;
  std::set<Place> bound_, announced_;
  std::map<std::string, Steady> not_before_;  // by an engine's identity and the request
  std::map<std::string, int> tries_;          // by an event's name
  std::set<std::string> given_up_;  // by an engine's identity and a pod's UID: an event is not written
  std::set<std::string> forgetful_;
};

}  // namespace podium::simulate
