#include "scheduler/plugins/node_resources/shortfall.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <optional>

#include "api/values/resource_names.h"
#include "base/text_hash.h"
#include "scheduler/plugins/node_resources/node_resources.h"

namespace podium::plugins {
namespace {

using cluster::Row;

using framework::Reason;
using framework::ReasonCode;

constexpr std::string_view kPods = "pods";

// wanted - free, saturated; ~free is -free - 1 and cannot overflow.
std::int64_t lack(std::int64_t wanted, std::int64_t free) {
  return cluster::saturating_add(cluster::saturating_add(wanted, ~free), 1);
}

// The resource of one reason, and the least missing amount so far.
struct Lack {
  std::string reason, resource;
  std::int64_t want = 0;
  std::optional<ResourceAmounts> amounts;  // nullopt: no node has the resource, or it is "pods"
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::string_view node = {};  // the node with the least missing amount; empty: none lacks any
  std::size_t nodes_without = 0;

  bool is_offered_by(Row row) const {
    return resource == kPods || (amounts && amounts->allocatable[row] > 0);
  }
  std::int64_t missing_on(Row row, const cluster::Snapshot& snapshot) const {
    if (resource == kPods)
      return lack(std::int64_t{snapshot.pod_count[row]} + 1, snapshot.allocatable_pods[row]);
    return lack(want, amounts ? cluster::wrapping_minus(amounts->allocatable[row], amounts->used[row]) : 0);
  }
};

std::optional<Lack> lack_of(const Reason& reason, const cluster::PodInfo& pod,
                            const cluster::Snapshot& snapshot) {
  if (reason.code == ReasonCode::too_many_pods)
    return Lack{.reason = reason.text, .resource = std::string(kPods), .want = 1};
  if (reason.code != ReasonCode::insufficient_resource) return std::nullopt;
  std::string resource(framework::named(reason.about, framework::Topic::resource));
  const auto want = pod.requests.get(resource);
  const auto amounts = amounts_of(snapshot, resource, Usage::requested);
  return Lack{.reason = reason.text, .resource = std::move(resource), .want = want, .amounts = amounts};
}

}  // namespace

std::string usual_quantity(std::string_view resource, std::int64_t amount) {
  if (resource == "cpu" && amount % 1000 != 0) return fmt::format("{}m", amount);
  if (resource == "cpu") return fmt::format("{}", amount / 1000);
  if (!api::is_in_bytes(resource) || amount < 1024) return fmt::format("{}", amount);
  constexpr std::int64_t kKi = 1024, kMi = kKi * kKi;
  const auto ceil = [amount](std::int64_t unit) { return amount / unit + (amount % unit > 0 ? 1 : 0); };
  if (amount < kMi) return fmt::format("{}Ki", ceil(kKi));
  const auto mebibytes = ceil(kMi);
  return mebibytes % 1024 == 0 ? fmt::format("{}Gi", mebibytes / 1024) : fmt::format("{}Mi", mebibytes);
}

std::vector<Shortfall> shortfalls(const cluster::PodInfo& pod, const framework::Decision& decision,
                                  const cluster::Snapshot& snapshot) {
  const auto& verdicts = decision.rejections.verdicts();
  std::vector<Lack> lacks;
  std::vector<std::vector<std::size_t>> of_verdict(verdicts.size());         // indexes of lacks
  boost::unordered_flat_map<std::string_view, std::size_t, TextHash> known;  // by reason
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    for (const auto& reason : verdicts[i].reasons) {
      auto it = known.find(reason.text);
      if (it == known.end()) {
        auto lack = lack_of(reason, pod, snapshot);
        if (!lack) continue;
        it = known.emplace(reason.text, lacks.size()).first;
        lacks.push_back(std::move(*lack));
      }
      of_verdict[i].push_back(it->second);
    }
  }
  if (lacks.empty()) return {};
  snapshot.present().each([&](Row row) {
    const auto id = decision.rejections.id(row);
    if (id == framework::kFits) return;
    for (const auto index : of_verdict[id - 1]) {
      auto& lack = lacks[index];
      const auto missing = lack.missing_on(row, snapshot);
      if (!lack.is_offered_by(row)) ++lack.nodes_without;
      if (missing <= 0 || missing > lack.least) continue;
      const auto node = snapshot.node_name(row);
      if (lack.node.empty() || missing < lack.least || node < lack.node) lack.node = node;
      lack.least = missing;
    }
  });
  std::vector<Shortfall> out;
  for (auto& lack : lacks) {
    if (lack.node.empty()) continue;
    auto least = usual_quantity(lack.resource, lack.least);
    out.push_back({std::move(lack.reason), std::move(lack.resource), std::move(least), std::string(lack.node),
                   lack.nodes_without});
  }
  return out;
}

bool has_room(const cluster::PodInfo& pod, Row row, const cluster::Snapshot& snapshot) {
  const auto fits = [&](std::string_view resource, std::int64_t want) {
    const auto amounts = amounts_of(snapshot, resource, Usage::requested);
    return want <= 0 ||
           (amounts && cluster::wrapping_minus(amounts->allocatable[row], amounts->used[row]) >= want);
  };
  return snapshot.pod_count[row] < snapshot.allocatable_pods[row] && fits("cpu", pod.requests.milli_cpu) &&
         fits("memory", pod.requests.memory) && fits("ephemeral-storage", pod.requests.ephemeral_storage) &&
         std::ranges::all_of(
             pod.requests.scalars, [&](const auto& each) { return fits(each.first, each.second); });
}

}  // namespace podium::plugins
