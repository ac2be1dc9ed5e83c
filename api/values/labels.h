// Labels: the labels or the annotations of an object.
//
// Threads: values; safe to share while const.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/values/shared_list.h"
#include "base/cow.h"

namespace podium::api {

// Sorted lists as a string map: labels are few, and read far more often than written. Keys and values are two
// lists, since many objects have the same keys: all nodes, and pods of a workload whose values differ. Copies
// share both.
class Labels {
 public:
  using Entry = std::pair<std::string, std::string>;  // key and value
  using Label = std::pair<const std::string&, const std::string&>;

  // Over the labels by key. Gives a Label by value, which refers to the lists.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;  // not forward: it gives no reference
    using value_type = Label;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Label;

    Iterator() = default;
    Label operator*() const { return {*key_, *value_}; }
    Iterator& operator++() {
      ++key_, ++value_;
      return *this;
    }
    Iterator operator++(int) { return std::exchange(*this, {key_ + 1, value_ + 1}); }
    bool operator==(const Iterator& other) const { return key_ == other.key_; }

   private:
    friend Labels;
    Iterator(const std::string* key, const std::string* value) : key_(key), value_(value) {}
    const std::string* key_ = nullptr;
    const std::string* value_ = nullptr;
  };

  Labels() noexcept = default;
  Labels(std::initializer_list<Entry> entries);
  explicit Labels(std::vector<Entry> entries);  // in any order; of equal keys, the last wins

  const std::string* find(std::string_view key) const;  // null if absent
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  bool contains_all(const Labels& others) const;  // with the same values
  void set(std::string key, std::string value);
  // Takes both lists of `other` if they are equal; else equal keys, if no copy shares its own. True: both.
  bool share(const Labels& other);
  bool empty() const { return size() == 0; }
  std::size_t size() const { return lists().values.size(); }
  Iterator begin() const { return {keys().data(), lists().values.data()}; }
  Iterator end() const { return {keys().data() + size(), lists().values.data() + size()}; }
  bool operator==(const Labels& other) const { return lists_.is(other.lists_) || lists() == other.lists(); }

 private:
  // Both have one length. The keys are sorted and unique.
  struct Lists {
    SharedList<std::string> keys;
    std::vector<std::string> values;
    bool operator==(const Lists&) const = default;
  };
  const Lists& lists() const;
  const std::vector<std::string>& keys() const { return lists().keys; }

  Cow<Lists> lists_{nullptr};  // without a value: no labels
};

}  // namespace podium::api
