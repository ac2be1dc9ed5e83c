// The kinds of fixes, each in its order of trial. Parts of fixes.h.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <vector>

#include "explain/answer/fixes.h"
#include "explain/answer/trials.h"

namespace podium::explain {

// Collects fixes up to kMostFixes.
class Fixes {
 public:
  bool full() const { return list_.size() >= kMostFixes; }
  void add(std::string type, boost::json::object fields, std::string message,
           const Trials::Landing& landing) {
    if (!full())
      list_.push_back(
          {std::move(type), std::move(fields), std::move(message), landing.node_name, landing.score});
  }
  std::vector<ReportFix> take() { return std::move(list_); }

 private:
  std::vector<ReportFix> list_;
};

// A toleration more; a node selector key, a term of affinity or a spread constraint less.
void add_constraint_fixes(const Trials& trials, Fixes& out);
// The largest request that fits, of each resource that no rejecting node has enough of.
void add_resource_fixes(const Trials& trials, Fixes& out);
// An uncordoned node, a node more, pods fewer on a node, a higher priority.
void add_cluster_fixes(const Trials& trials, Fixes& out);

// The resources that the verdict lacks ("Insufficient cpu").
std::vector<std::string> lacking(const framework::Verdict& verdict);

}  // namespace podium::explain
