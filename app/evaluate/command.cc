#include "app/evaluate/command.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "api/yaml.h"
#include "app/evaluate/batch.h"
#include "app/evaluate/inputs.h"
#include "app/evaluate/table.h"

namespace podium::evaluate {
namespace {

struct Options {
  Inputs inputs;
  std::string output = "table";
  std::string batch;
  bool place = false;
};

int fail_with(const Error& error) {
  std::cerr << "podium evaluate: " << error.message << '\n';
  return error.kind == Error::Kind::invalid ? 2 : 1;
}

// Prints the result in the chosen format; `what` are the arguments of to_table() and to_document().
template <typename... What>
int print(const Options& options, const std::vector<std::string>& warnings, const What&... what) {
  for (const auto& warning : warnings) std::cerr << "warning: " << warning << '\n';
  if (options.output == "table") {
    std::cout << to_table(what...);
  } else {
    const auto document = to_document(what...);
    std::cout << (options.output == "yaml" ? api::to_yaml(document) : api::to_json(document));
  }
  std::cout.flush();
  return std::cout ? 0 : fail_with({.message = "cannot write the output"});
}

int evaluate_and_print(const Options& options) {
  if (options.inputs.cluster.empty()) return fail_with(invalid("--cluster is required").error());
  if (options.inputs.pods.empty()) return fail_with(invalid("--pod is required").error());
  if (options.place) {
    const auto placements = place_files(options.inputs);
    if (!placements) return fail_with(placements.error());
    return print(options, placements->warnings, placements->pods);
  }
  const auto evaluation = evaluate_files(options.inputs);
  if (!evaluation) return fail_with(evaluation.error());
  return print(options, evaluation->warnings, evaluation->results, evaluation->snapshot);
}

int run(const Options& options) {
  return options.batch.empty() ? evaluate_and_print(options)
                               : run_batch(options.batch, options.inputs, options.place);
}

}  // namespace

void add_command(CLI::App& app, const plugins::Registry& plugins, int& exit_code) {
  auto* command = app.add_subcommand(
      "evaluate", "Where would these pods go? The scheduler's decision on manifests, offline");
  const auto options = std::make_shared<Options>();
  options->inputs.plugins = plugins;
  command
      ->add_option(
          "--cluster", options->inputs.cluster,
          "manifests of the cluster state, such as kubectl get nodes,pods -A -o yaml; - for standard input")
      ->type_name("FILE...");
  command
      ->add_option(
          "--pod", options->inputs.pods,
          "manifests of the pods to evaluate, or namespace/name of unscheduled pods in the cluster state")
      ->type_name("FILE...");
  command
      ->add_option("--config", options->inputs.config,
                   "KubeSchedulerConfiguration (default: that of kube-scheduler)")
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "table, json or yaml")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->capture_default_str();
  command
      ->add_option("--feature-gates", options->inputs.feature_gates,
                   "A=true,B=false: feature gates as kube-scheduler has them")
      ->type_name("GATES")
      ->allow_extra_args(false)
      ->take_all();
  command->add_flag("--allow-unknown-fields", options->inputs.allow_unknown_fields,
                    "ignore fields the API types do not have instead of failing");
  command->add_flag("--preemption-candidates", options->inputs.preemption_candidates,
                    "report the victims on every node preemption could use");
  command->add_flag(
      "--place", options->place,
      "place each pod that fits for those after it, in the order given, and say where all went");
  command->add_option("--batch", options->batch)->group("");  // hidden: for comparisons with the oracle
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace podium::evaluate
