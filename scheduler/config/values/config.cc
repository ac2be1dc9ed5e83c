#include "scheduler/config/values/config.h"

#include <algorithm>

#include "scheduler/framework/profile.h"

namespace podium::config {

const framework::Profile* Config::profile(std::string_view scheduler_name) const {
  const auto it = std::ranges::find(profiles, scheduler_name,
                                    [](const auto& one) -> std::string_view { return one->scheduler_name; });
  return it == profiles.end() ? nullptr : it->get();
}

}  // namespace podium::config
