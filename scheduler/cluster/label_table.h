// LabelTable: node labels as columns of interned values, one column per label key.
//
// kNoValue (0) means that the node lacks the label. Ids are dense and reused, so a topology count is an
// array indexed by value. A column is removed with the last node that has its key. A key that few nodes have
// costs a few times its bytes.
// Owner: a Snapshot, whose thread rule applies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/cluster/cow_map.h"
#include "scheduler/cluster/rare_column.h"

namespace podium::api {
class Labels;
}

namespace podium::cluster {

using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = 0;

class LabelColumn {
 public:
  const RareColumn<ValueId>& values() const { return of_row_; }
  ValueId value(Row row) const { return of_row_[row]; }
  std::size_t id_limit() const { return limit_; }  // greater than every ValueId
  std::string_view name(ValueId id) const { return of(id).name; }
  ValueId find(std::string_view value) const;  // kNoValue if no node has it
  std::uint32_t nodes_with(ValueId id) const { return of(id).nodes; }
  // True if no two nodes have the same value, as with host names.
  bool is_unique() const;

 private:
  friend class LabelTable;
  struct Interned {
    std::string name;
    std::uint32_t nodes = 0;
  };
  // The values after the first one.
  struct Others {
    Column<Interned, 2> interned;  // by id; small chunks: most keys have few values
    Cow<std::vector<ValueId>> free;
    CowIndex<ValueId> ids;  // empty while a linear search is enough
  };

  void set(Row row, const std::string* value);  // null removes the label
  ValueId intern(const std::string& value);
  ValueId take_id();
  void index();
  void release(ValueId id);
  const Interned& of(ValueId id) const { return id == kFirst ? first_ : others_->interned[id]; }
  Interned& write(ValueId id) { return id == kFirst ? first_ : others_.write().interned.write(id); }

  static constexpr ValueId kFirst = 1, kLinearSearch = 8;  // ids that are searched one by one
  RareColumn<ValueId> of_row_;
  Interned first_;
  Cow<Others> others_;
  ValueId limit_ = kFirst;
  std::uint32_t nodes_ = 0;  // nodes that have the label
};

class LabelTable {
 public:
  const LabelColumn* find(std::string_view key) const;  // null if no node has the label
  std::vector<std::string> keys() const;                // those that nodes have, in order
  // The same; a copy of it keeps the column as it is.
  const Cow<LabelColumn>* box(std::string_view key) const { return columns_.find(key); }
  void set(Row row, const api::Labels& from, const api::Labels& to);  // replaces a row's labels

 private:
  void set(Row row, const std::string& key, const std::string* value);

  CowMap<std::string, Cow<LabelColumn>> columns_;
};

}  // namespace podium::cluster
