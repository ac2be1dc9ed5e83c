// Reads fields of JSON, by name or by JSON pointer ("/metadata/name").
//
// Threads: pure functions. Errors: none; a field that is missing, or of another type, is empty.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace podium::api {

// Null: there is no such field.
const boost::json::value* value_at(const boost::json::value& value, std::string_view pointer);
// Null: there is no such field, or it is null.
const boost::json::value* find_at(const boost::json::value& value, std::string_view pointer);
std::string text_at(const boost::json::value& value, std::string_view pointer);
std::optional<std::int64_t> integer_at(const boost::json::value& value, std::string_view pointer);
const boost::json::array& list_at(const boost::json::value& value, std::string_view pointer);
bool is_true_at(const boost::json::value& value, std::string_view pointer);

// Null: `object` is null or not an object, or there is no such member, or it is null.
const boost::json::value* member(const boost::json::value* object, std::string_view name);
std::string_view text_of(const boost::json::value* value);  // of a string; `value` may be null

}  // namespace podium::api
