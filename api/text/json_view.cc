#include "api/text/json_view.h"

namespace podium::api {

namespace json = boost::json;

const json::value* find_at(const json::value& value, std::string_view pointer) {
  boost::system::error_code none;
  const auto* found = value.find_pointer(pointer, none);
  return found && !found->is_null() ? found : nullptr;
}

std::string text_at(const json::value& value, std::string_view pointer) {
  return std::string(text_of(find_at(value, pointer)));
}

std::optional<std::int64_t> integer_at(const json::value& value, std::string_view pointer) {
  const auto* found = find_at(value, pointer);
  return found && found->is_int64() ? std::optional(found->get_int64()) : std::nullopt;
}

bool is_true_at(const json::value& value, std::string_view pointer) {
  const auto* found = find_at(value, pointer);
  return found && found->is_bool() && found->get_bool();
}

const json::value* member(const json::value* object, std::string_view name) {
  const auto* fields = object ? object->if_object() : nullptr;
  const auto* found = fields ? fields->if_contains(name) : nullptr;
  return found && !found->is_null() ? found : nullptr;
}

std::string_view text_of(const json::value* value) {
  const auto* text = value ? value->if_string() : nullptr;
  return text ? std::string_view(*text) : std::string_view();
}

}  // namespace podium::api
