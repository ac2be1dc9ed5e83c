// Taint: keeps pods that do not tolerate it off a node. Threads: a value.
#pragma once

#include <cstdint>
#include <string>

namespace podium::api {

enum class TaintEffect : std::uint8_t { none, no_schedule, prefer_no_schedule, no_execute, unknown };

struct Taint {
  std::string key, value;
  TaintEffect effect = TaintEffect::none;
  bool operator==(const Taint&) const = default;
};

}  // namespace podium::api
