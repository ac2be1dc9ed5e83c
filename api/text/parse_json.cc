#include "api/text/parse_json.h"

#include <boost/json/parse.hpp>

namespace podium::api {

Result<boost::json::value> parse_json(std::string_view text, const boost::json::storage_ptr& storage) {
  boost::json::parse_options options;
  options.max_depth = 256;
  options.allow_invalid_utf8 = true;
  boost::system::error_code failure;
  auto value = boost::json::parse(text, failure, storage, options);
  if (failure) return invalid("not JSON: " + failure.message());
  return value;
}

}  // namespace podium::api
