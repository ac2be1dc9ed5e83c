// Schema: the strict reader. It checks a JSON value against a description of a Go type, and gives it that
// type's form.
//
// Unknown fields and wrong types are findings; null counts as absent, as in Go. Afterwards every field that
// is not a pointer in the Go type is there, with its zero value where the file has none, so that what follows
// need not ask.
// Threads: pure functions over static descriptions.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/config/findings.h"

namespace podium::config {

struct Field;

struct Schema {
  // any: kept as it is. duration: metav1.Duration, kept as Go prints it. bytes: base64.
  enum class Kind { boolean, int32, int64, number, text, bytes, duration, object, list, text_map, any };
  Kind kind = Kind::any;
  std::vector<Field> fields = {};   // of an object
  const Schema* element = nullptr;  // of a list
};

struct Field {
  // pointer: absent unless given. omit: a zero value is not printed (omitempty). print: always there.
  enum class Presence { pointer, omit, print };
  std::string_view name;
  const Schema* type;
  Presence presence = Presence::print;
};

namespace schema {
extern const Schema boolean, int32, int64, number, text, bytes, duration, texts, text_map, any;
}

// Brings `value` into the form of the schema. What cannot be read is noted and becomes a zero value.
void read(boost::json::value& value, const Schema&, const std::string& path, Findings&);

// The value as upstream prints it: without the zero values that it omits, keys sorted.
boost::json::value printed(const boost::json::value& value, const Schema&);
boost::json::value sorted_keys(const boost::json::value& value);

}  // namespace podium::config
