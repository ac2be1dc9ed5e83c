// `podium whatif` and `podium capacity`: where would it go, and how many more fit?

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/kubectl/ask_namespace.h"
#include "app/kubectl/ask_workloads.h"
#include "app/kubectl/cluster.h"
#include "app/kubectl/question_spec.h"
#include "app/kubectl/targets.h"
#include "app/kubectl/verbs.h"
#include "app/render/text.h"
#include "app/render/values.h"
#include "base/problems.h"
#include "explain/question/question_limits.h"

namespace podium::kubectl {
namespace {

constexpr int kMaxReplicas = explain::kMostReplicas;

// `capacity` without a name: of the namespace.
int run_for_namespace(const CLI::App& command, const WhatIfFlags& flags) {
  const auto& question = flags.question;
  auto problems = problems_of(*flags.shared);
  if (!question.weights.empty() || !question.drain.empty() || question.add_nodes > 0 || question.fixes ||
      !question.like.empty() || flags.keep)
    problems.add(
        "only -n, --requests, --profile and -o are for a whole namespace; give -f FILE or TYPE/NAME, such as "
        "deploy/web");
  const auto pods = requested_pods(flags.requests, problems);
  if (problems) return fail_with(command, problems.error());
  auto cluster = open_cluster(flags.shared->connection);
  if (!cluster) return fail_with(command, cluster.error());
  return ask_namespace(command, flags.shared->output, pods, question.profile, **cluster);
}

int run_what_if(const CLI::App& command, const WhatIfFlags& flags) {
  const auto& shared = *flags.shared;
  const bool has_subject = !flags.files.empty() || !flags.words.empty();
  if (flags.capacity && !has_subject) return run_for_namespace(command, flags);
  auto problems = problems_of(shared);
  if (!flags.requests.empty()) problems.add("--requests: cannot be combined with -f FILE or TYPE/NAME");
  const bool has_both = !flags.files.empty() && !flags.words.empty();
  if (!has_subject) problems.add("needs either -f FILE or TYPE/NAME, such as deploy/web");
  if (has_both)  // as of `-f *.yaml`
    problems.add(fmt::format("\"{}\": cannot be combined with -f FILE; several files are -f a.yaml -f b.yaml",
                             flags.words.front()));
  if (std::ranges::count(flags.files, "-") > 1) problems.add("-f -: standard input can be read only once");
  if (flags.keep && !shared.connection.dump.empty()) problems.add("--keep: a dump keeps no reports");
  problems.check(
      check_names(shared.output, flags.keep, "the question is deleted once it is answered; --keep keeps it"));
  const auto targets =
      has_both ? std::nullopt : problems.value_of(parse_targets(flags.words, shared.connection.ns));
  (void)problems.value_of(question_spec(flags.question));
  if (problems) return fail_with(command, problems.error());
  auto cluster = open_cluster(shared.connection);
  if (!cluster) return fail_with(command, cluster.error());
  if (auto there = check_flag_nodes(flags.question, **cluster); !there)
    return fail_with(command, there.error());
  return ask_workloads(command, flags, **cluster, *targets);
}

void add_common(CLI::App& command, WhatIfFlags& flags) {
  command.add_option("TYPE/NAME", flags.words, "workloads or pods of the cluster: deploy/web, pod/web-0");
  command
      .add_option("-f,--filename", flags.files,
                  "manifests, and of whatif SchedulingReports with dryRun; - for standard input")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->take_all();
  command
      .add_option("--weights", flags.question.weights,
                  "weights of strategies, in place of the profile's: NodeResourcesFit=5; 0 switches one off")
      ->type_name("S=W,...")
      ->allow_extra_args(false)
      ->take_all();
  command.add_option("--drain", flags.question.drain, "drain this node on the copy first")
      ->type_name("NODE")
      ->allow_extra_args(false)
      ->take_all();
  render::add_number(command, flags.shared->wrong, "--add-nodes", flags.question.add_nodes,
                     {1, explain::kMostNewNodes}, "add this number of nodes to the copy first, with --like");
  command.add_option("--like", flags.question.like, "the node to copy")->type_name("NODE");
  command.add_option("--profile", flags.question.profile, kProfileHelp)->type_name("NAME");
  command.add_flag("--fixes", flags.question.fixes,
                   "search for changes that would let the pods fit; each is tried");
  command.add_flag("--keep", flags.keep, "keep the question with its answer as a SchedulingReport");
}

}  // namespace

std::function<int()> declare_what_if(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<WhatIfFlags>();
  flags->shared = shared;
  add_common(command, *flags);
  command.add_flag("--each", flags->each,
                   "evaluate each workload on its own (default: all together, in order)");
  render::add_number(command, shared->wrong, "--replicas", flags->question.replicas, {1, kMaxReplicas},
                     "number of pods (default: that of the workload)");
  return [&command, flags] { return run_what_if(command, *flags); };
}

std::function<int()> declare_capacity(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<WhatIfFlags>();
  flags->shared = shared;
  flags->capacity = true;
  flags->each = true;  // the first workload would leave no room for the others
  flags->question.replicas = kMaxReplicas;
  add_common(command, *flags);
  command
      .add_option("--requests", flags->requests,
                  "count pods with these requests instead of the namespace's workloads")
      ->type_name("RESOURCE=AMOUNT,...")
      ->allow_extra_args(false)
      ->take_all();
  render::add_number(command, shared->wrong, "--up-to", flags->question.replicas, {2, kMaxReplicas},
                     "number of pods to try")
      ->default_str(fmt::to_string(kMaxReplicas));
  return [&command, flags] { return run_what_if(command, *flags); };
}

}  // namespace podium::kubectl
