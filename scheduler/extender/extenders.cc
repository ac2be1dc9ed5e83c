#include "scheduler/extender/extenders.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "api/values/pod.h"

namespace podium::extender {

Result<std::unique_ptr<Extenders>> Extenders::make(const std::vector<config::Extender>& configs,
                                                   const MakeTransport& make_transport) {
  std::vector<std::unique_ptr<HttpExtender>> extenders;
  ObjectTexts::Wanted wanted;
  for (const auto& config : configs) {
    auto reached = client_config(config);
    if (!reached) return std::unexpected(reached.error());
    if (!config.node_cache_capable) {
      wanted.nodes |= !(config.filter_verb.empty() && config.prioritize_verb.empty());
      wanted.placed_pods |= !config.preempt_verb.empty();
    }
    extenders.push_back(std::make_unique<HttpExtender>(config, make_transport(std::move(*reached))));
  }
  std::ranges::stable_partition(extenders, [](const auto& each) { return !each->ignorable(); });
  return std::unique_ptr<Extenders>(new Extenders(std::move(extenders), wanted));
}

bool Extenders::applies_to(const api::Pod& pod) const {
  return std::ranges::any_of(extenders_, [&](const auto& each) {
    return (each->filters() || each->prioritizes() || each->preempts()) && each->interested(pod);
  });
}

const HttpExtender* Extenders::binder(const api::Pod& pod) const {
  const auto it = std::ranges::find_if(
      extenders_, [&](const auto& each) { return each->binds() && each->interested(pod); });
  return it == extenders_.end() ? nullptr : it->get();
}

void Extenders::close() {
  for (const auto& extender : extenders_) extender->close();
}

}  // namespace podium::extender
