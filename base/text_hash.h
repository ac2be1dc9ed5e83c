// Hashes of texts and numbers, for tables.
//
// hash_text has a seed: users choose names and labels, and a user who does not know the seed cannot choose
// texts that share a place in a table. What orders or picks uses stable_hash, which is equal on every run.
//
// Threads: pure functions, apart from seed_hashes. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace podium {

struct HashSecret {
  std::uint64_t left = 0x9e3779b97f4a7c15u, right = 0xd6e8feb86659fd93u;
  bool operator==(const HashSecret&) const = default;
};
inline constinit HashSecret hash_secret;

// Folds b into a; every bit of either reaches every bit of the result.
constexpr std::uint64_t hash_mix(std::uint64_t a, std::uint64_t b, const HashSecret& secret = {}) {
  const auto product = static_cast<unsigned __int128>(a ^ secret.left) * (b ^ secret.right);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Sets the seed of hash_text: once, before there is a table or a second thread. Without it the seed is fixed.
inline void seed_hashes(std::uint64_t left, std::uint64_t right) { hash_secret = {left, right}; }

// A copy of the secret: the compiler cannot know that the text does not contain it.
inline std::uint64_t stable_hash(std::string_view text, const HashSecret secret = {}) {
  std::uint64_t hash = text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    hash = hash_mix(hash, word, secret);
  }
  std::uint64_t tail = 0;
  if (left > 0) std::memcpy(&tail, at, left);
  return hash_mix(hash_mix(hash, tail, secret), 0x2545f4914f6cdd1du, secret);
}

inline std::uint64_t hash_text(std::string_view text) { return stable_hash(text, hash_secret); }

struct TextHash {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(std::string_view text) const { return hash_text(text); }
};

// Hashes two texts, such as the key and the value of a label; or a text and a number.
struct TextPairHash {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(const std::pair<std::string_view, std::string_view>& texts) const {
    return hash_mix(hash_text(texts.first), hash_text(texts.second));
  }
  std::size_t operator()(const std::pair<std::string_view, std::int32_t>& texts) const {
    return hash_mix(hash_text(texts.first), static_cast<std::uint64_t>(texts.second));
  }
};

}  // namespace podium
