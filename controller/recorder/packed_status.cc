#include "controller/recorder/packed_status.h"

#include <algorithm>
#include <array>
#include <boost/pfr.hpp>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "scheduler/framework/plugin_names.h"

namespace podium::controller {
namespace {

template <typename T>
struct IsTime : std::false_type {};
template <typename Rep, typename Period>
struct IsTime<std::chrono::duration<Rep, Period>> : std::true_type {};
template <typename Clock, typename Duration>
struct IsTime<std::chrono::time_point<Clock, Duration>> : std::true_type {};

template <typename T>
constexpr bool kIsNumber = std::is_integral_v<T> || std::is_enum_v<T>;
// A class with a constructor that can still be copied as bytes, such as a time.
template <typename T>
constexpr bool kIsBytes = std::is_trivially_copyable_v<T> && !std::is_aggregate_v<T>;

// Texts of most reports: they take a byte from the first time on.
constexpr auto kCommonTexts = std::to_array<std::string_view>({
    "",
    "default-scheduler",
    "Complete",
    "Scheduled",
    "Unschedulable",
    framework::names::kNodeAffinity,
    framework::names::kTaintToleration,
    framework::names::kNodeResourcesFit,
    framework::names::kNodeResourcesBalancedAllocation,
    framework::names::kVolumeBinding,
    framework::names::kDynamicResources,
    framework::names::kPodTopologySpread,
    framework::names::kInterPodAffinity,
    framework::names::kImageLocality,
});

// The common texts and those that have occurred, in their order. Both sides stop at the same one.
constexpr std::size_t kMostTexts = 112;

// How many bytes a new text has in common with the new text before it. Names of nodes begin alike.
std::size_t common_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

class Texts {
 public:
  std::size_t size() const { return size_; }
  // Its number; nullopt: it is new, and is added if there is room.
  std::optional<std::size_t> find_or_add(std::string_view text) {
    auto slot = std::hash<std::string_view>()(text) % slots_.size();
    for (; slots_[slot] != 0; slot = (slot + 1) % slots_.size()) {
      if (texts_[slots_[slot] - 1] == text) return slots_[slot] - 1;
    }
    if (size_ == kMostTexts) return std::nullopt;
    texts_[size_++] = text;
    slots_[slot] = static_cast<std::uint8_t>(size_);
    return std::nullopt;
  }

  static Texts common() {
    Texts texts;
    for (const auto text : kCommonTexts) texts.find_or_add(text);
    return texts;
  }

 private:
  std::array<std::string_view, kMostTexts> texts_;
  std::array<std::uint8_t, 256> slots_{};
  std::size_t size_ = 0;
};

class Packer {
 public:
  std::string take() { return std::string(out_); }  // without the room for more

  void add(const std::string& text) {
    if (const auto known = texts_.find_or_add(text)) return add_number(*known + 1);
    const auto prefix = common_prefix(text, last_);
    add_number(0);
    add_number(prefix);
    add_number(text.size() - prefix);
    out_.append(text, prefix);
    last_ = text;
  }
  template <typename T>
  void add(const std::vector<T>& list) {
    add_number(list.size());
    for (const auto& one : list) add(one);
  }
  template <typename A, typename B>
  void add(const std::pair<A, B>& pair) {
    add(pair.first);
    add(pair.second);
  }
  template <typename T>
  void add(const std::optional<T>& value) {
    add_number(value.has_value());
    if (value) add(*value);
  }
  void add(const std::optional<explain::ReportAnswer>& answer) {
    PODIUM_CHECK(!answer, "a decision has no answer");
  }
  template <typename T>
  void add(const T& value) {
    if constexpr (kIsNumber<T>) {
      add_signed(static_cast<std::int64_t>(value));
    } else if constexpr (IsTime<T>::value) {
      add_time(value);
    } else if constexpr (kIsBytes<T>) {
      out_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      boost::pfr::for_each_field(value, [this](const auto& field) { add(field); });
    }
  }

 private:
  template <typename Rep, typename Period>
  void add_time(std::chrono::duration<Rep, Period> time) {
    add_signed(time.count());
  }
  template <typename Clock, typename Duration>
  void add_time(std::chrono::time_point<Clock, Duration> time) {
    add_signed(time.time_since_epoch().count());
  }
  // Small numbers of either sign take one byte.
  void add_signed(std::int64_t number) {
    add_number(static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63));
  }
  void add_number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) out_ += static_cast<char>(number | 0x80);
    out_ += static_cast<char>(number);
  }

  static const Texts& common() {
    static const Texts texts = Texts::common();
    return texts;
  }

  std::string out_;
  Texts texts_ = common();
  std::string_view last_;  // the last new text
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view in) : in_(in) {}

  void take(std::string& text) {
    if (const auto known = take_number()) {
      const auto number = static_cast<std::size_t>(known - 1);
      if (number < kCommonTexts.size())
        text = kCommonTexts[number];
      else
        text = *texts_[number - kCommonTexts.size()];
      return;
    }
    const auto prefix = static_cast<std::size_t>(take_number());
    const auto size = static_cast<std::size_t>(take_number());
    text.assign(last_ ? std::string_view(*last_).substr(0, prefix) : std::string_view());
    text.append(in_.substr(0, size));
    in_.remove_prefix(size);
    last_ = &text;
    if (size_ < texts_.size()) texts_[size_++] = &text;
  }
  template <typename T>
  void take(std::vector<T>& list) {
    list.resize(static_cast<std::size_t>(take_number()));
    for (auto& one : list) take(one);
  }
  template <typename A, typename B>
  void take(std::pair<A, B>& pair) {
    take(pair.first);
    take(pair.second);
  }
  template <typename T>
  void take(std::optional<T>& value) {
    if (take_number() != 0) take(value.emplace());
  }
  void take(std::optional<explain::ReportAnswer>&) {}
  template <typename T>
  void take(T& value) {
    if constexpr (kIsNumber<T>) {
      value = static_cast<T>(take_signed());
    } else if constexpr (IsTime<T>::value) {
      value = time_of<T>(take_signed());
    } else if constexpr (kIsBytes<T>) {
      std::memcpy(&value, in_.data(), sizeof value);
      in_.remove_prefix(sizeof value);
    } else {
      boost::pfr::for_each_field(value, [this](auto& field) { take(field); });
    }
  }

 private:
  template <typename T>
  static T time_of(std::int64_t count) {
    if constexpr (requires { typename T::clock; }) {
      return T(typename T::duration(count));
    } else {
      return T(count);
    }
  }
  std::int64_t take_signed() {
    const auto number = take_number();
    return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
  }
  std::uint64_t take_number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(in_.front());
      in_.remove_prefix(1);
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
  }

  std::string_view in_;
  // New texts, in the status: nothing in it moves while it is unpacked.
  std::array<const std::string*, kMostTexts - kCommonTexts.size()> texts_;
  std::size_t size_ = 0;
  const std::string* last_ = nullptr;
};

}  // namespace

std::string pack(const explain::ReportStatus& status) {
  Packer packer;
  packer.add(status);
  return packer.take();
}

explain::ReportStatus unpack(std::string_view packed) {
  explain::ReportStatus status;
  Unpacker(packed).take(status);
  return status;
}

}  // namespace podium::controller
