#include "scheduler/cluster/label_table.h"

#include <algorithm>
#include <utility>

#include "api/values/labels.h"
#include "base/text_hash.h"

namespace podium::cluster {

ValueId LabelColumn::find(std::string_view value) const {
  const auto has_value = [&](ValueId id) { return nodes_with(id) > 0 && name(id) == value; };
  if (limit_ > kLinearSearch) {
    const auto* id = others_->ids.find(hash_text(value), has_value);
    return id ? *id : kNoValue;
  }
  for (auto id = kFirst; id < limit_; ++id) {
    if (has_value(id)) return id;
  }
  return kNoValue;
}

// A free id, or a new one.
bool LabelColumn::is_unique() const {
  const auto ids = limit_ - kFirst;
  const auto unused = others_->free->size() + (ids > 0 && first_.nodes == 0);
  return ids - unused == nodes_;
}

ValueId LabelColumn::take_id() {
  if (limit_ == kFirst) return ++limit_, kFirst;
  if (first_.nodes == 0) return kFirst;
  auto& others = others_.write();
  if (!others.free->empty()) {
    const auto id = others.free->back();
    others.free.write().pop_back();
    return id;
  }
  others.interned.grow_to(++limit_);
  if (limit_ == kLinearSearch + 1) index();
  return limit_ - 1;
}

// All ids but the newest.
void LabelColumn::index() {
  auto& others = others_.write();
  for (auto id = kFirst; id + 1 < limit_; ++id) {
    if (nodes_with(id) > 0) others.ids.insert(hash_text(name(id)), id);
  }
}

ValueId LabelColumn::intern(const std::string& value) {
  auto id = find(value);
  if (id == kNoValue) {
    id = take_id();
    write(id).name = value;
    if (limit_ > kLinearSearch) others_.write().ids.insert(hash_text(value), id);
  }
  ++write(id).nodes;
  return id;
}

void LabelColumn::release(ValueId id) {
  auto& interned = write(id);
  if (--interned.nodes > 0) return;
  if (limit_ > kLinearSearch) others_.write().ids.erase(hash_text(interned.name), id);
  if (id != kFirst) others_.write().free.write().push_back(id);
  interned = {};
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

std::vector<std::string> LabelTable::keys() const {
  std::vector<std::string> out;
  out.reserve(columns_.size());
  columns_.each([&out](const std::string& key, const Cow<LabelColumn>&) { out.push_back(key); });
  std::ranges::sort(out);
  return out;
}

void LabelTable::set(Row row, const std::string& key, const std::string* value) {
  auto& column = columns_[key];
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

}  // namespace podium::cluster
