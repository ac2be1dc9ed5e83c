#include "app/kubectl/cluster.h"

#include "app/kubectl/dump_cluster.h"
#include "app/kubectl/live_cluster.h"

namespace podium::kubectl {

Result<std::unique_ptr<Cluster>> open_cluster(const ConnectionFlags& connection) {
  if (!connection.dump.empty()) return DumpCluster::open(connection);
  if (!connection.config.empty())
    return invalid("--config: needs --cluster; the podium in a cluster has its own configuration");
  return LiveCluster::connect(connection);
}

}  // namespace podium::kubectl
