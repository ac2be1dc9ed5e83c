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
Run declare_compare(CLI::App& command, const SharedPtr& shared);
Run declare_reasons(CLI::App& command, const SharedPtr& shared);
Run declare_page(CLI::App& command, const SharedPtr& shared);
Run declare_dump(CLI::App& command, const SharedPtr& shared);
Run declare_mcp(CLI::App& command, const SharedPtr& shared);
Run declare_completion(CLI::App& command, const SharedPtr& shared);

namespace {

constexpr Verb kVerbs[] = {
    {"why", "POD...|TYPE/NAME|-l SELECTOR", "explains why a pod is on its node, or why it is pending",
     "get `pods`; get and list `schedulingreports`; of a workload also list `pods`, `replicasets` or `jobs`, "
     "and get it; with `--node` create, get, watch and delete `schedulingreports`. Without a report, the "
     "rights of `page`, to ask podium's process",
     "# explain why a pod is on its node, or why it is pending\n"
     "why web-07 -n shop\n"
     "# count the pods of a Deployment that run, and explain what blocks the others\n"
     "why deploy/web\n"
     "# print a line for each pod with this label, in all namespaces\n"
     "why -l app=web -A\n"
     "# explain why a pod is not on this node, and what would help\n"
     "why web-07 --node gpu-03\n"
     "# list what happened to a pod, with times\n"
     "why web-07 --timeline",
     kTakesCluster | kTakesAll | kTakesDump | kTakesOutput | kTakesSelector | kTakesWatch | kTakesPodium,
     declare_why},
    {"whatif", "-f FILE|TYPE/NAME", "shows where pods would be placed; creates only the question",
     "create, get, watch and delete `schedulingreports`, and create `pods` (dry run) except for `pod/NAME`; "
     "see [below](#rights-on-workloads)",
     "# show where the pods of a manifest would be placed\n"
     "whatif -f deploy.yaml\n"
     "# search for changes that would let a pending pod run\n"
     "whatif pod/web-07 --fixes\n"
     "# try 200 replicas with two more nodes like general-00\n"
     "whatif deploy web --replicas 200 --add-nodes 2 --like general-00\n"
     "# evaluate a whole chart\n"
     "whatif -f - -n shop < rendered.yaml",
     kTakesCluster | kTakesDump | kTakesOutput, declare_what_if},
    {"capacity", "[-f FILE|TYPE/NAME]",
     "counts how many more of these pods fit, or what a namespace could still run",
     "those of `whatif`; of a namespace list its `deployments`, `statefulsets`, `replicasets`, `pods` and, "
     "to see them, `resourcequotas`",
     "# count how many more pods of this Deployment fit\n"
     "capacity deploy/web\n"
     "# count them without this node\n"
     "capacity -f pod.yaml --drain general-07\n"
     "# count what this namespace could still run of each of its workloads, and what limits it\n"
     "capacity -n shop\n"
     "# count pods with other requests\n"
     "capacity -n shop --requests cpu=500m,memory=1Gi --requests cpu=8,nvidia.com/gpu=1",
     kTakesCluster | kTakesDump | kTakesOutput, declare_capacity},
    {"drain", "NODE...|-l SELECTOR",
     "shows where the pods of drained nodes would be placed, and what blocks the drain",
     "list `pods`, and `poddisruptionbudgets` if allowed; create, get, watch and delete `schedulingreports` "
     "in their namespaces; with `-l` or `--rolling` list `nodes`",
     "# show where the pods of a node would be placed\n"
     "drain general-29\n"
     "# drain two nodes at the same time\n"
     "drain general-29 general-30\n"
     "# upgrade a pool, three nodes at a time\n"
     "drain -l pool=general --rolling 3\n"
     "# upgrade it with three spare nodes\n"
     "drain -l pool=general --rolling 3 --spare 3\n"
     "# let a zone fail\n"
     "drain -l topology.kubernetes.io/zone=eu-1a --fail",
     kTakesCluster | kTakesDump | kTakesOutput | kTakesSelector, declare_drain},
    {"nodes", "--for-pending|--could-go",
     "finds nodes to add for the pending pods, or nodes that could be removed",
     "list `pods`; create, get, watch and delete `schedulingreports` in their namespaces",
     "# find the fewest nodes to add, of shapes that the cluster has, so that all pending pods fit\n"
     "nodes --for-pending\n"
     "# choose from the shapes of a file; if all of them have a price, find the cheapest nodes\n"
     "nodes --for-pending --shapes shapes.yaml\n"
     "# find the nodes whose pods all fit elsewhere\n"
     "nodes --could-go\n"
     "# name only the pods of one namespace\n"
     "nodes --could-go -n shop",
     kTakesCluster | kTakesAll | kTakesDump | kTakesOutput, declare_nodes},
    {"pending", "", "lists the pending pods by what blocks them", "list `pods` and `schedulingreports`",
     "# list all pending pods of the cluster\n"
     "pending -A\n"
     "# list those that wait longest first\n"
     "pending -A --sort-by .since\n"
     "# print the names of the pending pods of an application\n"
     "pending -l app=web -o name",
     kTakesCluster | kTakesAll | kTakesDump | kTakesOutput | kTakesSelector | kTakesSortBy | kTakesWatch,
     declare_pending},
    {"top", "", "shows the pending pods and the last decisions, live",
     "list `pods`; list and get `schedulingreports`",
     "# refresh every two seconds, until Ctrl-C\n"
     "top -A --every 2",
     kTakesCluster | kTakesAll, declare_top},
    {"decisions", "[POD]", "lists the last decisions, newest first", "list and get `schedulingreports`",
     "# list podium's decisions in this namespace\n"
     "decisions -n shop\n"
     "# list those on pods whose names start with web- and that did not fit\n"
     "decisions web- --outcome Unschedulable\n"
     "# list those of the last half hour\n"
     "decisions -A --since 30m\n"
     "# print each new decision of the cluster\n"
     "decisions -A -w",
     kTakesCluster | kTakesAll | kTakesOutput | kTakesWatch, declare_decisions},
    {"diff", "A B", "shows the differences between two reports", "get `schedulingreports`",
     "# compare the decisions on two pods\n"
     "diff shop/web-07 shop/web-08\n"
     "# compare with a report of yesterday\n"
     "diff yesterday.yaml web-07",
     kTakesCluster | kTakesOutput, declare_diff},
    {"compare", "[OLD] NEW|--weights STRATEGY=WEIGHT",
     "shows what another configuration of the scheduler, or other weights, would do",
     "none with configurations, which need a dump; with `--weights` create, get, watch and delete "
     "`schedulingreports`",
     "# place all pods of the dump with each configuration, and show what differs\n"
     "compare old.yaml new.yaml --cluster dump.yaml\n"
     "# compare with kube-scheduler's default configuration\n"
     "compare new.yaml --cluster dump.yaml\n"
     "# list the pods that lose or gain their place\n"
     "compare old.yaml new.yaml --cluster dump.yaml -o wide\n"
     "# count the pods that other weights would place elsewhere, and name those of this namespace\n"
     "compare --weights NodeResourcesFit=5,ImageLocality=0 -n shop",
     kTakesCluster | kTakesDump | kTakesOutput, declare_compare},
    {"reasons", "[CODE...]",
     "lists the reasons for which podium rejects nodes and pods, with their codes; needs no cluster", "",
     "# list all reasons\n"
     "reasons\n"
     "# show one in full\n"
     "reasons UntoleratedTaint",
     kTakesOutput, declare_reasons},
    {"page", "",
     "serves podium's page on this machine, with your rights; `--open` opens it in a browser: "
     "[page.md](page.md)",
     "get `services`, list and get `pods`, create `pods/portforward` in podium's namespace; none of these "
     "with `--podium https://…`",
     "# open it in a browser\n"
     "page --open",
     kTakesKubeconfig | kTakesPodium, declare_page},
    {"dump", "", "prints the cluster's state, for `--cluster`",
     "list [all kinds that a decision may depend on](#without-podium-in-the-cluster)",
     "# save it for offline questions\n"
     "dump > dump.yaml",
     kTakesCluster, declare_dump},
    {"mcp", "", "serves podium's answers as tools for an agent: [agents.md](agents.md)",
     "those of `why`, `whatif`, `capacity`, `drain`, `nodes`, `pending` and `compare --weights`",
     "# serve with your rights; an agent's program starts this\n"
     "mcp\n"
     "# serve from a dump\n"
     "mcp --cluster dump.yaml",
     kTakesCluster | kTakesDump | kTakesPodium, declare_mcp},
    {"completion", "bash|zsh|fish", "prints a script that completes commands in a shell", "",
     "# print it for bash\n"
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

// Lets the last value of a repeated flag count, as kubectl does.
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
  // The name of an argument says what it is: "POD ...".
  std::string make_option_opts(const CLI::Option* option) const override {
    if (!option->get_positional()) return Formatter::make_option_opts(option);
    return option->get_expected_max() > 1 ? " ..." : "";
  }
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

}  // namespace podium::kubectl
