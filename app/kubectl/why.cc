// `podium why POD`: why it is there, or why it waits; with --node: why not there.
#include "app/render/why.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <iostream>
#include <memory>

#include "api/json_view.h"
#include "api/yaml.h"
#include "app/kubectl/ask.h"
#include "app/kubectl/cluster.h"
#include "app/kubectl/commands.h"
#include "app/kubectl/manifest.h"
#include "app/kubectl/podium_port.h"
#include "app/kubectl/question.h"
#include "app/kubectl/reports.h"
#include "app/kubectl/waiting.h"
#include "app/render/text.h"
#include "app/render/what_if.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

struct WhyFlags {
  Connection connection;
  Output output;
  std::string pod, node;
};

bool is_document(const Output& output) { return output.format == "json" || output.format == "yaml"; }

void print_document(const Output& output, const json::value& document) {
  std::cout << (output.format == "yaml" ? api::to_yaml(document) : api::to_json(document));
}

int why_not_there(const CLI::App& command, Cluster& cluster, const WhyFlags& flags) {
  QuestionFlags asked;
  asked.nodes = {flags.node};
  asked.fixes = true;
  auto spec = question_spec(asked);
  if (!spec) return fail_with(command, spec.error());
  (*spec)["podRef"] = json::object{{"name", flags.pod}};
  auto answered = cluster.ask(cluster.ns(), std::move(*spec), false);
  if (!answered) return fail_with(command, answered.error());
  if (is_document(flags.output)) {
    print_document(flags.output, *answered);
  } else {
    const auto options = render_options(flags.output, program_of(command));
    std::cout << render::why_node(render::read_report(*answered), cluster.ns() + "/" + flags.pod, options);
  }
  const auto report = render::read_report(*answered);
  if (explain::refusal_of(report)) return render::exit_code(report);
  const auto& verdicts = render::answer_of(report).verdicts;
  if (verdicts.empty()) return 4;
  if (render::is_unknown_node(verdicts.front())) return 2;
  return verdicts.front().fits ? 0 : 4;
}

int why_there(const CLI::App& command, Cluster& cluster, const WhyFlags& flags) {
  const auto &ns = cluster.ns(), program = program_of(command);
  std::optional<json::value> pod;
  auto got = cluster.get(client::resource::pods, ns, flags.pod);
  if (got)
    pod = std::move(*got);
  else if (!client::object_is_gone(got.error()))
    return fail_with(command, got.error());
  const auto pod_uid = pod ? api::text_at(*pod, "/metadata/uid") : std::string();
  auto report = cluster.decision(ns, flags.pod, pod_uid);
  std::string no_memory;  // why podium's process was not asked
  const bool no_reports = !report && is_not_installed(report.error());
  if ((report && !*report) || no_reports) {
    auto remembered = cluster.remembered(ns, flags.pod, pod_uid);
    if (!remembered) no_memory = render::printable(remembered.error().message);
    if (remembered && *remembered) report = std::move(remembered);
  }
  if (!report) {
    auto error = std::move(report.error());
    if (no_reports) {
      error.message =
          "podium is not installed in this cluster: the API server has no schedulingreports.podium.dev. " +
          offline_hint(ns, flags.pod);
    }
    return fail_with(command, error);
  }
  if (!*report) {
    std::cerr << no_report(pod, ns, flags.pod, program, cluster.hint_flags());
    if (!no_memory.empty()) std::cerr << "podium's own memory could not be asked: " << no_memory << "\n";
    if (!pod) std::cerr << did_you_mean(cluster, ns, flags.pod);
    return 1;
  }
  if (is_document(flags.output)) {
    print_document(flags.output, **report);
    return 0;
  }
  const auto read = render::read_report(**report);
  std::cout << render::why(read, ns + "/" + flags.pod, render_options(flags.output, program));
  if (!pod) std::cout << "The pod is gone.\n";
  if (read.status.outcome == "Unschedulable" && pod && !render::is_pods_own_fault(read)) {
    std::cout << "What would help? " << program << " whatif pod/" << flags.pod << " -n " << ns
              << cluster.hint_flags() << " --fixes\n";
  }
  return 0;
}

// All pods of a workload: how many run, and what blocks the others.
int why_workload(const CLI::App& command, Cluster& cluster, const TypeAndName& target,
                 const WhyFlags& flags) {
  if (!flags.node.empty()) return fail_with(command, invalid("--node: needs one pod").error());
  const auto& ns = cluster.ns();
  if (auto there = cluster.get(resource_of(*target.maker), ns, target.name); !there)
    return fail_with(command, there.error());
  const auto pods = pods_of(cluster, target, ns);
  if (!pods) return fail_with(command, pods.error());
  const auto waiting = waiting_groups(cluster, ns, *pods);
  if (!waiting) return fail_with(command, waiting.error());
  if (is_document(flags.output)) {
    print_document(flags.output, render::pending_document(waiting->groups));
    return 0;
  }
  auto options = render_options(flags.output, program_of(command));
  options.flags = cluster.hint_flags();
  std::cout << render::workload_summary(ns + "/" + target.name, *pods, options);
  if (!waiting->groups.empty()) std::cout << render::pending_table(waiting->groups, options);
  return 0;
}

// What the user wrote for a pod or a workload: "web-07", "pod/web-07", "deploy/web", "shop/web-07".
Result<TypeAndName> parse_why(const std::string& text, std::string& ns) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return TypeAndName{api::pod_maker_named("pod"), text};
  if (api::pod_maker_named(text.substr(0, slash))) return parse_target(text);
  const auto name = text.substr(slash + 1);
  if (slash == 0 || name.empty() || name.find('/') != std::string::npos)
    return invalid(fmt::format("{:?} is not a pod; write POD, TYPE/NAME or NAMESPACE/POD", text));
  if (!ns.empty() && ns != text.substr(0, slash))
    return invalid(fmt::format("{:?} names another namespace than -n {}", text, ns));
  ns = text.substr(0, slash);
  return TypeAndName{api::pod_maker_named("pod"), name};
}

int run_why(const CLI::App& command, const WhyFlags& flags) {
  auto named = flags;
  const auto target = parse_why(flags.pod, named.connection.ns);
  if (!target) return fail_with(command, target.error());
  auto cluster = open_cluster(named.connection);
  if (!cluster) return fail_with(command, cluster.error());
  if (target->maker->kind != "Pod") return why_workload(command, **cluster, *target, named);
  named.pod = target->name;
  return named.node.empty() ? why_there(command, **cluster, named) : why_not_there(command, **cluster, named);
}

}  // namespace

void add_why(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("why", "Why is this pod there, or why does it wait?");
  const auto flags = std::make_shared<WhyFlags>();
  command->add_option("POD", flags->pod, "a pod, or a workload as TYPE/NAME: web-07, deploy/web")->required();
  command->add_option("--node", flags->node, "why not on this node, and what would help")->type_name("NODE");
  add_connection(*command, flags->connection);
  add_dump_files(*command, flags->connection);
  add_podium_address(*command, flags->connection.podium);
  add_output(*command, flags->output);
  command->callback([command, flags, &exit_code] { exit_code = run_why(*command, *flags); });
}

}  // namespace podium::kubectl
