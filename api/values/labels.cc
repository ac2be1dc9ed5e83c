#include "api/values/labels.h"

#include <algorithm>

namespace podium::api {
namespace {

bool key_less(const Labels::Entry& entry, std::string_view key) { return entry.first < key; }

}  // namespace

Labels::Labels(std::initializer_list<Entry> entries) : Labels(std::vector<Entry>(entries)) {}

Labels::Labels(std::vector<Entry> entries) : entries_(std::move(entries)) {
  // Labels from an API server are sorted already.
  const auto before = [](const Entry& a, const Entry& b) { return a.first < b.first; };
  const auto ordered = [](const Entry& a, const Entry& b) { return a.first >= b.first; };
  if (std::adjacent_find(entries_.begin(), entries_.end(), ordered) == entries_.end()) return;
  std::stable_sort(entries_.begin(), entries_.end(), before);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    if (entries_[kept].first != entries_[i].first) ++kept;
    if (kept != i) entries_[kept] = std::move(entries_[i]);
  }
  entries_.resize(kept + 1);
}

const std::string* Labels::find(std::string_view key) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), key, key_less);
  return at != entries_.end() && at->first == key ? &at->second : nullptr;
}

void Labels::set(std::string key, std::string value) {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), std::string_view(key), key_less);
  if (at != entries_.end() && at->first == key) {
    at->second = std::move(value);
  } else {
    entries_.emplace(at, std::move(key), std::move(value));
  }
}

}  // namespace podium::api
