// WatchedKinds: the kinds that the scheduler watches, and how a change of each reaches it.
//
// Threads: an immutable table; the functions but `decode` run on the strand. Errors: those of decoding.
#pragma once

#include <span>
#include <string_view>

#include "client/api.h"
#include "scheduler/live/arrival.h"

namespace podium::cycle {
class Scheduler;
}

namespace podium::live {

struct WatchedKind {
  const client::Resource& resource;
  const char* field_selector;
  DecodeObject decode;  // null for pods, which become PodInfo
  void (*apply)(cycle::Scheduler&, const Arrival&);
  bool optional = false;  // counts as empty if the API server does not serve it
  void (*listed)(cycle::Scheduler&, std::string_view version) = nullptr;  // after each complete list
  void (*versions_restarted)(cycle::Scheduler&) = nullptr;                // before the list that follows
};

std::span<const WatchedKind> watched_kinds();

}  // namespace podium::live
