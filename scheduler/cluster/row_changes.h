// RowChanges: which rows of a snapshot have changed last, of all columns that are its members.
//
// Each change has a number that no other change ever has, in this fork or another one. So two states with the
// same last change have equal columns, and other states differ in the rows that changed since the last number
// that both have.
// Owner: a Snapshot, whose thread rule applies. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/cluster/column.h"

namespace podium::cluster {

class RowChanges {
 public:
  void note(Row row);
  // The rows in which the columns of the two states may differ, some more than once; nullopt: any may.
  static std::optional<std::vector<Row>> between(const RowChanges& a, const RowChanges& b);
  // The changes that it knows.
  static constexpr std::size_t kMost = 64;

 private:
  using Number = std::uint64_t;
  struct Change {
    Number number = 0;
    Row row = 0;
  };
  // The number of the change `back` before the last one; 0: the state without changes.
  const Change& back(std::size_t back) const { return changes_[(last_ + kMost - back) % kMost]; }

  std::array<Change, kMost> changes_{};
  std::size_t last_ = 0;   // index into changes_
  std::size_t known_ = 1;  // changes before and with the last one; the first is that without a row
};

}  // namespace podium::cluster
