// A report in which every field of every list (explain/report/fields.h) has a value, for tests that hold for
// all fields, also for those that are added later.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <limits>

#include "explain/report/each_field.h"
#include "explain/report/report.h"

namespace podium::explain {

// What is longer or larger than the CRD allows.
enum class Beyond : std::uint8_t { nothing, texts_and_numbers, lists };

// No two numbers, texts or times are equal, unless they are beyond the CRD.
class Filler {
 public:
  explicit Filler(std::size_t items, Beyond beyond = Beyond::nothing) : items_(items), beyond_(beyond) {}

  template <typename T>
  void fill(T& to, CrdBound bound = {}) {
    if constexpr (IsOptional<T>::value) {
      fill(to.emplace(), bound);
    } else if constexpr (std::same_as<T, framework::Topics>) {
      for (std::size_t topic = 0; topic < std::size(kTopicKeys); ++topic)
        fill(to.emplace_back(static_cast<framework::Topic>(topic), "").second);
    } else if constexpr (ListField<T>) {
      const auto items = beyond_ == Beyond::lists ? bound.items + 1 : items_;
      for (std::size_t i = 0; i < items; ++i) fill(to.emplace_back());
    } else if constexpr (HasFields<T>) {
      each_field<T>([&](const auto& field) { put(to, field); });
    } else if constexpr (std::same_as<T, bool> || std::same_as<T, Truth>) {
      to = true;
    } else if constexpr (std::same_as<T, Wall>) {
      to = Wall(std::chrono::seconds(++last_));
    } else if constexpr (std::same_as<T, std::chrono::nanoseconds>) {
      to = std::chrono::microseconds(++last_);
    } else if constexpr (std::same_as<T, std::string>) {
      to = fmt::format("text-{}", ++last_);
      // Characters of two bytes: a cut may meet the middle of one.
      for (int i = 0; beyond_ == Beyond::texts_and_numbers && i < 20'000; ++i) to += "ü";
    } else {
      static_assert(std::integral<T>);
      to = beyond_ == Beyond::texts_and_numbers ? std::numeric_limits<T>::max() : static_cast<T>(++last_);
    }
  }

 private:
  template <typename T, typename Type>
  void put(T& to, const Field<T, Type>& field) {
    fill(to.*field.member, field.bound);
  }
  template <typename T>
  void put(T& to, const Numeral<T>& field) {
    fill(to.*field.member);
  }
  template <typename T, typename Type>
  void put(T& to, const Counted<T, Type>& field) {
    fill(to.*field.member, field.bound);
    fill(to.*field.total);
    if (beyond_ != Beyond::texts_and_numbers) to.*field.total += (to.*field.member).size();
  }
  template <typename T, typename List>
  void put(T& to, const Group<List>& group) {
    each_field(group, [&](const auto& field) { put(to, field); });
  }
  template <typename T, typename Part>
  void put(T& to, const Inlined<T, Part>& field) {
    fill(to.*field.member);
  }
  template <typename T, typename Result>
  void put(T&, const Derived<T, Result>&) {}
  template <typename T, typename Object>
  void put(T& to, const Rest<T, Object>& field) {
    (to.*field.member)["other"] = ++last_;
  }

  std::size_t items_;  // of a list
  Beyond beyond_;
  std::int64_t last_ = 0;
};

inline ReportStatus filled(std::size_t items, Beyond beyond = Beyond::nothing) {
  ReportStatus status;
  Filler(items, beyond).fill(status);
  return status;
}

}  // namespace podium::explain
