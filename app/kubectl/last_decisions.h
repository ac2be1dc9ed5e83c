// LastDecisions: the reports of the last decisions, for commands that read them again and again.
//
// Lists names only, and reads those reports that are new. Owner: a command. Threads: the Cluster's.
// Errors: as Cluster's.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/kubectl/cluster.h"
#include "app/render/report.h"
#include "base/instant.h"
#include "base/result.h"

namespace podium::kubectl {

struct LastDecision {
  boost::json::value object;  // the SchedulingReport
  render::Report report;
};

struct LastDecisionsOptions {
  std::size_t most = 20;
  std::string outcome = {};  // the label's value; empty: any
  std::string prefix = {};   // of the pods' names
  std::optional<Wall> not_before = {};
};

class LastDecisions {
 public:
  // `ns`: empty for all namespaces.
  LastDecisions(Cluster& cluster, std::string ns, LastDecisionsOptions options = {});

  // The newest first.
  Result<std::vector<LastDecision>> read();
  // Whether the last reading left out some that are older, because of `most`.
  bool is_cut() const { return is_cut_; }

 private:
  bool is_recent(const render::Report& report, std::chrono::seconds more) const;

  Cluster& cluster_;
  const std::string ns_;
  const LastDecisionsOptions options_;
  bool is_cut_ = false;
  std::map<std::string, LastDecision> seen_;  // by UID and resourceVersion
};

}  // namespace podium::kubectl
