#include "simulate/observers/budget_observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "simulate/cluster/budgets.h"
#include "simulate/cluster/rules.h"

namespace podium::simulate {
namespace {

// The victim of a mark or of a deletion; null: the request evicts no pod.
const cluster::PodInfoPtr* victim_of(const cluster::Snapshot& snapshot, const client::Request& request) {
  if (request.target.find("/pods/") == std::string::npos) return nullptr;
  const bool evicts =
      request.method == "DELETE" || find_words(request.body, "\"DisruptionTarget\"") != std::string::npos;
  static constexpr std::string_view kUid = R"("uid":")";
  const auto at = find_words(request.body, kUid);
  if (!evicts || at == std::string::npos) return nullptr;
  const auto rest = std::string_view(request.body).substr(at + kUid.size());
  return snapshot.find_pod(rest.substr(0, rest.find('"')));
}

std::string app_of(const api::Pod& pod) {
  const auto* app = pod.meta.labels.find("app");
  return app ? *app : std::string();
}

bool has_rules(const api::Pod& pod) { return !neighbour_of(pod).rules.empty(); }

bool opposes(const api::Pod& one, const api::Pod& other) {
  if (one.meta.namespace_ != other.meta.namespace_) return false;
  const auto rules = neighbour_of(one).rules;
  return std::ranges::any_of(rules, [&](const Rule& rule) {
    return rule.kind == Rule::Kind::anti_affinity && rule.app == app_of(other);
  });
}

}  // namespace

void BudgetObserver::committed(const Commit& commit) {
  history_.committed(commit);
  if (commit.key.plural == kBudgets)
    covered_.insert(commit.key.ns + "/" + text_at(commit.after->value, "/spec/selector/matchLabels/app"));
}

// Or had one, which the engine may still see.
bool BudgetObserver::may_have_budget(const api::Pod& pod) const {
  return covered_.contains(pod.meta.namespace_ + "/" + app_of(pod));
}

void BudgetObserver::note_nominations(const std::string& engine, const cluster::Snapshot& snapshot) {
  auto& known = nominated_[engine];
  std::map<std::string, Steady> now;
  for (const auto& nomination : snapshot.nominations()) {
    const auto key = nomination.pod->pod->meta.uid + nomination.node;
    const auto before = known.find(key);
    now[key] = before == known.end() ? agenda_.now() : before->second;
  }
  known = std::move(now);
}

// A budget that the victim's eviction breaks in each of its versions that the engine may know.
StoredPtr BudgetObserver::broken_budget(const std::string& engine, const cluster::PodInfo& victim) const {
  for (const auto& budget : store_.all(kBudgets, victim->meta.namespace_)) {
    if (text_at(budget->value, "/spec/selector/matchLabels/app") != app_of(*victim)) continue;
    const auto uid = uid_of(budget->value);
    const auto read = history_.last_read(engine, uid);
    if (!read || *read == agenda_.now()) continue;
    const auto versions = history_.possible(uid, engine, agenda_.now());
    if (std::ranges::none_of(versions, [](const auto& one) { return allows_disruption(one->value); }))
      return budget;
  }
  return nullptr;
}

// True if the preemptor fits on the node only after its pods leave that have a lower priority and no budget.
bool BudgetObserver::is_better(const cluster::Snapshot& snapshot, cluster::Row row,
                               const cluster::PodInfo& preemptor) const {
  const auto& entry = snapshot.entry(row);
  if (entry.node->unschedulable) return false;
  for (const auto& [key, value] : preemptor->node_selector) {
    const auto* label = entry.node->meta.labels.find(key);
    if (!label || *label != value) return false;
  }
  struct Use {
    std::int64_t cpu = 0, pods = 1;
  };
  const auto fits = [&](const Use& use) {
    return use.cpu <= snapshot.allocatable_milli_cpu[row] && use.pods <= snapshot.allocatable_pods[row];
  };
  Use all{.cpu = preemptor.requests.milli_cpu}, left = all;
  for (const auto& pod : entry.pods) {
    all.cpu += pod->requests.milli_cpu;
    ++all.pods;
    if (pod->priority < preemptor.priority && !may_have_budget(**pod)) continue;
    left.cpu += pod->requests.milli_cpu;
    ++left.pods;
  }
  return fits(left) && !fits(all);
}

BudgetObserver::Broken BudgetObserver::begins(const std::string& engine, const cluster::Snapshot& snapshot,
                                              const client::Request& request) {
  note_nominations(engine, snapshot);
  const auto* victim = victim_of(snapshot, request);
  if (!victim) return std::nullopt;
  const auto& node = (**victim)->node_name;
  const cluster::Snapshot::Nomination* preemptor = nullptr;
  for (const auto& nomination : snapshot.nominations()) {
    if (nomination.node != node) continue;
    if (preemptor) return std::nullopt;  // it is not known for which one
    preemptor = &nomination;
  }
  if (!preemptor || preemptor->pod->priority <= (*victim)->priority || has_rules(**preemptor->pod))
    return std::nullopt;
  if (nominated_[engine][preemptor->pod->pod->meta.uid + node] != agenda_.now()) return std::nullopt;
  const auto budget = broken_budget(engine, **victim);
  if (!budget) return std::nullopt;
  bool is_opposed = false;
  snapshot.each_pod(
      [&](const cluster::PodInfoPtr& pod) { is_opposed = is_opposed || opposes(**pod, **preemptor->pod); });
  if (is_opposed) return std::nullopt;
  for (const auto row : snapshot.rows_by_name()) {
    const auto name = snapshot.node_name(row);
    const auto is_there = [&](const auto& nomination) { return nomination.node == name; };
    if (name == node || std::ranges::any_of(snapshot.nominations(), is_there)) continue;
    if (is_better(snapshot, row, *preemptor->pod))
      return fmt::format("{} evicts {} for {}, against the budget {}, and on {} it would not need to", engine,
                         (**victim)->full_name(), (*preemptor->pod)->full_name(), full_name(budget->value),
                         name);
  }
  return std::nullopt;
}

}  // namespace podium::simulate
