// Cluster: the source of the commands' answers: one API server and its podium (LiveCluster), or a dump of a
// cluster and an engine in this process (DumpCluster). A command does not know which, so both print the same.
//
// Owner: a command. Threads: one; each call blocks the caller. Errors: messages for people; Kind::invalid for
// wrong input.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/kubectl/connection_flags.h"
#include "base/instant.h"
#include "base/result.h"
#include "client/api.h"

namespace podium::kubectl {

// The pod as it would be stored; as it was given if only a quota refuses it, since podium counts quotas
// itself. `refused`: the error, if a webhook or a policy refuses it.
struct AdmittedPod {
  Result<boost::json::value> pod;
  bool refused = false;
};

// The eviction of a pod by the scheduler, which made room for another pod.
struct Eviction {
  std::string ns, pod;       // for which the pod made room
  std::optional<Wall> when;  // nullopt: not known
  std::string node = {};     // empty: not known
};

class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual const std::string& ns() const = 0;  // of the flags, or else the kubeconfig's
  // The flags that a hint repeats, with a leading space: " --cluster dump.yaml". Empty: none.
  virtual std::string hint_flags() const { return {}; }

  virtual Result<boost::json::value> get(const client::Resource& resource, const std::string& ns,
                                         const std::string& name) = 0;
  virtual Result<std::vector<boost::json::value>> list(const client::Resource& resource,
                                                       const std::string& ns,
                                                       const client::ListOptions& options) = 0;
  // The API server's own checks, as the user.
  virtual AdmittedPod dry_run_pod(const std::string& ns, const boost::json::value& pod) = 0;
  // The same for another object: creates it, or replaces it if it exists. Returns whether it exists.
  virtual Result<bool> dry_run(const std::string& ns, const boost::json::value& object) = 0;
  // Asks podium a question with this spec. Returns the answered SchedulingReport. `keep`: it stays.
  virtual Result<boost::json::value> ask(const std::string& ns, boost::json::object spec, bool keep) = 0;
  // The report of the decision about a pod. nullopt: there is none. No UID: the last pod of that name.
  virtual Result<std::optional<boost::json::value>> decision(const std::string& ns, const std::string& pod,
                                                             const std::string& uid) = 0;
  // The decision in the memory of podium's process, for a pod without a report. nullopt: it has none.
  virtual Result<std::optional<boost::json::value>> remembered(const std::string& ns, const std::string& pod,
                                                               const std::string& uid) = 0;
  // The eviction of the last pod of this name in the same memory. nullopt: it has none, or does not answer.
  virtual std::optional<Eviction> remembered_eviction(const std::string&, const std::string&) { return {}; }
  // The last eviction of a pod of this name, from the reports of the pods that evicted it: in all namespaces,
  // or if the user may not read those, in the pod's own. nullopt: no report has it, or none can be read.
  virtual std::optional<Eviction> reported_eviction(const std::string&, const std::string&) { return {}; }
  // The reports of pods that were not placed, in a namespace or in all ("").
  virtual Result<std::vector<boost::json::value>> unplaced_decisions(const std::string& ns) = 0;

  virtual bool interrupted() const { return false; }  // by Ctrl-C
  // Waits, at most until an interrupt. False: interrupted, or the Cluster never changes.
  virtual bool pause(std::chrono::milliseconds) { return false; }
};

// A LiveCluster, or with --cluster a DumpCluster.
Result<std::unique_ptr<Cluster>> open_cluster(const ConnectionFlags& connection);

}  // namespace podium::kubectl
