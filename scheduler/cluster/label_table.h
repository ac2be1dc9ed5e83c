// LabelTable: node labels as columns of interned values, one column per label key.
//
// kNoValue (0) means that the node lacks the label. Ids are dense and reused, so a topology count is an
// array indexed by value. A column is removed with the last node that has its key.
// Owner: a Snapshot, whose thread rule applies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta.h"
#include "scheduler/cluster/column.h"
#include "scheduler/cluster/cow_map.h"

namespace podium::cluster {

using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = 0;

class LabelColumn {
 public:
  std::string_view key() const { return key_; }
  const Column<ValueId>& values() const { return of_row_; }
  ValueId value(Row row) const { return of_row_[row]; }
  std::size_t id_limit() const { return limit_; }  // greater than every ValueId
  std::string_view name(ValueId id) const { return interned_[id].name; }
  ValueId find(std::string_view value) const;  // kNoValue if no node has it
  std::uint32_t nodes_with(ValueId id) const { return interned_[id].nodes; }

 private:
  friend class LabelTable;
  struct Interned {
    std::string name;
    std::uint64_t hash = 0;  // of the name
    std::uint32_t nodes = 0;
  };

  LabelColumn() = default;
  LabelColumn(std::string key, std::size_t rows);
  void set(Row row, const std::string* value);  // null removes the label
  ValueId intern(const std::string& value);
  void release(ValueId id);

  std::string key_;
  Column<ValueId> of_row_;
  Column<Interned, 32> interned_;  // small chunks: most keys have few values
  ValueId limit_ = 1;
  std::uint32_t nodes_ = 0;  // nodes that have the label
  Cow<std::vector<ValueId>> free_;
  CowIndex<ValueId> ids_;
  template <typename>
  friend class Cow;
};

class LabelTable {
 public:
  const LabelColumn* find(std::string_view key) const;                // null if no node has the label
  void set(Row row, const api::Labels& from, const api::Labels& to);  // replaces a row's labels
  void grow_to(std::size_t rows);

 private:
  void set(Row row, const std::string& key, const std::string* value);

  CowMap<std::string, Cow<LabelColumn>> columns_;
  std::size_t rows_ = 0;
};

}  // namespace podium::cluster
