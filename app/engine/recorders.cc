#include "app/engine/recorders.h"

#include <spdlog/spdlog.h>

#include "api/values/pod.h"
#include "log/log.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/decision.h"

namespace podium::app {

void Recorders::decided(const framework::Attempt& attempt, const framework::Decision& decision,
                        const cluster::Snapshot& snapshot) {
  reports_.decided(attempt, decision, snapshot);
  if (!spdlog::should_log(spdlog::level::trace)) return;
  const auto& meta = attempt.pod->pod->meta;
  log::trace("decision pod={}/{} uid={} attempt={} node={:?} message={:?} error={:?}", meta.namespace_,
             meta.name, meta.uid, attempt.number, decision.choice ? snapshot.node_name(*decision.choice) : "",
             decision.message, decision.error);
}

}  // namespace podium::app
