#include "api/text/json_view.h"

namespace podium::api {

const boost::json::value* find_at(const boost::json::value& value, std::string_view pointer) {
  boost::system::error_code none;
  const auto* found = value.find_pointer(pointer, none);
  return found && !found->is_null() ? found : nullptr;
}

std::string text_at(const boost::json::value& value, std::string_view pointer) {
  const auto* found = find_at(value, pointer);
  return found && found->is_string() ? std::string(found->get_string()) : std::string();
}

}  // namespace podium::api
