#include "scheduler/cluster/label_table.h"

#include <utility>

namespace podium::cluster {

LabelColumn::LabelColumn(std::string key, std::size_t rows) : key_(std::move(key)) {
  of_row_.grow_to(rows);
  interned_.grow_to(limit_);
}

ValueId LabelColumn::find(std::string_view value) const {
  const auto* id = ids_.find(hash_text(value), [&](ValueId known) { return interned_[known].name == value; });
  return id ? *id : kNoValue;
}

ValueId LabelColumn::intern(const std::string& value) {
  auto id = find(value);
  if (id == kNoValue) {
    id = limit_;
    if (free_->empty()) {
      interned_.grow_to(++limit_);
    } else {
      id = free_->back();
      free_.write().pop_back();
    }
    interned_.write(id) = {.name = value, .hash = hash_text(value)};
    ids_.insert(interned_[id].hash, id);
  }
  ++interned_.write(id).nodes;
  return id;
}

void LabelColumn::release(ValueId id) {
  auto& interned = interned_.write(id);
  if (--interned.nodes > 0) return;
  ids_.erase(interned.hash, id);
  interned = {};
  free_.write().push_back(id);
}

void LabelColumn::set(Row row, const std::string* value) {
  const auto before = of_row_[row];
  const auto after = value ? intern(*value) : kNoValue;
  of_row_.set(row, after);
  if (before != kNoValue) release(before);
  nodes_ += (after != kNoValue) - (before != kNoValue);
}

const LabelColumn* LabelTable::find(std::string_view key) const {
  const auto* column = columns_.find(key);
  return column ? &**column : nullptr;
}

void LabelTable::set(Row row, const std::string& key, const std::string* value) {
  auto& column = columns_[key];
  if (column->interned_.chunks() == 0) column = Cow<LabelColumn>(LabelColumn(key, rows_));
  column.write().set(row, value);
  if (column->nodes_ == 0) columns_.erase(key);
}

void LabelTable::set(Row row, const api::Labels& from, const api::Labels& to) {
  for (const auto& [key, value] : from) {
    if (!to.contains(key)) set(row, key, nullptr);
  }
  for (const auto& [key, value] : to) {
    const auto* before = from.find(key);
    if (!before || *before != value) set(row, key, &value);
  }
}

void LabelTable::grow_to(std::size_t rows) {
  if (rows <= rows_) return;
  rows_ = rows;
  columns_.each_for_write(
      [&](const std::string&, Cow<LabelColumn>& column) { column.write().of_row_.grow_to(rows); });
}

}  // namespace podium::cluster
