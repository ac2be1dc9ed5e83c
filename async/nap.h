// nap(): waits, on the executor of the coroutine that calls it. It returns early where that coroutine is
// cancelled; the co_await after it throws then.
#pragma once

#include <chrono>

#include "async/task.h"

namespace podium::async {

Task<void> nap(std::chrono::nanoseconds time);

}  // namespace podium::async
