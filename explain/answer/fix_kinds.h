// The kinds of fixes, each in its order of trial. Parts of fixes.h.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "explain/answer/fixes.h"
#include "explain/answer/trials.h"

namespace podium::explain {

// Collects fixes up to kMostFixes.
class Fixes {
 public:
  bool full() const { return list_.size() >= kMostFixes; }
  bool empty() const { return list_.empty(); }
  void add(Remedy remedy, const Trials::Landing& landing);
  // Those with which most replicas fit first.
  std::vector<ReportFix> take();

 private:
  std::vector<ReportFix> list_;
};

// Returns whether to go on.
using SeeRemedy = std::function<bool(Remedy)>;

// A toleration more; a node selector key, a term of affinity or a spread constraint less. `hidden`: also
// where another plugin rejects a node before the one that it is about.
void each_constraint(const Trials& trials, bool hidden, const SeeRemedy& see);
void add_constraint_fixes(const Trials& trials, Fixes& out);

// The pod's largest single request of a resource: its own, or a container's.
struct Request {
  std::string resource, container;  // container: empty for the pod's own
  std::int64_t now = 0;             // in steps: thousandths of cpu, MiB, else units
};
// Of all its resources, for which less is possible; at most `most`.
std::vector<Request> requests_of(const api::Pod& pod, std::size_t most);
Remedy request_at_most(const Request& request, std::int64_t steps);
// "2750m cpu"
std::string amount_words(const Request& request, std::int64_t steps);
// The largest request that helps, of each resource that no rejecting node has enough of.
void add_resource_fixes(const Trials& trials, Fixes& out);

// Cordoned nodes of the rejected ones, at most 4.
std::vector<Remedy> uncordoned(const Trials& trials);
// A node more of each shape, those first that leave least unused.
std::vector<Remedy> new_nodes(const Trials& trials, std::size_t most);
// An uncordoned node, a node more, pods fewer on a node, a higher priority.
void add_cluster_fixes(const Trials& trials, Fixes& out);

// Two changes, each of which helps only with the other. Returns whether all pairs were tried, and fit the
// bound.
bool add_pairs(const Trials& trials, Fixes& out);

// The resources that the verdict lacks ("Insufficient cpu").
std::vector<std::string> lacking(const framework::Verdict& verdict);

}  // namespace podium::explain
