#include "api/text/parse_json.h"

#include <boost/json/parse.hpp>

#include "api/text/json_memory.h"

namespace podium::api {

Result<boost::json::value> parse_json(std::string_view text, const boost::json::storage_ptr& storage) {
  boost::json::parse_options options;
  options.max_depth = 256;
  options.allow_invalid_utf8 = true;
  boost::system::error_code failure;
  const bool is_default = storage == boost::json::storage_ptr();
  auto value = boost::json::parse(text, failure, is_default ? json_memory() : storage, options);
  if (failure) return invalid("not JSON: " + failure.message());
  return value;
}

Result<boost::json::value> parse_object(std::string_view text, const boost::json::storage_ptr& storage) {
  auto value = parse_json(text, storage);
  if (value && !value->is_object()) return invalid("not a JSON object");
  return value;
}

}  // namespace podium::api
