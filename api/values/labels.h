// Labels: the labels or the annotations of an object.
//
// Threads: values; safe to share while const.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/values/shared_list.h"

namespace podium::api {

// A sorted vector as a string map: labels are few, and read far more often than written.
class Labels {
 public:
  using Entry = std::pair<std::string, std::string>;

  Labels() = default;
  Labels(std::initializer_list<Entry> entries);
  explicit Labels(std::vector<Entry> entries);  // in any order; of equal keys, the last wins

  const std::string* find(std::string_view key) const;  // null if absent
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  void set(std::string key, std::string value);
  // See SharedList.
  bool share(const Labels& other) { return entries_.share(other.entries_); }
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool operator==(const Labels&) const = default;

 private:
  SharedList<Entry> entries_;  // sorted by key, keys unique
};

}  // namespace podium::api
