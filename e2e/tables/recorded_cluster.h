// The cluster of a recorded question as a snapshot.
//
// Upstream's tests omit names and UIDs, which objects of an API server have. Pods and nodes get unique ones.
// Errors: what cannot be read. Threads: values.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::tables {

struct Change {
  bool added = false;
  std::string node;
  cluster::PodInfoPtr pod;
};

class Cluster {
 public:
  static Result<Cluster> read(const boost::json::object& question);

  const cluster::Snapshot& snapshot() const { return snapshot_; }
  // Replaces the node of this name: {"node": …, "pods": […]}. Returns the name.
  Result<std::string> put(const boost::json::object& node);
  Result<std::vector<Change>> read_changes(const boost::json::object& question);
  void apply(const Change& change);

 private:
  Result<cluster::PodInfoPtr> read_pod(boost::json::object pod, const std::string& node);

  cluster::Snapshot snapshot_;
  cluster::RequestRules rules_;
  int unnamed_ = 0;
};

// The pod that a question is about.
Result<cluster::PodInfoPtr> read_asked(const boost::json::object& question);

}  // namespace podium::tables
