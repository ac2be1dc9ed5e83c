// nap(): waits, on the executor of the coroutine that calls it. It ends early where that coroutine is
// cancelled.
#pragma once

#include <chrono>

#include "client/transport.h"

namespace podium::client {

Task<void> nap(std::chrono::nanoseconds time);

}  // namespace podium::client
