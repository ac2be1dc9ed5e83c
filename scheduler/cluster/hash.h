// Hashes that are equal on every run and machine. They pick shards and break ties between nodes, so they
// must not be seeded.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace podium::cluster {

// Folds b into a; every bit of either reaches every bit of the result.
inline std::uint64_t hash_mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd6e8feb86659fd93u);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    hash = hash_mix(hash, word);
  }
  std::uint64_t tail = 0;
  if (left > 0) std::memcpy(&tail, at, left);
  return hash_mix(hash_mix(hash, tail), 0x2545f4914f6cdd1du);
}

struct TextHash {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(std::string_view text) const { return hash_text(text); }
};

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
