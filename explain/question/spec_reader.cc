#include "explain/question/spec_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validate/validate.h"

namespace podium::explain {

namespace json = boost::json;

ObjectReader::ObjectReader(const json::value& value, FieldPath path, Problems& problems)
    : object_(value.if_object()), path_(std::move(path)), problems_(problems) {
  if (!object_) problems_.add(path_, "must be an object");
}

const json::value* ObjectReader::value(std::string_view field) {
  known_.emplace_back(field);
  const auto* found = object_ ? object_->if_contains(field) : nullptr;
  return found && !found->is_null() ? found : nullptr;
}

std::string ObjectReader::text(std::string_view field) {
  const auto* found = value(field);
  if (!found) return {};
  if (!found->is_string()) {
    problems_.add(path(field), "must be a string");
    return {};
  }
  if (found->get_string().size() > kMostText) {
    problems_.add(path(field), fmt::format("must have at most {} bytes", kMostText));
    return {};
  }
  return std::string(found->get_string());
}

std::string ObjectReader::required(std::string_view field) {
  const auto* found = value(field);
  const bool is_missing = !found || (found->is_string() && found->get_string().empty());
  if (object_ && is_missing) problems_.add(path(field), "required");
  return found ? text(field) : std::string();
}

bool ObjectReader::flag(std::string_view field) {
  const auto* found = value(field);
  if (found && !found->is_bool()) problems_.add(path(field), "must be true or false");
  return found && found->is_bool() && found->get_bool();
}

std::optional<std::int64_t> ObjectReader::integer(std::string_view field, std::int64_t least,
                                                  std::int64_t most) {
  const auto* found = value(field);
  if (!found) return std::nullopt;
  boost::system::error_code inexact;
  const auto number = found->to_number<std::int64_t>(inexact);
  if (!found->is_double() && !inexact && number >= least && number <= most) return number;
  problems_.add(path(field), fmt::format("must be between {} and {}", least, most));
  return std::nullopt;
}

const json::array* ObjectReader::array(std::string_view field, std::size_t most) {
  const auto* found = value(field);
  if (!found) return nullptr;
  const auto* list = found->if_array();
  if (!list) problems_.add(path(field), "must be a list");
  if (list && list->size() > most) {
    problems_.add(path(field), fmt::format("must have at most {} items", most));
    return nullptr;
  }
  return list;
}

std::vector<std::string> ObjectReader::texts(std::string_view field, std::size_t most) {
  std::vector<std::string> out;
  items(field, most, [&](const json::value& item, const FieldPath& at) {
    if (!item.is_string() || item.get_string().empty())
      problems_.add(at, "must be a string that is not empty");
    else if (item.get_string().size() > kMostName)
      problems_.add(at, fmt::format("must have at most {} bytes", kMostName));
    else
      out.emplace_back(item.get_string());
  });
  return out;
}

void ObjectReader::require_items(std::string_view field) {
  const auto* found = value(field);
  const auto* list = found ? found->if_array() : nullptr;
  if (object_ && (!found || (list && list->empty()))) problems_.add(path(field), "required");
}

void ObjectReader::unknown_fields() const {
  if (!object_) return;
  for (const auto& field : *object_) {
    const std::string_view key = field.key();
    if (std::ranges::find(known_, key) == known_.end()) problems_.add(path(key), "unknown field");
  }
}

void check_label_key(std::string_view key, const FieldPath& path, Problems& problems) {
  if (!api::is_qualified_name(key)) problems.add(path, fmt::format("\"{}\" is not a valid label key", key));
}

}  // namespace podium::explain
