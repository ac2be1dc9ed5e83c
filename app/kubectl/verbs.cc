#include "app/kubectl/verbs.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>

namespace podium::kubectl {

using Run = std::function<int()>;
using SharedPtr = std::shared_ptr<Shared>;

// Each verb has a file of its name.
Run declare_why(CLI::App& command, const SharedPtr& shared);
Run declare_what_if(CLI::App& command, const SharedPtr& shared);
Run declare_capacity(CLI::App& command, const SharedPtr& shared);
Run declare_drain(CLI::App& command, const SharedPtr& shared);
Run declare_nodes(CLI::App& command, const SharedPtr& shared);
Run declare_pending(CLI::App& command, const SharedPtr& shared);
Run declare_top(CLI::App& command, const SharedPtr& shared);
Run declare_decisions(CLI::App& command, const SharedPtr& shared);
Run declare_diff(CLI::App& command, const SharedPtr& shared);
Run declare_page(CLI::App& command, const SharedPtr& shared);
Run declare_dump(CLI::App& command, const SharedPtr& shared);
Run declare_mcp(CLI::App& command, const SharedPtr& shared);
Run declare_completion(CLI::App& command, const SharedPtr& shared);

namespace {

constexpr Verb kVerbs[] = {
    {"why", "POD...|TYPE/NAME|-l SELECTOR", "why is a pod where it is, or why does it wait",
     "get `pods`; get and list `schedulingreports`; of a workload also list `pods`, `replicasets` or `jobs`, "
     "and get it; with `--node` create, get, watch and delete `schedulingreports`. If there is no report, "
     "the "
     "rights of `page`, to ask podium's process",
     "# why is this pod there, or why does it wait?\n"
     "why web-07 -n shop\n"
     "# how many pods of a Deployment run, and what blocks the others?\n"
     "why deploy/web\n"
     "# a line for each pod with this label\n"
     "why -l app=web\n"
     "# why not on this node, and what would help?\n"
     "why web-07 --node gpu-03\n"
     "# what happened to this pod, and when?\n"
     "why web-07 --timeline",
     kTakesCluster | kTakesDump | kTakesOutput | kTakesSelector | kTakesWatch | kTakesPodium, declare_why},
    {"whatif", "-f FILE|TYPE/NAME", "where would pods go; nothing is created but the question",
     "create, get, watch and delete `schedulingreports`, and create `pods` (dry run) but for `pod/NAME`; see "
     "[below](#rights-on-workloads)",
     "# where would the pods of a manifest go?\n"
     "whatif -f deploy.yaml\n"
     "# what would let a pod run that waits?\n"
     "whatif pod/web-07 --fixes\n"
     "# would 200 replicas fit with two more nodes like general-00?\n"
     "whatif deploy web --replicas 200 --add-nodes 2 --like general-00\n"
     "# a whole chart\n"
     "whatif -f - -n shop < rendered.yaml",
     kTakesCluster | kTakesDump | kTakesOutput, declare_what_if},
    {"capacity", "[-f FILE|TYPE/NAME]", "how many more of these pods fit; what a namespace could still run",
     "the same; of a namespace list its `deployments`, `statefulsets`, `replicasets`, `pods` and, to see "
     "them, "
     "`resourcequotas`",
     "# how many more pods of this Deployment fit?\n"
     "capacity deploy/web\n"
     "# and without this node?\n"
     "capacity -f pod.yaml --drain general-07\n"
     "# what could this namespace still run of its workloads, and what limits it?\n"
     "capacity -n shop\n"
     "# and of other pods?\n"
     "capacity -n shop --requests cpu=500m,memory=1Gi --requests cpu=8,nvidia.com/gpu=1",
     kTakesCluster | kTakesDump | kTakesOutput, declare_capacity},
    {"drain", "NODE...|-l SELECTOR", "where would the pods of nodes go, and what blocks that",
     "list `pods`, and `poddisruptionbudgets` where it may; create, get, watch and delete "
     "`schedulingreports` "
     "in their namespaces; with `-l` or `--rolling` list `nodes`",
     "# where would the pods of a node go?\n"
     "drain general-29\n"
     "# of two nodes that are drained at the same time\n"
     "drain general-29 general-30\n"
     "# an upgrade of a pool, three nodes at a time\n"
     "drain -l pool=general --rolling 3\n"
     "# the same with three spare nodes\n"
     "drain -l pool=general --rolling 3 --spare 3\n"
     "# a zone that fails\n"
     "drain -l topology.kubernetes.io/zone=eu-1a --fail",
     kTakesCluster | kTakesDump | kTakesOutput | kTakesSelector, declare_drain},
    {"nodes", "--for-pending|--could-go", "which nodes do the pods that wait need; which nodes could go",
     "list `pods`; create, get, watch and delete `schedulingreports` in their namespaces",
     "# the fewest nodes to add, so that all that waits is placed: like those of the cluster\n"
     "nodes --for-pending\n"
     "# of the shapes in a file, the cheapest if they have prices\n"
     "nodes --for-pending --shapes shapes.yaml\n"
     "# the nodes whose pods all have another place\n"
     "nodes --could-go\n"
     "# with the names of pods of one namespace only\n"
     "nodes --could-go -n shop",
     kTakesCluster | kTakesAll | kTakesDump | kTakesOutput, declare_nodes},
    {"pending", "", "which pods wait, by what blocks them", "list `pods` and `schedulingreports`",
     "# all that wait in the cluster\n"
     "pending -A\n"
     "# those that wait longest first\n"
     "pending -A --sort-by .since\n"
     "# the names of the pods of an application\n"
     "pending -l app=web -o name",
     kTakesCluster | kTakesAll | kTakesDump | kTakesOutput | kTakesSelector | kTakesSortBy | kTakesWatch,
     declare_pending},
    {"top", "", "the same and the last decisions, live", "the same; get `schedulingreports`",
     "# every two seconds, until Ctrl-C\n"
     "top -A --every 2",
     kTakesCluster | kTakesAll, declare_top},
    {"decisions", "[POD]", "the last decisions, newest first", "list and get `schedulingreports`",
     "# what podium has decided in this namespace\n"
     "decisions -n shop\n"
     "# of the pods whose names begin like this, those that did not fit\n"
     "decisions web- --outcome Unschedulable\n"
     "# of the last half hour\n"
     "decisions -A --since 30m\n"
     "# each new decision of the cluster as it comes\n"
     "decisions -A -w",
     kTakesCluster | kTakesAll | kTakesOutput | kTakesWatch, declare_decisions},
    {"diff", "A B", "what differs between two reports", "get `schedulingreports`",
     "# why is one pod there and the other here?\n"
     "diff shop/web-07 shop/web-08\n"
     "# against the report of yesterday\n"
     "diff yesterday.yaml web-07",
     kTakesCluster | kTakesOutput, declare_diff},
    {"page", "", "podium's page in your browser, as you: [page.md](page.md)",
     "get `services`, list and get `pods`, create `pods/portforward` in podium's namespace; none of these "
     "with `--podium https://…`",
     "# in a browser\n"
     "page --open",
     kTakesKubeconfig | kTakesPodium, declare_page},
    {"dump", "", "the cluster's state, for `--cluster`",
     "list [all kinds that a decision may depend on](#without-podium-in-the-cluster)",
     "# to ask offline\n"
     "dump > dump.yaml",
     kTakesCluster, declare_dump},
    {"mcp", "", "podium's answers as tools for an agent: [agents.md](agents.md)",
     "those of `why`, `whatif`, `capacity`, `drain`, `nodes` and `pending`",
     "# as your user; an agent's program starts this\n"
     "mcp\n"
     "# on a dump\n"
     "mcp --cluster dump.yaml",
     kTakesCluster | kTakesDump | kTakesPodium, declare_mcp},
    {"completion", "bash|zsh|fish", "a script that completes commands in a shell", "",
     "# in this shell\n"
     "completion bash",
     0, declare_completion},
};

// Markdown as plain text for a terminal.
std::string plain(std::string_view text) {
  std::string out(text.substr(0, text.find(": [")));
  std::erase(out, '`');
  return out;
}

std::string examples_of(const Verb& verb, const std::string& program) {
  std::string out = "Examples:\n";
  auto left = verb.examples;
  while (!left.empty()) {
    const auto line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(left.size(), line.size() + 1));
    out += line.starts_with('#') ? fmt::format("  {}\n", line) : fmt::format("  {} {}\n", program, line);
  }
  out.pop_back();
  return out;
}

// As kubectl: of a flag with one value that is given twice, the last counts.
void take_last(CLI::App& command) {
  for (auto* option : command.get_options()) {
    const bool is_flag_with_value = !option->get_positional() && option->get_expected_max() == 1;
    if (is_flag_with_value && option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw)
      option->take_last();
  }
}

// Usage as in kubectl: the arguments before the options.
class Help : public CLI::Formatter {
 public:
  explicit Help(const Verb& verb) : verb_(verb) { column_width(38); }
  std::string make_usage(const CLI::App*, std::string name) const override {
    return fmt::format("Usage: {}{}{} [OPTIONS]\n", name, verb_.arguments.empty() ? "" : " ",
                       verb_.arguments);
  }

 private:
  const Verb& verb_;
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

const Verb* verb_named(std::string_view name) {
  const auto* found = std::ranges::find(kVerbs, name, &Verb::name);
  return found == std::end(kVerbs) ? nullptr : found;
}

void add_verbs(CLI::App& app, int& exit_code) {
  for (const auto& verb : kVerbs) {
    auto* command = app.add_subcommand(std::string(verb.name), plain(verb.answers));
    const auto shared = std::make_shared<Shared>();
    auto run = verb.declare(*command, shared);
    add_shared(*command, *shared, verb.takes);
    take_last(*command);
    command->formatter(std::make_shared<Help>(verb));
    command->footer([&verb, &app] { return examples_of(verb, app.get_name()); });
    command->callback([run = std::move(run), &exit_code] { exit_code = run(); });
  }
}

std::string verbs_table() {
  std::string out = "| Command | Answers | Needs the right to |\n|---|---|---|\n";
  for (const auto& verb : kVerbs) {
    std::string usage = fmt::format("{}{}{}", verb.name, verb.arguments.empty() ? "" : " ", verb.arguments);
    for (std::size_t at = 0; (at = usage.find('|', at)) != usage.npos; at += 2) usage.insert(at, "\\");
    out += fmt::format("| `{}` | {} | {} |\n", usage, verb.answers, verb.needs);
  }
  return out;
}

}  // namespace podium::kubectl
