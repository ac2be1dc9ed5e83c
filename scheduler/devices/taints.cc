#include "scheduler/devices/taints.h"

#include <algorithm>

namespace podium::devices {

bool tolerates(const api::DeviceToleration& toleration, const api::DeviceTaint& taint) {
  if (toleration.effect && *toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  switch (toleration.op) {
    case api::DeviceToleration::Op::equal:
      return toleration.value == taint.value;
    case api::DeviceToleration::Op::exists:
      return true;
    case api::DeviceToleration::Op::other:
      break;
  }
  return false;
}

bool forbids(const api::DeviceTaint& taint, std::span<const api::DeviceToleration> tolerations) {
  using enum api::DeviceTaintEffect;
  if (taint.effect != no_schedule && taint.effect != no_execute) return false;
  return std::ranges::none_of(tolerations, [&](const auto& each) { return tolerates(each, taint); });
}

bool is_tainted(const api::Device& device, std::span<const api::DeviceToleration> tolerations) {
  return std::ranges::any_of(device.taints,
                             [&](const api::DeviceTaint& taint) { return forbids(taint, tolerations); });
}

}  // namespace podium::devices
