// heap_bytes(): the memory that a value owns in addition to its own size: its texts, lists and maps, and the
// structs in them. Visits structs field by field (Boost.PFR), so that no field is forgotten.
//
// Does not count the target of a shared_ptr, which has other owners, nor the overhead of the allocator and of
// map nodes.
// Threads: a pure function. Errors: none.
#pragma once

#include <boost/pfr.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace podium {

namespace detail {

// All functions are in one struct, so that each can call all the others.
struct HeapBytes {
  static std::size_t of(const std::string& text) {
    return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
  }
  template <typename T>
  static std::size_t of(const std::vector<T>& list) {
    return (list.capacity() - list.size()) * sizeof(T) + of_items(list);
  }
  template <typename T>
  static std::size_t of(const std::optional<T>& value) {
    return value ? of(*value) : 0;
  }
  template <typename A, typename B>
  static std::size_t of(const std::pair<A, B>& pair) {
    return of(pair.first) + of(pair.second);
  }
  template <typename... T>
  static std::size_t of(const std::variant<T...>& value) {
    return std::visit([](const auto& held) { return of(held); }, value);
  }
  template <typename T>
  static std::size_t of(const std::shared_ptr<T>&) {
    return 0;
  }
  template <typename T>
  static std::size_t of(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      return 0;
    } else if constexpr (requires { static_cast<bool>(value), *value, value.operator->(); }) {
      return value ? sizeof *value + of(*value) : 0;
    } else if constexpr (std::ranges::range<T>) {
      return of_items(value);
    } else {
      std::size_t sum = 0;
      boost::pfr::for_each_field(value, [&sum](const auto& field) { sum += of(field); });
      return sum;
    }
  }

 private:
  template <typename T>
  static std::size_t size_of(const T& item) {
    return sizeof item;
  }
  // An item of a map that keeps its keys and values in two lists, as api::Labels does.
  template <typename A, typename B>
  static std::size_t size_of(const std::pair<const A&, const B&>&) {
    return sizeof(A) + sizeof(B);
  }
  template <typename Range>
  static std::size_t of_items(const Range& items) {
    std::size_t sum = 0;
    for (const auto& item : items) sum += size_of(item) + of(item);
    return sum;
  }
};

}  // namespace detail

template <typename T>
std::size_t heap_bytes(const T& value) {
  return detail::HeapBytes::of(value);
}

}  // namespace podium
