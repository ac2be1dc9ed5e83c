// One flag per row of a chunk: as bytes, which loops over a column write, and as bits, as in NodeMask.
//
// Threads: pure functions on values.
#pragma once

#include <array>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "scheduler/cluster/column.h"

namespace podium::cluster {

using ChunkWords = std::array<std::uint64_t, kChunkWords>;  // bit i of word w: row 64w + i of the chunk
using ChunkBytes = std::array<std::uint8_t, kChunkRows>;    // 0x00 or 0xFF per row

inline ChunkWords to_words(const ChunkBytes& bytes) {
  ChunkWords words;
  for (std::size_t w = 0; w < kChunkWords; ++w) {
    std::uint64_t word = 0;
#ifdef __SSE2__
    for (std::size_t part = 0; part < 4; ++part) {
      const auto sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&bytes[w * 64 + part * 16]));
      word |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(sixteen)))
              << (part * 16);
    }
#else
    for (std::size_t i = 0; i < 64; ++i) word |= static_cast<std::uint64_t>(bytes[w * 64 + i] & 1) << i;
#endif
    words[w] = word;
  }
  return words;
}

}  // namespace podium::cluster
