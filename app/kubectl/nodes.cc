// `podium nodes`: finds nodes to add for the pending pods, or nodes that could be removed.
#include "app/render/nodes.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <memory>
#include <set>

#include "api/text/json_view.h"
#include "app/kubectl/cluster.h"
#include "app/kubectl/command_output.h"
#include "app/kubectl/shapes.h"
#include "app/kubectl/targets.h"
#include "app/kubectl/verbs.h"
#include "app/kubectl/waiting_pods.h"
#include "app/render/report.h"
#include "base/input.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr std::size_t kLargestFile = 1 << 20;  // bytes

struct NodesFlags {
  std::shared_ptr<Shared> shared;
  bool for_pending = false, could_go = false;
  std::string shapes;  // a file
};

// The same question in each of the namespaces.
class AskingNodes {
 public:
  explicit AskingNodes(Cluster& cluster) : cluster_(cluster) {}

  Result<void> ask(const json::object& search, const std::vector<std::string>& namespaces) {
    for (const auto& ns : namespaces) {
      if (auto asked = ask_in(ns, search); !asked) return asked;
    }
    if (answers_.asked.empty()) return std::unexpected(refused_);
    return {};
  }

  render::NodesAnswers& answers() { return answers_; }
  std::vector<json::value>& reports() { return reports_; }

 private:
  Result<void> ask_in(const std::string& ns, const json::object& search) {
    auto answered = cluster_.ask(ns, {{"dryRun", true}, {"search", search}}, false);
    if (!answered && client::is_forbidden(answered.error())) {
      answers_.unasked.add(ns, client::namespace_is_going(answered.error()));
      refused_ = std::move(answered.error());
      return {};
    }
    if (!answered) return std::unexpected(std::move(answered.error()));
    const auto report = render::read_report(*answered);
    if (const auto* refusal = explain::refusal_of(report)) return invalid(*refusal);
    answers_.asked.push_back({ns, render::answer_of(report)});
    reports_.push_back(std::move(*answered));
    return {};
  }

  Cluster& cluster_;
  render::NodesAnswers answers_;
  std::vector<json::value> reports_;
  Error refused_;  // if the user may not ask in any namespace
};

// The namespace of -n, the only one to ask in; empty: all. Answers name pods of these only.
std::string only_namespace(const ConnectionFlags& connection) {
  return connection.all_namespaces ? std::string() : connection.ns;
}

// The namespaces of the pods that move or block a node, which the first answer may not name.
std::vector<std::string> other_namespaces(Cluster& cluster, const render::NodesAnswers& answers) {
  const auto& spare = *answers.asked.front().answer.nodes_spare;
  std::set<std::string> left, blocked;
  for (const auto& node : spare.nodes) {
    if (node.pods_moved > node.pods_total) left.insert(node.node);
  }
  bool is_wanted = false;  // by pods that wait
  for (const auto& each : spare.blocked) {
    if (!each.is_unnamed) continue;
    blocked.insert(each.examples.begin(), each.examples.end());
    is_wanted = is_wanted || each.code == "Wanted";
  }
  if (left.empty() && blocked.empty()) return {};
  const auto pods = list_pods_seen(cluster, {});
  if (!pods) return {};
  PodCounts moving, blocking;
  for (const auto& pod : *pods) {
    const auto ns = api::text_at(pod, "/metadata/namespace");
    if (std::ranges::find(answers.asked, ns, &render::NodesAnswer::ns) != answers.asked.end()) continue;
    const auto node = api::text_at(pod, "/spec/nodeName");
    if (left.contains(node)) ++moving[ns];
    if (blocked.contains(node) || (is_wanted && node.empty())) ++blocking[ns];
  }
  auto out = namespaces_with_most(moving);
  for (auto& ns : namespaces_with_most(blocking)) {
    if (std::ranges::find(out, ns) == out.end()) out.push_back(std::move(ns));
  }
  return out;
}

int say_nodes(const CLI::App& command, const Output& output, Cluster& cluster, AskingNodes& asked,
              const std::vector<std::string>& names, int code,
              const std::function<std::string(const render::Options&)>& table) {
  auto options = render_options(output, program_of(command));
  options.flags = cluster.hint_flags();
  const auto printed = print(
      answered(command, output, as_list(std::move(asked.reports())), names, [&] { return table(options); }));
  return printed ? printed : code;
}

int run_for_pending(const CLI::App& command, const NodesFlags& flags, Cluster& cluster, json::array shapes) {
  std::vector<std::string> namespaces{only_namespace(flags.shared->connection)};
  if (namespaces.front().empty()) {
    const auto counts = waiting_by_namespace(cluster);
    if (!counts) return fail_with(command, counts.error());
    namespaces = namespaces_with_most(*counts);
    if (namespaces.empty()) namespaces.push_back(cluster.ns());
  }
  json::object for_pending;
  if (!shapes.empty()) for_pending["shapes"] = std::move(shapes);
  AskingNodes asking(cluster);
  if (auto asked = asking.ask({{"forPending", std::move(for_pending)}}, namespaces); !asked)
    return fail_with(command, asked.error());
  const auto& answers = asking.answers();
  if (!answers.asked.front().answer.nodes_wanted)
    return fail_with(command,
                     fail(Error::Kind::internal, "the answer does not say which nodes to add").error());
  std::vector<explain::NodesSpare> spare;
  if (flags.shared->output.has_words()) {
    AskingNodes could_go(cluster);
    // It is an extra.
    if (could_go.ask({{"couldGo", json::object()}}, {answers.asked.front().ns})) {
      if (const auto& found = could_go.answers().asked.front().answer.nodes_spare) spare.push_back(*found);
    }
  }
  std::vector<std::string> names;
  for (const auto& report : asking.reports()) names.push_back(report_name(report));
  return say_nodes(
      command, flags.shared->output, cluster, asking, names, render::nodes_wanted_exit_code(answers),
      [&](const render::Options& options) { return render::nodes_wanted_table(answers, spare, options); });
}

int run_could_go(const CLI::App& command, const NodesFlags& flags, Cluster& cluster) {
  const json::object search{{"couldGo", json::object()}};
  AskingNodes asking(cluster);
  if (auto asked = asking.ask(search, {cluster.ns()}); !asked) return fail_with(command, asked.error());
  const auto& answers = asking.answers();
  const auto& spare = answers.asked.front().answer.nodes_spare;
  if (!spare)
    return fail_with(
        command, fail(Error::Kind::internal, "the answer does not say which nodes can be removed").error());
  std::vector<std::string> names;
  for (const auto& node : spare->nodes) names.push_back("node/" + node.node);
  // The other answers only name pods.
  if (only_namespace(flags.shared->connection).empty())
    (void)asking.ask(search, other_namespaces(cluster, answers));
  return say_nodes(
      command, flags.shared->output, cluster, asking, names, render::nodes_spare_exit_code(answers),
      [&](const render::Options& options) { return render::nodes_spare_table(answers, options); });
}

int run_nodes(const CLI::App& command, const NodesFlags& flags) {
  auto problems = problems_of(*flags.shared);
  if (flags.for_pending == flags.could_go) problems.add("give one of --for-pending and --could-go");
  if (flags.could_go && !flags.shapes.empty()) problems.add("--shapes: needs --for-pending");
  json::array shapes;
  if (!flags.shapes.empty()) {
    if (const auto text = problems.value_of(read_input(flags.shapes, kLargestFile)))
      shapes = problems.value_of(shapes_of_file(*text, flags.shapes)).value_or(json::array());
  }
  problems.check(check_names(flags.shared->output, flags.could_go, "no node to add exists yet"));
  if (problems) return fail_with(command, problems.error());
  auto cluster = open_cluster(flags.shared->connection);
  if (!cluster) return fail_with(command, cluster.error());
  const auto ns = only_namespace(flags.shared->connection);
  if (const auto missing = ns.empty() ? "" : no_namespace(**cluster, ns); !missing.empty())
    return print({.err = missing, .code = 1});
  return flags.could_go ? run_could_go(command, flags, **cluster)
                        : run_for_pending(command, flags, **cluster, std::move(shapes));
}

}  // namespace

std::function<int()> declare_nodes(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto flags = std::make_shared<NodesFlags>();
  flags->shared = shared;
  command.add_flag("--for-pending", flags->for_pending,
                   "find the fewest (or cheapest) nodes to add so that all pending pods fit");
  command.add_flag("--could-go", flags->could_go, "find nodes whose pods all fit elsewhere");
  command
      .add_option("--shapes", flags->shapes,
                  "a YAML file of the shapes of new nodes (default: those of the cluster's nodes)")
      ->type_name("FILE");
  return [&command, flags] { return run_nodes(command, *flags); };
}

}  // namespace podium::kubectl
