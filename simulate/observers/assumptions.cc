#include "simulate/observers/assumptions.h"

#include <utility>

namespace podium::simulate {

void Assumptions::note(const std::string& engine, cycle::Scheduler& scheduler, std::size_t bound,
                       const std::function<bool(const std::string& uid)>& is_bound) {
  auto& known = known_[engine];
  if (scheduler.bindings() == 0) {
    known = {};
    return;
  }
  const auto& snapshot = std::as_const(scheduler.snapshot());
  if (known.snapshot == snapshot.generation() && known.bound == bound) return;
  std::map<std::string, Steady> now;
  snapshot.each_pod([&](const cluster::PodInfoPtr& pod) {
    const auto& uid = (*pod)->meta.uid;
    if (is_bound(uid)) return;
    auto key = uid + (*pod)->node_name;
    const auto before = known.since.find(key);
    now.emplace(std::move(key), before == known.since.end() ? agenda_.now() : before->second);
  });
  known = {std::move(now), snapshot.generation(), bound};
}

Steady Assumptions::since(const std::string& engine, const std::string& uid, const std::string& node) const {
  const auto of_engine = known_.find(engine);
  if (of_engine == known_.end()) return agenda_.now();
  const auto& since = of_engine->second.since;
  const auto it = since.find(uid + node);
  return it == since.end() ? agenda_.now() : it->second;
}

}  // namespace podium::simulate
