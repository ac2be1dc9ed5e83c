#include "simulate/observers/assumptions.h"

#include <utility>

namespace podium::simulate {

void Assumptions::note(const std::string& engine, cycle::Scheduler& scheduler,
                       const std::function<bool(const std::string& uid)>& is_bound) {
  auto& known = known_[engine];
  if (scheduler.bindings() == 0) return known.clear();
  std::map<std::string, Steady> now;
  scheduler.snapshot().each_pod([&](const cluster::PodInfoPtr& pod) {
    const auto& uid = (*pod)->meta.uid;
    if (is_bound(uid)) return;
    auto key = uid + (*pod)->node_name;
    const auto before = known.find(key);
    now.emplace(std::move(key), before == known.end() ? agenda_.now() : before->second);
  });
  known = std::move(now);
}

Steady Assumptions::since(const std::string& engine, const std::string& uid, const std::string& node) const {
  const auto of_engine = known_.find(engine);
  if (of_engine == known_.end()) return agenda_.now();
  const auto it = of_engine->second.find(uid + node);
  return it == of_engine->second.end() ? agenda_.now() : it->second;
}

}  // namespace podium::simulate
