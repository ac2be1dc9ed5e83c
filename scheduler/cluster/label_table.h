// LabelTable: node labels as columns of interned values, one column a label key.
//
// Value 0 means the node has no such label. Ids are dense and reused, so a topology count is an array indexed by value.
// Threads: part of a Snapshot, with its rules.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "scheduler/cluster/column.h"

namespace podium::cluster {

using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = 0;

class LabelColumn {
 public:
  std::string_view key() const { return key_; }
  const Column<ValueId>& values() const { return of_row_; }
  ValueId value(Row row) const { return of_row_[row]; }
  std::size_t id_limit() const { return names_.size(); }  // every ValueId is below this
  std::string_view name(ValueId id) const { return names_[id]; }
  ValueId find(std::string_view value) const;             // kNoValue where no node has it
  std::uint32_t nodes_with(ValueId id) const { return nodes_[id]; }

 private:
  friend class LabelTable;
  std::string key_;
  Column<ValueId> of_row_;
  std::vector<std::string> names_{""};
  std::vector<std::uint32_t> nodes_{0};
  std::vector<ValueId> free_;
  boost::unordered_flat_map<std::string, ValueId> ids_;
};

class LabelTable {
 public:
  const LabelColumn* find(std::string_view key) const;  // null where no node ever had the label
  void set(Row row, const api::Labels& from, const api::Labels& to);  // relabels a row
  void grow_to(std::size_t rows);

 private:
  std::vector<Cow<LabelColumn>> columns_;
  boost::unordered_flat_map<std::string, std::uint32_t> by_key_;
  std::size_t rows_ = 0;
};

}  // namespace podium::cluster
