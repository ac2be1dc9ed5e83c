// nap(): waits on the caller's executor. When the caller is cancelled it returns early, and the caller's next
// co_await throws.
#pragma once

#include <chrono>

#include "async/task.h"

namespace podium::async {

Task<void> nap(std::chrono::nanoseconds time);

}  // namespace podium::async
