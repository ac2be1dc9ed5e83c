// SharedList: a list whose copies share one array until one of them is written.
//
// Pods of a workload have equal lists, and a pod that is placed is a copy. An empty list has no array.
//
// Threads: values; copies may be read and destroyed on any thread. Errors: none.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/cow.h"

namespace podium::api {

template <typename T>
class SharedList {
 public:
  using Items = std::vector<T>;
  using value_type = T;

  SharedList() noexcept = default;
  SharedList(std::initializer_list<T> items) : SharedList(Items(items)) {}
  SharedList(Items items) {  // NOLINT(google-explicit-constructor): is a list
    if (!items.empty()) items_ = Cow<Items>(std::move(items));
  }

  operator const Items&() const { return items(); }  // NOLINT(google-explicit-constructor)
  auto begin() const { return items().begin(); }
  auto end() const { return items().end(); }
  bool empty() const { return items().empty(); }
  std::size_t size() const { return items().size(); }
  const T& operator[](std::size_t i) const { return items()[i]; }
  const T& front() const { return items().front(); }
  const T& back() const { return items().back(); }
  bool operator==(const SharedList& other) const {
    return items_.is(other.items_) || items() == other.items();
  }

  // Copies the array first if other lists have it.
  Items& write() {
    if (!items_.has_value()) items_ = Cow<Items>(Items());
    return items_.write();
  }
  void push_back(T item) { write().push_back(std::move(item)); }
  template <typename... Args>
  T& emplace_back(Args&&... args) {
    return write().emplace_back(std::forward<Args>(args)...);
  }
  void clear() { *this = {}; }
  // Calls change(T&) for each item.
  template <typename Change>
  void change_each(Change change) {
    if (empty()) return;
    for (T& item : write()) change(item);
  }
  // Takes the array of `other` if both are equal. Returns whether they are.
  bool share(const SharedList& other) {
    if (*this != other) return false;
    *this = other;
    return true;
  }

 private:
  const Items& items() const {
    static const Items none;
    return items_.has_value() ? *items_ : none;
  }

  Cow<Items> items_{nullptr};
};

}  // namespace podium::api
