#include "scheduler/cluster/row_changes.h"

#include <algorithm>
#include <atomic>

namespace podium::cluster {

void RowChanges::note(Row row) {
  static std::atomic<Number> last{0};
  const auto number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  // A row that changes again needs no second place.
  if (back(0).number == 0 || back(0).row != row) {
    last_ = (last_ + 1) % kMost;
    known_ = std::min(known_ + 1, kMost);
  }
  changes_[last_] = {number, row};
}

// Numbers grow along each history. So the larger of two last numbers is of a change that the other state does
// not have.
std::optional<std::vector<Row>> RowChanges::between(const RowChanges& a, const RowChanges& b) {
  std::vector<Row> rows;
  std::size_t of_a = 0, of_b = 0;
  while (of_a < a.known_ && of_b < b.known_) {
    const auto &in_a = a.back(of_a), &in_b = b.back(of_b);
    if (in_a.number == in_b.number) return rows;
    rows.push_back(in_a.number > in_b.number ? in_a.row : in_b.row);
    ++(in_a.number > in_b.number ? of_a : of_b);
  }
  return std::nullopt;
}

}  // namespace podium::cluster
