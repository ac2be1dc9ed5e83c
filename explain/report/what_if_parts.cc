#include "explain/report/what_if_parts.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace podium::explain {
namespace {

constexpr std::size_t kPlacements = 64, kZones = 16, kQuotas = 8, kQuotaResources = 16;

}  // namespace

void set_placements(ReportAnswer& answer, const std::vector<std::string>& nodes) {
  std::map<std::string_view, std::size_t> counts;
  for (const auto& node : nodes) ++counts[node];
  answer.placements.clear();
  for (const auto& [node, count] : counts) answer.placements.push_back({std::string(node), count});
  answer.placements_total = counts.size();
  std::ranges::stable_sort(answer.placements, std::ranges::greater(), &ReplicaPlacement::count);
  answer.placements.resize(std::min(answer.placements.size(), kPlacements));
}

void set_zones(ReportAnswer& answer, std::vector<ZonePlacements> zones) {
  answer.zones_total = zones.size();
  std::ranges::sort(zones, [](const ZonePlacements& a, const ZonePlacements& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
  zones.resize(std::min(zones.size(), kZones));
  answer.zones = std::move(zones);
}

void set_quotas(ReportAnswer& answer, std::vector<QuotaAnswer> quotas) {
  answer.quotas_total = quotas.size();
  quotas.resize(std::min(quotas.size(), kQuotas));
  for (auto& quota : quotas) quota.resources.resize(std::min(quota.resources.size(), kQuotaResources));
  answer.quotas = std::move(quotas);
}

const QuotaAnswer* exceeded_quota(const ReportAnswer& answer) {
  const bool is_exceeded = !answer.quotas.empty() && answer.quotas.front().allowed < answer.asked;
  return is_exceeded ? &answer.quotas.front() : nullptr;
}

std::size_t running(const ReportAnswer& answer) {
  const auto* quota = exceeded_quota(answer);
  return quota ? std::min(quota->allowed, answer.fitting) : answer.fitting;
}

}  // namespace podium::explain
