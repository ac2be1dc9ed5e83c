#include "scheduler/plugins/shared/selector_index.h"

#include <algorithm>

namespace podium::plugins {

void SelectorIndex::insert(const api::LabelSelector& selector, std::size_t id) {
  if (!selector.match_labels.empty()) {
    const auto& [key, value] = *selector.match_labels.begin();
    return file(key, value, id);
  }
  // One that lists very many values is compared with each pod instead: to file it takes longer.
  constexpr std::size_t kMostValues = 256;
  const auto in = std::ranges::find_if(selector.match_expressions, [](const api::Requirement& requirement) {
    return requirement.op == api::Requirement::Op::in && requirement.values.size() <= kMostValues;
  });
  if (in == selector.match_expressions.end()) return any_.push_back(id);
  for (const auto& value : in->values) file(in->key, value, id);
}

// A selector may name a value twice.
void SelectorIndex::file(std::string_view key, std::string_view value, std::size_t id) {
  auto& ids = by_label_[{key, value}];
  if (ids.empty() || ids.back() != id) ids.push_back(id);
}

}  // namespace podium::plugins
