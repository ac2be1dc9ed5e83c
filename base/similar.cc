#include "base/similar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

namespace podium {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto replaced = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

namespace {

constexpr std::size_t kMistyped = 2;
constexpr std::size_t kShort = 4;  // letters of a word in which a typing error changes one letter only
constexpr std::size_t kTiny = 2;   // letters of a word that resembles most others of its length

// The distance of two words, or more than kMistyped. Looks at kMistyped letters to either side only, since a
// pod may name a node that does not exist, and is compared with all nodes at each attempt.
std::size_t distance_if_near(std::string_view a, std::string_view b) {
  constexpr auto kFar = kMistyped + 1;
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > kMistyped) return kFar;
  // row[d] is the distance of a's beginning to b's beginning that is d - kMistyped letters longer.
  constexpr std::size_t kWidth = 2 * kMistyped + 1;
  std::array<std::size_t, kWidth> row;
  row.fill(kFar);
  for (std::size_t d = kMistyped; d < kWidth; ++d) row[d] = d - kMistyped;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto least = kFar;
    for (std::size_t d = 0; d < kWidth; ++d) {
      const auto end = i + 1 + d;  // of b's beginning, and kMistyped more
      auto best = kFar;
      if (end >= kMistyped && end - kMistyped <= b.size()) {
        const auto length = end - kMistyped;
        if (length > 0) best = row[d] + (a[i] != b[length - 1]);
        if (d + 1 < kWidth) best = std::min(best, row[d + 1] + 1);
        if (d > 0) best = std::min(best, row[d - 1] + 1);
      }
      row[d] = std::min(best, kFar);
      least = std::min(least, row[d]);
    }
    if (least == kFar) return kFar;
  }
  return row[b.size() + kMistyped - a.size()];
}

// True if the words differ only in the order of two neighbouring letters.
bool is_swapped(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  std::size_t i = 0;
  while (i < a.size() && a[i] == b[i]) ++i;
  return i + 1 < a.size() && a[i] == b[i + 1] && a[i + 1] == b[i] && a.substr(i + 2) == b.substr(i + 2);
}

// Their distance, or nullopt if a typing error does not turn one into the other.
std::optional<std::size_t> distance_if_typo(std::string_view typed, std::string_view name) {
  if (!typed.empty() && typed.size() <= kTiny && !name.starts_with(typed.front())) return std::nullopt;
  const auto apart = is_swapped(typed, name) ? std::size_t{1} : distance_if_near(name, typed);
  return apart <= (typed.size() <= kShort ? std::size_t{1} : kMistyped) ? std::optional(apart) : std::nullopt;
}

}  // namespace

bool is_typo(std::string_view typed, std::string_view name) {
  return distance_if_typo(typed, name).has_value();
}

std::optional<std::size_t> distance_if_similar(std::string_view typed, std::string_view name) {
  if (name.starts_with(typed)) return name.size() - typed.size();
  return distance_if_typo(typed, name);
}

std::vector<std::string> similar(std::string_view typed, std::span<const std::string_view> names,
                                 std::size_t most) {
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const auto name : names) {
    if (const auto apart = distance_if_similar(typed, name)) near.emplace_back(*apart, name);
  }
  most = std::min(most, near.size());
  std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(most));
  std::vector<std::string> out;
  for (const auto& [_, name] : std::span(near).first(most)) out.emplace_back(name);
  return out;
}

std::vector<std::string> similar(std::string_view typed, const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  return similar(typed, views, views.size());
}

std::string listed(const std::vector<std::string>& names, std::size_t most, std::size_t total) {
  total = std::max(total, names.size());
  const auto shown = std::min(names.size(), most);
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == total ? " and " : ", ";
    out += names[i];
  }
  if (shown < total) out += fmt::format("{}{} more", shown ? " and " : "", total - shown);
  return out;
}

std::string suggestion(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  const auto shown = std::min(names.size(), kNamed);
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == shown ? " or " : ", ";
    out += names[i];
  }
  return out.empty() ? out : fmt::format("Did you mean {}?", out);
}

}  // namespace podium
