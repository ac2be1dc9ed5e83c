// Life: one life of podium in a cluster, made from a seed: chaos, then rest.
//
// First one or two engines work while users change the cluster and faults occur. Then the faults and the
// changes end. The Observer checks when podium had time to finish, and again when reports have expired. At
// the end the engines stop in order. All of it runs on virtual time, on the caller's thread.
//
// Threads: one life per thread at a time. Errors: LifeOutcome::failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulate/mutations/mutations.h"
#include "simulate/observers/excuses.h"
#include "simulate/server/faults.h"

namespace podium::simulate {

struct Settings {
  std::uint64_t seed = 1;
  Faults faults = Faults::all();       // the faults that the seed may choose from
  const Mutation* mutation = nullptr;  // a bug that its engines have; null: none
  bool prints = false;                 // the trace, to the standard output
};

struct LifeOutcome {
  std::optional<std::string> failure;      // nullopt: all checks passed
  double failed_at = 0;                    // in seconds of the life
  std::uint64_t hash = 0, lines = 0;       // of the trace
  std::uint64_t bound = 0, allocated = 0;  // pods, claims
  Excuses excused{};
  Faults chosen = Faults::none();  // the faults that the seed chose
};

LifeOutcome live(const Settings& settings);

}  // namespace podium::simulate
