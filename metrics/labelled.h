// Labelled: a metric family whose members are looked up by label values. Avoids building a label
// map per call.
//
// Threads: one at a time. The metrics themselves are thread-safe. The Family outlives this.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text_hash.h"

namespace podium::metrics {

template <typename T, typename... Arguments>
class Labelled {
 public:
  Labelled(prometheus::Family<T>& family, std::vector<std::string> names, Arguments... arguments)
      : family_(family), names_(std::move(names)), arguments_(std::move(arguments)...) {}

  // One value per label name, in the order of `names`. Creates the member on first use; it
  // is never removed.
  template <typename... Values>
  T& with(const Values&... values) {
    key_.clear();
    ((key_.append(values), key_.push_back('\0')), ...);
    if (const auto it = known_.find(key_); it != known_.end()) return *it->second;
    PODIUM_CHECK(sizeof...(values) == names_.size(), sizeof...(values), names_.size());
    prometheus::Labels labels;
    std::size_t i = 0;
    ((labels[names_[i++]] = std::string(values)), ...);
    auto& made = std::apply([&](const auto&... arguments) -> T& { return family_.Add(labels, arguments...); },
                            arguments_);
    known_.emplace(key_, &made);
    return made;
  }

 private:
  prometheus::Family<T>& family_;
  const std::vector<std::string> names_;
  const std::tuple<Arguments...> arguments_;
  boost::unordered_flat_map<std::string, T*, TextHash> known_;
  std::string key_;
};

using Counters = Labelled<prometheus::Counter>;
using Gauges = Labelled<prometheus::Gauge>;
using Histograms = Labelled<prometheus::Histogram, prometheus::Histogram::BucketBoundaries>;

}  // namespace podium::metrics
