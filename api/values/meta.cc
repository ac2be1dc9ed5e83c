#include "api/values/meta.h"

#include <algorithm>

#include "api/values/decimal.h"

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

const OwnerReference* ObjectMeta::controller() const {
  const auto at =
      std::find_if(owners.begin(), owners.end(), [](const auto& owner) { return owner.controller; });
  return at == owners.end() ? nullptr : &*at;
}

std::string_view Requirement::op_text() const {
  switch (op) {
    case Op::in:
      return "In";
    case Op::not_in:
      return "NotIn";
    case Op::exists:
      return "Exists";
    case Op::does_not_exist:
      return "DoesNotExist";
    case Op::gt:
      return "Gt";
    case Op::lt:
      return "Lt";
    case Op::unknown:
      break;
  }
  return "";
}

bool Requirement::matches(const std::string* value) const {
  const auto listed = [&] {
    return is_sorted ? std::ranges::binary_search(values, *value)
                     : std::ranges::find(values, *value) != values.end();
  };
  switch (op) {
    case Op::in:
      return value != nullptr && listed();
    case Op::not_in:
      return value == nullptr || !listed();
    case Op::exists:
      return value != nullptr;
    case Op::does_not_exist:
      return value == nullptr;
    case Op::gt:
    case Op::lt: {
      if (value == nullptr || values.size() != 1) return false;
      const auto have = parse_integer(*value);
      const auto bound = parse_integer(values.front());
      if (!have || !bound) return false;
      return op == Op::gt ? *have > *bound : *have < *bound;
    }
    case Op::unknown:
      return false;
  }
  return false;
}

void Requirement::sort_values() {
  constexpr std::size_t kFew = 16;  // of which a linear search is as fast
  if (values.size() <= kFew) return;
  std::ranges::sort(values);
  is_sorted = true;
}

bool LabelSelector::matches(const Labels& labels) const {
  const auto has_label = [&](const Labels::Entry& entry) {
    const auto* value = labels.find(entry.first);
    return value != nullptr && *value == entry.second;
  };
  const auto holds = [&](const Requirement& requirement) {
    return requirement.matches(labels.find(requirement.key));
  };
  return std::all_of(match_labels.begin(), match_labels.end(), has_label) &&
         std::all_of(match_expressions.begin(), match_expressions.end(), holds);
}

}  // namespace podium::api
