// The words of drains as JSON: at the same time, and in steps.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/render/drain.h"
#include "app/render/rolling.h"
#include "app/render/words_json_parts.h"
#include "base/ascii.h"
#include "base/counted.h"
#include "explain/workload/eviction_cost.h"

namespace podium::render {
namespace {

namespace json = boost::json;

constexpr std::size_t kProtectedNamed = 4;

std::string name_in(const std::string& ns, const std::string& name, const std::string& of_question) {
  return (ns.empty() ? of_question : ns) + "/" + name;
}

// "budget shop/web allows 0 disruptions: shop/web-0 and 3 more".
std::string budget_line(const explain::BrokenBudget& budget, const std::string& ns) {
  std::vector<std::string> pods;
  for (const auto& pod : budget.pods) pods.push_back(name_in(budget.ns, pod, ns));
  return fmt::format(
      "{}: {}", explain::budget_words(name_in(budget.ns, budget.name, ns), budget.allowed, budget.pods_total),
      listed(pods, kProtectedNamed, budget.pods_total));
}

// The obstacles to the eviction of each pod.
json::array against(const explain::ChangeResult& change) {
  json::array out;
  bool is_any = false;
  for (const auto& pod : change.pods) {
    auto words = texts(pod.warnings);
    if (!pod.made_room_for.empty()) words.emplace_back("evicted to make room for " + pod.made_room_for);
    is_any = is_any || !words.empty();
    out.push_back(std::move(words));
  }
  return is_any ? out : json::array();
}

Drain drain_of(const explain::ChangeResult& change, const Asked::Change& asked, const std::string& ns) {
  Drain out{.nodes = asked.nodes, .is_failure = asked.is_failure};
  set_numbers(change, out);
  for (const auto& pod : change.waiting)
    out.got_node.push_back(fmt::format("{}/{} → {}", ns, pod.name, pod.node));
  out.budgets_named = change.budgets_total;
  for (const auto& pod : change.pods) {
    NodePod one{.ns = pod.ns.empty() ? ns : pod.ns, .name = pod.name, .scheduler = {}};
    one.answer = pod;
    out.pods.push_back(std::move(one));
  }
  return out;
}

json::object drain_words_json(const explain::ChangeResult& change, const Asked::Change& asked,
                              const std::string& ns) {
  const auto drain = drain_of(change, asked, ns);
  json::object out;
  put(out, "verdict", drain_verdict(drain, {}));
  put(out, "notes", lines_of(drain_notes(drain, change.pods_total.value_or(0))));
  json::array budgets, pods;
  for (const auto& budget : change.budgets) budgets.emplace_back(budget_line(budget, ns));
  if (const auto others = change.budgets_total - change.budgets.size(); others > 0)
    budgets.emplace_back(counted(others, "more budget does", "more budgets do") + " not allow it");
  for (const auto& pod : change.pods) pods.emplace_back(pod.node.empty() ? no_place(pod) : std::string());
  put(out, "budgets", std::move(budgets));
  put(out, "pods", std::move(pods));
  put(out, "against", against(change));
  return out;
}

std::size_t index_of_steps(const Asked& asked) {
  return static_cast<std::size_t>(std::ranges::find(asked.changes, true, &Asked::Change::then_uncordon) -
                                  asked.changes.begin());
}

}  // namespace

json::array lines_of(std::string_view text) {
  const auto lines = split_without_empty(text, "\n");
  return json::array(lines.begin(), lines.end());
}

json::array texts(const std::vector<std::string>& words) { return json::array(words.begin(), words.end()); }

void put(json::object& out, const char* name, std::string words) {
  while (words.ends_with('\n')) words.pop_back();
  if (!words.empty()) out[name] = std::move(words);
}

void put(json::object& out, const char* name, json::array words) {
  if (!words.empty()) out[name] = std::move(words);
}

json::array change_words_json(const std::vector<explain::ChangeResult>& changes, const std::string& ns,
                              const Asked& asked) {
  json::array out;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const bool is_drain = i < asked.changes.size() && asked.changes[i].is_drain && changes[i].pods_evicted;
    out.push_back(is_drain ? drain_words_json(changes[i], asked.changes[i], ns) : json::object());
  }
  return out;
}

json::object rolling_words_json(const std::vector<explain::ChangeResult>& changes, const std::string& ns,
                                const Asked& asked) {
  const auto first = index_of_steps(asked);
  if (first >= changes.size() || changes.size() != asked.changes.size()) return {};
  Rolling rolling{.at_a_time = asked.changes[first].nodes.size()};
  if (first > 0 && asked.changes[first - 1].added > 0)
    rolling.with = {asked.changes[first - 1].added, asked.changes[first - 1].like};
  for (std::size_t i = first; i < changes.size(); ++i) {
    if (!asked.changes[i].is_drain) return {};
    RollingStep step{.nodes = asked.changes[i].nodes, .change = changes[i]};
    step.is_of_spares = !asked.changes[i].then_uncordon;
    for (const auto& budget : changes[i].budgets)
      step.obstacles.push_back(
          explain::budget_words(name_in(budget.ns, budget.name, ns), budget.allowed, budget.pods_total));
    for (const auto& pod : changes[i].waiting)
      rolling.got_node.push_back({ns, pod.name, pod.node, i - first});
    rolling.steps.push_back(std::move(step));
  }
  json::array steps;
  for (const auto& step : step_words(rolling, {})) {
    json::object one{{"name", step.name}, {"nodes", step.nodes}, {"fullest", step.fullest}};
    put(one, "marks", step.marks);
    steps.push_back(std::move(one));
  }
  json::object out{{"steps", std::move(steps)}};
  put(out, "verdict", rolling_verdict(rolling, {}));
  put(out, "notes", lines_of(rolling_notes(rolling)));
  return out;
}

}  // namespace podium::render
