#include "api/values/labels.h"

#include <algorithm>

namespace podium::api {

Labels::Labels(std::initializer_list<Entry> entries) : Labels(std::vector<Entry>(entries)) {}

Labels::Labels(std::vector<Entry> entries) {
  if (entries.empty()) return;
  // Labels from an API server are sorted already.
  const auto before = [](const Entry& a, const Entry& b) { return a.first < b.first; };
  if (!std::is_sorted(entries.begin(), entries.end(), before)) {
    std::stable_sort(entries.begin(), entries.end(), before);
  }
  std::vector<std::string> keys;
  Lists lists;
  keys.reserve(entries.size());
  lists.values.reserve(entries.size());
  for (auto& [key, value] : entries) {
    if (!keys.empty() && keys.back() == key) {
      lists.values.back() = std::move(value);
    } else {
      keys.push_back(std::move(key));
      lists.values.push_back(std::move(value));
    }
  }
  lists.keys = std::move(keys);
  lists_ = Cow(std::move(lists));
}

const Labels::Lists& Labels::lists() const {
  static const Lists none;
  return lists_.has_value() ? *lists_ : none;
}

const std::string* Labels::find(std::string_view key) const {
  const auto& [keys, values] = lists();
  const auto at = std::ranges::lower_bound(keys, key);
  return at != keys.end() && *at == key ? &values[static_cast<std::size_t>(at - keys.begin())] : nullptr;
}

bool Labels::contains_all(const Labels& others) const {
  return std::ranges::all_of(others, [this](const Label& label) {
    const auto* value = find(label.first);
    return value && *value == label.second;
  });
}

void Labels::set(std::string key, std::string value) {
  if (!lists_.has_value()) lists_ = Cow(Lists());
  auto& [keys, values] = lists_.write();
  const auto at = std::ranges::lower_bound(keys, key) - keys.begin();
  if (at < std::ssize(values) && keys[static_cast<std::size_t>(at)] == key) {
    values[static_cast<std::size_t>(at)] = std::move(value);
  } else {
    auto& all = keys.write();
    all.insert(all.begin() + at, std::move(key));
    values.insert(values.begin() + at, std::move(value));
  }
}

bool Labels::share(const Labels& other) {
  if (*this == other) {
    *this = other;
    return true;
  }
  // Writing would take it away from the copies, which save more than the keys.
  if (lists_.has_value() && !lists_.shared() && keys() == other.keys())
    lists_.write().keys = other.lists().keys;
  return false;
}

}  // namespace podium::api
