// Taint: keeps pods that do not tolerate it off a node. Threads: a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace podium::api {

enum class TaintEffect : std::uint8_t { none, no_schedule, prefer_no_schedule, no_execute, unknown };

std::string_view to_string(TaintEffect);        // as written in a manifest; none and unknown: ""
TaintEffect taint_effect_of(std::string_view);  // "": none; a text that is not an effect: unknown

struct Taint {
  std::string key, value;
  TaintEffect effect = TaintEffect::none;
  bool operator==(const Taint&) const = default;
};

}  // namespace podium::api
