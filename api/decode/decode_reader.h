// Reader and Field: typed access to JSON values, for the decoders of this folder only.
//
// Absent and null are the same. The first values of a wrong type are noted in the Reader; the caller asks for
// them once, at the end. Their paths are computed only then, by the value's address in its document, so they
// cost nothing while reading. Threads: a Reader belongs to one call.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/labels.h"
#include "api/values/resource_list.h"
#include "base/instant.h"
#include "base/result.h"

namespace podium::api::detail {

// "a string"
std::string_view kind_name(const boost::json::value&);

class Field;

class Reader {
 public:
  // `path` is the path of `root` in a larger document; empty: `root` is the document.
  explicit Reader(const boost::json::value& root, std::string_view path = "") : root_(root), path_(path) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Field root();
  void note(const boost::json::value& at, std::string problem);
  bool failed() const { return count_ > 0; }
  // "spec.containers[0].image: expected a string, got a number"; a line for each of the first values, and the
  // number of further ones.
  Error error() const;

  template <typename T>
  Result<T> finish(T&& value) const {
    if (failed()) return std::unexpected(error());
    return std::forward<T>(value);
  }

 private:
  const boost::json::value& root_;
  std::string_view path_;
  struct Fault {
    const boost::json::value* at;
    std::string problem;
  };
  std::vector<Fault> faults_;  // the first ones
  std::size_t count_ = 0;
};

class Field {
 public:
  Field(Reader& reader, const boost::json::value* value) : reader_(&reader), value_(value) {}

  explicit operator bool() const { return value_ != nullptr; }
  Field operator[](std::string_view key) const;
  void wrong(std::string problem) const { reader_->note(*value_, std::move(problem)); }
  void expected(std::string_view what) const;  // notes "expected WHAT, got ..."

  // Leave their target unchanged if the field is absent.
  void into(std::string&) const;
  void into(bool&) const;
  void into(std::int32_t&) const;
  void into(std::int64_t&) const;
  void into(Quantity&) const;
  void into(std::optional<Wall>&) const;
  void into(Labels&) const;
  void into(ResourceList&) const;
  void into(std::vector<std::string>&) const;
  template <typename T>
  void into(std::optional<T>& target) const {
    if (*this) into(target.emplace());
  }

  std::string_view text() const;  // empty if absent; valid as long as the document
  // For values that podium only compares or passes on: a string as it is, others as JSON; empty: absent.
  std::string json() const;

  // Calls visit(Field) for each item of a list; a null item is an absent Field.
  template <typename Visit>
  void each(Visit visit) const;
  // Calls visit(std::string_view key, Field) for each entry of an object.
  template <typename Visit>
  void members(Visit visit) const;
  // Appends read(Field) of each item.
  template <typename T, typename Read>
  void list(std::vector<T>& target, Read read) const;
  template <typename T, typename Read>
  void list(SharedList<T>& target, Read read) const;
  std::size_t size() const;  // of a list or an object; 0 for anything else

 private:
  const boost::json::array* array() const;    // null if absent, or (noted) of another type
  const boost::json::object* object() const;  // null if absent, or (noted) of another type

  Reader* reader_;
  const boost::json::value* value_;  // null if absent
};

inline Field Reader::root() { return Field(*this, root_.is_null() ? nullptr : &root_); }

template <typename Visit>
void Field::each(Visit visit) const {
  if (const auto* items = array()) {
    for (const auto& item : *items) visit(Field(*reader_, item.is_null() ? nullptr : &item));
  }
}

template <typename Visit>
void Field::members(Visit visit) const {
  if (const auto* entries = object()) {
    for (const auto& entry : *entries) {
      const auto key = entry.key();
      visit(std::string_view(key.data(), key.size()),
            Field(*reader_, entry.value().is_null() ? nullptr : &entry.value()));
    }
  }
}

template <typename T, typename Read>
void Field::list(std::vector<T>& target, Read read) const {
  if (!value_) return;
  target.reserve(target.size() + size());
  each([&](Field item) { target.push_back(read(item)); });
}

template <typename T, typename Read>
void Field::list(SharedList<T>& target, Read read) const {
  if (const auto* items = array(); items && !items->empty()) list(target.write(), read);
}

}  // namespace podium::api::detail
