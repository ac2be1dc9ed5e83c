// Trials: decides again about a changed pod, or on a changed fork, for fixes.h.
//
// Owner: one search for fixes. Threads: none. Errors: none; once the budget has ended, nothing fits.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/pod.h"
#include "explain/answer/fixes.h"

namespace podium::explain {

class Trials {
 public:
  explicit Trials(const FixQuestion& question);

  struct Landing {
    std::string node_name;
    std::optional<std::int64_t> score;
  };
  // Where the pod would go after `change`, which gets a copy of it; nullopt: it does not fit. Once the budget
  // has ended, makes no copy.
  template <typename Change>
  std::optional<Landing> with_pod(Change change) const {
    if (!has_time()) return std::nullopt;
    auto changed = pod();
    change(changed);
    return decide_changed(std::move(changed));
  }
  std::optional<Landing> on_fork(const cluster::Snapshot& changed) const;
  // The preemption that the pod would do with this priority.
  struct Eviction {
    std::string node_name;
    std::size_t victims = 0;
  };
  std::optional<Eviction> with_priority(std::int32_t priority) const;

  const api::Pod& pod() const { return *question_.pod; }
  const FixQuestion& question() const { return question_; }
  const framework::Profile& quiet() const { return quiet_; }
  // The rows whose verdict is to be fixed: the rejected ones, or the node of the question, by name.
  const std::vector<cluster::Row>& rejected() const { return rejected_; }
  const framework::Verdict& verdict(cluster::Row row) const;
  bool rejected_by(std::string_view plugin) const { return plugins_.contains(plugin); }
  // Each distinct verdict on a rejected node, once.
  const std::vector<framework::VerdictId>& verdicts() const { return verdicts_; }
  bool has_time() const { return explain::has_time(question_.budget); }

 private:
  std::optional<Landing> decide_changed(api::Pod changed) const;
  std::optional<Landing> decide(const cluster::PodInfo& pod, const cluster::Snapshot& fork) const;

  const FixQuestion& question_;
  framework::Profile quiet_;  // without PostFilter: a fix does not count on preemption
  std::vector<cluster::Row> rejected_;
  std::vector<framework::VerdictId> verdicts_;
  std::set<std::string, std::less<>> plugins_;
};

}  // namespace podium::explain
