// What applying the user's files would make of their workloads: the replicas that they get, the order of
// their pods, and the workloads that a quota of objects refuses.
//
// Owner: a command. Threads: the Cluster's. Errors: none; what the user may not list does not count.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/admission/quota.h"
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

  // Returns the admission with the priority classes of the files and of the cluster.
  api::PodAdmission admission() const;

  // Sets the replicas that the workload gets: an autoscaler keeps them within its bounds, a file without
  // replicas leaves those of the existing workload, and a Job that exists needs no more pods than are left.
  // Returns a sentence about it; empty: they are the file's.
  std::string set_replicas(boost::json::value& workload, const std::string& ns, bool is_new) const;

  // Whether the workload is a Job that exists and has ended: applying it creates no pods.
  bool has_ended(const boost::json::value& workload, const std::string& ns) const;

  // Whether the files have the namespace.
  bool creates_namespace(const std::string& ns) const;
  // Whether a dump has namespaces, but not this one, and the files do not create it. In a cluster, the API
  // server says so.
  bool lacks_namespace(const std::string& ns) const;

 private:
  std::optional<boost::json::value> begun(const boost::json::value& job, const std::string& ns) const;
  std::string set_left(boost::json::value& job, const std::string& ns) const;
  const std::vector<boost::json::value>& autoscalers(const std::string& ns) const;

  Cluster& cluster_;
  std::vector<boost::json::value> objects_;  // of the kinds that count here
  // By namespace, once asked for. add() comes before.
  mutable std::map<std::string, std::vector<boost::json::value>> autoscalers_;
};

// The ResourceQuotas that count the objects of the files themselves ("count/deployments.apps"). The dry run
// of an object does not see those before it, which are not created either.
class ObjectQuotas {
 public:
  explicit ObjectQuotas(Cluster& cluster) : cluster_(cluster) {}

  // Creates the workload of a file, if it does not exist. Returns why a quota refuses it, in the API server's
  // words; empty: none does.
  std::string take(const FileObject& object, const std::string& ns);

 private:
  std::vector<api::ResourceQuota>& quotas_of(const std::string& ns);

  Cluster& cluster_;
  std::map<std::string, std::vector<api::ResourceQuota>> quotas_;  // by namespace
};

}  // namespace podium::kubectl
