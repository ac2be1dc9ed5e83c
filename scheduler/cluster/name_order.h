// NameOrder: the rows in the order of their nodes' names, made when first asked for and then shared by all
// copies.
//
// Threads: rows() may be asked on several threads at once; with() and without() make a new order for the one
// writer.
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

  // Sorts the rows of `present` on the first call; every caller passes the same nodes.
  std::span<const Row> rows(const NodeMask& present, const NameOf& name_of);

  // The order after a node came or goes. An order that is being read is edited; one that nobody has asked for
  // lately is made anew when somebody does, so that a thousand nodes that come at once cost one sort.
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
