// Assumptions: since when each engine has pods on a node in its memory that have none in the API server.
//
// A decision precedes the first request after it. Its own requests may come much later: a pod waits for its
// volumes, and its nomination waits for the write of its last status (5003955).
// Owner: an Observer. Threads: one. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "scheduler/cycle/scheduler.h"
#include "simulate/base/agenda.h"

namespace podium::simulate {

class Assumptions {
 public:
  explicit Assumptions(const Agenda& agenda) : agenda_(agenda) {}

  // Called at each request that an engine begins. `bound`: the number of pods for which `is_bound` is true,
  // which only grows.
  void note(const std::string& engine, cycle::Scheduler& scheduler, std::size_t bound,
            const std::function<bool(const std::string& uid)>& is_bound);
  // Now, if the engine does not have the pod there.
  Steady since(const std::string& engine, const std::string& uid, const std::string& node) const;

 private:
  struct Known {
    std::map<std::string, Steady> since;  // by the pod's UID and the node
    // What it was computed from: the same gives the same.
    std::uint64_t snapshot = 0;
    std::size_t bound = 0;
  };

  const Agenda& agenda_;
  std::map<std::string, Known> known_;  // by the engine
};

}  // namespace podium::simulate
