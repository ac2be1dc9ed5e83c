// `podium drain NODE`: where would its pods go, and what stands in the way?
#include "app/render/drain.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <cctype>
#include <iostream>
#include <memory>
#include <set>
#include <tuple>

#include "api/yaml.h"
#include "app/kubectl/ask.h"
#include "app/kubectl/cluster.h"
#include "app/kubectl/commands.h"
#include "app/render/what_if.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

struct DrainFlags {
  Connection connection;
  Output output;
  std::string node, profile;
};

// A question is about a pod, too. This one fits nowhere, so it takes no place from the others.
constexpr const char* kNoPod = R"({"spec": {"nodeSelector": {"podium.dev/no-node": "true"},
                                            "containers": [{"name": "none", "image": "none"}]}})";

class Draining {
 public:
  Draining(const DrainFlags& flags, Cluster& cluster) : flags_(flags), cluster_(cluster) {
    drain_.node = flags.node;
  }

  Result<render::Drain> run() {
    if (auto listed = list_pods(); !listed) return std::unexpected(listed.error());
    for (const auto& object : objects_) {
      if (auto pod = render::read_node_pod(object)) drain_.pods.push_back(std::move(*pod));
    }
    std::set<std::string> namespaces;
    for (const auto& pod : drain_.pods) {
      if (pod.stays == render::NodePod::Stays::no) namespaces.insert(pod.ns);
    }
    if (namespaces.empty()) namespaces.insert(cluster_.ns());
    for (const auto& ns : namespaces) {
      if (auto asked = ask_in(ns); !asked) return std::unexpected(asked.error());
      find_budgets(ns);
    }
    if (!answered_) return std::unexpected(refused_);
    std::ranges::stable_sort(drain_.pods, {}, [](const auto& pod) { return std::tie(pod.ns, pod.name); });
    return std::move(drain_);
  }

 private:
  // Of all namespaces, or else of the user's.
  Result<void> list_pods() {
    client::ListOptions on_node;
    on_node.field_selector = "spec.nodeName=" + flags_.node;
    auto listed = cluster_.list(client::resource::pods, "", on_node);
    if (!listed && listed.error().code == 403) {
      drain_.sees_all = false;
      listed = cluster_.list(client::resource::pods, cluster_.ns(), on_node);
    }
    if (!listed) return std::unexpected(std::move(listed.error()));
    objects_ = std::move(*listed);
    return {};
  }

  // podium names pods of the question's namespace only, so it is asked once in each.
  Result<void> ask_in(const std::string& ns) {
    json::object spec{{"dryRun", true}, {"template", json::parse(kNoPod)}};
    spec["changes"] = json::array{json::object{{"type", "DrainNode"}, {"nodeName", flags_.node}}};
    if (!flags_.profile.empty()) spec["profile"] = flags_.profile;
    auto answered = cluster_.ask(ns, std::move(spec), false);
    if (!answered && answered.error().code == 403) {
      refused_ = std::move(answered.error());
      drain_.unasked.push_back(ns);
      return {};
    }
    if (!answered) return std::unexpected(std::move(answered.error()));
    const auto report = render::read_report(*answered);
    if (const auto* refusal = explain::refusal_of(report)) {
      const bool is_unknown = refusal->find("unknown node") != std::string::npos;
      return invalid(is_unknown ? "there is no node " + flags_.node : *refusal);
    }
    const auto& changes = render::answer_of(report).changes;
    if (changes.empty() || changes.front().type != "DrainNode")
      return fail(Error::Kind::internal, "the answer does not say what the drain did");
    take_answer(ns, changes.front());
    return {};
  }

  void take_answer(const std::string& ns, const explain::ChangeResult& answer) {
    if (!answered_) render::set_numbers(answer, drain_);
    answered_ = true;
    for (const auto& told : answer.pods) {
      const auto pod = std::ranges::find_if(
          drain_.pods, [&](const auto& each) { return each.ns == ns && each.name == told.name; });
      if (pod != drain_.pods.end()) pod->answer = told;
    }
  }

  void find_budgets(const std::string& ns) {
    static const client::Resource kBudgets("policy", "v1", "poddisruptionbudgets");
    const auto budgets = cluster_.list(kBudgets, ns, {});
    if (!budgets) {
      drain_.sees_budgets = false;
      return;
    }
    render::find_obstacles(ns, *budgets, objects_, drain_);
  }

  const DrainFlags& flags_;
  Cluster& cluster_;
  render::Drain drain_;
  std::vector<json::value> objects_;
  bool answered_ = false;
  Error refused_;  // where the user may ask in no namespace
};

int run_drain(const CLI::App& command, const DrainFlags& flags) {
  auto cluster = open_cluster(flags.connection);
  if (!cluster) return fail_with(command, cluster.error());
  auto named = flags;
  for (const char* prefix : {"node/", "nodes/", "no/"}) {
    if (named.node.starts_with(prefix)) named.node.erase(0, std::string_view(prefix).size());
  }
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.';
  };
  if (named.node.empty() || !std::ranges::all_of(named.node, is_name))
    return fail_with(command, invalid("\"" + flags.node + "\" is no name of a node").error());
  const auto drain = Draining(named, **cluster).run();
  if (!drain) return fail_with(command, drain.error());
  if (flags.output.format == "json" || flags.output.format == "yaml") {
    const auto document = render::drain_document(*drain);
    std::cout << (flags.output.format == "yaml" ? api::to_yaml(document) : api::to_json(document));
  } else {
    std::cout << render::drain_table(*drain, render_options(flags.output, program_of(command)));
  }
  return render::drain_exit_code(*drain);
}

}  // namespace

void add_drain(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("drain", "Where would the pods of this node go? Nothing is evicted");
  const auto flags = std::make_shared<DrainFlags>();
  command->add_option("NODE", flags->node, "the node's name")->required();
  command->add_option("--profile", flags->profile, "the profile of podium's configuration")
      ->type_name("NAME");
  add_connection(*command, flags->connection);
  add_dump_files(*command, flags->connection);
  add_output(*command, flags->output);
  command->callback([command, flags, &exit_code] { exit_code = run_drain(*command, *flags); });
}

}  // namespace podium::kubectl
