#include "app/evaluate/command.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "api/dump_kinds.h"
#include "api/yaml.h"
#include "app/evaluate/batch.h"
#include "app/evaluate/evaluation.h"
#include "app/evaluate/table.h"
#include "app/render/terminal.h"
#include "app/render/text.h"
#include "base/problems.h"

namespace podium::evaluate {
namespace {

struct Options {
  Inputs inputs;
  std::string output = "table", color = "auto";
  std::string batch;
  bool place = false;
};

int fail_with(const Error& error) {
  std::cerr << "podium evaluate: " << render::printable_lines(error.message) << '\n';
  return error.kind == Error::Kind::invalid ? 2 : 1;
}

int print(const Options& options, const std::vector<std::string>& warnings, const std::string& table,
          const boost::json::value& document) {
  for (const auto& warning : warnings) std::cerr << "warning: " << render::printable(warning) << '\n';
  if (options.output == "json" || options.output == "yaml") {
    std::cout << (options.output == "yaml" ? api::to_yaml(document) : api::to_json(document));
  } else {
    std::cout << table;
  }
  std::cout.flush();
  return std::cout ? 0 : fail_with({.message = "cannot write the output"});
}

bool is_table(const Options& options) { return options.output == "table" || options.output == "wide"; }

int evaluate_and_print(const Options& options) {
  Problems missing;
  if (options.inputs.cluster.empty()) missing.add("--cluster is required");
  if (options.inputs.pods.empty()) missing.add("--pod is required");
  if (missing) return fail_with(missing.error());
  if (options.place) {
    const auto placements = place_files(options.inputs);
    if (!placements) return fail_with(placements.error());
    return print(options, placements->warnings, is_table(options) ? to_table(placements->pods) : "",
                 is_table(options) ? boost::json::value() : to_document(placements->pods));
  }
  const auto evaluation = evaluate_files(options.inputs);
  if (!evaluation) return fail_with(evaluation.error());
  const auto& [snapshot, results, warnings] = *evaluation;
  if (!is_table(options)) return print(options, warnings, "", to_document(results, snapshot));
  const bool color = options.color == "always" || (options.color == "auto" && render::is_color_terminal());
  const render::Options rendered{.style = {color}, .wide = options.output == "wide"};
  return print(options, warnings, to_table(results, snapshot, rendered), {});
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
          fmt::format("manifests of the cluster state, or directories of them: {}; - for standard input",
                      api::dump_command()))
      ->type_name("FILE...");
  command
      ->add_option("--pod", options->inputs.pods,
                   "manifests of pods, workloads or questions, such as the output of kustomize and helm; - "
                   "for standard "
                   "input; or namespace/name of pods in the cluster state, placed ones as if they were not")
      ->type_name("FILE...");
  command->add_option("-n,--namespace", options->inputs.ns, "namespace of objects that name none")
      ->type_name("NS")
      ->capture_default_str();
  command
      ->add_option("--config", options->inputs.config,
                   "KubeSchedulerConfiguration (default: that of kube-scheduler)")
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "table, wide, json or yaml")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"table", "wide", "json", "yaml"}))
      ->capture_default_str();
  command->add_option("--color", options->color, "auto, always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
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
