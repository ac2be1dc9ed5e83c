// The answer to "what would other weights of the scheduler's strategies do?".
//
// Threads: pure functions. Errors: none.
#pragma once

#include <string>

#include "app/render/options.h"
#include "app/render/report.h"

namespace podium::render {

// `found`: of the report, perhaps with pods of other namespaces.
std::string weights_compared(const Report& report, const explain::WeightsCompared& found,
                             const Options& options);

}  // namespace podium::render
