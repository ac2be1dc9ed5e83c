#include "app/evaluate/command.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "api/decode/dump_kinds.h"
#include "api/text/yaml.h"
#include "app/evaluate/batch.h"
#include "app/evaluate/manifest_decisions.h"
#include "app/evaluate/table.h"
#include "app/render/exit_codes.h"
#include "app/render/failure.h"
#include "app/render/terminal.h"
#include "app/render/text.h"
#include "app/render/values.h"
#include "base/problems.h"
#include "explain/report/what_if_parts.h"
#include "scheduler/config/gates/feature_gates.h"

namespace podium::evaluate {
namespace {

struct Options {
  Inputs inputs;
  std::string output = "table", color = "auto";
  std::string batch;
  bool place = false, exit_code = false;
  const CLI::App* command = nullptr;
  Problems wrong = {};  // values of flags
};

int fail_with(const CLI::App& command, const Error& error) {
  std::cerr << render::failure(command, error);
  return render::failure_code(error);
}

void warn(const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) std::cerr << "warning: " << render::printable(warning) << '\n';
}

// The number of pods that fit or are placed.
struct Tally {
  std::size_t asked = 0, fitting = 0;
};

// With --exit-code, as in the plugin: 0 all fit, 3 some, 4 none.
int finish(const Options& options, const Tally& tally) {
  std::cout.flush();
  if (!std::cout) return fail_with(*options.command, {.message = "cannot write the output"});
  return options.exit_code ? render::code_of_fitting(tally.fitting, tally.asked) : 0;
}

void print(const Options& options, const boost::json::value& document) {
  std::cout << (options.output == "yaml" ? api::to_yaml(document) : api::to_json(document));
}

int place_and_print(const Options& options) {
  const auto placements = place_files(options.inputs);
  if (!placements) return fail_with(*options.command, placements.error());
  warn(placements->warnings);
  const bool is_table = options.output == "table" || options.output == "wide";
  if (is_table) {
    std::cout << to_table(placements->pods, options.output == "wide");
  } else {
    print(options, to_document(placements->pods));
  }
  const auto placed =
      std::ranges::count_if(placements->pods, [](const auto& pod) { return !pod.node.empty(); });
  return finish(options, {placements->pods.size(), static_cast<std::size_t>(placed)});
}

// Prints each result when it is available.
class Printer {
 public:
  explicit Printer(const Options& options)
      : options_(options),
        rendered_{
            .style = {options.color == "always" || (options.color == "auto" && render::is_color_terminal())},
            .wide = options.output == "wide"} {}

  void begin() {
    if (options_.output == "json") std::cout << R"({"apiVersion": "v1", "kind": "List", "items": [)" << '\n';
  }
  void print(const PodResult& result, const cluster::Snapshot& snapshot) {
    if (options_.output == "json") {
      auto text = api::to_json(report_json(result, snapshot));
      while (text.ends_with('\n')) text.pop_back();
      std::cout << (is_first_ ? "" : ",\n") << text;
    } else if (options_.output == "yaml") {
      std::cout << "---\n" << api::to_yaml(report_json(result, snapshot));
    } else {
      std::cout << (is_first_ ? "" : "\n") << to_table(result, snapshot, rendered_);
    }
    is_first_ = false;
    const auto answer = answer_of(result);
    tally_.asked += answer.asked;
    tally_.fitting += explain::running(answer);
  }
  Tally end() {
    if (options_.output == "json") std::cout << "\n]}\n";
    return tally_;
  }

 private:
  const Options& options_;
  const render::Options rendered_;
  bool is_first_ = true;
  Tally tally_;
};

int evaluate_and_print(const Options& options) {
  auto wrong = options.wrong;
  if (options.inputs.cluster.empty()) wrong.add("--cluster is required");
  if (options.inputs.pods.empty()) wrong.add("--pod is required");
  if (wrong) return fail_with(*options.command, wrong.error());
  if (options.place) return place_and_print(options);
  if (options.output == "nodes") {
    const auto evaluation = evaluate_files(options.inputs);
    if (!evaluation) return fail_with(*options.command, evaluation.error());
    warn(evaluation->warnings);
    print(options, to_document(evaluation->results, evaluation->snapshot));
    return finish(options, {});
  }
  Printer printer(options);
  const auto done = evaluate_each(
      options.inputs,
      [&](const std::vector<std::string>& warnings) {
        warn(warnings);
        printer.begin();
      },
      [&](const PodResult& result, const cluster::Snapshot& snapshot) { printer.print(result, snapshot); });
  if (!done) return fail_with(*options.command, done.error());
  return finish(options, printer.end());
}

int run(const Options& options) {
  return options.batch.empty() ? evaluate_and_print(options)
                               : run_batch(options.batch, options.inputs, options.place);
}

}  // namespace

void add_command(CLI::App& app, const plugins::Registry& plugins, int& exit_code) {
  auto* command = app.add_subcommand("evaluate", "evaluates pods offline, against manifests of a cluster");
  const auto options = std::make_shared<Options>();
  options->inputs.plugins = plugins;
  options->command = command;
  command
      ->add_option(
          "--cluster", options->inputs.cluster,
          fmt::format("manifests of the cluster state, or directories of them: {}; - for standard input",
                      api::dump_command()))
      ->type_name("FILE");
  command
      ->add_option("--pod", options->inputs.pods,
                   "manifests of pods, workloads or questions, such as the output of kustomize and helm; - "
                   "for standard input; or namespace/name of pods in the cluster state: a placed pod is "
                   "evaluated as if it had no node")
      ->type_name("FILE");
  command->add_option("-n,--namespace", options->inputs.ns, "namespace of objects that name none")
      ->type_name("NS")
      ->capture_default_str();
  command
      ->add_option("--config", options->inputs.config,
                   "KubeSchedulerConfiguration (default: that of kube-scheduler)")
      ->type_name("FILE");
  render::add_choice(*command, options->wrong, "-o,--output", options->output,
                     {"table", "wide", "json", "yaml", "nodes"},
                     "table, wide; json or yaml: a SchedulingReport of each pod; "
                     "nodes: JSON with the verdict and the scores of every node")
      ->type_name("FORMAT")
      ->default_str(options->output);
  render::add_choice(*command, options->wrong, "--color", options->color, {"auto", "always", "never"},
                     "auto, always or never")
      ->type_name("WHEN")
      ->default_str(options->color);
  command->add_option("--feature-gates", options->inputs.feature_gates, config::kFeatureGatesHelp)
      ->type_name("GATES")
      ->allow_extra_args(false)
      ->take_all();
  command->add_flag("--allow-unknown-fields", options->inputs.allow_unknown_fields,
                    "ignore fields the API types do not have instead of failing");
  command->add_flag("--preemption-candidates", options->inputs.preemption_candidates,
                    "report the victims on every node that preemption could use");
  command->add_flag("--place", options->place,
                    "place the pods one after the other in the given order, and print all placements");
  command->add_flag("--exit-code", options->exit_code,
                    "exit with 3 if some of the pods do not fit, with 4 if none fits");
  command->add_option("--batch", options->batch)->group("");  // hidden: for comparisons with the oracle
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace podium::evaluate
