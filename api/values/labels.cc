#include "api/values/labels.h"

#include <algorithm>

namespace podium::api {
namespace {

bool key_less(const Labels::Entry& entry, std::string_view key) { return entry.first < key; }

}  // namespace

Labels::Labels(std::initializer_list<Entry> entries) : Labels(std::vector<Entry>(entries)) {}

Labels::Labels(std::vector<Entry> entries) {
  // Labels from an API server are sorted already.
  const auto before = [](const Entry& a, const Entry& b) { return a.first < b.first; };
  const auto ordered = [](const Entry& a, const Entry& b) { return a.first >= b.first; };
  if (std::adjacent_find(entries.begin(), entries.end(), ordered) != entries.end()) {
    std::stable_sort(entries.begin(), entries.end(), before);
    std::size_t kept = 0;
    for (std::size_t i = 1; i < entries.size(); ++i) {
      if (entries[kept].first != entries[i].first) ++kept;
      if (kept != i) entries[kept] = std::move(entries[i]);
    }
    entries.resize(kept + 1);
  }
  entries_ = std::move(entries);
}

const std::string* Labels::find(std::string_view key) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), key, key_less);
  return at != entries_.end() && at->first == key ? &at->second : nullptr;
}

void Labels::set(std::string key, std::string value) {
  auto& entries = entries_.write();
  const auto at = std::lower_bound(entries.begin(), entries.end(), std::string_view(key), key_less);
  if (at != entries.end() && at->first == key) {
    at->second = std::move(value);
  } else {
    entries.emplace(at, std::move(key), std::move(value));
  }
}

}  // namespace podium::api
