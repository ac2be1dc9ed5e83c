// Whether a claim was made for a pod.
//
// Source: component-helpers storage/ephemeral VolumeIsForPod, dynamic-resource-allocation IsForPod.
// Threads: pure function.
#pragma once

#include "api/values/pod.h"

namespace podium::plugins {

inline bool is_for_pod(const api::ObjectMeta& claim, const api::Pod& pod) {
  const auto* owner = claim.controller();
  return owner && owner->uid == pod.meta.uid;
}

}  // namespace podium::plugins
