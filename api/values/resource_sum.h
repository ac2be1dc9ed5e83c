// ResourceSum: a resource list while it is summed; Initialisation: what a pod's init containers need.
//
// Pods list a handful of resources, but may list tens of thousands in as many containers. So each operation
// costs what it is given, not what the list already has.
// Threads: values. Errors: none.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "api/values/resource_list.h"

namespace podium::api {

// Names point into the lists that are added, which must outlive it. A handful of entries are searched one by
// one, more in a tree: anyone can write thousands of names that have the same hash. A resource that is listed
// with 0 counts as listed.
class ResourceSum {
 public:
  ResourceSum() = default;
  explicit ResourceSum(const ResourceList& list) { entries_.assign(list.begin(), list.end()); }

  bool has(std::string_view name) { return find(name) != nullptr; }
  void set(std::string_view name, Quantity amount) { slot(name) = amount; }
  void add(std::string_view name, Quantity amount) {
    auto& sum = slot(name);
    sum = sum + amount;
  }
  template <typename List>
  void add(const List& other) {
    for (const auto& [name, amount] : other) add(name, amount);
  }
  void max(std::string_view name, Quantity amount) {
    if (const auto* mine = find(name); !mine || *mine < amount) set(name, amount);
  }
  template <typename List>
  void max(const List& other) {
    for (const auto& [name, amount] : other) max(name, amount);
  }
  Quantity get(std::string_view name) {
    const auto* amount = find(name);
    return amount ? *amount : Quantity();
  }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  ResourceList list() const;  // sorted

 private:
  static constexpr std::size_t kLinearSearch = 16;

  Quantity* find(std::string_view name) {
    if (entries_.size() > kLinearSearch) return find_of_many(name);
    for (auto& entry : entries_)
      if (entry.first == name) return &entry.second;
    return nullptr;
  }
  Quantity* find_of_many(std::string_view name);
  Quantity& slot(std::string_view name) {
    if (auto* amount = find(name)) return *amount;
    return entries_.emplace_back(name, Quantity()).second;
  }

  boost::container::small_vector<std::pair<std::string_view, Quantity>, 6> entries_;
  std::map<std::string_view, std::size_t> places_;  // of the first entries
};

// The peak while a pod's init containers run, each with the sidecars listed before it. An init container
// costs its own list and what sidecars have added since the last one, not all that sidecars ask for.
class Initialisation {
 public:
  void add_sidecar(const ResourceSum& amounts);
  void add(ResourceSum& amounts);
  const ResourceSum& peak() const { return peak_; }

 private:
  using Names = std::set<std::string_view>;

  ResourceSum sidecars_, peak_;
  Names news_;  // what sidecars ask for and whose sum alone is not in peak_
};

}  // namespace podium::api
