// NameOrder: the rows sorted by node name. Sorted on first use, then shared by all copies of a snapshot.
//
// Threads: rows() may be called concurrently; with() and without() return a new order to the one writer.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "scheduler/cluster/node_mask.h"

namespace podium::cluster {

class NameOrder {
 public:
  using NameOf = std::function<std::string_view(Row)>;

  // The first call sorts the rows of `present`; every caller must pass the same nodes.
  std::span<const Row> rows(const NodeMask& present, const NameOf& name_of);

  // The order after a node is added or removed; without() needs a row of the order. Edits an order that is in
  // use. One without reads over the last kUnreadEdits edits is sorted again on demand, so adding a thousand
  // nodes in a row costs one sort.
  std::shared_ptr<NameOrder> with(Row row, const NameOf& name_of) const;
  std::shared_ptr<NameOrder> without(Row row, const NameOf& name_of) const;

 private:
  static constexpr int kUnreadEdits = 16;
  std::shared_ptr<NameOrder> edited(std::vector<Row> rows) const;
  bool worth_editing() const;

  std::once_flag once_;
  std::vector<Row> rows_;
  std::atomic<bool> made_ = false;
  std::atomic<int> unread_edits_ = 0;
};

}  // namespace podium::cluster
