// Resources: amounts of resources as integers, as decisions compare them. pod_requests.h makes them.
//
// Source: pkg/scheduler/framework/types.go. Threads: pure functions on values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cow.h"

namespace podium::cluster {

// Amounts by name, sorted. Copies share one list, since a pod's can be long and is kept in several sums.
class ScalarAmounts {
 public:
  using Entry = std::pair<std::string, std::int64_t>;

  ScalarAmounts() = default;
  ScalarAmounts(std::initializer_list<Entry> entries) : ScalarAmounts(std::vector<Entry>(entries)) {}
  explicit ScalarAmounts(std::vector<Entry> entries) {  // in any order
    if (!entries.empty()) entries_ = Cow(sorted(std::move(entries)));
  }

  bool empty() const { return entries_->empty(); }
  std::size_t size() const { return entries_->size(); }
  auto begin() const { return entries_->begin(); }
  auto end() const { return entries_->end(); }
  bool operator==(const ScalarAmounts& other) const {
    return entries_.is(other.entries_) || *entries_ == *other.entries_;
  }

 private:
  static std::vector<Entry> sorted(std::vector<Entry> entries);

  Cow<std::vector<Entry>> entries_;
};

struct Resources {
  static constexpr std::string_view kCpu = "cpu", kMemory = "memory", kEphemeralStorage = "ephemeral-storage";

  std::int64_t milli_cpu = 0, memory = 0, ephemeral_storage = 0;  // thousandths of a core, bytes, bytes
  // Extended resources, hugepages-*, *kubernetes.io/* and attachable-volumes-*: sorted by name, whole units.
  ScalarAmounts scalars;

  std::int64_t scalar(std::string_view name) const;  // 0 if absent
  // cpu, memory, ephemeral-storage or a scalar, by its API name; 0 if absent.
  std::int64_t get(std::string_view name) const;
  bool operator==(const Resources&) const = default;
};

bool is_scalar_resource(std::string_view name);  // stored in Resources::scalars
// A valid domain/name, not of *kubernetes.io and without the quota prefix "requests.".
bool is_extended_resource(std::string_view name);

std::int64_t saturating_add(std::int64_t a, std::int64_t b);
// Wraps around as in Go: a sum of requests can be far below zero if an API server accepts that.
constexpr std::int64_t wrapping_minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

}  // namespace podium::cluster
