// The status of a ResourceQuota, as the quota controller writes it.
//
// Threads: a pure function. Errors: none.
#pragma once

#include <boost/json/object.hpp>

#include "api/admission/quota.h"

namespace podium::offline {

// Returns the status of what the quota has counted.
inline boost::json::object status_of(const api::ResourceQuota& quota) {
  const auto amounts = [](const api::ResourceList& list) {
    boost::json::object out;
    for (const auto& [name, amount] : list) out[name] = api::quota_text(name, amount);
    return out;
  };
  return {{"hard", amounts(quota.hard)}, {"used", amounts(quota.used)}};
}

}  // namespace podium::offline
