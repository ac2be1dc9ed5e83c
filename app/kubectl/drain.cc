// `podium drain NODE`: shows where the pods of nodes would be placed, and what blocks the drain. The nodes
// are drained at the same time, with --rolling in steps, or fail.
#include "app/render/drain.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "api/text/json_view.h"
#include "api/validate/selector_text.h"
#include "app/kubectl/ask.h"
#include "app/kubectl/cluster.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/named_nodes.h"
#include "app/kubectl/question_spec.h"
#include "app/kubectl/targets.h"
#include "app/kubectl/verbs.h"
#include "app/kubectl/waiting_pods.h"
#include "app/mcp/number_bounds.h"
#include "app/render/rolling.h"
#include "app/render/text.h"
#include "app/render/values.h"
#include "app/render/what_if.h"
#include "app/render/why.h"
#include "base/counted.h"
#include "explain/question/question_limits.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

struct DrainFlags {
  std::shared_ptr<Shared> shared;
  std::vector<std::string> words;
  std::string profile;
  std::size_t rolling = 0;  // nodes at a time; 0: all at the same time
  std::size_t spare = 0;    // nodes that are added for the time of the steps
  std::string like;         // they are like this one; empty: like the first node
  bool fail = false;
};

using Names = std::vector<std::string>;
constexpr std::size_t kListedOnTheirOwn = 8;
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
json::object failure_of(const DrainFlags& flags, const Names& nodes) {
  if (nodes.size() > explain::kMostDrainedNodes)
    return {{"type", "FailNodes"},
            {"selector",
             api::selector_json(api::parse_selector(flags.shared->selector).value_or(api::LabelSelector()))}};
  return {{"type", "FailNodes"}, {"nodeNames", json::array(nodes.begin(), nodes.end())}};
}

// The results of the changes in their order, without those that add nodes first.
Result<std::vector<explain::ChangeResult>> drains_of(const json::value& answered) {
  const auto report = render::read_report(answered);
  if (const auto* refusal = explain::refusal_of(report))
    return std::unexpected(flags_error(*refusal, 0).value_or(invalid(*refusal).error()));
  auto changes = render::answer_of(report).changes;
  std::erase_if(changes, [](const explain::ChangeResult& change) { return change.type == "AddNodes"; });
  if (changes.empty() || !changes.front().pods_evicted)
    return fail(Error::Kind::internal, "the answer does not say what the drain did");
  return changes;
}

// All nodes at the same time: each pod, and its obstacles.
class Draining {
 public:
  Draining(const DrainFlags& flags, const Names& nodes, Cluster& cluster) : flags_(flags), cluster_(cluster) {
    drain_.nodes = nodes;
    drain_.is_failure = flags.fail;
  }

  Result<render::Drain> run() {
    if (auto listed = list_pods(); !listed) return std::unexpected(listed.error());
    std::set<std::string> namespaces;
    for (const auto& pod : drain_.pods) {
      if (pod.stays == render::NodePod::Stays::no) namespaces.insert(pod.ns);
    }
    if (namespaces.empty()) namespaces.insert(cluster_.ns());
    for (const auto& ns : namespaces) {
      if (auto asked = ask_in(ns); !asked) return std::unexpected(asked.error());
      if (!flags_.fail) find_budgets(ns);
    }
    if (!answered_) return std::unexpected(refused_);
    std::ranges::stable_sort(drain_.pods, {}, [](const auto& pod) { return std::tie(pod.ns, pod.name); });
    return std::move(drain_);
  }

  // The pods that are on the nodes now, with their obstacles. Does not ask podium.
  Result<render::Drain> pods_now(bool with_budgets = true) {
    if (auto listed = list_pods(); !listed) return std::unexpected(listed.error());
    if (!with_budgets) return std::move(drain_);
    std::set<std::string> namespaces;
    for (const auto& pod : drain_.pods) namespaces.insert(pod.ns);
    for (const auto& ns : namespaces) find_budgets(ns);
    return std::move(drain_);
  }

 private:
  // Of all namespaces if the user may list them, else of the user's namespace.
  Result<void> list_pods() {
    auto listed = list_pods_of("");
    if (!listed && client::is_forbidden(listed.error())) {
      drain_.sees_all = false;
      listed = list_pods_of(cluster_.ns());
    }
    if (!listed) return std::unexpected(std::move(listed.error()));
    objects_ = std::move(*listed);
    for (const auto& object : objects_) {
      if (auto pod = render::read_node_pod(object)) drain_.pods.push_back(std::move(*pod));
    }
    return {};
  }

  // Node by node; of many nodes, all pods once.
  Result<std::vector<json::value>> list_pods_of(const std::string& ns) {
    std::vector<json::value> out;
    if (drain_.nodes.size() > kListedOnTheirOwn) {
      auto all = cluster_.list(client::resource::pods, ns, {});
      if (!all) return all;
      const std::set<std::string> drained(drain_.nodes.begin(), drain_.nodes.end());
      std::erase_if(*all, [&](const json::value& pod) {
        return !drained.contains(api::text_at(pod, "/spec/nodeName"));
      });
      return all;
    }
    for (const auto& node : drain_.nodes) {
      client::ListOptions on_node;
      on_node.field_selector = "spec.nodeName=" + node;
      auto listed = cluster_.list(client::resource::pods, ns, on_node);
      if (!listed) return listed;
      std::ranges::move(*listed, std::back_inserter(out));
    }
    return out;
  }

  // podium names only pods of the question's namespace, so this asks once in each.
  Result<void> ask_in(const std::string& ns) {
    auto spec = question_about(
        flags_.profile, {flags_.fail ? failure_of(flags_, drain_.nodes) : drain_of(drain_.nodes, false)});
    auto answered = cluster_.ask(ns, std::move(spec), false);
    if (!answered && client::is_forbidden(answered.error())) {
      auto& unasked = drain_.unasked;
      (client::namespace_is_going(answered.error()) ? unasked.ending : unasked.forbidden).push_back(ns);
      refused_ = std::move(answered.error());
      return {};
    }
    if (!answered) return std::unexpected(std::move(answered.error()));
    const auto changes = drains_of(*answered);
    if (!changes) return std::unexpected(changes.error());
    take_answer(ns, changes->front());
    return {};
  }

  void take_answer(const std::string& ns, const explain::ChangeResult& answer) {
    if (!answered_) render::set_numbers(answer, drain_);
    answered_ = true;
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

  void find_budgets(const std::string& ns) {
    static const client::Resource kBudgets("policy", "v1", "poddisruptionbudgets");
    const auto budgets = cluster_.list(kBudgets, ns, {});
    if (!budgets) return;
    render::find_obstacles(ns, *budgets, objects_, drain_);
  }

  const DrainFlags& flags_;
  Cluster& cluster_;
  render::Drain drain_;
  std::vector<json::value> objects_;
  bool answered_ = false;
  Error refused_;  // if the user may not ask in any namespace
};

// One step after the other: the nodes of a step return before the next step.
class Rolling {
 public:
  Rolling(const DrainFlags& flags, const Names& nodes, Cluster& cluster) : flags_(flags), cluster_(cluster) {
    for (std::size_t i = 0; i < nodes.size(); i += flags.rolling) {
      const auto end = std::min(nodes.size(), i + flags.rolling);
      steps_.push_back({.nodes = Names(nodes.begin() + static_cast<std::ptrdiff_t>(i),
                                       nodes.begin() + static_cast<std::ptrdiff_t>(end))});
    }
    if (flags.spare == 0) return;
    like_ = flags.like.empty() ? nodes.front() : flags.like;
    steps_.push_back({.nodes = spare_names(), .is_of_spares = true});
  }

  Result<render::Rolling> run() {
    if (auto one = check_size(); !one) return std::unexpected(one.error());
    auto changes = ask(flags_.spare, like_, cluster_.ns());
    if (!changes) return std::unexpected(changes.error());
    render::Rolling out{.at_a_time = flags_.rolling};
    out.with = {flags_.spare, like_};
    for (std::size_t i = 0; i < steps_.size() && i < changes->size(); ++i) {
      auto step = std::move(steps_[i]);
      step.change = std::move((*changes)[i]);
      out.steps.push_back(std::move(step));
    }
    if (auto named = name_budgets(out); !named) return std::unexpected(named.error());
    warn_about_pods(out);
    name_waiting(out);
    if (const auto* worst = out.worst()) find_spare(like_.empty() ? worst->nodes.front() : like_, out);
    return out;
  }

 private:
  // Of one question, besides the change that adds nodes.
  static constexpr std::size_t kMostSteps = explain::kMostChanges - 1;

  Result<void> check_size() const {
    const std::size_t others = flags_.spare > 0 ? 1 : 0;  // of the spare nodes
    std::size_t nodes = 0, bytes = 0;
    for (const auto& step : steps_) {
      nodes += step.is_of_spares ? 0 : step.nodes.size();
      for (const auto& node : step.nodes) bytes += node.size() + 3;  // with quotes and a comma
    }
    const auto usable = kMostSteps - others;
    const auto least = (nodes + usable - 1) / usable;
    if (least > explain::kMostDrainedNodes || bytes > kNamesBytes) {
      return invalid(fmt::format("{} are too many for one question; name fewer, or a narrower -l SELECTOR",
                                 counted(nodes, "node")));
    }
    if (least > flags_.rolling)
      return invalid(fmt::format("--rolling {}: {} steps are more than {} in one question; try --rolling {}",
                                 flags_.rolling, steps_.size() - others, usable, least));
    return {};
  }

  // Asks with this number of additional nodes like this one.
  Result<std::vector<explain::ChangeResult>> ask(std::size_t spare, const std::string& like,
                                                 const std::string& ns) {
    json::array changes;
    if (spare > 0) changes.push_back(json::object{{"type", "AddNodes"}, {"count", spare}, {"like", like}});
    for (const auto& [nodes, is_of_spares] : nodes_of_steps()) {
      if (!is_of_spares || spare == flags_.spare) changes.push_back(drain_of(nodes, !is_of_spares));
    }
    const auto answered = cluster_.ask(ns, question_about(flags_.profile, std::move(changes)), false);
    if (!answered) return std::unexpected(answered.error());
    return drains_of(*answered);
  }

  std::vector<std::pair<Names, bool>> nodes_of_steps() {
    if (names_.empty())
      for (const auto& step : steps_) names_.emplace_back(step.nodes, step.is_of_spares);
    return names_;
  }

  // The names that podium gives to the nodes that it adds.
  Names spare_names() {
    Names out;
    for (int number = 1; out.size() < flags_.spare; ++number) {
      auto name = fmt::format("{}-new-{}", like_, number);
      if (!cluster_.get(kNodeResource, "", name)) out.push_back(std::move(name));
    }
    return out;
  }

  // The budgets that do not allow the evictions of the current pods.
  Result<void> name_budgets(render::Rolling& out) {
    for (auto& step : out.steps) {
      if (step.is_of_spares || step.change.budgets_broken.value_or(0) == 0) continue;
      const auto now = Draining(flags_, step.nodes, cluster_).pods_now();
      if (!now) return std::unexpected(now.error());
      for (const auto& pod : now->pods) {
        for (const auto& obstacle : pod.obstacles) {
          if (std::ranges::find(step.obstacles, obstacle) == step.obstacles.end())
            step.obstacles.push_back(obstacle);
        }
      }
    }
    return {};
  }

  // Names the pods that are on the nodes now and are not to be evicted. If the user may not list them, the
  // answer goes without.
  void warn_about_pods(render::Rolling& out) {
    std::map<std::string, render::RollingStep*> step_of;
    Names nodes;
    for (auto& step : out.steps) {
      for (const auto& node : step.nodes) {
        if (step.is_of_spares) continue;
        step_of.emplace(node, &step);
        nodes.push_back(node);
      }
    }
    const auto now = Draining(flags_, nodes, cluster_).pods_now(false);
    if (!now) return;
    for (const auto& pod : now->pods) {
      const auto step = step_of.find(pod.node);
      if (pod.stays != render::NodePod::Stays::no || step == step_of.end()) continue;
      for (const auto& warning : pod.warnings)
        step->second->warnings.push_back(fmt::format("{}/{} {}", pod.ns, pod.name, warning));
    }
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
      if (const auto changes = ask(flags_.spare, like_, ns)) add(ns, *changes);
    }
    std::ranges::stable_sort(out.got_node, {}, &render::PodWithNode::step);
  }

  // False also if podium does not answer.
  bool nothing_waits_with(std::size_t count, const std::string& like) {
    const auto changes = ask(count, like, cluster_.ns());
    return changes && std::ranges::none_of(
                          *changes, [](const auto& change) { return change.pods_pending.value_or(0) > 0; });
  }

  // The smallest number of additional nodes with which no pod waits: one less is not enough.
  void find_spare(const std::string& like, render::Rolling& out) {
    std::size_t too_few = flags_.spare, enough = mcp::kMostSpare;
    if (too_few >= enough || !nothing_waits_with(enough, like)) return;
    while (enough - too_few > 1) {
      const auto middle = too_few + (enough - too_few) / 2;
      (nothing_waits_with(middle, like) ? enough : too_few) = middle;
    }
    out.spare_nodes = enough;
    out.spare_like = like;
  }

  const DrainFlags& flags_;
  Cluster& cluster_;
  std::vector<render::RollingStep> steps_;
  std::vector<std::pair<Names, bool>> names_;
  std::string like_;  // of the spare nodes
};

template <typename Answer>
int say_answer(const CLI::App& command, const Output& output, const Result<Answer>& answer, const Names& pods,
               std::string (*table)(const Answer&, const render::Options&),
               json::value (*document)(const Answer&), int (*code)(const Answer&)) {
  if (!answer) return fail_with(command, answer.error());
  const auto printed = print(answered(command, output, document(*answer), pods, [&] {
    return table(*answer, render_options(output, program_of(command)));
  }));
  return printed ? printed : code(*answer);
}

struct NamedNodes {
  Names nodes;       // that the words name
  std::string like;  // the node of --like
};

NamedNodes check_drain_flags(const DrainFlags& flags, Problems& problems) {
  const auto& shared = *flags.shared;
  if (flags.words.empty() && shared.selector.empty())
    problems.add("no node is given: name nodes, or use -l SELECTOR");
  if (flags.spare > 0 && flags.rolling == 0) problems.add("--spare: needs --rolling N");
  if (!flags.like.empty() && flags.spare == 0) problems.add("--like: needs --spare N");
  if (flags.fail && flags.rolling > 0) problems.add("--fail: not with --rolling");
  NamedNodes asked{.nodes = parse_nodes(flags.words, problems)};
  if (!flags.like.empty()) {
    const auto like = parse_nodes({flags.like}, problems);
    if (!like.empty()) asked.like = like.front();
  }
  return asked;
}

int run_drain(const CLI::App& command, DrainFlags flags) {
  const auto& shared = *flags.shared;
  auto problems = problems_of(shared);
  const auto asked = check_drain_flags(flags, problems);
  if (problems) return fail_with(command, problems.error());
  flags.like = asked.like;
  auto cluster = open_cluster(shared.connection);
  if (!cluster) return fail_with(command, cluster.error());
  if (const auto& ns = shared.connection.ns; !ns.empty()) {
    if (auto missing = no_namespace(**cluster, ns); !missing.empty())
      return print({.err = std::move(missing), .code = 1});
  }
  if (auto there = check_like(flags.like, **cluster); !there) return fail_with(command, there.error());
  const auto nodes = nodes_of(asked.nodes, shared.selector, **cluster);
  if (!nodes) return fail_with(command, nodes.error());
  // The others were listed.
  if (auto there = check_nodes(asked.nodes, **cluster); !there) return fail_with(command, there.error());
  const auto& output = shared.output;
  Names names;
  if (flags.rolling > 0) {
    for (const auto& node : *nodes) names.push_back("node/" + node);
    return say_answer(command, output, Rolling(flags, *nodes, **cluster).run(), names, render::rolling_table,
                      render::rolling_document, render::rolling_exit_code);
  }
  const bool are_of_selector = flags.fail && flags.words.empty();
  if (nodes->size() > explain::kMostDrainedNodes && !are_of_selector) {
    return fail_with(command, invalid(fmt::format("cannot drain {} nodes at the same time (at most {}); "
                                                  "use --rolling N",
                                                  nodes->size(), explain::kMostDrainedNodes))
                                  .error());
  }
  const auto drain = Draining(flags, *nodes, **cluster).run();
  if (drain) {
    for (const auto& pod : drain->pods) {
      if (pod.stays == render::NodePod::Stays::no) names.push_back("pod/" + pod.name);
    }
  }
  return say_answer(command, output, drain, names, render::drain_table, render::drain_document,
                    render::drain_exit_code);
}

}  // namespace

std::function<int()> declare_drain(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<DrainFlags>();
  flags->shared = shared;
  command.add_option("NODE", flags->words, "the nodes to drain, all at the same time")->type_name("NODE");
  render::add_number(
      command, shared->wrong, "--rolling", flags->rolling, {1, mcp::kMostAtATime},
      "drains this number of nodes at a time, as an upgrade does; they return before the next ones are "
      "drained");
  render::add_number(
      command, shared->wrong, "--spare", flags->spare, {1, mcp::kMostSpare},
      "with --rolling: adds this number of nodes before the first step and drains them after the last");
  command
      .add_option("--like", flags->like,
                  "the node that the spare nodes are copies of (default: the first one)")
      ->type_name("NODE");
  command.add_flag(
      "--fail", flags->fail,
      "lets the nodes fail at the same time: ignores disruption budgets, and pods of DaemonSets are deleted");
  command.add_option("--profile", flags->profile, "the profile of podium's configuration")->type_name("NAME");
  return [&command, flags] { return run_drain(command, *flags); };
}

}  // namespace podium::kubectl
