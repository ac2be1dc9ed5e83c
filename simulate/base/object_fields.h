// Objects: accessors for the fields of an object, and for the name of its writer.
//
// Threads: pure functions. Errors: a missing field is empty or 0.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/text/json_view.h"

namespace podium::simulate {

namespace json = boost::json;

using api::find_at;
using api::list_at;
using api::text_at;
// Returns 0 if the field is absent or not an integer.
std::int64_t number_at(const json::value& value, std::string_view pointer);

std::string uid_of(const json::value& object);
std::string full_name(const json::value& object);  // "namespace/name"
bool is_leaving(const json::value& object);        // has a deletionTimestamp
bool is_finished(const json::value& pod);          // Succeeded or Failed
bool is_what_if(const json::value& report);

// Where the text has these words, from a place on; npos: nowhere. std::string::find() stops at each character
// like their first one, which in JSON is often a quote.
std::size_t find_words(std::string_view text, std::string_view words, std::size_t from = 0);

bool is_engine(std::string_view writer);  // one of podium's, by its identity

}  // namespace podium::simulate
