#include "app/render/object_text.h"

#include "api/text/json_view.h"
#include "app/render/text.h"

namespace podium::render {

namespace json = boost::json;

std::string string_at(const json::value& value, std::string_view path) {
  return printable(api::text_of(api::find_at(value, path)));
}

}  // namespace podium::render
