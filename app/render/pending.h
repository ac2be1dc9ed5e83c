// Renders all pods that wait, grouped by their requests and their reason.
//
// Threads: pure functions. Errors: none; a field that a pod lacks is empty.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/render/json_path.h"
#include "app/render/options.h"
#include "app/render/report.h"
#include "explain/workload/pod_asks.h"

namespace podium::render {

using explain::Owner;

// A pod without a node, and podium's report of it.
struct WaitingPod {
  std::string ns, name, uid, scheduler;
  Owner owner = {};  // the topmost owner: the CronJob, the Deployment
  std::optional<Wall> created;
  bool is_deleted = false;                 // it is being deleted: no scheduler tries it
  std::string asks;                        // what it requests, then its node selector
  boost::json::object requests, selector;  // the same for programs
  std::vector<std::string> claims = {};    // the pod's names of its ResourceClaims
  std::vector<std::string> gates;
  std::string message;           // of the condition PodScheduled
  bool names_scheduler = false;  // the others have reports: the message is another scheduler's
  std::string nominated;         // the node that the pod's status nominates
  std::optional<Report> report;
};

// Whether the report says that the pod has a node and its binding waits, and what for.
bool is_being_bound(const explain::ReportStatus& status);
// The node to which the scheduler binds the pod: the report's, or the nominated one if that is not for a
// preemption. Empty: there is none, or it is not known: without a report, a pod whose last attempt failed may
// wait for pods that it has evicted. The report may be of a decision before this binding.
std::string node_of_binding(const WaitingPod& pod);

// nullopt: the pod has a node or has ended, or the object is not a pod.
std::optional<WaitingPod> read_waiting_pod(const boost::json::value& pod);

struct WaitingGroup {
  std::string pods;  // "ml/big-2…7", "shop/web-* (3)"
  std::size_t count = 0;
  std::vector<std::string> names;  // of all pods, in order
  Owner owner;
  std::string first;  // namespace and name of one of its pods
  std::string ns;
  std::optional<Wall> since;  // the oldest
  std::string asks, blocked_by, nearest_miss;
  std::string would_go = {};  // in a dump, of pods that fit: "it would go to n2"
  bool gated = false;
  bool waits_for_evictions = false;  // podium preempts pods for some of them
  // The first pod's values, for programs.
  boost::json::object requests, selector;
  std::vector<std::string> claims, gates;
  std::string scheduler, message;
  std::optional<Report> report;
};

// Most pods first, gated ones last.
std::vector<WaitingGroup> group_waiting(std::vector<WaitingPod> pods);

// Scarce resources first: "2 nvidia.com/gpu, claim gpu, 4 cpu, 64Gi, model=h100".
std::string asks_words(const explain::PodAsks& asks);
// "general-04: 54.25 cpu short", on the node with the smallest shortfall; empty: no amount is short.
std::string nearest_miss(const explain::ReportStatus& status);

// The reason why a pod waits, in one line: "54 of 66 nodes do not have enough
// free cpu", "gate example.com/quota".
std::string blocked_by(const WaitingPod& pod);
std::string blocked_by(const explain::ReportStatus& status);

// The fields that a row of pending_document() may have.
std::span<const std::string_view> row_fields();

// Sorts by the value that the path finds in each row of pending_document(), ascending. Rows without a value
// come last.
void sort_groups(std::vector<WaitingGroup>& groups, const JsonPath& path);

// The rows of the table alone.
std::string pending_rows(const std::vector<WaitingGroup>& groups, const Options& options);
// Says where nothing waits (Options::where).
std::string pending_table(const std::vector<WaitingGroup>& groups, const Options& options);
// The same for programs: amounts as quantities, times, codes and the report's own fields. docs/kubectl.md
// describes the form.
boost::json::value pending_document(const std::vector<WaitingGroup>& groups);

}  // namespace podium::render
