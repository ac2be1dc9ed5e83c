// ModelExtender: an HTTP extender that answers late, so that events arrive while an engine decides on a pod.
//
// It is asked about each pod, accepts each node, and prefers one. Until rest() some answers take seconds,
// some never come, and some are errors.
// Owner: a Life with an extender. Threads: one. Errors: as the Transport's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/http/transport.h"
#include "simulate/base/agenda.h"
#include "simulate/base/dice.h"
#include "simulate/server/network.h"

namespace podium::simulate {

class ModelExtender {
 public:
  ModelExtender(Agenda& agenda, Dice dice) : agenda_(agenda), dice_(dice) {}

  // Called when an engine asks about a pod.
  std::function<void(const Host&, const std::string& pod_uid)> asked;
  std::shared_ptr<client::Transport> connect(HostPtr host);
  void rest() { resting_ = true; }

  // --- for the transports ---
  // What it answers, after a wait; nullopt: nothing.
  struct Answer {
    Steady::duration wait{};
    std::optional<client::Response> reply;
  };
  Answer answer(const Host& host, const client::Request& request);
  Agenda& agenda() { return agenda_; }

 private:
  Agenda& agenda_;
  Dice dice_;
  bool resting_ = false;
};

// The configuration that names it.
inline constexpr const char* kExtenderConfiguration =
    R"(extenders: [{urlPrefix: "http://extender", filterVerb: filter, prioritizeVerb: prioritize, weight: 1,
             nodeCacheCapable: true, httpTimeout: 10s}]
)";

}  // namespace podium::simulate
