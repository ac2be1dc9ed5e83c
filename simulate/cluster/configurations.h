// The configurations that lives have. Each is loaded once.
//
// Threads: one. Errors: none.
#pragma once

#include "scheduler/config/values/config.h"

namespace podium::simulate {

// `waits_briefly`: podium waits 12 s for binding conditions and volumes, for lives whose devices have
// conditions or whose pods have claims for volumes.
const config::Config& configuration(bool waits_briefly, bool has_extender);

}  // namespace podium::simulate
