// What applying the user's files would make of their workloads: the replicas that they get, and the order of
// their pods.
//
// Owner: a command. Threads: the Cluster's. Errors: none; what the user may not list does not count.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "app/kubectl/manifest.h"

namespace podium::api {
class PodAdmission;
}

namespace podium::kubectl {

class Applied {
 public:
  explicit Applied(Cluster& cluster) : cluster_(cluster) {}

  // The objects of the files besides their workloads.
  void add(const std::vector<FileObject>& objects);

  // With the priority classes of the files and of the cluster.
  api::PodAdmission admission() const;

  // Sets the replicas that the workload gets: an autoscaler keeps them within its bounds, a file without
  // replicas leaves those of the existing workload, and a Job that exists needs no more pods than are left.
  // Returns a sentence about it; empty: they are the file's.
  std::string set_replicas(boost::json::value& workload, const std::string& ns, bool is_new) const;

  // Whether a dump has namespaces, but not this one, and the files do not create it. In a cluster, the API
  // server says so.
  bool lacks_namespace(const std::string& ns) const;

 private:
  std::string set_left(boost::json::value& job, const std::string& ns) const;
  std::vector<boost::json::value> autoscalers(const std::string& ns) const;

  Cluster& cluster_;
  std::vector<boost::json::value> objects_;  // of the kinds that count here
};

}  // namespace podium::kubectl
