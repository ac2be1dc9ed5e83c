#include "app/render/diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>

#include "app/render/text.h"
#include "app/render/words.h"
#include "explain/report/reason_words.h"

namespace podium::render {
namespace {

namespace json = boost::json;

constexpr const char* kAbsent = "-";

template <typename T>
std::string text_of(const std::optional<T>& value) {
  return value ? fmt::to_string(*value) : kAbsent;
}

// The chosen node's row, if the report has its scores.
const explain::TopNode* chosen_row(const Report& report) {
  const bool has = report.status.choice && !report.status.top_nodes.empty() &&
                   report.status.top_nodes.front().node == report.status.choice->node &&
                   report.status.top_nodes.front().strategy_scores.size() == report.status.strategies.size();
  return has ? &report.status.top_nodes.front() : nullptr;
}

struct Points {
  std::string weight = kAbsent, points = kAbsent;
};

// Returns the points of the chosen node, by strategy.
std::map<std::string, Points> points_of(const Report& report) {
  std::map<std::string, Points> out;
  const auto* row = chosen_row(report);
  for (std::size_t s = 0; s < report.status.strategies.size(); ++s) {
    const auto& strategy = report.status.strategies[s];
    auto& points = out[strategy.name];
    points.weight = fmt::to_string(strategy.weight);
    if (row) points.points = fmt::to_string(strategy.weight * row->strategy_scores[s]);
  }
  return out;
}

// The strategies of both reports, in the order of the first.
std::vector<std::string> strategy_names(const Report& a, const Report& b) {
  std::vector<std::string> out;
  for (const auto* report : {&a, &b}) {
    for (const auto& each : report->status.strategies) {
      if (std::ranges::find(out, each.name) == out.end()) out.push_back(each.name);
    }
  }
  return out;
}

// Numbers of rejected nodes, by reason.
std::map<std::string, std::size_t> rejected_by(const Report& report) {
  std::map<std::string, std::size_t> out;
  const auto& rejections = answer_of(report).first_failure && report.status.rejections.empty()
                               ? answer_of(report).first_failure->rejections
                               : report.status.rejections;
  for (const auto& rejection : rejections) out[explain::reason_words(rejection)] += rejection.nodes;
  return out;
}

std::string result_of(const Report& report) {
  if (refusal_of(report)) return "was refused";
  if (report.status.choice) {
    const auto points = report.status.choice->score
                            ? fmt::format(" with {}", counted(static_cast<std::size_t>(std::max<std::int64_t>(
                                                                  0, *report.status.choice->score)),
                                                              "point"))
                            : std::string();
    return fmt::format("{} {}{}", report.is_question ? "would go to" : "is on", report.status.choice->node,
                       points);
  }
  if (!report.status.scheduling_gates.empty())
    return fmt::format("waits for its gate {}", fmt::join(report.status.scheduling_gates, ", "));
  if (report.status.outcome == "Failed") return "could not be decided";
  return report.is_question ? "fits nowhere" : "is pending: no node fits";
}

// The other report's score of this report's node.
std::string next_to_choice(const Report& report, const Report& other, const std::string& name) {
  if (!report.status.choice || !other.status.choice ||
      report.status.choice->node == other.status.choice->node)
    return {};
  const auto row =
      std::ranges::find(other.status.top_nodes, report.status.choice->node, &explain::TopNode::node);
  if (row == other.status.top_nodes.end()) return {};
  const auto had = other.is_question ? "would have" : "had";
  const auto fewer = other.status.top_nodes.front().score - row->score;
  if (fewer == 0)
    return fmt::format("For {}, {} {} as many points as {}.\n", name, row->node, had,
                       other.status.choice->node);
  return fmt::format("For {}, {} {} {} fewer than {}.\n", name, row->node, had,
                     counted(static_cast<std::size_t>(std::max<std::int64_t>(0, fewer)), "point"),
                     other.status.choice->node);
}

}  // namespace

std::vector<Difference> differences(const Report& a, const Report& b) {
  std::vector<Difference> out;
  const auto add = [&out](std::string what, std::string in_a, std::string in_b) {
    if (in_a != in_b) out.push_back({std::move(what), std::move(in_a), std::move(in_b)});
  };
  add("outcome", a.status.outcome, b.status.outcome);
  add("profile", a.status.profile, b.status.profile);
  add("node", a.status.choice ? a.status.choice->node : kAbsent,
      b.status.choice ? b.status.choice->node : kAbsent);
  add("points", a.status.choice ? text_of(a.status.choice->score) : kAbsent,
      b.status.choice ? text_of(b.status.choice->score) : kAbsent);
  const auto of_a = points_of(a), of_b = points_of(b);
  const auto names = strategy_names(a, b);
  const auto find = [](const auto& points, const std::string& name) {
    const auto found = points.find(name);
    return found == points.end() ? Points{} : found->second;
  };
  for (const auto& name : names)
    add("  " + strategy_words(name), find(of_a, name).points, find(of_b, name).points);
  for (const auto& name : names)
    add("weight of " + strategy_words(name), find(of_a, name).weight, find(of_b, name).weight);
  const auto tied = [](const Report& r) {
    return r.status.choice ? fmt::to_string(r.status.choice->tied_nodes) : std::string(kAbsent);
  };
  add("nodes with that score", tied(a), tied(b));
  const auto fit = [](const Report& r) {
    return fmt::format("{} of {}", r.status.node_counts.feasible, r.status.node_counts.total);
  };
  add("nodes that fit", fit(a), fit(b));
  const auto rejected_a = rejected_by(a), rejected_b = rejected_by(b);
  auto reasons = rejected_a;
  reasons.insert(rejected_b.begin(), rejected_b.end());
  const auto nodes = [](const auto& counts, const std::string& reason) {
    const auto found = counts.find(reason);
    return found == counts.end() ? std::string(kAbsent) : counted(found->second, "node");
  };
  for (const auto& [reason, count] : reasons)
    add(reason, nodes(rejected_a, reason), nodes(rejected_b, reason));
  if (answer_of(a).asked > 1 || answer_of(b).asked > 1) {
    const auto replicas = [](const Report& r) {
      return fmt::format("{} of {}", answer_of(r).fitting, answer_of(r).asked);
    };
    add("replicas that fit", replicas(a), replicas(b));
  }
  const auto evictions = [](const Report& r) {
    return r.status.preemption ? fmt::to_string(r.status.preemption->total) : kAbsent;
  };
  add("pods to evict", evictions(a), evictions(b));
  return out;
}

std::string diff(const Report& a, const Report& b, const std::string& name_a, const std::string& name_b,
                 const Options& options) {
  const auto found = differences(a, b);
  const auto title_a = options.style.bold(name_a), title_b = options.style.bold(name_b);
  if (found.empty())
    return fmt::format("No difference: {} and {} each {}.\n", title_a, title_b, result_of(a));
  auto out = fmt::format("{} {}; {} {}.\n", title_a, result_of(a), title_b, result_of(b));
  std::vector<Cells> rows{{"", name_a, name_b}};
  for (const auto& each : found) rows.push_back({each.what, each.a, each.b});
  out += table(rows, {Align::left, Align::right});
  std::vector<std::string> equal;
  const auto of_a = points_of(a), of_b = points_of(b);
  for (const auto& name : strategy_names(a, b)) {
    const auto in_a = of_a.find(name), in_b = of_b.find(name);
    if (in_a == of_a.end() || in_b == of_b.end() || in_a->second.points == kAbsent) continue;
    if (in_a->second.points == in_b->second.points && in_a->second.weight == in_b->second.weight)
      equal.push_back(fmt::format("{} {}", strategy_words(name), in_a->second.points));
  }
  if (!equal.empty()) out += fmt::format("Equal in both: {}.\n", fmt::join(equal, ", "));
  return out + next_to_choice(a, b, name_b) + next_to_choice(b, a, name_a);
}

json::value diff_document(const Report& a, const Report& b, const std::string& name_a,
                          const std::string& name_b) {
  json::array rows;
  for (const auto& each : differences(a, b)) {
    const auto first = each.what.find_first_not_of(' ');
    rows.push_back(json::object{{"what", each.what.substr(first)}, {"a", each.a}, {"b", each.b}});
  }
  return json::object{{"a", name_a}, {"b", name_b}, {"differences", std::move(rows)}};
}

}  // namespace podium::render
