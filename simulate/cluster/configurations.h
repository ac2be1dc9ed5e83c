// The configurations that lives have. Each is loaded once.
//
// Threads: one. Errors: none.
#pragma once

#include "scheduler/config/values/config.h"

namespace podium::simulate {

// `is_in_a_hurry`: devices have binding conditions, or pods have claims for volumes. Then podium waits for
// them for 12 s.
const config::Config& configuration(bool is_in_a_hurry, bool has_extender);

}  // namespace podium::simulate
