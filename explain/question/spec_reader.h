// Reads JSON objects of a what-if's spec and collects every finding, each with its path.
//
// A reader remembers which fields were asked for, so that unknown_fields() reports all others. A field of a
// wrong type, or a text that is too long, is a finding and reads as absent. Answers repeat texts, and the CRD
// bounds their length there; the HTTPS API has no schema that checks them first.
//
// Threads: values; the JSON must outlive a reader. Errors: problems, "path: reason".
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/problems.h"

namespace podium::explain {

class ObjectReader {
 public:
  // A value that is not an object is a finding, and has no fields.
  ObjectReader(const boost::json::value& value, FieldPath path, Problems& problems);

  FieldPath path(std::string_view field) const { return path_ / field; }
  // Null if absent or null.
  const boost::json::value* value(std::string_view field);
  static constexpr std::size_t kMostText = 317;  // bytes: a label key
  static constexpr std::size_t kMostName = 253;  // bytes: of an item of texts()
  std::string text(std::string_view field);      // "" if absent
  std::string required(std::string_view field);  // a finding if absent or empty
  bool flag(std::string_view field);             // false if absent
  std::optional<std::int64_t> integer(std::string_view field, std::int64_t least, std::int64_t most);
  std::vector<std::string> texts(std::string_view field, std::size_t most);
  // A finding if the list is absent or empty.
  void require_items(std::string_view field);
  // Calls each(item, path of the item); a list of more than `most` items is a finding, and is not read.
  template <typename Each>
  void items(std::string_view field, std::size_t most, Each&& each) {
    const auto* list = array(field, most);
    if (!list) return;
    std::size_t index = 0;
    for (const auto& item : *list) each(item, path(field)[index++]);
  }
  void unknown_fields() const;

 private:
  const boost::json::array* array(std::string_view field, std::size_t most);

  const boost::json::object* object_;
  const FieldPath path_;
  Problems& problems_;
  std::vector<std::string> known_;
};

void check_label_key(std::string_view key, const FieldPath& path, Problems& problems);

}  // namespace podium::explain
