// Trials: places the replicas of a question again, with changed pods or on a changed fork, for fixes.h.
//
// Owner: one search for fixes. Threads: none. Errors: none; once the budget has ended, nothing fits.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/values/pod.h"
#include "explain/answer/fixes.h"
#include "scheduler/framework/profile.h"

namespace podium::explain {

// A change that may be a fix, or half of one.
struct Remedy {
  std::string type;
  boost::json::object fields;  // the parameters of its type
  std::string message;
  std::function<void(api::Pod&)> change_pod = {};  // the template, or a replica of it
  std::function<void(cluster::Snapshot&)> change_cluster = {};
};

class Trials {
 public:
  explicit Trials(const FixQuestion& question);

  // The effect of a change that helps: more replicas fit, or the pod fits on the node of the question.
  struct Landing {
    std::string node_name;  // of the replica that did not fit
    std::optional<std::int64_t> score;
    std::optional<std::size_t> rank, feasible;  // of the node of the question, with the change
    std::string best_node = {};                 // the node on which the pod would then be placed
    std::optional<std::int64_t> best_score = {};
    std::int32_t fitting = 1, missing = 0;
    bool all = true;           // fit: the number of tried replicas, or the pod on the node
    bool may_be_more = false;  // than `fitting`: no more were tried
    std::size_t evicted = 0;
    std::set<std::string> evicted_from = {};
    // A quota that allows fewer of the changed pods than fit, and how many; empty: none does.
    std::string quota = {};
    std::size_t quota_allows = 0;
  };
  // Changes that are made together. An index in the second is that before the first.
  using Remedies = std::initializer_list<const Remedy*>;
  // nullopt: they do not help.
  std::optional<Landing> with(Remedies remedies) const;
  // How many of the changed pods the quotas of the namespace allow; at most as many as are asked for.
  std::size_t allowed(Remedies remedies) const;
  // Tries a change with which the quotas allow more of the pods. nullopt: no more would run.
  std::optional<Landing> with_more_allowed(const Remedy& remedy) const;
  // Whether the LimitRanges of the namespace admit the changed pod.
  bool are_admitted(Remedies remedies) const;
  // Whether the quotas of the namespace that count pods of this class, and not those without it, admit one.
  bool has_quota_of(const api::PriorityClass& priority_class) const;
  // Whether the same controller has made both pods: a change of its template changes this one too.
  bool is_sibling(const api::Pod& other) const;
  // Tries with this priority, which the pod's siblings then have too, and without the pods that the replicas
  // would preempt.
  std::optional<Landing> with_priority(std::int32_t priority) const;
  // Returns whether the failed replica alone fits on this fork.
  bool fits_on(const cluster::Snapshot& changed) const;

  const api::Pod& pod() const { return question_.replicas.pod; }
  const FixQuestion& question() const { return question_; }
  const framework::Profile& quiet() const { return quiet_; }
  // The rows whose verdict is to be fixed: the rejected ones, or the node of the question, by name.
  const std::vector<cluster::Row>& rejected() const { return rejected_; }
  const framework::Verdict& verdict(cluster::Row row) const;
  bool rejected_by(std::string_view plugin) const { return plugins_.contains(plugin); }
  // Each distinct verdict on a rejected node, once.
  const std::vector<framework::VerdictId>& verdicts() const { return verdicts_; }
  bool has_time() const { return explain::has_time(question_.replicas.budget); }

 private:
  std::optional<Landing> on_node(const api::Pod& replica, const cluster::Snapshot& fork) const;
  std::optional<Landing> victims_on_node(api::Pod replica) const;
  cluster::Snapshot with_siblings_at(std::int32_t priority) const;
  // Returns where they land, even if no more fit; nullopt: the budget has ended.
  std::optional<Landing> place(const api::Pod& pod, cluster::Snapshot fork, const framework::Profile& profile,
                               bool evicts) const;
  bool helps(const Landing& landing) const;
  // Adds how many of all replicas fit to the landing on the named node (nullopt: none is named). Returns
  // nullopt if the change does not help.
  std::optional<Landing> of_all(const api::Pod& changed, std::optional<Landing> there,
                                std::optional<Landing> all) const;
  // The quota that allows the fewest of these pods; nullopt: there is none, or the time ended.
  std::optional<QuotaAnswer> least_quota(const api::Pod& changed) const;
  // Sets the landing's quota.
  void ask_quotas(const api::Pod& changed, Landing& landing) const;

  const FixQuestion& question_;
  framework::Profile quiet_;  // without PostFilter: a fix does not count on preemption
  std::vector<cluster::Row> rejected_;
  std::vector<framework::VerdictId> verdicts_;
  std::set<std::string, std::less<>> plugins_;
};

// Returns the lowest of `count` values that helps as much as the last: all replicas fit, if they fit with the
// last; else more than without it. `try_value` gets an index. nullopt: even the last does not help, or the
// time ended during the search.
struct LeastValue {
  std::int64_t index;
  Trials::Landing landing;
};
std::optional<LeastValue> least_that_helps(
    const Trials& trials, std::int64_t count,
    const std::function<std::optional<Trials::Landing>(std::int64_t)>& try_value);

}  // namespace podium::explain
