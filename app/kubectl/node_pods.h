// The pods of nodes, and the disruption budgets that protect them, as far as the user may list them.
//
// Threads: the Cluster's. Errors: as Cluster's, except that what is forbidden is left out.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "app/render/drain.h"

namespace podium::kubectl {

struct NodePods {
  std::vector<render::NodePod> pods = {};  // those that have not ended
  bool sees_all = true;                    // the user may list the pods of all namespaces
};
// The pods of all namespaces if the user may list them, else of the user's namespace.
Result<NodePods> pods_on(const std::vector<std::string>& nodes, Cluster& cluster);

// Reads each namespace once.
class Budgets {
 public:
  explicit Budgets(Cluster& cluster) : cluster_(cluster) {}

  // Sets the obstacles of the namespace's pods in `drain`. Returns the budgets that do not allow the
  // evictions. nullopt: the user may not list budgets there.
  Result<std::optional<std::vector<explain::BrokenBudget>>> find_obstacles(const std::string& ns,
                                                                           render::Drain& drain);

 private:
  using Listed = std::optional<std::vector<boost::json::value>>;

  Cluster& cluster_;
  std::map<std::string, Listed> listed_;  // by namespace
};

}  // namespace podium::kubectl
