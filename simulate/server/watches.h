// Watches: the open watches of the modelled API server, with bookmarks, timeouts and 410.
//
// A watch delivers whole lines. The network handles its bytes and their faults.
// Owner: ApiServer. Threads: one. Errors: an ERROR line, as the API server sends it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simulate/base/agenda.h"
#include "simulate/base/dice.h"
#include "simulate/protocol/route.h"
#include "simulate/server/store.h"

namespace podium::simulate {

struct Watch {
  std::string plural, ns;
  RouteSelector selector;
  std::function<void(std::string)> deliver;  // a line; set by the opener
  std::function<void()> ended;               // by the server
  Version seen = 0;                          // all commits up to this one are delivered
  Steady bookmark_at{}, ends_at{};
  bool closed = false;  // by either side
};

class Watches {
 public:
  Watches(Store& store, Agenda& agenda, Dice dice);

  std::shared_ptr<Watch> open(const Route& route, const RouteSelector& selector);
  // Delivers the first lines of a new watch: a streaming list, or the events since its resourceVersion.
  void begin(const std::shared_ptr<Watch>& watch, const Route& route);
  void end_all();  // as a server that restarts does
  std::size_t size() const { return open_.size(); }

 private:
  static std::string line(const char* type, const std::string& object);
  static std::string bookmark(const Watch& watch, Version version, bool initial_events_end);
  static std::string deletion(const Stored& last, Version version);
  static void deliver(Watch& watch, const Commit& commit);
  void committed(const Commit& commit);
  void end(const std::shared_ptr<Watch>& watch);
  void tick();

  Store& store_;
  Agenda& agenda_;
  Dice dice_;
  const std::chrono::seconds bookmarks_;
  std::vector<std::shared_ptr<Watch>> open_;
};

}  // namespace podium::simulate
