#include "app/kubectl/draining.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "api/validate/selector_text.h"
#include "app/kubectl/named_nodes.h"
#include "app/kubectl/node_pods.h"
#include "app/kubectl/question_spec.h"
#include "app/kubectl/targets.h"
#include "app/kubectl/waiting_pods.h"
#include "app/mcp/number_bounds.h"
#include "app/render/report.h"
#include "app/render/what_if.h"
#include "app/render/why.h"
#include "base/counted.h"
#include "explain/question/question_limits.h"
#include "explain/workload/eviction_cost.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

using Names = std::vector<std::string>;
using Stays = render::NodePod::Stays;

constexpr std::size_t kNamesBytes = 56 * 1024;  // of the nodes of one question, which has at most 64 KiB

json::object question_about(const std::string& profile, json::array changes) {
  json::object spec{{"dryRun", true}, {"template", no_pod()}, {"changes", std::move(changes)}};
  if (!profile.empty()) spec["profile"] = profile;
  return spec;
}

json::object drain_of(const Names& nodes, bool then_uncordon) {
  if (nodes.size() == 1 && !then_uncordon) return {{"type", "DrainNode"}, {"nodeName", nodes.front()}};
  json::object change{{"type", "DrainNodes"}, {"nodeNames", json::array(nodes.begin(), nodes.end())}};
  if (then_uncordon) change["thenUncordon"] = true;
  return change;
}

// More nodes than a question names are those of the selector.
json::object failure_of(const DrainQuestion& question, const Names& nodes) {
  if (nodes.size() > explain::kMostDrainedNodes)
    return {{"type", "FailNodes"},
            {"selector",
             api::selector_json(api::parse_selector(question.selector).value_or(api::LabelSelector()))}};
  return {{"type", "FailNodes"}, {"nodeNames", json::array(nodes.begin(), nodes.end())}};
}

// The results of the changes in their order, without those that add nodes first.
Result<std::vector<explain::ChangeResult>> drains_of(const json::value& answered) {
  const auto report = render::read_report(answered);
  if (const auto* refusal = explain::refusal_of(report))
    return std::unexpected(flags_error(report.status.findings, 0).value_or(invalid(*refusal).error()));
  auto changes = render::answer_of(report).changes;
  std::erase_if(changes, [](const explain::ChangeResult& change) { return change.type == "AddNodes"; });
  if (changes.empty() || !changes.front().pods_evicted)
    return fail(Error::Kind::internal, "the answer does not say what the drain did");
  return changes;
}

// All nodes at the same time: each pod, and its obstacles.
class Draining {
 public:
  Draining(const DrainQuestion& question, const Names& nodes, Cluster& cluster)
      : question_(question), cluster_(cluster) {
    drain_.nodes = nodes;
    drain_.is_failure = question.fail;
  }

  Result<render::Drain> run() {
    auto listed = pods_on(drain_.nodes, cluster_);
    if (!listed) return std::unexpected(listed.error());
    drain_.pods = std::move(listed->pods);
    drain_.sees_all = listed->sees_all;
    std::set<std::string> namespaces;
    for (const auto& pod : drain_.pods) {
      if (pod.stays == Stays::no) namespaces.insert(pod.ns);
    }
    if (namespaces.empty()) namespaces.insert(cluster_.ns());
    for (const auto& ns : namespaces) {
      budgets_in_answer_ = 0;
      if (auto asked = ask_in(ns); !asked) return std::unexpected(asked.error());
      if (question_.fail) continue;
      if (auto found = find_budgets(ns); !found) return std::unexpected(found.error());
    }
    if (!answered_) return std::unexpected(refused_);
    name_victims(std::move(namespaces));
    std::ranges::stable_sort(drain_.pods, {}, [](const auto& pod) { return std::tie(pod.ns, pod.name); });
    return std::move(drain_);
  }

 private:
  // podium names only pods of the question's namespace, so this asks once in each.
  Result<void> ask_in(const std::string& ns) {
    auto answer = ask(ns);
    if (!answer && client::is_forbidden(answer.error())) {
      drain_.unasked.add(ns, client::namespace_is_going(answer.error()));
      refused_ = std::move(answer.error());
      return {};
    }
    if (!answer) return std::unexpected(std::move(answer.error()));
    take_answer(ns, *answer);
    return {};
  }

  Result<explain::ChangeResult> ask(const std::string& ns) {
    auto spec = question_about(question_.profile, {question_.fail ? failure_of(question_, drain_.nodes)
                                                                  : drain_of(drain_.nodes, false)});
    const auto answered = cluster_.ask(ns, std::move(spec), false);
    if (!answered) return std::unexpected(answered.error());
    auto changes = drains_of(*answered);
    if (!changes) return std::unexpected(std::move(changes.error()));
    return std::move(changes->front());
  }

  // The pods that moved pods preempt may be in other namespaces: those of the pods on the nodes that take
  // pods. If the user may not ask there, or a request fails, only names are missing.
  void name_victims(std::set<std::string> asked) {
    if (!has_unnamed_victims()) return;
    std::set<std::string> nodes;
    for (const auto& pod : drain_.pods) {
      if (pod.answer && !pod.answer->node.empty()) nodes.insert(pod.answer->node);
    }
    const auto there = pods_on({nodes.begin(), nodes.end()}, cluster_);
    if (!there) return;
    PodCounts counts;
    for (const auto& pod : there->pods) {
      if (pod.stays == Stays::no && !asked.contains(pod.ns)) ++counts[pod.ns];
    }
    for (const auto& ns : namespaces_with_most(counts)) {
      if (!has_unnamed_victims()) return;
      if (const auto answer = ask(ns)) take_answer(ns, *answer);
    }
  }

  bool has_unnamed_victims() const {
    const auto named = std::ranges::count_if(drain_.pods, [](const render::NodePod& pod) {
      return pod.answer && !pod.answer->made_room_for.empty();
    });
    return std::cmp_less(named, drain_.preempted);
  }

  void take_answer(const std::string& ns, const explain::ChangeResult& answer) {
    if (!answered_) render::set_numbers(answer, drain_);
    answered_ = true;
    budgets_in_answer_ = answer.budgets_total;
    for (const auto& pod : answer.waiting)
      drain_.got_node.push_back(fmt::format("{}/{} → {}", ns, pod.name, pod.node));
    for (const auto& entry : answer.pods) {
      const auto pod = std::ranges::find_if(
          drain_.pods, [&](const auto& each) { return each.ns == ns && each.name == entry.name; });
      if (pod != drain_.pods.end())
        pod->answer = entry;
      else if (!entry.made_room_for.empty())
        drain_.pods.push_back({.ns = ns, .name = entry.name, .node = "-", .answer = entry});
    }
  }

  Result<void> find_budgets(const std::string& ns) {
    const auto broken = budgets_.find_obstacles(ns, drain_);
    if (!broken) return std::unexpected(broken.error());
    // podium's answer names them with the pods, also if the user may not list them.
    const auto listed = *broken ? (*broken)->size() : 0;
    drain_.budgets_named += std::max(listed, budgets_in_answer_);
    return {};
  }

  const DrainQuestion& question_;
  Cluster& cluster_;
  render::Drain drain_;
  Budgets budgets_{cluster_};
  std::size_t budgets_in_answer_ = 0;  // of the last namespace asked about
  bool answered_ = false;
  Error refused_;  // if the user may not ask in any namespace
};

// One step after the other: the nodes of a step return before the next step.
class Rolling {
 public:
  Rolling(const DrainQuestion& question, const Names& nodes, Cluster& cluster)
      : question_(question), cluster_(cluster) {
    for (std::size_t i = 0; i < nodes.size(); i += question.rolling) {
      const auto end = std::min(nodes.size(), i + question.rolling);
      steps_.push_back({.nodes = Names(nodes.begin() + static_cast<std::ptrdiff_t>(i),
                                       nodes.begin() + static_cast<std::ptrdiff_t>(end))});
    }
    if (question.spare == 0) return;
    like_ = question.like.empty() ? nodes.front() : question.like;
    steps_.push_back({.nodes = spare_names(question.spare, like_), .is_of_spares = true});
  }

  Result<render::Rolling> run() {
    if (auto one = check_size(); !one) return std::unexpected(one.error());
    auto changes = ask_asked(cluster_.ns());
    if (!changes) return std::unexpected(changes.error());
    render::Rolling out{.at_a_time = question_.rolling};
    out.with = {question_.spare, like_};
    for (std::size_t i = 0; i < steps_.size() && i < changes->size(); ++i) {
      auto step = std::move(steps_[i]);
      step.change = std::move((*changes)[i]);
      out.steps.push_back(std::move(step));
    }
    if (auto warned = warn_about_pods(out); !warned) return std::unexpected(warned.error());
    name_waiting(out);
    if (const auto* worst = out.worst()) find_spare(like_.empty() ? worst->nodes.front() : like_, out);
    return out;
  }

 private:
  // The most steps of one question, besides the change that adds nodes.
  static constexpr std::size_t kMostSteps = explain::kMostChanges - 1;

  Result<void> check_size() const {
    const std::size_t others = question_.spare > 0 ? 1 : 0;  // the change that adds the spare nodes
    std::size_t nodes = 0, bytes = 0;
    for (const auto& step : steps_) {
      nodes += step.is_of_spares ? 0 : step.nodes.size();
      for (const auto& node : step.nodes) bytes += node.size() + 3;  // with quotes and a comma
    }
    const auto usable = kMostSteps - others;
    const auto least = (nodes + usable - 1) / usable;
    if (least > explain::kMostDrainedNodes || bytes > kNamesBytes) {
      return invalid(
          fmt::format("{} are too many for one question; name fewer, or use a narrower -l SELECTOR",
                      counted(nodes, "node")));
    }
    if (least > question_.rolling)
      return invalid(fmt::format("--rolling {}: {} steps are more than {} in one question; try --rolling {}",
                                 question_.rolling, steps_.size() - others, usable, least));
    return {};
  }

  Result<std::vector<explain::ChangeResult>> ask_asked(const std::string& ns) {
    return ask(question_.spare, like_, ns, true);
  }

  // Asks with this number of additional nodes like this one. `then_end`: they are drained after the last step.
  Result<std::vector<explain::ChangeResult>> ask(std::size_t spare, const std::string& like,
                                                 const std::string& ns, bool then_end) {
    json::array changes;
    if (spare > 0) changes.push_back(json::object{{"type", "AddNodes"}, {"count", spare}, {"like", like}});
    for (const auto& nodes : nodes_of_steps()) changes.push_back(drain_of(nodes, true));
    if (spare > 0 && then_end) changes.push_back(drain_of(spare_names(spare, like), false));
    const auto answered = cluster_.ask(ns, question_about(question_.profile, std::move(changes)), false);
    if (!answered) return std::unexpected(answered.error());
    return drains_of(*answered);
  }

  // Without the step of the spare nodes. run() moves the steps into its answer.
  const std::vector<Names>& nodes_of_steps() {
    if (names_.empty()) {
      for (const auto& step : steps_) {
        if (!step.is_of_spares) names_.push_back(step.nodes);
      }
    }
    return names_;
  }

  // The names that podium gives to the nodes that it adds.
  Names spare_names(std::size_t count, const std::string& like) {
    Names out;
    for (int number = 1; out.size() < count; ++number) {
      auto name = fmt::format("{}-new-{}", like, number);
      if (!cluster_.get(kNodeResource, "", name)) out.push_back(std::move(name));
    }
    return out;
  }

  // Names the pods on the nodes that should not be evicted, and their budgets. Omits them if the user may
  // not list them.
  Result<void> warn_about_pods(render::Rolling& out) {
    std::map<std::string, std::size_t> step_of;
    Names nodes;
    for (std::size_t i = 0; i < out.steps.size(); ++i) {
      if (out.steps[i].is_of_spares) continue;
      for (const auto& node : out.steps[i].nodes) {
        step_of.emplace(node, i);
        nodes.push_back(node);
      }
    }
    auto now = pods_on(nodes, cluster_);
    if (!now) return client::is_forbidden(now.error()) ? Result<void>() : std::unexpected(now.error());
    std::vector<std::vector<render::NodePod>> by_step(out.steps.size());
    for (auto& pod : now->pods) {
      if (const auto step = step_of.find(pod.node); step != step_of.end() && pod.stays == Stays::no)
        by_step[step->second].push_back(std::move(pod));
    }
    Budgets budgets(cluster_);
    std::set<std::string> unread;
    for (std::size_t i = 0; i < out.steps.size(); ++i) {
      if (auto warned = warn_about_step(std::move(by_step[i]), budgets, out.steps[i], unread); !warned)
        return warned;
    }
    out.budgets_unread.assign(unread.begin(), unread.end());
    return {};
  }

  Result<void> warn_about_step(std::vector<render::NodePod> pods, Budgets& budgets, render::RollingStep& step,
                               std::set<std::string>& unread) {
    render::Drain drain{.nodes = step.nodes, .pods = std::move(pods)};
    std::set<std::string> namespaces;
    for (const auto& pod : drain.pods) {
      namespaces.insert(pod.ns);
      for (const auto& warning : pod.warnings)
        step.warnings.push_back(fmt::format("{}/{} {}", pod.ns, pod.name, warning));
    }
    if (!step.change.budgets.empty()) namespaces.insert(cluster_.ns());
    for (const auto& ns : namespaces) {
      const auto broken = budgets.find_obstacles(ns, drain);
      if (!broken) return std::unexpected(broken.error());
      std::map<std::string, const explain::BrokenBudget*> by_name;
      if (*broken)
        for (const auto& budget : **broken) by_name[budget.name] = &budget;
      // podium's answer has the first of its own namespace, and counts the pods that earlier steps move.
      if (ns == cluster_.ns())
        for (const auto& budget : step.change.budgets) by_name[budget.name] = &budget;
      if (!*broken && (ns != cluster_.ns() || step.change.with_several_budgets > 0)) unread.insert(ns);
      for (const auto& [name, budget] : by_name)
        step.obstacles.push_back(explain::budget_words(ns + "/" + name, budget->allowed, budget->pods_total));
    }
    for (const auto& pod : step.change.pods) {
      if (std::ranges::find(step.nodes, pod.node) != step.nodes.end())
        step.warnings.push_back(fmt::format("{}/{} tolerates the cordon and comes back to {}",
                                            pod.ns.empty() ? cluster_.ns() : pod.ns, pod.name, pod.node));
    }
    for (const auto& pod : drain.pods) {
      if (pod.budgets.total == 0) continue;
      step.with_several.push_back(pod.ns + "/" + pod.name);
      step.several_words.push_back(explain::several_budgets_words(step.with_several.back(), pod.budgets));
    }
    return {};
  }

  // podium names the pods of one namespace, so this also asks in those with the most pods that wait.
  void name_waiting(render::Rolling& out) {
    const auto add = [&](const std::string& ns, const std::vector<explain::ChangeResult>& changes) {
      for (std::size_t i = 0; i < changes.size(); ++i) {
        for (const auto& pod : changes[i].waiting) out.got_node.push_back({ns, pod.name, pod.node, i});
      }
    };
    std::vector<explain::ChangeResult> first;
    for (const auto& step : out.steps) first.push_back(step.change);
    add(cluster_.ns(), first);
    const auto waiting = out.got_node.size() < out.waiting_placed() ? waiting_by_namespace(cluster_)
                                                                    : Result<PodCounts>(PodCounts());
    if (!waiting) return;
    for (const auto& ns : namespaces_with_most(*waiting)) {
      if (ns == cluster_.ns()) continue;
      // If this fails, only names are missing.
      if (const auto changes = ask_asked(ns)) add(ns, *changes);
    }
    std::ranges::stable_sort(out.got_node, {}, &render::PodWithNode::step);
  }

  // Whether pods wait with this number of additional nodes. nullopt: podium does not answer.
  std::optional<bool> waits_with(std::size_t count, const std::string& like, bool then_end = false) {
    const auto changes = ask(count, like, cluster_.ns(), then_end);
    if (!changes) return std::nullopt;
    return std::ranges::any_of(*changes,
                               [](const auto& change) { return change.pods_pending.value_or(0) > 0; });
  }

  bool nothing_waits_with(std::size_t count, const std::string& like) {
    return waits_with(count, like) == false;
  }

  // The smallest number of additional nodes with which no pod waits in any step: one less is not enough. Pods
  // may wait again when these nodes go, such as pending pods that they took.
  void find_spare(const std::string& like, render::Rolling& out) {
    if (question_.spare > 0 && nothing_waits_with(question_.spare, like)) return;  // only after the steps
    std::size_t too_few = question_.spare, enough = mcp::kMostSpare;
    if (too_few >= enough || !nothing_waits_with(enough, like)) return;
    while (enough - too_few > 1) {
      const auto middle = too_few + (enough - too_few) / 2;
      (nothing_waits_with(middle, like) ? enough : too_few) = middle;
    }
    out.spare_nodes = enough;
    out.waits_without_spares = waits_with(enough, like, true).value_or(false);
    out.spare_like = like;
  }

  const DrainQuestion& question_;
  Cluster& cluster_;
  std::vector<render::RollingStep> steps_;
  std::vector<Names> names_;  // of the nodes of each step
  std::string like_;          // of the spare nodes
};

}  // namespace

Result<render::Drain> drain_together(const DrainQuestion& question, const Names& nodes, Cluster& cluster) {
  return Draining(question, nodes, cluster).run();
}

Result<render::Rolling> drain_in_steps(const DrainQuestion& question, const Names& nodes, Cluster& cluster) {
  return Rolling(question, nodes, cluster).run();
}

}  // namespace podium::kubectl
