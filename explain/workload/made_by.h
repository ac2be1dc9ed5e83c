// Which objects of a user's files the controllers of other objects in the files have made, as `kubectl get
// all` prints them: a Deployment with its ReplicaSets and its pods. Their pods are those of the Deployment.
//
// Threads: values. Errors: none.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "api/decode/pod_makers.h"

namespace podium::explain {

class FileWorkloads {
 public:
  // `ns`: of objects that name none.
  explicit FileWorkloads(std::string ns) : ns_(std::move(ns)) {}

  void add(const std::vector<api::SortedObjects::Object>& objects);

  // Removes the objects that those which were added have made. Returns what a reader should know of them:
  // "9 objects of the workloads (Pod db-0, Pod db-1, Job nightly-1 and 6 more)"; empty: there are none.
  std::string drop_made(std::vector<api::SortedObjects::Object>& objects) const;

 private:
  std::string key(std::string_view kind, const std::string& ns, std::string_view name) const;
  bool have_made(const api::SortedObjects::Object& object) const;

  std::string ns_;
  std::set<std::string> workloads_;
};

}  // namespace podium::explain
