#include "app/kubectl/question_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <charconv>
#include <set>

#include "app/kubectl/named_nodes.h"
#include "app/render/why.h"
#include "base/ascii.h"
#include "base/problems.h"
#include "explain/question/question_limits.h"
#include "explain/report/report_labels.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using Names = std::vector<std::string>;

// If the client is killed before it deletes its question, podium deletes it after this time.
constexpr int kTtlSeconds = 300;

std::vector<std::string> nodes_of_flag(std::string_view flag, const std::vector<std::string>& given,
                                       Problems& problems) {
  Names words;
  for (const auto& text : given) {
    if (split_without_empty(text, ",").empty())
      problems.add(fmt::format("{}: is empty", flag));
    else
      words.push_back(text);
  }
  Problems wrong;
  auto names = parse_nodes(words, wrong);
  for (const auto& finding : wrong.findings()) problems.add(fmt::format("{}: {}", flag, finding.text()));
  return names;
}

json::array changes(const QuestionFlags& flags, Problems& problems) {
  json::array out;
  const auto like = nodes_of_flag("--like", flags.like.empty() ? Names() : Names{flags.like}, problems);
  if (flags.add_nodes > 0 && !like.empty())
    out.push_back(json::object{{"type", "AddNodes"}, {"count", flags.add_nodes}, {"like", like.front()}});
  for (const auto& node : nodes_of_flag("--drain", flags.drain, problems))
    out.push_back(json::object{{"type", "DrainNode"}, {"nodeName", node}});
  return out;
}

// The flag that sets this field of the spec; empty: none. `changes`: of spec.changes, those of flags.
std::string_view flag_of(std::string_view path, std::size_t changes) {
  if (path.starts_with("spec.strategies") || path.starts_with("spec.search.compareWeights"))
    return "--weights";
  if (path.starts_with("spec.profile")) return "--profile";
  if (path.starts_with("spec.replicas")) return "--replicas";
  if (path.starts_with("spec.nodes")) return "--node";
  constexpr std::string_view kChange = "spec.changes[";
  std::size_t index = 0;
  if (!path.starts_with(kChange)) return {};
  const auto [end, error] = std::from_chars(path.data() + kChange.size(), path.data() + path.size(), index);
  if (error != std::errc() || index >= changes) return {};
  const auto field = path.substr(static_cast<std::size_t>(end - path.data()));
  if (field.starts_with("].nodeName")) return "--drain";
  if (field.starts_with("].like")) return "--like";
  return field.starts_with("].count") ? "--add-nodes" : std::string_view();
}

}  // namespace

json::array strategies_of(const std::vector<std::string>& flags, Problems& problems) {
  json::array out;
  std::set<std::string> seen;
  for (const auto& flag : flags) {
    const auto pairs = split_without_empty(flag, ",");
    if (pairs.empty()) problems.add("--weights: is empty");
    for (const auto pair : pairs) {
      const auto equals = pair.find('=');
      const auto name = std::string(pair.substr(0, equals));
      const auto number = equals == pair.npos ? std::string_view() : pair.substr(equals + 1);
      int weight = -1;
      const auto* end = number.data() + number.size();
      const auto [stop, error] = std::from_chars(number.data(), end, weight);
      if (name.empty() || number.empty() || error != std::errc() || stop != end || weight < 0) {
        problems.add(
            fmt::format("--weights: \"{}\" is not STRATEGY=WEIGHT, such as NodeResourcesFit=5; a weight of 0 "
                        "switches the strategy off",
                        pair));
      } else if (!seen.insert(name).second) {
        problems.add(fmt::format("--weights: {} is given twice", name));
      } else {
        out.push_back(json::object{{"name", name}, {"weight", weight}});
      }
    }
  }
  return out;
}

Result<json::object> question_spec(const QuestionFlags& flags) {
  Problems problems;
  if (flags.replicas < 0 || flags.replicas > explain::kMostReplicas)
    problems.add(fmt::format("--replicas: must be 1 to {}", explain::kMostReplicas));
  if (flags.add_nodes < 0) problems.add("--add-nodes: must be at least 1");
  if (flags.add_nodes > 0 && flags.like.empty())
    problems.add("--add-nodes: needs --like NODE, the node to copy");
  if (flags.add_nodes == 0 && !flags.like.empty()) problems.add("--like: needs --add-nodes N");
  auto weights = strategies_of(flags.weights, problems);
  auto list = changes(flags, problems);
  if (problems) return std::unexpected(problems.error());
  json::object spec{{"dryRun", true}};
  if (flags.replicas > 0) spec["replicas"] = flags.replicas;
  if (!flags.profile.empty()) spec["profile"] = flags.profile;
  if (!weights.empty()) spec["strategies"] = std::move(weights);
  if (!list.empty()) spec["changes"] = std::move(list);
  if (!flags.nodes.empty()) spec["nodes"] = json::array(flags.nodes.begin(), flags.nodes.end());
  if (flags.fixes) spec["fixes"] = true;
  return spec;
}

std::optional<Error> flags_error(const std::vector<Finding>& findings, std::size_t changes) {
  Problems problems;
  for (const auto& finding : findings) {
    const auto flag = flag_of(finding.path, changes);
    if (flag.empty()) return std::nullopt;
    problems.add(fmt::format("{}: {}", flag, finding.reason));
  }
  return problems ? std::optional(problems.error()) : std::nullopt;
}

namespace {

// Asks podium about the names in the other flags, so that all wrong ones are reported together. Adds nothing
// if podium does not answer.
void check_names_in_podium(const QuestionFlags& flags, Cluster& cluster, Problems& problems) {
  Problems parsed;
  json::object spec{{"dryRun", true}, {"template", no_pod()}};
  if (auto weights = strategies_of(flags.weights, parsed); !weights.empty())
    spec["strategies"] = std::move(weights);
  if (!flags.profile.empty()) spec["profile"] = flags.profile;
  if (spec.size() == 2) return;
  const auto answered = cluster.ask(cluster.ns(), std::move(spec), false);
  if (!answered) return;
  const auto report = render::read_report(*answered);
  if (!explain::refusal_of(report)) return;
  if (const auto error = flags_error(report.status.findings, 0)) problems.add(*error);
}

}  // namespace

Result<void> check_flag_nodes(const QuestionFlags& flags, Cluster& cluster) {
  Problems problems, parsed;
  const auto check = [&](std::string_view flag, const Names& given) {
    for (const auto& line : missing_nodes(nodes_of_flag(flag, given, parsed), cluster).lines)
      problems.add(fmt::format("{}: {}", flag, line));
  };
  check("--drain", flags.drain);
  if (!flags.like.empty()) check("--like", {flags.like});
  if (!problems) return {};
  check_names_in_podium(flags, cluster, problems);
  return std::unexpected(problems.error());
}

json::value no_pod() {
  return json::parse(R"({"spec": {"nodeSelector": {"podium.dev/no-node": "true"},
                                  "containers": [{"name": "none", "image": "none"}]}})");
}

std::string other_options(const QuestionFlags& flags, const render::Report& report) {
  const auto& answer = render::answer_of(report);
  std::vector<std::string> out;
  const auto node = !answer.placements.empty() ? answer.placements.front().node
                    : report.status.choice     ? report.status.choice->node
                                               : std::string("NODE");
  if (flags.replicas == 0) out.emplace_back("--replicas N");
  if (flags.weights.empty()) out.emplace_back("--weights NodeResourcesFit=5");
  if (flags.drain.empty() && flags.add_nodes == 0) out.push_back("--drain " + node);
  if (flags.add_nodes == 0) out.push_back("--add-nodes 2 --like " + node);
  if (!flags.fixes && answer.fitting < answer.asked && !render::is_pods_own_fault(report))
    out.emplace_back("--fixes");
  return fmt::format("{}", fmt::join(out, ", "));
}

json::value question_object(const std::string& ns, const std::string& name, json::object spec, bool keep) {
  if (!keep) spec["ttlSeconds"] = kTtlSeconds;
  return json::object{{"apiVersion", explain::kReportVersion},
                      {"kind", explain::kReportKind},
                      {"metadata", json::object{{"name", name}, {"namespace", ns}}},
                      {"spec", std::move(spec)}};
}

}  // namespace podium::kubectl
