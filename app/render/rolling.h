// The answer to "what if these nodes were drained, a few at a time": the pods that each step
// moves and leaves pending.
//
// Threads: values and pure functions. Errors: none.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "app/render/options.h"
#include "app/render/report.h"

namespace podium::render {

// A pending pod that gets a node in the step of this index.
struct PodWithNode {
  std::string ns, name, node;
  std::size_t step = 0;
};

struct RollingStep {
  std::vector<std::string> nodes;
  explain::ChangeResult change = {};
  std::vector<std::string> obstacles =
      {};  // texts about budgets that do not allow the evictions, one of each
  // Pods that several budgets match, and the texts about them: known ones of the change's.
  std::vector<std::string> with_several = {}, several_words = {};
  std::vector<std::string> warnings = {};  // "shop/web-1 has the annotation …", about the pods there now
  bool is_of_spares = false;               // the last one: the spare nodes go

  std::size_t waiting() const;  // evicted pods of this step, and those of earlier steps that still wait
};

struct Rolling {
  std::size_t at_a_time = 1;
  std::vector<RollingStep> steps = {};
  struct Spares {
    std::size_t count = 0;
    std::string like = {};
  };
  Spares with = {};                   // nodes that exist during the steps
  std::size_t spare_nodes = 0;        // with this number of additional nodes no pod waits; 0: not known
  std::string spare_like = {};        // such nodes
  bool waits_without_spares = false;  // again, once these are removed
  std::vector<std::string> budgets_unread = {};  // namespaces whose budgets the user may not list
  // Pending pods that get a node, in the namespaces that were asked.
  std::vector<PodWithNode> got_node = {};

  std::size_t moved() const;
  std::size_t steps_waiting() const;  // steps in which evicted pods wait
  std::size_t most_waiting() const;   // pods at the same time: a pod may wait in several steps
  std::size_t gone() const;           // without a controller
  std::size_t evicted() const;
  std::size_t waiting_placed() const;  // in all namespaces
  // The step that leaves the most pods waiting. Null: no step leaves any.
  const RollingStep* worst() const;
};

// The first line of the table.
std::string rolling_verdict(const Rolling& rolling, const Style& style);
// The words in the row of a step.
struct StepWords {
  std::string name, nodes, fullest;  // name: "2"; of the spare nodes "end"
  std::string marks = {};            // about budgets; empty: none
};
std::vector<StepWords> step_words(const Rolling& rolling, const Style& style);
// Lines below the table: pods that are not evaluated, pending pods that get a node, the least spare.
std::string rolling_notes(const Rolling& rolling);
std::string rolling_table(const Rolling& rolling, const Options& options);
boost::json::value rolling_document(const Rolling& rolling);
// 0: nothing waits and nothing is gone, 3: some pods, 4: all.
int rolling_exit_code(const Rolling& rolling);

}  // namespace podium::render
