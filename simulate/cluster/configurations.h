// The configurations that lives have. Each is loaded once.
//
// Threads: one. Errors: none.
#pragma once

#include "scheduler/config/values/config.h"

namespace podium::simulate {

// `has_conditions`: devices have binding conditions, and podium waits for them for 12 s.
const config::Config& configuration(bool has_conditions, bool has_extender);

}  // namespace podium::simulate
