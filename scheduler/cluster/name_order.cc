#include "scheduler/cluster/name_order.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace podium::cluster {

std::span<const Row> NameOrder::rows(const NodeMask& present, const NameOf& name_of) {
  std::call_once(once_, [&] {
    if (made_.load(std::memory_order_relaxed)) return;  // edited() made it before it was shared
    // Stores names next to the rows, so that comparisons need no lookup.
    std::vector<std::pair<std::string_view, Row>> named;
    named.reserve(present.count());
    present.each([&](Row row) { named.emplace_back(name_of(row), row); });
    std::ranges::sort(named);
    rows_.reserve(named.size());
    for (const auto& [name, row] : named) rows_.push_back(row);
    made_.store(true, std::memory_order_release);
  });
  PODIUM_CHECK(rows_.size() == present.count(), rows_.size(), present.count());
  unread_edits_.store(0, std::memory_order_relaxed);
  return rows_;
}

bool NameOrder::worth_editing() const {
  return made_.load(std::memory_order_acquire) &&
         unread_edits_.load(std::memory_order_relaxed) < kUnreadEdits;
}

std::shared_ptr<NameOrder> NameOrder::edited(std::vector<Row> rows) const {
  auto order = std::make_shared<NameOrder>();
  order->rows_ = std::move(rows);
  order->made_.store(true, std::memory_order_relaxed);
  order->unread_edits_.store(unread_edits_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return order;
}

std::shared_ptr<NameOrder> NameOrder::with(Row row, const NameOf& name_of) const {
  if (!worth_editing()) return std::make_shared<NameOrder>();
  auto rows = rows_;
  rows.insert(std::ranges::lower_bound(rows, name_of(row), {}, name_of), row);
  return edited(std::move(rows));
}

std::shared_ptr<NameOrder> NameOrder::without(Row row, const NameOf& name_of) const {
  if (!worth_editing()) return std::make_shared<NameOrder>();
  auto rows = rows_;
  const auto at = std::ranges::lower_bound(rows, name_of(row), {}, name_of);
  PODIUM_CHECK(at != rows.end() && *at == row, row, name_of(row));
  rows.erase(at);
  return edited(std::move(rows));
}

}  // namespace podium::cluster
