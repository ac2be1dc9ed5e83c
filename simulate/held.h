// What an engine holds at the end of a life, when nothing has changed for minutes: its caches have what the
// API server has, its queues hold the pods that wait and nothing else, and nothing is under way.
//
// What it held too much would grow for as long as podium runs, and what it lacked it would not see.
// Owner: a Life. Threads: one. Errors: none; a finding is text.
#pragma once

#include <optional>
#include <string>

#include "app/engine/engine.h"
#include "simulate/store.h"

namespace podium::simulate {

// The first difference; nullopt: there is none. An engine that has not read everything by then is one, too.
// `refused`: so many reports may wait, since they are refused.
std::optional<std::string> held_wrongly(app::Engine& engine, const Store& store, std::size_t refused);

}  // namespace podium::simulate
