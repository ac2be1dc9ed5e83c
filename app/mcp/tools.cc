#include "app/mcp/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>

#include "app/mcp/number_bounds.h"
#include "base/ascii.h"
#include "base/problems.h"
#include "explain/question/question_limits.h"

namespace podium::mcp {
namespace {

namespace json = boost::json;
using Type = Argument::Type;

constexpr std::size_t kMostNames = 64, kLongestNameBytes = 512, kLongestText = 1024,
                      kLargestManifest = 512 * 1024;

constexpr Argument kNamespace{"namespace", Type::name, "--namespace",
                              "the namespace; without it, that of the user's context"};
constexpr Argument kSubject{"name", Type::name, "",
                            "a pod (web-07), or a workload as TYPE/NAME (deploy/web, sts/db, job/etl)"};
constexpr Argument kManifest{"manifest", Type::manifest, "",
                             "instead of a name: the YAML or JSON of pods or workloads that need not exist; "
                             "several documents are placed together, in their order"};
constexpr Argument kDrained{"drain", Type::names, "--drain", "answer as if these nodes were drained first"};
constexpr Argument kAddNodes{"addNodes",
                             Type::count,
                             "--add-nodes",
                             "answer as if there were this many more nodes; needs \"like\"",
                             false,
                             1,
                             explain::kMostNewNodes};
constexpr Argument kLike{"like", Type::name, "--like", "the node that the added ones are copies of"};
constexpr Argument kProfile{"profile", Type::name, "--profile",
                            "a profile of the scheduler's configuration; without it, that of the pod"};

constexpr Argument kWhy[] = {
    {"name", Type::name, "", kSubject.about, true},
    kNamespace,
    {"timeline", Type::flag, "--timeline",
     "list what happened to one pod and when, such as created, gated, tried, nominated, bound and evicted"}};
constexpr Argument kWhyNot[] = {{"name", Type::name, "", "a pod", true},
                                {"node", Type::name, "--node", "the node that it is not on", true},
                                kNamespace};
constexpr Argument kWhatIf[] = {
    kSubject,
    kManifest,
    kNamespace,
    {"replicas", Type::count, "--replicas", "the number of pods; without it, that of the workload", false, 1,
     explain::kMostReplicas},
    kDrained,
    kAddNodes,
    kLike,
    {"weights", Type::text, "--weights",
     "weights of scoring strategies, in place of the profile's: NodeResourcesFit=5,ImageLocality=0; 0 is "
     "off"},
    kProfile};
constexpr Argument kHowMany[] = {
    kSubject,
    kManifest,
    kNamespace,
    {"upTo", Type::count, "--up-to", "the number of pods to try", false, 2, explain::kMostReplicas},
    kDrained,
    kAddNodes,
    kLike,
    kProfile};
constexpr Argument kCouldRun[] = {
    kNamespace,
    {"requests", Type::text, "--requests",
     "count pods with these requests instead of the namespace's workloads: cpu=500m,memory=1Gi"},
    kProfile};
constexpr Argument kWhatHelps[] = {kSubject, kManifest, kNamespace};
constexpr Argument kWhatWaits[] = {
    kNamespace,
    {"allNamespaces", Type::flag, "--all-namespaces", "lists the pods of all namespaces"},
    {"selector", Type::text, "--selector", "only pods with these labels: app=web,tier!=test"}};
constexpr Argument kDrain[] = {
    {"nodes", Type::names, "", kNodesToDrain},
    {"selector", Type::text, "--selector", "instead of names: the labels of the nodes: pool=general"},
    {"rolling", Type::count, "--rolling", kRolling, false, 1, kMostAtATime},
    {"spare", Type::count, "--spare",
     "with \"rolling\": adds this number of nodes before the first step and drains them after the last",
     false, 1, kMostSpare},
    {"like", Type::name, "--like", "the node that the spare nodes are copies of"},
    {"fail", Type::flag, "--fail",
     "lets the nodes fail at the same time, as a zone does: ignores disruption budgets, and pods of "
     "DaemonSets are deleted"},
    kProfile};

constexpr Argument kNodesWanted[] = {
    kNamespace,
    {"shapes", Type::manifest, "--shapes",
     "what new nodes may be like, as YAML: shapes: [{name: m.16x64, allocatable: {cpu: 16, memory: 64Gi}, "
     "labels: {}, taints: [], devices: [{driver: gpu.example.com, count: 8}], price: 0.8, max: 10}]; without "
     "it, like the nodes of the cluster"}};
constexpr Argument kNodesSpare[] = {kNamespace};
constexpr Argument kCompareWeights[] = {
    {"weights", Type::text, "--weights", "the other weights: NodeResourcesFit=5,ImageLocality=0; 0 is off",
     true},
    {"namespace", Type::name, "--namespace",
     "the namespace whose pods are named; without it, that of the user's context"}};

constexpr Tool kTools[] = {
    {"why", "Why is a pod on its node, or why is it pending?",
     "Explains the scheduler's last decision on a pod: the node with its score and the next best ones, or "
     "why each group of nodes rejected the pod and what is missing. Of a workload: how many of its pods run, "
     "and what blocks the others.",
     "why", "", kWhy},
    {"why_not", "Why is a pod not on this node?",
     "Tries the pod on one node and says what rejects it there, or how its score compares, and which changes "
     "would let it run there.",
     "why", "", kWhyNot},
    {"what_if", "Where would these pods go?",
     "Places pods on a copy of the cluster with the scheduler's own code: of a workload or a pod of the "
     "cluster, or of a manifest that need not exist. It can drain or add nodes first, and change weights. "
     "Nothing is scheduled.",
     "whatif", "", kWhatIf, true},
    {"how_many_fit", "How many more of these pods fit?",
     "Counts by placing them one after the other on a copy of the cluster, and says what limits the number.",
     "capacity", "", kHowMany, true},
    {"what_could_run", "What could a namespace still run?",
     "Counts for each workload of a namespace how many more of its pods the nodes have room for and its "
     "quotas allow, and says what limits it.",
     "capacity", "", kCouldRun},
    {"what_would_help", "What would let these pods run?",
     "Tries changes one by one, and pairs of them, on a copy of the cluster: smaller requests, a toleration, "
     "another node selector, more nodes of a shape. Each fix says how many pods fit with it.",
     "whatif", "--fixes", kWhatHelps, true},
    {"what_waits", "Which pods wait, and for what?",
     "Lists the pending pods, grouped by workload and by what blocks them, the largest group first.",
     "pending", "", kWhatWaits},
    {"drain", "What would a drain of these nodes do?",
     "Says where each pod of the nodes would go, which would wait, and which disruption budgets or local "
     "volumes block the drain. Nothing is drained.",
     "drain", "", kDrain},
    {"nodes_for_pending", "Which nodes do the pending pods need?",
     "Finds the fewest nodes to add, or the cheapest if the shapes have prices, so that all pods that wait "
     "are placed. Each choice is tried on a copy of the cluster. Names the pods that fit on no shape, with "
     "the reason. Nothing is added.",
     "nodes", "--for-pending", kNodesWanted},
    {"nodes_that_could_go", "Which nodes can be removed?",
     "Finds nodes whose pods all fit elsewhere, in an order in which they can be drained, and says what "
     "blocks the others: budgets, pods without a controller, data on the node, "
     "annotations of autoscalers. Nothing is drained.",
     "nodes", "--could-go", kNodesSpare},
    {"compare_weights", "Which pods would other weights place elsewhere?",
     "Places all pods again on a copy of the cluster without them, with the current weights of the scoring "
     "strategies and with others. Counts the pods that move, and those that lose or gain their place. "
     "Nothing is scheduled.",
     "compare", "", kCompareWeights},
};

std::string_view kind_of(Type type) {
  switch (type) {
    case Type::names:
      return "array";
    case Type::count:
      return "integer";
    case Type::flag:
      return "boolean";
    case Type::name:
    case Type::text:
    case Type::manifest:
      break;
  }
  return "string";
}

json::object schema_of(const Argument& argument) {
  json::object out{{"type", kind_of(argument.type)}, {"description", argument.about}};
  switch (argument.type) {
    case Type::names:
      out["items"] = json::object{{"type", "string"}, {"maxLength", kLongestNameBytes}};
      out["maxItems"] = kMostNames;
      break;
    case Type::count:
      out["minimum"] = argument.least;
      out["maximum"] = argument.most;
      break;
    case Type::flag:
      break;
    case Type::name:
      out["maxLength"] = kLongestNameBytes;
      break;
    case Type::text:
      out["maxLength"] = kLongestText;
      break;
    case Type::manifest:
      out["maxLength"] = kLargestManifest;
      break;
  }
  return out;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestNameBytes && is_letter_or_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '.' || c == '/' || c == ':' || c == '_';
         });
}

bool is_line(std::string_view text) {
  return text.size() <= kLongestText && std::ranges::none_of(text, [](char c) {
           return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
         });
}

// Reads the arguments of one call.
class Reader {
 public:
  explicit Reader(const Tool& tool) : tool_(tool) { out_.words.emplace_back(tool.verb); }

  Result<CommandLine> read(const json::value& arguments) {
    static const json::object kNone;
    const auto* given = arguments.is_null() ? &kNone : arguments.if_object();
    if (!given) return invalid("the arguments must be an object");
    for (const auto& [name, value] : *given) {
      const std::string_view key = name;
      const auto* found = std::ranges::find(tool_.arguments, key, &Argument::name).base();
      if (found == tool_.arguments.data() + tool_.arguments.size())
        problems_.add(
            fmt::format("{}: {} has no such argument", key.size() > 64 ? "(a long name)" : key, tool_.name));
      else if (!value.is_null())
        read(*found, value);
    }
    for (const auto& argument : tool_.arguments) {
      const auto* value = given->if_contains(argument.name);
      if (argument.is_required && (!value || value->is_null()))
        problems_.add(fmt::format("{}: missing: {}", argument.name, argument.about));
    }
    if (tool_.needs_one_word && words_ != 1) problems_.add("give either name or manifest, not both");
    if (problems_) return std::unexpected(problems_.error());
    if (!tool_.always.empty()) out_.words.emplace_back(tool_.always);
    return std::move(out_);
  }

 private:
  void read(const Argument& argument, const json::value& value) {
    const auto wrong = [&](std::string_view must) {
      problems_.add(fmt::format("{}: must be {}", argument.name, must));
    };
    const auto* text = value.if_string();
    switch (argument.type) {
      case Type::name:
        if (!text || !is_name(*text)) return wrong("a name: letters, digits, \"-\", \".\" and \"/\"");
        return add(argument, std::string(*text));
      case Type::names: {
        const auto* list = value.if_array();
        const auto is_one = [](const json::value& each) {
          return each.is_string() && is_name(each.as_string());
        };
        if (!list || list->empty() || list->size() > kMostNames || !std::ranges::all_of(*list, is_one))
          return wrong(fmt::format("a list of 1 to {} names", kMostNames));
        for (const auto& each : *list) add(argument, std::string(each.as_string()));
        return;
      }
      case Type::text:
        if (!text || text->empty() || !is_line(*text))
          return wrong(fmt::format("a line of at most {} bytes", kLongestText));
        return add(argument, std::string(*text));
      case Type::count: {
        const auto* number = value.if_int64();
        if (!number || *number < argument.least || *number > argument.most)
          return wrong(fmt::format("a whole number from {} to {}", argument.least, argument.most));
        return add(argument, std::to_string(*number));
      }
      case Type::flag:
        if (!value.is_bool()) return wrong("true or false");
        if (value.as_bool()) out_.words.emplace_back(argument.flag);
        return;
      case Type::manifest:
        if (!text || text->empty() || text->size() > kLargestManifest)
          return wrong(fmt::format("a string with YAML or JSON, of at most {} KiB", kLargestManifest / 1024));
        out_.input = *text;
        out_.input_name = argument.name;
        out_.words.push_back(fmt::format("{}=-", argument.flag.empty() ? "--filename" : argument.flag));
        ++words_;
    }
  }

  void add(const Argument& argument, std::string value) {
    if (!argument.flag.empty())
      value = fmt::format("{}={}", argument.flag, value);
    else
      ++words_;
    out_.words.push_back(std::move(value));
  }

  const Tool& tool_;
  CommandLine out_;
  std::size_t words_ = 0;  // that say what it is about
  Problems problems_;
};

}  // namespace

std::span<const Tool> tools() { return kTools; }

const Tool* tool_named(std::string_view name) {
  const auto* found = std::ranges::find(kTools, name, &Tool::name);
  return found == std::end(kTools) ? nullptr : found;
}

json::object description_of(const Tool& tool) {
  json::object properties;
  json::array required;
  for (const auto& argument : tool.arguments) {
    properties[argument.name] = schema_of(argument);
    if (argument.is_required) required.emplace_back(argument.name);
  }
  json::object schema{
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.about},
          {"inputSchema", std::move(schema)},
          {"annotations", json::object{{"title", tool.title},
                                       {"readOnlyHint", true},
                                       {"destructiveHint", false},
                                       {"idempotentHint", true},
                                       {"openWorldHint", false}}}};
}

Result<CommandLine> command_line(const Tool& tool, const json::value& arguments) {
  return Reader(tool).read(arguments);
}

}  // namespace podium::mcp
