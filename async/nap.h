// nap(): waits on the caller's executor.
//
// Returns early when the caller is cancelled; the caller's next co_await then throws.
#pragma once

#include <chrono>

#include "async/task.h"

namespace podium::async {

Task<void> nap(std::chrono::nanoseconds time);

}  // namespace podium::async
