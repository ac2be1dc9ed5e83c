#include "simulate/base/trace.h"

#include <fmt/format.h>

namespace podium::simulate {

// Source: the FNV-1a hash.
void Trace::line(std::initializer_list<std::string_view> parts) {
  const auto at = std::chrono::duration_cast<std::chrono::microseconds>(clock_.now() - began_).count();
  const auto mix = [this](std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001B3; };
  for (int shift = 0; shift < 64; shift += 8) mix(static_cast<std::uint8_t>(at >> shift));
  for (const auto part : parts) {
    for (const char c : part) mix(static_cast<std::uint8_t>(c));
  }
  mix('\n');
  ++lines_;
  if (prints_) fmt::print("{:>12.6f} {}\n", static_cast<double>(at) * 1e-6, fmt::join(parts, ""));
}

void Trace::note(std::string_view text) const {
  if (prints_) fmt::print("{:>12} {}\n", "", text);
}

}  // namespace podium::simulate
