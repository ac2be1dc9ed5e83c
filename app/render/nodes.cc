#include "app/render/nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "api/values/quantity.h"
#include "app/render/amounts.h"
#include "app/render/exit_codes.h"
#include "app/render/text.h"

namespace podium::render {
namespace {

using explain::AddedNodes;
using explain::NodesSpare;
using explain::NodesWanted;
using explain::WaitingWorkload;

constexpr std::size_t kNamedWorkloads = 3, kNamedMoves = 2, kNamedNodes = 8, kAmounts = 3;

const NodesWanted& wanted_of(const NodesAnswer& answer) {
  static const NodesWanted kNone;
  return answer.answer.nodes_wanted ? *answer.answer.nodes_wanted : kNone;
}
const NodesSpare& spare_of(const NodesAnswer& answer) {
  static const NodesSpare kNone;
  return answer.answer.nodes_spare ? *answer.answer.nodes_spare : kNone;
}

std::string full_name(const std::string& ns, const WaitingWorkload& workload) {
  return fmt::format("{}/{}", workload.ns.empty() ? ns : workload.ns, workload.name);
}

std::string amounts_of(const std::vector<explain::ResourceAmount>& amounts, bool is_named) {
  std::vector<std::string> out;
  for (const auto& each : amounts) {
    const auto quantity = api::Quantity::parse(each.amount);
    if (!quantity || quantity->is_zero() || out.size() == kAmounts) continue;
    const auto amount = rounded_down(each.resource, *quantity);
    const bool is_unnamed = !is_named && each.resource == "memory";
    out.push_back(is_unnamed ? amount : fmt::format("{} {}", amount, each.resource));
  }
  return out.empty() ? "-" : fmt::format("{}", fmt::join(out, ", "));
}

std::string shape_name(const AddedNodes& added) {
  const auto size = amounts_of(added.allocatable, false);
  return size == "-" ? added.shape : fmt::format("{} ({})", added.shape, size);
}

// The workloads of a shape by all answers, and the pods that none of them names.
std::string takes_of(const NodesAnswers& answers, const AddedNodes& added) {
  std::vector<std::pair<std::size_t, std::string>> named;
  std::size_t pods = 0, unlisted = 0;
  for (const auto& each : answers.asked) {
    const auto& its = wanted_of(each).added;
    const auto same = std::ranges::find(its, added.shape, &AddedNodes::shape);
    if (same == its.end()) continue;
    for (const auto& workload : same->workloads) {
      if (workload.name.empty()) continue;
      named.emplace_back(workload.count, full_name(each.ns, workload));
      pods += workload.count;
    }
    unlisted += same->workloads_total - std::min(same->workloads_total, same->workloads.size());
  }
  std::ranges::stable_sort(named, std::ranges::greater(), [](const auto& each) { return each.first; });
  std::vector<std::string> names;
  for (auto& each : named) names.push_back(std::move(each.second));
  auto text = names.empty() ? std::string() : listed(names, kNamedWorkloads, names.size() + unlisted);
  if (pods < added.pods && unlisted == 0) {
    text +=
        fmt::format("{}{} of other namespaces", text.empty() ? "" : ", ", counted(added.pods - pods, "pod"));
  }
  return text;
}

std::size_t shapes_not_listed(const NodesWanted& wanted) {
  return wanted.added_total - std::min(wanted.added_total, wanted.added.size());
}

std::string wanted_verdict(const NodesAnswers& answers, const Style& style) {
  const auto& first = answers.asked.front();
  const auto& wanted = wanted_of(first);
  const auto asked = first.answer.asked, fitting = first.answer.fitting;
  // Gated pods and those of other schedulers may wait.
  if (asked == 0) return style.good("No pod waits for room.") + "\n";
  auto text = fmt::format("{} {}", counted(asked, "pod"), asked == 1 ? "waits" : "wait");
  if (wanted.fit_now > 0)
    text += fmt::format("; {} {} on the existing nodes", wanted.fit_now, fit(wanted.fit_now));
  text = fitting == asked ? style.good(text) : fitting > 0 ? style.warn(text) : style.bad(text);
  if (wanted.nodes_total == 0 && wanted.not_tried > 0)
    return text + ". The deadline passed before a choice of nodes was found.\n";
  if (wanted.nodes_total == 0)
    return text + (wanted.unplaced_total == 0 ? ".\n"
                   : wanted.uncordon.empty()  ? ". No node of these shapes helps:\n"
                                             : ". No new node of these shapes helps, a cordoned one does:\n");
  const char* found = !wanted.is_finished    ? "The best additions found before the deadline"
                      : !wanted.is_fewest    ? "Additions, none superfluous"
                      : wanted.price.empty() ? "Fewest additions"
                                             : "Cheapest additions";
  return text +
         fmt::format(". {}{}:\n", found, wanted.price.empty() ? "" : fmt::format(", for {}", wanted.price));
}

// The rows of the pods that fit on no shape, from all answers.
void add_unplaced(const NodesAnswers& answers, std::vector<Cells>& rows) {
  std::vector<std::tuple<std::size_t, std::string, std::string>> named;
  std::size_t pods = 0, seen = 0;
  const auto& first = wanted_of(answers.asked.front());
  for (const auto& each : answers.asked) {
    for (const auto& unplaced : wanted_of(each).unplaced) {
      if (unplaced.pods.name.empty()) continue;
      named.emplace_back(unplaced.pods.count, full_name(each.ns, unplaced.pods), unplaced.reason);
      seen += unplaced.pods.count;
    }
  }
  for (const auto& unplaced : first.unplaced) pods += unplaced.pods.count;
  std::ranges::stable_sort(named, std::ranges::greater(), [](const auto& each) { return std::get<0>(each); });
  for (const auto& [count, name, reason] : named)
    rows.push_back({"none fits", "-", fmt::to_string(count), name, reason});
  if (pods > seen) {
    rows.push_back({"none fits", "-", fmt::to_string(pods - seen), "of other namespaces", ""});
  }
  if (first.not_tried > 0)
    rows.push_back({"not tried", "-", fmt::to_string(first.not_tried), "the deadline passed", ""});
  if (first.unplaced_total > first.unplaced.size())
    rows.push_back(
        {"none fits", "-", "-",
         fmt::format("{} more", counted(first.unplaced_total - first.unplaced.size(), "workload"))});
}

std::string wanted_rows(const NodesAnswers& answers, const Options& options) {
  std::vector<Cells> rows{{"SHAPE", "NODES", "TAKES", "OF", "LEFT OVER"}};
  for (const auto& added : wanted_of(answers.asked.front()).added) {
    rows.push_back({shape_name(added), fmt::to_string(added.nodes), fmt::to_string(added.pods),
                    takes_of(answers, added), amounts_of(added.left_over, true)});
  }
  if (const auto more = shapes_not_listed(wanted_of(answers.asked.front())); more > 0)
    rows.push_back({counted(more, "more shape"), "", "", "", ""});
  add_unplaced(answers, rows);
  if (rows.size() == 1) return {};
  constexpr std::size_t kOf = 3, kLeft = 4, kLeast = 16;
  return table(rows, {Align::left, Align::right, Align::right, Align::left, Align::left}, 2,
               {options.columns, {{kLeft, kLeast}, {kOf, kLeast}, {0, kLeast}}});
}

std::string not_counted(const NodesWanted& wanted) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  add(wanted.gated, "is gated", "are gated");
  add(wanted.evicting, "waits for evictions", "wait for evictions");
  add(wanted.other_scheduler, "belongs to another scheduler", "belong to another scheduler");
  add(wanted.not_evaluated, "was not evaluated", "were not evaluated");
  auto out = parts.empty() ? std::string() : fmt::format("Not counted: {}.\n", fmt::join(parts, ", "));
  if (wanted.shapes_tried < wanted.shapes_total)
    out += fmt::format("{} of {} shapes were tried, the first ones or those that the most nodes have.\n",
                       wanted.shapes_tried, wanted.shapes_total);
  return out;
}

// What the table has as rows.
std::string not_placed(const NodesWanted& wanted) {
  std::string out;
  if (wanted.not_tried > 0)
    out += fmt::format("{} not tried: the deadline passed.\n",
                       counted(wanted.not_tried, "pod was", "pods were"));
  if (wanted.unplaced_total > wanted.unplaced.size())
    out += fmt::format("{} without a place {} not listed.\n",
                       counted(wanted.unplaced_total - wanted.unplaced.size(), "more workload"),
                       wanted.unplaced_total - wanted.unplaced.size() == 1 ? "is" : "are");
  return out;
}

std::string to_add(const NodesWanted& wanted) {
  std::vector<std::string> parts;
  for (const auto& added : wanted.added) {
    parts.push_back(added.like.empty() ? fmt::format("{} of {}", counted(added.nodes, "node"), added.shape)
                                       : fmt::format("{} {}", counted(added.nodes, "node"), added.shape));
  }
  if (const auto more = shapes_not_listed(wanted); more > 0)
    parts.push_back(fmt::format("those of {}", counted(more, "more shape")));
  return parts.empty() ? "" : fmt::format("Nothing was added. To do it: add {}.\n", fmt::join(parts, ", "));
}

// A command with all of its names on lines of its own. A shell reads them as one.
std::string command_lines(const std::string& command, std::size_t columns) {
  constexpr std::size_t kIndent = 2, kContinuation = 2;  // " \\"
  auto lines = std::string(kIndent, ' ') +
               wrapped(command, columns - std::min(columns, kIndent + kContinuation), 2 * kIndent);
  lines.pop_back();
  std::string out;
  for (const char c : lines) out += c == '\n' ? std::string(" \\\n") : std::string(1, c);
  return out + "\n";
}

// The command in its sentence, or below the sentence if the line is too long.
std::string with_command(const std::string& before, const std::string& command, const std::string& after,
                         const std::string& below, std::size_t columns) {
  const auto line = fmt::format("{} {}{}", before, command, after);
  if (columns == 0 || width(line) <= columns) return line + "\n";
  const auto colon = before.ends_with(':') ? "" : ":";
  return fmt::format("{}{}\n{}{}", before, colon, command_lines(command, columns), below);
}

std::string to_uncordon(const NodesWanted& wanted, std::size_t columns) {
  if (wanted.uncordon.empty()) return {};
  return with_command(wanted.nodes_total > 0 ? "Instead, as many pods get a node after:"
                                             : "Nothing was added. Pods get a node after:",
                      fmt::format("kubectl uncordon {}", fmt::join(wanted.uncordon, " ")), "", "", columns);
}

// A node that could be uncordoned instead of an added one is not left over.
bool is_of_use(const NodesSpare& spare, const NodesWanted& wanted) {
  return std::ranges::any_of(wanted.uncordon, [&](const std::string& name) {
    return std::ranges::find(spare.nodes, name, &explain::SpareNode::node) != spare.nodes.end();
  });
}

std::vector<std::string> names_of(const NodesSpare& spare) {
  std::vector<std::string> names;
  for (const auto& node : spare.nodes) names.push_back(node.node);
  return names;
}

std::string moves_words(std::size_t pods) {
  return pods == 0 ? "no pod moves"
                   : fmt::format("{} {}, nothing waits", counted(pods, "pod"), pods == 1 ? "moves" : "move");
}

std::string spare_line(const NodesSpare& spare) {
  if (spare.nodes_total == 0)
    return spare.is_finished ? "No node can be removed now.\n"
                             : "No node that can be removed was found before the deadline.\n";
  return fmt::format("Can be removed now: {} ({}).\n",
                     listed(names_of(spare), kNamedNodes, spare.nodes_total), moves_words(spare.pods_moved));
}

const char* words_of_code(const std::string& code, bool is_one) {
  struct Words {
    const char *code, *one, *many;
  };
  static constexpr Words kWords[] = {
      {"NoRoom", "runs pods that have no other place", "run pods that have no other place"},
      {"NoController", "runs pods that no controller recreates", "run pods that no controller recreates"},
      {"Budget", "runs pods that a budget protects", "run pods that a budget protects"},
      {"NotSafeToEvict", "runs pods that are not safe to evict", "run pods that are not safe to evict"},
      {"DoNotDisrupt", "must not be disrupted", "must not be disrupted"},
      {"ScaleDownDisabled", "must not be scaled down", "must not be scaled down"},
      {"LocalData", "runs pods that have data on it", "run pods that have data on them"},
      {"LocalVolume", "has the volume of a claim", "have volumes of claims"},
      {"OtherScheduler", "runs pods of another scheduler", "run pods of another scheduler"},
      {"LastNode", "must stay", "must stay"},
      {"ControlPlane", "is a control-plane node", "are control-plane nodes"},
      {"Nominated", "is promised to a pod that waits for evictions",
       "are promised to pods that wait for evictions"},
      {"Wanted", "would take a pending pod", "would take pending pods"},
  };
  const auto* found =
      std::ranges::find(kWords, code, [](const Words& each) { return std::string_view(each.code); });
  if (found == std::end(kWords)) return "cannot be removed";
  return is_one ? found->one : found->many;
}

// The example of an answer that names its pod, if there is one.
explain::BlockedNodes with_name(const NodesAnswers& answers, const explain::BlockedNodes& blocked) {
  for (const auto& each : answers.asked) {
    const auto& its = spare_of(each).blocked;
    const auto same = std::ranges::find(its, blocked.code, &explain::BlockedNodes::code);
    if (same != its.end() && !same->is_unnamed) return *same;
  }
  return blocked;
}

std::string blocked_rows(const NodesAnswers& answers, const Options& options) {
  std::vector<Cells> rows;
  for (const auto& blocked : spare_of(answers.asked.front()).blocked) {
    const auto named = with_name(answers, blocked);
    const auto example =
        named.examples.empty() ? named.reason : fmt::format("{}: {}", named.examples.front(), named.reason);
    rows.push_back({counted(blocked.nodes, "node"), blocked_words(blocked), example});
  }
  if (rows.empty()) return {};
  const bool none_can_go = spare_of(answers.asked.front()).nodes_total == 0;
  return (none_can_go ? "What blocks them:\n" : "What blocks the others:\n") +
         table(rows, {Align::right, Align::left, Align::left}, 2, {options.columns, {{2, 20}, {1, 20}}});
}

std::string where_to(const NodesAnswers& answers, const explain::SpareNode& node) {
  std::vector<std::string> moves;
  for (const auto& each : answers.asked) {
    const auto& nodes = spare_of(each).nodes;
    const auto same = std::ranges::find(nodes, node.node, &explain::SpareNode::node);
    if (same == nodes.end()) continue;
    for (const auto& pod : same->pods)
      moves.push_back(fmt::format("{}/{} → {}", each.ns, pod.name, pod.node));
  }
  if (moves.empty())
    return node.pods_moved == 0 ? "" : fmt::format("{} of other namespaces", counted(node.pods_moved, "pod"));
  return listed(moves, kNamedMoves, std::max(moves.size(), node.pods_moved));
}

std::string spare_verdict(const NodesAnswers& answers, const Style& style) {
  const auto& spare = spare_of(answers.asked.front());
  const auto verdict = fmt::format("{} of {} can be removed", spare.nodes_total,
                                   counted(answers.asked.front().answer.asked, "node"));
  return spare.nodes_total == 0 ? style.bad(verdict) + ".\n"
                                : style.good(verdict) + fmt::format("; {}.\n", moves_words(spare.pods_moved));
}

std::string not_tried(const NodesSpare& spare) {
  if (!spare.is_finished) return "The deadline passed before each node was tried.\n";
  return spare.is_largest ? "" : "Not every choice of nodes was tried: another one may be larger.\n";
}

std::string unlisted(const NodesSpare& spare) {
  if (spare.nodes_total <= spare.nodes.size()) return {};
  return fmt::format("{} can be removed after that.\n",
                     counted(spare.nodes_total - spare.nodes.size(), "more node"));
}

// "kubectl cordon n1 n2"; empty: it does not matter.
std::string to_cordon(const NodesSpare& spare) {
  if (!spare.cordon_first) return {};
  std::vector<std::string> names;
  for (const auto& node : spare.nodes)
    if (!node.is_cordoned) names.push_back(node.node);
  if (names.empty()) return {};
  return fmt::format("kubectl cordon {}", fmt::join(names, " "));
}

constexpr auto kFirst = "Nothing was drained. First";

}  // namespace

std::string nodes_verdict(const NodesAnswers& answers, const Style& style) {
  return answers.asked.front().answer.nodes_spare ? spare_verdict(answers, style)
                                                  : wanted_verdict(answers, style);
}

std::string nodes_notes(const NodesAnswers& answers) {
  const auto& first = answers.asked.front();
  const auto not_modelled = not_modelled_line(first.answer.not_modelled);
  if (!first.answer.nodes_spare) {
    const auto& wanted = wanted_of(first);
    return not_placed(wanted) + not_counted(wanted) + not_modelled + to_add(wanted) + to_uncordon(wanted, 0);
  }
  const auto& spare = spare_of(first);
  const auto cordon = to_cordon(spare);
  return not_tried(spare) + unlisted(spare) + not_modelled +
         (cordon.empty() ? "" : fmt::format("{} {}; then drain them in this order.\n", kFirst, cordon));
}

std::string blocked_words(const explain::BlockedNodes& blocked) {
  return words_of_code(blocked.code, blocked.nodes == 1);
}

std::string nodes_wanted_table(const NodesAnswers& answers, const std::vector<NodesSpare>& spare,
                               const Options& options) {
  const auto& wanted = wanted_of(answers.asked.front());
  auto out = wanted_verdict(answers, options.style) + wanted_rows(answers, options) + not_counted(wanted) +
             unasked_lines(answers.unasked, "named") +
             not_modelled_line(answers.asked.front().answer.not_modelled) + to_add(wanted) +
             to_uncordon(wanted, options.columns);
  return spare.empty() || is_of_use(spare.front(), wanted) ? out : out + spare_line(spare.front());
}

std::string nodes_spare_table(const NodesAnswers& answers, const Options& options) {
  const auto& spare = spare_of(answers.asked.front());
  auto out = spare_verdict(answers, options.style) + not_tried(spare);
  std::vector<Cells> rows{{"STEP", "NODE", "MOVE", "WHERE"}};
  for (const auto& node : spare.nodes) {
    rows.push_back(
        {fmt::to_string(rows.size()), node.node, fmt::to_string(node.pods_moved), where_to(answers, node)});
  }
  if (rows.size() > 1)
    out += table(rows, {Align::right, Align::left, Align::right, Align::left}, 2,
                 {options.columns, {{3, 20}, {1, 16}}});
  out += unlisted(spare) + blocked_rows(answers, options) + unasked_lines(answers.unasked, "named") +
         not_modelled_line(answers.asked.front().answer.not_modelled);
  if (spare.nodes.empty()) return out;
  const auto cordon = to_cordon(spare);
  out += cordon.empty()
             ? "Nothing was drained. In this order, each with its command:\n"
             : with_command(kFirst, cordon, "; then each with its command:", "Then each with its command:\n",
                            options.columns);
  std::size_t named = 0;
  for (const auto& node : spare.nodes) {
    if (named++ == kNamedNodes) return out + "  …\n";
    out += fmt::format("  {} drain {}{}\n", options.program, node.node, options.flags);
  }
  return out;
}

int nodes_wanted_exit_code(const NodesAnswers& answers) {
  const auto& answer = answers.asked.front().answer;
  return code_of_fitting(answer.fitting, answer.asked);
}

int nodes_spare_exit_code(const NodesAnswers& answers) {
  return spare_of(answers.asked.front()).nodes_total > 0 ? kAllFit : kNoneFit;
}

}  // namespace podium::render
