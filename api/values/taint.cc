#include "api/values/taint.h"

namespace podium::api {

std::string_view to_string(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::no_schedule:
      return "NoSchedule";
    case TaintEffect::prefer_no_schedule:
      return "PreferNoSchedule";
    case TaintEffect::no_execute:
      return "NoExecute";
    case TaintEffect::none:
    case TaintEffect::unknown:
      return {};
  }
  return {};
}

TaintEffect taint_effect_of(std::string_view text) {
  using enum TaintEffect;
  if (text.empty()) return none;
  for (const auto effect : {no_schedule, prefer_no_schedule, no_execute}) {
    if (text == to_string(effect)) return effect;
  }
  return unknown;
}

}  // namespace podium::api
