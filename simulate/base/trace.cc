#include "simulate/base/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace podium::simulate {

// As the FNV-1a hash, with eight bytes at a time.
void Trace::line(std::initializer_list<std::string_view> parts) {
  const auto at = std::chrono::duration_cast<std::chrono::microseconds>(clock_.now() - began_).count();
  const auto mix = [this](std::uint64_t bytes) {
    hash_ = (hash_ ^ bytes) * 0x9E3779B97F4A7C15;
    hash_ ^= hash_ >> 32;
  };
  mix(static_cast<std::uint64_t>(at));
  for (auto part : parts) {
    mix(part.size());
    for (std::uint64_t bytes = 0; !part.empty(); bytes = 0) {
      const auto size = std::min(part.size(), sizeof bytes);
      std::memcpy(&bytes, part.data(), size);
      mix(bytes);
      part.remove_prefix(size);
    }
  }
  ++lines_;
  if (prints_) fmt::print("{:>12.6f} {}\n", static_cast<double>(at) * 1e-6, fmt::join(parts, ""));
}

void Trace::note(std::string_view text) const {
  if (prints_) fmt::print("{:>12} {}\n", "", text);
}

}  // namespace podium::simulate
