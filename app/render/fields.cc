#include "app/render/fields.h"

#include "app/render/text.h"

namespace podium::render {

namespace json = boost::json;

const json::value* pointer(const json::value& value, std::string_view path) {
  boost::system::error_code none;
  const auto* found = value.find_pointer(path, none);
  return found && !found->is_null() ? found : nullptr;
}

std::string string_at(const json::value& value, std::string_view path) {
  const auto* found = pointer(value, path);
  return found && found->is_string() ? printable(found->get_string()) : std::string();
}

const json::array& list_at(const json::value& value, std::string_view path) {
  static const json::array kNone;
  const auto* found = pointer(value, path);
  return found && found->is_array() ? found->get_array() : kNone;
}

}  // namespace podium::render
