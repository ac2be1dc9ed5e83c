#include "scheduler/config/kube/node_searches.h"

#include <algorithm>

#include "base/check.h"
#include "scheduler/framework/profile.h"

namespace podium::config {
namespace json = boost::json;
namespace {

constexpr std::string_view kField = "percentageOfNodesToScore";

}  // namespace

bool writes_zero_percentage(const json::object& config) {
  const auto zero = [](const json::object& object) {
    const auto* percentage = object.if_contains(kField);
    return percentage && *percentage == 0;
  };
  return zero(config) ||
         std::ranges::any_of(config.at("profiles").as_array(),
                             [&](const json::value& profile) { return zero(profile.as_object()); });
}

std::vector<std::int64_t> percentages(const json::object& config) {
  PODIUM_CHECK(config.contains(kField));
  std::vector<std::int64_t> out;
  for (const auto& profile : config.at("profiles").as_array()) {
    const auto* own = profile.as_object().if_contains(kField);
    out.push_back((own ? *own : config.at(kField)).as_int64());
  }
  return out;
}

std::optional<framework::NodeSampling> node_search(std::int64_t percentage, const framework::Profile& profile,
                                                   const std::vector<Extender>& extenders, bool adaptive) {
  if (percentage == 100 || (percentage == 0 && !adaptive)) return std::nullopt;
  const bool asks = std::ranges::any_of(extenders, [](const Extender& extender) {
    return !extender.filter_verb.empty() || !extender.prioritize_verb.empty();
  });
  return framework::NodeSampling{static_cast<std::int32_t>(percentage), profile.scores.empty() && !asks};
}

}  // namespace podium::config
