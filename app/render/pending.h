// All pods that wait, by what they ask for and what blocks them.
//
// Threads: pure functions. Errors: none; what is missing in a pod is empty.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/render/report.h"
#include "app/render/why.h"

namespace podium::render {

// A pod without a node, and podium's report of it.
struct WaitingPod {
  std::string ns, name, uid, scheduler;
  std::optional<Wall> created;
  std::string asks;  // requests of all containers, then node selector
  std::vector<std::string> gates;
  std::string message;  // of the condition PodScheduled
  std::optional<Report> report;
};

// nullopt: the pod has a node, or has ended, or is no pod.
std::optional<WaitingPod> read_waiting_pod(const boost::json::value& pod);

struct WaitingGroup {
  std::string pods;  // "ml/big-2…7", "shop/web-* (3)"
  std::size_t count = 0;
  std::string first;  // the name of one pod of it, with its namespace
  std::string ns;
  std::optional<Wall> since;  // the oldest
  std::string asks, blocked_by, nearest_miss;
  bool gated = false;
  bool waits_for_evictions = false;  // podium makes room for some of them
};

// Most pods first, gated ones last.
std::vector<WaitingGroup> group_waiting(std::vector<WaitingPod> pods);

// "shop/web: 78 of 400 pods are placed." from the workload's pods.
std::string workload_summary(const std::string& workload, const std::vector<boost::json::value>& pods,
                             const Options& options);

std::string pending_table(const std::vector<WaitingGroup>& groups, const Options& options);
boost::json::value pending_document(const std::vector<WaitingGroup>& groups);

}  // namespace podium::render
