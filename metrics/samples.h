// Samples: metrics of one collection whose values their parts hold. A part adds its metrics here, with name,
// help and value in one place. docs/metrics.md is made from the same text.
//
// Metrics that are counted as things happen are in families.h.
//
// Owner: the collector. Threads: one; a value. Errors: none.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/check.h"

namespace podium::metrics {

class Family {
 public:
  enum class Type : std::uint8_t { counter, gauge };
  struct Series {
    std::vector<std::string> label_values;  // as `labels`
    double value = 0;
  };

  Family(Type type, const char* name, const char* help, std::vector<std::string> labels)
      : type_(type), name_(name), help_(help), labels_(std::move(labels)) {}

  // Requires as many label values as labels. A family may have no series.
  template <typename Number>
  void add(std::vector<std::string> label_values, Number value) {
    PODIUM_CHECK(label_values.size() == labels_.size(), name_, label_values.size(), labels_.size());
    series_.push_back({std::move(label_values), static_cast<double>(value)});
  }

  Type type() const { return type_; }
  const char* name() const { return name_; }
  const char* help() const { return help_; }
  const std::vector<std::string>& labels() const { return labels_; }
  const std::vector<Series>& series() const { return series_; }

 private:
  Type type_;
  const char* name_;
  const char* help_;  // a sentence; `code` in backquotes
  std::vector<std::string> labels_;
  std::vector<Series> series_;
};

class Samples {
 public:
  // A metric with one series and no labels. A counter's value never falls while the process lives.
  template <typename Number>
  void counter(const char* name, const char* help, Number value) {
    counters(name, help, {}).add({}, value);
  }
  template <typename Number>
  void gauge(const char* name, const char* help, Number value) {
    gauges(name, help, {}).add({}, value);
  }
  // The caller adds the series. The reference stays valid.
  Family& counters(const char* name, const char* help, std::vector<std::string> labels) {
    return families_.emplace_back(Family::Type::counter, name, help, std::move(labels));
  }
  Family& gauges(const char* name, const char* help, std::vector<std::string> labels) {
    return families_.emplace_back(Family::Type::gauge, name, help, std::move(labels));
  }

  const std::deque<Family>& families() const { return families_; }

 private:
  std::deque<Family> families_;
};

}  // namespace podium::metrics
