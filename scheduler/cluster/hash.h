// Hashes of numbers, for tables; those of texts are in base/text_hash.h.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/text_hash.h"

namespace podium::cluster {

struct NumberHash {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(std::uint64_t number) const { return hash_mix(number, 0x2545f4914f6cdd1du); }
};

// Identity, for keys that are hashes already.
struct HashOfHash {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(std::uint64_t hash) const { return hash; }
};

}  // namespace podium::cluster
