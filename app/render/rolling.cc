#include "app/render/rolling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/values/quantity.h"
#include "app/render/amounts.h"
#include "app/render/drain.h"
#include "app/render/exit_codes.h"

namespace podium::render {
namespace {

namespace json = boost::json;

constexpr std::size_t kNodesNamed = 4, kPodsNamed = 6, kWarningsNamed = 2, kPodsOfBudgetsNamed = 2,
                      kNamespacesNamed = 3;

// "general-00, -01, -02": the common prefix is printed once.
std::string short_names(const std::vector<std::string>& nodes) {
  std::vector<std::string> out;
  for (const auto& node : nodes) {
    const auto dash = node.rfind('-');
    const bool same =
        !out.empty() && dash != node.npos && dash > 0 && nodes.front().starts_with(node.substr(0, dash + 1));
    out.push_back(same ? node.substr(dash) : node);
  }
  if (out.size() <= kNodesNamed) return fmt::format("{}", fmt::join(out, ", "));
  const auto more = out.size() - kNodesNamed + 1;
  out.resize(kNodesNamed - 1);
  return fmt::format("{} and {} more", fmt::join(out, ", "), more);
}

std::string obstacles_of(const RollingStep& step) {
  auto parts = step.obstacles;
  if (const auto broken = step.change.budgets_broken.value_or(0); broken > parts.size()) {
    const bool is_rest = !parts.empty();
    parts.push_back(counted(broken - parts.size(), is_rest ? "more budget does" : "budget does",
                            is_rest ? "more budgets do" : "budgets do") +
                    " not allow it now");
  }
  const auto& names = step.with_several;
  if (const auto several = std::max(step.change.with_several_budgets, names.size()); several > 0)
    parts.push_back(
        fmt::format("several budgets match {}, so {} not allowed",
                    names.empty() ? counted(several, "pod") : listed(names, kPodsOfBudgetsNamed, several),
                    several == 1 ? "its eviction is" : "their evictions are"));
  if (step.change.pods_preempted > 0)
    parts.push_back(fmt::format("evicts {} of other nodes", counted(step.change.pods_preempted, "pod")));
  if (!step.warnings.empty()) parts.push_back(listed(step.warnings, kWarningsNamed));
  return parts.empty() ? "" : fmt::format("! {}", fmt::join(parts, "; "));
}

std::optional<api::Quantity> spare_cpu(const RollingStep& step) {
  const auto cpu = std::ranges::find(step.change.spare, "cpu", &explain::SpareAmount::resource);
  if (cpu == step.change.spare.end()) return std::nullopt;
  const auto parsed = api::Quantity::parse(cpu->amount);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

// The text of the table's column STEP.
std::string step_name(const Rolling& rolling, std::size_t index) {
  return rolling.steps[index].is_of_spares ? "end" : fmt::to_string(index + 1);
}

std::string least_spare(const Rolling& rolling) {
  std::optional<std::size_t> least;
  for (std::size_t i = 0; i < rolling.steps.size(); ++i) {
    const auto cpu = spare_cpu(rolling.steps[i]);
    if (cpu && (!least || *cpu < *spare_cpu(rolling.steps[*least]))) least = i;
  }
  if (!least) return {};
  std::vector<std::string> amounts;
  for (const auto& [resource, amount] : rolling.steps[*least].change.spare) {
    const auto quantity = api::Quantity::parse(amount);
    // Rounds down, so that it never overstates the spare amount.
    const auto words = quantity ? rounded_down(resource, *quantity) : amount;
    amounts.push_back(fmt::format("{} {}", words, resource));
  }
  const auto when =
      rolling.steps[*least].is_of_spares ? "at the end" : "in step " + step_name(rolling, *least);
  return fmt::format("Least spare {}: {}.", when, fmt::join(amounts, ", "));
}

template <typename Of>
std::size_t sum(const Rolling& rolling, Of of) {
  std::size_t out = 0;
  for (const auto& step : rolling.steps) out += of(step.change);
  return out;
}

std::string not_evaluated(const Rolling& rolling) {
  const auto evaluated = sum(rolling, [](const auto& change) {
    return change.pods_moved.value_or(0) + change.pods_pending.value_or(0) + change.pods_gone;
  });
  const auto others = rolling.evicted() - std::min(rolling.evicted(), evaluated);
  auto out =
      other_schedulers_line(sum(rolling, [](const auto& change) { return change.of_other_schedulers; }));
  if (others > 0)
    out += fmt::format("Not evaluated: {} of another scheduler, or the deadline passed.\n",
                       counted(others, "pod"));
  return out;
}

bool has_unnamed(const RollingStep& step) {
  return !step.is_of_spares && (step.change.budgets_broken.value_or(0) > step.obstacles.size() ||
                                step.change.with_several_budgets > step.with_several.size());
}

// False if no pod moved: then no node takes any.
bool is_fullest_cut(const RollingStep& step) {
  return step.change.fullest.empty() && step.change.pods_moved.value_or(0) > 0;
}

std::string fullest_words(const RollingStep& step) {
  if (step.change.fullest.empty()) return is_fullest_cut(step) ? "not kept" : "-";
  const auto& [node, resource, percent] = step.change.fullest.front();
  return fmt::format("{} {} {}%", node, resource, percent);
}

// Answers are bounded, and this is left out before the counts.
std::string fullest_note(const Rolling& rolling) {
  return std::ranges::any_of(rolling.steps, is_fullest_cut)
             ? "Not kept: the answer has reached its largest size. Fewer steps have their fullest nodes.\n"
             : "";
}

std::string unread_budgets(const Rolling& rolling) {
  if (rolling.budgets_unread.empty() || std::ranges::none_of(rolling.steps, has_unnamed)) return {};
  return fmt::format(
      "You may not list poddisruptionbudgets in {}, so budgets there are counted and not named.\n",
      listed(rolling.budgets_unread, kNamespacesNamed));
}

std::string got_node(const Rolling& rolling) {
  const auto total = rolling.waiting_placed();
  if (total == 0) return {};
  std::vector<std::string> names;
  for (const auto& pod : rolling.got_node)
    names.push_back(fmt::format("{}/{} → {}", pod.ns, pod.name, pod.node));
  const auto words = fmt::format("{} a node during the drain, in the order of the queue",
                                 counted(total, "pending pod gets", "pending pods get"));
  return names.empty() ? words + ". " : fmt::format("{}: {}. ", words, listed(names, kPodsNamed, total));
}

// A pod may wait in several steps, so the numbers of the steps are not added up.
std::string waiting_words(const Rolling& rolling) {
  const auto most = rolling.most_waiting();
  if (rolling.steps_waiting() == 1) return counted(most, "pod") + " would wait at some point";
  const auto at_end = std::ranges::count_if(
      rolling.steps, [](const RollingStep& step) { return step.is_of_spares && step.waiting() > 0; });
  return fmt::format("pods would wait in {}{}, at most {} at a time",
                     counted(rolling.steps_waiting() - static_cast<std::size_t>(at_end), "step"),
                     at_end > 0 ? " and at the end" : "", most);
}

std::string verdict(const Rolling& rolling, const Style& style) {
  if (rolling.steps_waiting() == 0 && rolling.gone() == 0) return style.good("nothing would wait");
  std::vector<std::string> parts;
  if (rolling.steps_waiting() > 0) parts.push_back(waiting_words(rolling));
  if (rolling.gone() > 0)
    parts.push_back(counted(rolling.gone(), "pod") + " without a controller would be lost");
  return style.warn(fmt::format("{}", fmt::join(parts, "; ")));
}

}  // namespace

// An older podium only counts the step's own.
std::size_t RollingStep::waiting() const {
  return std::max(change.pending_so_far, change.pods_pending.value_or(0));
}

std::size_t Rolling::moved() const {
  return sum(*this, [](const auto& change) { return change.pods_moved.value_or(0); });
}

std::size_t Rolling::steps_waiting() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(steps, [](const RollingStep& step) { return step.waiting() > 0; }));
}

std::size_t Rolling::most_waiting() const {
  std::size_t out = 0;
  for (const auto& step : steps) out = std::max(out, step.waiting());
  return out;
}

std::size_t Rolling::gone() const {
  return sum(*this, [](const auto& change) { return change.pods_gone; });
}

std::size_t Rolling::evicted() const {
  return sum(*this, [](const auto& change) { return change.pods_evicted.value_or(0); });
}

std::size_t Rolling::waiting_placed() const {
  return sum(*this, [](const auto& change) { return change.waiting_placed; });
}

const RollingStep* Rolling::worst() const {
  const auto found = std::ranges::max_element(
      steps, {}, [](const RollingStep& step) { return step.change.pods_pending.value_or(0); });
  return found == steps.end() || found->change.pods_pending.value_or(0) == 0 ? nullptr : &*found;
}

std::string rolling_verdict(const Rolling& rolling, const Style& style) {
  std::size_t nodes = 0;
  std::size_t steps = 0;
  for (const auto& step : rolling.steps) {
    nodes += step.is_of_spares ? 0 : step.nodes.size();
    steps += step.is_of_spares ? 0 : 1;
  }
  const auto with =
      rolling.with.count == 0
          ? std::string()
          : fmt::format(", with {} like {}", counted(rolling.with.count, "spare node"), rolling.with.like);
  return fmt::format("{} in {} of {}{}; {}.\n", counted(nodes, "node"), counted(steps, "step"),
                     rolling.at_a_time, with, verdict(rolling, style));
}

std::vector<StepWords> step_words(const Rolling& rolling, const Style& style) {
  std::vector<StepWords> out;
  for (std::size_t i = 0; i < rolling.steps.size(); ++i) {
    const auto& step = rolling.steps[i];
    out.push_back({.name = step_name(rolling, i),
                   .nodes = step.is_of_spares ? "the spare ones" : short_names(step.nodes),
                   .fullest = fullest_words(step)});
    if (const auto marks = obstacles_of(step); !marks.empty()) out.back().marks = style.warn(marks);
  }
  return out;
}

std::string rolling_notes(const Rolling& rolling) {
  const auto got = got_node(rolling), least = least_spare(rolling);
  return fullest_note(rolling) + not_evaluated(rolling) + got + (got.empty() ? "" : "\n") + least +
         (least.empty() ? "" : "\n");
}

std::string rolling_table(const Rolling& rolling, const Options& options) {
  auto out = rolling_verdict(rolling, options.style);
  std::vector<Cells> rows{{"STEP", "NODES", "MOVE", "WAIT", "FULLEST AFTERWARDS"}};
  const auto words = step_words(rolling, options.style);
  for (std::size_t i = 0; i < rolling.steps.size(); ++i) {
    const auto& change = rolling.steps[i].change;
    const auto& [name, nodes, fullest, marks] = words[i];
    auto& row = rows.emplace_back(Cells{name, nodes, fmt::to_string(change.pods_moved.value_or(0)),
                                        fmt::to_string(rolling.steps[i].waiting()), fullest});
    if (!marks.empty()) row.push_back(marks);
  }
  constexpr std::size_t kNodes = 1, kFullest = 4, kMarks = 5;
  out += table(rows, {Align::right, Align::left, Align::right, Align::right, Align::left}, 2,
               {options.columns, {{kMarks, 16}, {kNodes, 16}, {kFullest, 16}}});
  out += fullest_note(rolling) + not_evaluated(rolling) + unread_budgets(rolling);
  auto last = got_node(rolling) + least_spare(rolling);
  if (rolling.spare_nodes > 0)
    last += fmt::format("{}With {} like {}, no pod would wait{}.", last.empty() ? "" : " ",
                        counted(rolling.spare_nodes, "spare node"), rolling.spare_like,
                        !rolling.waits_without_spares ? ""
                        : rolling.spare_nodes == 1    ? " until it is removed"
                                                      : " until they are removed");
  if (!last.empty()) out += wrapped(last, options.columns, 0);
  return out + "Nothing was evicted.\n";
}

json::value rolling_document(const Rolling& rolling) {
  json::array steps;
  for (const auto& step : rolling.steps) {
    json::array fullest, spare, obstacles(step.obstacles.begin(), step.obstacles.end());
    obstacles.insert(obstacles.end(), step.several_words.begin(), step.several_words.end());
    for (const auto& each : step.change.fullest)
      fullest.push_back(
          json::object{{"nodeName", each.node}, {"resource", each.resource}, {"percent", each.percent}});
    for (const auto& each : step.change.spare)
      spare.push_back(json::object{{"resource", each.resource}, {"amount", each.amount}});
    steps.push_back(json::object{{"nodeNames", json::array(step.nodes.begin(), step.nodes.end())},
                                 {"podsEvicted", step.change.pods_evicted.value_or(0)},
                                 {"podsMoved", step.change.pods_moved.value_or(0)},
                                 {"podsPending", step.change.pods_pending.value_or(0)},
                                 {"podsPendingSoFar", step.waiting()},
                                 {"podsGone", step.change.pods_gone},
                                 {"waitingPlaced", step.change.waiting_placed},
                                 {"ofSpareNodes", step.is_of_spares},
                                 {"budgetsBroken", step.change.budgets_broken.value_or(0)},
                                 {"podsPreempted", step.change.pods_preempted},
                                 {"podsWithSeveralBudgets", step.change.with_several_budgets},
                                 {"obstacles", std::move(obstacles)},
                                 {"warnings", json::array(step.warnings.begin(), step.warnings.end())},
                                 {"fullest", std::move(fullest)},
                                 {"spare", std::move(spare)}});
  }
  json::array waiting;
  for (const auto& pod : rolling.got_node)
    waiting.push_back(json::object{
        {"namespace", pod.ns}, {"name", pod.name}, {"nodeName", pod.node}, {"step", pod.step + 1}});
  json::object out{{"podsMoved", rolling.moved()},
                   {"mostPodsPending", rolling.most_waiting()},
                   {"stepsWithPodsPending", rolling.steps_waiting()},
                   {"podsGone", rolling.gone()},
                   {"waitingPlaced", rolling.waiting_placed()},
                   {"waiting", std::move(waiting)},
                   {"steps", std::move(steps)},
                   {"namespacesWithUnreadBudgets",
                    json::array(rolling.budgets_unread.begin(), rolling.budgets_unread.end())}};
  if (rolling.with.count > 0)
    out["withSpareNodes"] = json::object{{"count", rolling.with.count}, {"like", rolling.with.like}};
  if (rolling.spare_nodes > 0)
    out["spareNodes"] = json::object{{"count", rolling.spare_nodes}, {"like", rolling.spare_like}};
  return out;
}

int rolling_exit_code(const Rolling& rolling) {
  if (rolling.steps_waiting() == 0 && rolling.gone() == 0) return kAllFit;
  return rolling.moved() > 0 ? kSomeFit : kNoneFit;
}

}  // namespace podium::render
