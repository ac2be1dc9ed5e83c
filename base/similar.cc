#include "base/similar.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
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

std::vector<std::string> similar(std::string_view typed, std::vector<std::string> names) {
  constexpr std::size_t kMistyped = 2;
  std::vector<std::pair<std::size_t, std::string>> near;
  for (auto& name : names) {
    const auto apart = distance(name, typed);
    if (apart <= kMistyped || name.starts_with(typed)) near.emplace_back(apart, std::move(name));
  }
  std::ranges::sort(near);
  std::vector<std::string> out;
  for (auto& each : near) out.push_back(std::move(each.second));
  return out;
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

}  // namespace podium
