// Schema: the strict decoder. It checks a JSON value against a description of a Go type and converts it to
// the form of that type.
//
// Unknown fields and wrong types are problems; null counts as absent, as in Go. After decoding, every field
// that is not a pointer in the Go type is present, with its zero value if the file has none. So later code
// need not check for presence.
// Threads: pure functions over static descriptions.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/config/schema/file_problems.h"

namespace podium::config {

struct Schema;

struct SchemaField {
  // pointer: absent unless given. omit: a zero value is not printed (omitempty). print: always printed.
  enum class Presence { pointer, omit, print };
  std::string_view name;
  const Schema* type;
  Presence presence = Presence::print;
};

struct Schema {
  // any: unchanged. duration: metav1.Duration, stored as Go prints it. bytes: base64.
  enum class Kind { boolean, int32, int64, number, text, bytes, duration, object, list, text_map, any };
  Kind kind = Kind::any;
  std::vector<SchemaField> fields = {};  // of an object
  const Schema* element = nullptr;       // of a list
};

namespace schema {
extern const Schema boolean, int32, int64, number, text, bytes, duration, texts, text_map, any;
}

// Converts `value` to the form of the schema. A value that cannot be decoded adds a finding and becomes zero.
void read(boost::json::value& value, const Schema&, const std::string& path, Problems&);

// The value as upstream prints it: sorted keys, without zero values that are omitted.
boost::json::value printed(const boost::json::value& value, const Schema&);
boost::json::value sorted_keys(const boost::json::value& value);

// Sets a default: for fields whose absence differs from zero.
void if_absent(boost::json::object& object, std::string_view name, boost::json::value value);

}  // namespace podium::config
