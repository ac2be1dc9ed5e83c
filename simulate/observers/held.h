// Checks the state of an engine at the end of a life, when nothing has changed for minutes: its caches match
// the API server, its queues hold exactly the waiting pods, and no request is in flight.
//
// An extra entry is a leak that would grow while podium runs, and a missing one is an object that it ignores.
// Owner: a Life. Threads: one. Errors: none; a finding is text.
#pragma once

#include <optional>
#include <string>

#include "app/engine/engine.h"
#include "simulate/server/store.h"

namespace podium::simulate {

// The first difference; nullopt: there is none. An engine that has not read everything by then also is one.
// `refused`: this number of reports may wait, since they are refused.
std::optional<std::string> held_wrongly(app::Engine& engine, const Store& store, std::size_t refused);

}  // namespace podium::simulate
