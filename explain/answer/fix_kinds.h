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
  // Sorts the fixes by the number of replicas that fit, the most first.
  std::vector<ReportFix> take();

 private:
  std::vector<ReportFix> list_;
};

// Returns whether to go on.
using SeeRemedy = std::function<bool(Remedy)>;

// Adds a toleration, or removes a node selector key, an affinity term or a spread constraint. `hidden`: also
// if another plugin rejects a node before the plugin that the fix is about.
void each_constraint(const Trials& trials, bool hidden, const SeeRemedy& see);
void add_constraint_fixes(const Trials& trials, Fixes& out);

// A request that can be reduced: the pod's own, or the largest of its containers or of its init containers.
struct Request {
  std::string resource, container;  // container: empty for the pod's own
  bool is_of_init = false;          // the container is an init container, such as a sidecar
  // In steps: thousandths of cpu, MiB, pages, else units.
  std::int64_t now = 0, least = 1;  // least: the pod's own is not less than those of its containers together
  std::string asked = {};           // `now`, or what the pod asks for if that is less than the last step
};
// The requests of all resources; at most `most`.
std::vector<Request> requests_of(const api::Pod& pod, std::size_t most);
Remedy request_at_most(const Request& request, std::int64_t steps);
// "2750m cpu"
std::string amount_words(const Request& request, std::int64_t steps);
// For each resource that is short on all rejecting nodes: the largest request that helps.
void add_resource_fixes(const Trials& trials, Fixes& out);
// For each resource whose quotas allow fewer replicas than have room on nodes: the largest request with which
// they allow the most.
void add_quota_fixes(const Trials& trials, Fixes& out);

// The rejected nodes that are cordoned, one of each kind of equal nodes. At most 4; those that take the pod
// come first.
std::vector<Remedy> uncordoned(const Trials& trials);
// One more node of each shape, the shapes that leave the least unused first.
std::vector<Remedy> new_nodes(const Trials& trials, std::size_t most);
// Uncordons a node, adds a node, removes pods from a node or those that terminate, or raises the priority.
void add_cluster_fixes(const Trials& trials, Fixes& out);

// Two changes, each of which helps only with the other. Returns whether all pairs were tried
// and the bound held.
bool add_pairs(const Trials& trials, Fixes& out);

// The resources that are short according to the verdict ("Insufficient cpu").
std::vector<std::string> lacking(const framework::Verdict& verdict);

}  // namespace podium::explain
