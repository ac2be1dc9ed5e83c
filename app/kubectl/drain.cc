// `podium drain NODE`: shows where the pods of nodes would be placed, and what blocks the drain. The nodes
// are drained at the same time, with --rolling in steps, or fail.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/kubectl/ask.h"
#include "app/kubectl/cluster.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/draining.h"
#include "app/kubectl/named_nodes.h"
#include "app/kubectl/question_spec.h"
#include "app/kubectl/targets.h"
#include "app/kubectl/verbs.h"
#include "app/mcp/number_bounds.h"
#include "app/render/text.h"
#include "app/render/values.h"
#include "explain/question/question_limits.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

struct DrainFlags {
  std::shared_ptr<Shared> shared;
  std::vector<std::string> words;
  DrainQuestion question;
};

using Names = std::vector<std::string>;
using Stays = render::NodePod::Stays;

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
  if (flags.question.spare > 0 && flags.question.rolling == 0) problems.add("--spare: needs --rolling N");
  if (!flags.question.like.empty() && flags.question.spare == 0) problems.add("--like: needs --spare N");
  if (flags.question.fail && flags.question.rolling > 0)
    problems.add("--fail: cannot be combined with --rolling");
  NamedNodes asked{.nodes = parse_nodes(flags.words, problems)};
  if (!flags.question.like.empty()) {
    const auto like = parse_nodes({flags.question.like}, problems);
    if (!like.empty()) asked.like = like.front();
  }
  return asked;
}

int run_drain(const CLI::App& command, DrainFlags flags) {
  const auto& shared = *flags.shared;
  auto problems = problems_of(shared);
  const auto asked = check_drain_flags(flags, problems);
  if (problems) return fail_with(command, problems.error());
  flags.question.like = asked.like;
  flags.question.selector = shared.selector;
  auto cluster = open_cluster(shared.connection);
  if (!cluster) return fail_with(command, cluster.error());
  if (const auto& ns = shared.connection.ns; !ns.empty()) {
    if (auto missing = no_namespace(**cluster, ns); !missing.empty())
      return print({.err = std::move(missing), .code = 1});
  }
  if (auto there = check_like(flags.question.like, **cluster); !there)
    return fail_with(command, there.error());
  const auto nodes = nodes_of(asked.nodes, shared.selector, **cluster);
  if (!nodes) return fail_with(command, nodes.error());
  // The others were listed.
  if (auto there = check_nodes(asked.nodes, **cluster); !there) return fail_with(command, there.error());
  const auto& output = shared.output;
  Names names;
  if (flags.question.rolling > 0) {
    for (const auto& node : *nodes) names.push_back("node/" + node);
    return say_answer(command, output, drain_in_steps(flags.question, *nodes, **cluster), names,
                      render::rolling_table, render::rolling_document, render::rolling_exit_code);
  }
  const bool are_of_selector = flags.question.fail && flags.words.empty();
  if (nodes->size() > explain::kMostDrainedNodes && !are_of_selector) {
    return fail_with(command, invalid(fmt::format("cannot drain {} nodes at the same time (at most {}); "
                                                  "use --rolling N",
                                                  nodes->size(), explain::kMostDrainedNodes))
                                  .error());
  }
  const auto drain = drain_together(flags.question, *nodes, **cluster);
  if (drain) {
    for (const auto& pod : drain->pods) {
      if (pod.stays == Stays::no) names.push_back("pod/" + pod.name);
    }
  }
  return say_answer(command, output, drain, names, render::drain_table, render::drain_document,
                    render::drain_exit_code);
}

}  // namespace

std::function<int()> declare_drain(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<DrainFlags>();
  flags->shared = shared;
  command.add_option("NODE", flags->words, mcp::kNodesToDrain)->type_name("NODE");
  render::add_number(command, shared->wrong, "--rolling", flags->question.rolling, {1, mcp::kMostAtATime},
                     mcp::kRolling);
  render::add_number(
      command, shared->wrong, "--spare", flags->question.spare, {1, mcp::kMostSpare},
      "with --rolling: adds this number of nodes before the first step and drains them after the last");
  command
      .add_option("--like", flags->question.like,
                  "the node that the spare nodes copy (default: the first one)")
      ->type_name("NODE");
  command.add_flag(
      "--fail", flags->question.fail,
      "lets the nodes fail at the same time: ignores disruption budgets, and pods of DaemonSets are deleted");
  command.add_option("--profile", flags->question.profile, kProfileHelp)->type_name("NAME");
  return [&command, flags] { return run_drain(command, *flags); };
}

}  // namespace podium::kubectl
