#include "explain/answer/uncordoning.h"

#include <algorithm>
#include <set>
#include <utility>

#include "explain/answer/changes.h"

namespace podium::explain {
namespace {

using cluster::Row;
using cluster::Snapshot;

constexpr std::size_t kMostLeftOut = 32;

std::vector<Row> cordoned(const Snapshot& base) {
  std::vector<Row> out;
  for (const auto row : base.rows_by_name()) {
    if (base.entry(row).node->unschedulable) out.push_back(row);
  }
  return out;
}

// nullopt: the budget has ended.
std::optional<Places> places_with(const std::vector<Row>& rows, const Waiters& waiters, const Budget& budget,
                                  const Snapshot& base, Places places) {
  auto fork = base;
  for (const auto row : rows) uncordon(row, fork);
  return place_waiters(waiters, budget, places, fork) ? std::optional(std::move(places)) : std::nullopt;
}

// Those of the rows that take pods; empty: fewer than `least` pods have a place.
std::vector<Row> taken_of(std::vector<Row> rows, const Waiters& waiters, std::size_t least,
                          const Budget& budget, const Snapshot& base, const Places& now) {
  const auto places = places_with(rows, waiters, budget, base, now);
  if (!places || count_placed(*places) < least) return {};
  const std::set<std::optional<Row>> taken(places->begin(), places->end());
  std::erase_if(rows, [&](Row row) { return !taken.contains(row); });
  return rows;
}

}  // namespace

Snapshot all_uncordoned(const Snapshot& base) {
  auto fork = base;
  for (const auto row : cordoned(base)) uncordon(row, fork);
  return fork;
}

std::size_t placed_uncordoned(const Waiters& waiters, const Budget& budget, const Snapshot& base,
                              const Places& now) {
  const auto places = places_with(cordoned(base), waiters, budget, base, now);
  return places ? count_placed(*places) : 0;
}

std::vector<Row> cordoned_to_use(const Waiters& waiters, std::size_t least, const Budget& budget,
                                 const Snapshot& base, const Places& now) {
  const auto all = cordoned(base);
  if (all.empty()) return {};
  auto needed = taken_of(all, waiters, least, budget, base, now);
  // Leaves out one node after the other, if the rest is enough. Few trials, since each places pods on a fork.
  std::size_t trials = kMostLeftOut;
  for (std::size_t i = needed.size(); i-- > 0 && trials-- > 0 && has_time(budget);) {
    auto fewer = needed;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (fewer.empty()) continue;
    fewer = taken_of(std::move(fewer), waiters, least, budget, base, now);
    if (!fewer.empty()) needed = std::move(fewer);
    i = std::min(i, needed.size());
  }
  return has_time(budget) ? needed : std::vector<Row>();
}

}  // namespace podium::explain
