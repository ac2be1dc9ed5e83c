// SelectorIndex: finds, among many label selectors, those that may match a set of labels.
//
// A selector that requires a value of a label is filed under that label and value, any other under "any". So
// a pod that few selectors select is compared with few.
// Owner: anyone; the selectors must outlive it. Threads: const members may be called concurrently.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "api/values/selector.h"
#include "base/text_hash.h"

namespace podium::plugins {

class SelectorIndex {
 public:
  // Ids are inserted in ascending order.
  void insert(const api::LabelSelector& selector, std::size_t id);

  // Calls f(id) for each selector that may match, once; the caller matches it.
  template <typename F>
  void each_candidate(const api::Labels& labels, F&& f) const {
    for (const auto id : any_) f(id);
    if (by_label_.empty()) return;
    for (const auto& [key, value] : labels) {
      const auto it = by_label_.find({key, value});
      if (it == by_label_.end()) continue;
      for (const auto id : it->second) f(id);
    }
  }

 private:
  void file(std::string_view key, std::string_view value, std::size_t id);

  boost::unordered_flat_map<std::pair<std::string_view, std::string_view>, std::vector<std::size_t>,
                            TextPairHash>
      by_label_;
  std::vector<std::size_t> any_;
};

}  // namespace podium::plugins
