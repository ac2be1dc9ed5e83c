// The seed of a randomised test of plugins.
#pragma once

#include <cstdint>

#include "unit/support/seed.h"

namespace podium::plugins::test {

// The given one, or a fixed default.
inline std::uint64_t test_seed() { return podium::test::given_seed().value_or(20240611); }

}  // namespace podium::plugins::test
