// Dump: the state of a cluster in files, and the engine that answers questions about it.
//
// Owner: a command. Threads: one. Errors: Kind::invalid, naming the place in the files.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "api/admission/admission.h"
#include "api/decode/manifests.h"
#include "api/values/pod_group.h"
#include "app/offline/by_kind.h"
#include "base/result.h"
#include "explain/answer/budget.h"
#include "explain/answer/comparison.h"
#include "explain/question/question.h"
#include "explain/report/report.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/values/config.h"

namespace podium::offline {

struct DumpFiles {
  std::vector<std::string> cluster;  // files and directories of files; "-" is standard input
  std::string config;                // a KubeSchedulerConfiguration; empty: the defaults
  std::string ns = "default";        // of objects that name none
  std::chrono::milliseconds timeout = std::chrono::hours(1);  // of one answer
};

class Dump {
 public:
  static Result<Dump> read(const DumpFiles& files);
  // A copy would point to the objects of its original. A move leaves them where they are.
  Dump(const Dump&) = delete;
  Dump& operator=(const Dump&) = delete;
  Dump(Dump&&) = default;
  Dump& operator=(Dump&&) = default;

  // Warnings for the reader: kinds that are not read, extenders that are not called.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // The objects of a kind as in the files, in their order. `group`: "apps"; "" is the core.
  const std::vector<api::ResourceQuota>& quotas() const { return quotas_; }
  const std::vector<boost::json::value>& objects(std::string_view group, std::string_view kind) const;
  // `ns`: empty for kinds without one. Null: the files do not have it.
  const boost::json::value* find(std::string_view group, std::string_view kind, const std::string& ns,
                                 const std::string& name) const;
  struct Answer {
    explain::ReportStatus status;
    std::vector<std::string> missing;  // kinds that the dump lacks and that may change the answer
  };
  // Answers a what-if, given as the spec of a SchedulingReport, as the podium of the cluster would. `meta`:
  // the report's namespace, name, UID and generation.
  Answer answer(api::ObjectMeta meta, const boost::json::value& spec) const;
  // Places all pods with each configuration.
  explain::ConfigComparison compare(const config::Config& old_config, const config::Config& new_config) const;

 private:
  Dump() = default;
  Answer search(const explain::Question& question, const explain::Budget& budget) const;
  api::PodGroupMinimums group_minimums() const;
  Result<void> read_subject(explain::Question& question) const;
  api::AdmissionObjects admission_of(const explain::Question& question) const;
  // If a dump lacks a kind, the cluster may still have objects of this kind.
  template <typename List>
  bool knows(std::string_view kind, const List& objects) const {
    return !objects.empty() || manifests_.empty_kinds.contains(kind);
  }

  config::Config config_;
  cluster::Snapshot snapshot_;
  api::Manifests manifests_;
  std::vector<api::ResourceQuota> quotas_;
  ByKind objects_;
  // Points into objects_, by kind_key(), namespace and name.
  std::map<std::tuple<std::string, std::string, std::string>, const boost::json::value*> by_name_;
  std::vector<cluster::PodInfoPtr> waiting_;
  std::vector<std::string> warnings_;
  std::chrono::milliseconds timeout_{};
};

}  // namespace podium::offline
