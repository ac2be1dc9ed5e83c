// kLongestDoubt: how long refusals do not count after an error that leaves doubt (client::leaves_doubt).
#pragma once

#include <chrono>

namespace podium::live {

// After the last try that left doubt. Well above the 60 s that an API server gives a request.
constexpr std::chrono::minutes kLongestDoubt{5};

}  // namespace podium::live
