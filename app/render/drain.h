// The answer to "what if these nodes were drained": the new place of each pod, the obstacles,
// and the next step.
//
// Joins podium's answers, which name only pods of the question's namespace, with the objects that the user
// may list.
// Threads: values and pure functions. Errors: none; the text names what is not known.
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/render/options.h"
#include "app/render/report.h"
#include "app/render/text.h"
#include "explain/workload/eviction_cost.h"

namespace podium::render {

// A pod on one of the nodes.
struct NodePod {
  enum class Stays { no, daemon_set, is_static, terminates };
  std::string ns, name, scheduler;
  std::string node = {};
  Stays stays = Stays::no;                    // kubectl drain does not evict it; or it goes already
  bool has_controller = false;                // one that recreates it
  bool has_local_data = false;                // an emptyDir: kubectl drain needs a flag
  std::vector<std::string> obstacles;         // texts about budgets that do not allow its eviction
  explain::MatchingBudgets budgets = {};      // if they are several
  std::vector<std::string> warnings = {};     // texts about annotations of autoscalers, and about local data
  std::optional<explain::DrainedPod> answer;  // nullopt: podium did not name it
  std::shared_ptr<const api::Pod> object = {};  // null: it cannot be decoded
};
// nullopt: it has ended.
std::optional<NodePod> read_node_pod(const boost::json::value& pod);

struct Drain {
  std::vector<std::string> nodes;
  bool is_failure = false;  // they vanish: no budget is asked, and all their pods go
  std::vector<NodePod> pods;
  // Numbers of all namespaces. evicted: the pods that leave the node.
  std::size_t evicted = 0, moved = 0, pending = 0, gone = 0, budgets_broken = 0;
  std::size_t preempted = 0;                // of evicted: from other nodes
  std::size_t budgets_named = 0;            // of budgets_broken: with their pods
  std::size_t waiting_placed = 0;           // pending pods that get a node
  std::size_t of_other_schedulers = 0;      // pods that podium's only profile has placed
  std::vector<std::string> got_node = {};   // "shop/web-1 → n-3": these, in the namespaces that were asked
  std::vector<explain::FullNode> fullest;   // of the nodes that take pods
  std::vector<explain::SpareAmount> spare;  // what is free then, if the answer has it
  bool sees_all = true;                     // the user may list the pods of all namespaces
  Unasked unasked;
};

// Adds the numbers of an answer's change.
void set_numbers(const explain::ChangeResult& change, Drain& drain);

// Sets obstacles of the pods of one namespace from its PodDisruptionBudgets, which an eviction checks.
// Returns the budgets that do not allow all evictions.
std::vector<explain::BrokenBudget> find_obstacles(const std::string& ns,
                                                  const std::vector<boost::json::value>& budgets,
                                                  Drain& drain);

// "6 pods have another scheduler; podium answers with its only profile."; empty: none has.
std::string other_schedulers_line(std::size_t pods);

// Why a pod of a drained node has no place. `scheduler`: that of the pod; empty: not known.
std::string no_place(const explain::DrainedPod& pod, const std::string& scheduler = "");

// The first line of the table.
std::string drain_verdict(const Drain& drain, const Style& style);
// Lines below the table: the pods that the user may not see, pending pods that get a node, the fullest nodes,
// and what is free. `seen`: how many of `evicted` the user sees. Leaves out what only kubectl knows.
std::string drain_notes(const Drain& drain, std::size_t seen);
std::string drain_table(const Drain& drain, const Options& options);
boost::json::value drain_document(const Drain& drain);

// 0: all pods have a new place, 3: some, 4: none.
int drain_exit_code(const Drain& drain);

}  // namespace podium::render
