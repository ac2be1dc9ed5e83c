#include "scheduler/cluster/node_mask.h"

#include <span>

#include "scheduler/cluster/vector_clones.h"

namespace podium::cluster {
namespace {

PODIUM_VECTOR_CLONES
std::size_t count_bits(const std::uint64_t* words, std::size_t size) {
  std::size_t n = 0;
  for (std::size_t w = 0; w < size; ++w) n += static_cast<std::size_t>(__builtin_popcountll(words[w]));
  return n;
}

}  // namespace

std::size_t NodeMask::count() const { return count_bits(words_.data(), words_.size()); }

std::size_t count(const ChunkWords& words) { return count_bits(words.data(), words.size()); }

}  // namespace podium::cluster
