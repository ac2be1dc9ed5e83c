#include "simulate/cluster/budgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <utility>

#include "simulate/cluster/cluster.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr const char* kDisruptions = "disruption-controller";
constexpr std::string_view kBudgetNamespaces[] = {"shop", "batch"};
constexpr std::string_view kBudgetApps[] = {"web", "cache", "db"};

}  // namespace

bool covers(const json::value& budget, const json::value& pod) {
  return text_at(budget, "/metadata/namespace") == text_at(pod, "/metadata/namespace") &&
         text_at(budget, "/spec/selector/matchLabels/app") == text_at(pod, "/metadata/labels/app");
}

bool allows_disruption(const json::value& budget) {
  return number_at(budget, "/status/disruptionsAllowed") > 0;
}

Budgets::Budgets(Store& store, Agenda& agenda, Dice dice)
    : store_(store), agenda_(agenda), dice_(dice), pace_(dice_.between(2s, 12s)) {
  store_.on_commit([this](const Commit& commit) { committed(commit); });
}

void Budgets::begin() {
  for (int i = 0; i < 3; ++i) one_act();
  act();
}

void Budgets::act() {
  if (resting_) return;
  one_act();
  agenda_.after(dice_.between(pace_ / 4, pace_ * 2), [this] { act(); });
}

// Creates a budget, or changes its minimum, or deletes it.
void Budgets::one_act() {
  const auto ns = kBudgetNamespaces[dice_.below(2)], app = kBudgetApps[dice_.below(3)];
  const Key key{kBudgets, std::string(ns), std::string(app)};
  const auto least = dice_.below(3);
  const bool deletes = dice_.one_in(4);
  const auto there = store_.find(key);
  if (!there) {
    store_.create(
        key,
        json::parse(fmt::format(R"({{"metadata":{{}},"spec":{{"minAvailable":{},"selector":{{"matchLabels":
            {{"app":"{}"}}}}}},"status":{{"disruptionsAllowed":0}}}})",
                                least, app)),
        kPeople);
    return;
  }
  if (deletes) return store_.remove(key, kPeople);
  auto changed = there->value;
  changed.as_object()["spec"].as_object()["minAvailable"] = static_cast<std::int64_t>(least);
  store_.update(key, std::move(changed), kPeople);
}

// --- the controller ---

void Budgets::committed(const Commit& commit) {
  const bool is_pod = commit.key.plural == "pods";
  if (!is_pod && (commit.key.plural != kBudgets || commit.type == Commit::Type::deleted)) return;
  if (!is_pod && commit.by == kDisruptions) return;
  for (const auto& budget : store_.all(kBudgets, commit.key.ns)) {
    const auto concerns = [&](const StoredPtr& pod) { return pod && covers(budget->value, pod->value); };
    if (is_pod && !concerns(commit.before) && !concerns(commit.after)) continue;
    const Key key{kBudgets, commit.key.ns, text_at(budget->value, "/metadata/name")};
    if (!is_pod && key != commit.key) continue;
    agenda_.after(dice_.between(50ms, 2s), [this, key] { count(key); });
  }
}

// Source: pkg/controller/disruption, countHealthyPods and updatePdbStatus.
void Budgets::count(const Key& key) {
  const auto budget = store_.find(key);
  if (!budget) return;
  std::int64_t healthy = 0;
  for (const auto& pod : store_.all("pods", key.ns)) {
    const bool runs = text_at(pod->value, "/status/phase") == "Running" && !is_leaving(pod->value);
    if (runs && covers(budget->value, pod->value)) ++healthy;
  }
  const auto allowed = std::max<std::int64_t>(0, healthy - number_at(budget->value, "/spec/minAvailable"));
  auto counted = budget->value;
  counted.as_object()["status"] = {{"disruptionsAllowed", allowed}, {"currentHealthy", healthy}};
  store_.update(key, std::move(counted), kDisruptions);
}

}  // namespace podium::simulate
