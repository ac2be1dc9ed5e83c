#include "api/decode/old_versions.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <utility>

namespace podium::api::detail {
namespace {

namespace json = boost::json;

json::value* at(json::value& value, std::string_view pointer) {
  boost::system::error_code error;
  return value.find_pointer(pointer, error);
}

template <typename Change>
void each_object(json::value* list, Change&& change) {
  if (!list || !list->is_array()) return;
  for (auto& item : list->get_array()) {
    if (item.is_object()) change(item.get_object());
  }
}

// A device had all but its name in `basic`.
void lift_basic(json::object& device) {
  auto* basic = device.if_contains("basic");
  if (!basic || !basic->is_object()) return;
  const auto fields = std::move(basic->get_object());
  device.erase("basic");
  for (const auto& [key, value] : fields) device.emplace(key, value);
}

// A request without alternatives had the fields of `exactly`.
void wrap_exactly(json::object& request) {
  if (request.contains("exactly") || request.contains("firstAvailable")) return;
  json::object exactly;
  for (const auto& [key, value] : request) {
    if (key != "name") exactly.emplace(key, value);
  }
  for (const auto& [key, _] : exactly) request.erase(key);
  request["exactly"] = std::move(exactly);
}

}  // namespace

std::optional<json::value> as_served(const json::value& object, std::string_view api_version,
                                     std::string_view kind) {
  if (api_version != "resource.k8s.io/v1beta1") return std::nullopt;
  auto out = object;
  if (kind == "ResourceSlice")
    each_object(at(out, "/spec/devices"), lift_basic);
  else if (kind == "ResourceClaim")
    each_object(at(out, "/spec/devices/requests"), wrap_exactly);
  else if (kind == "ResourceClaimTemplate")
    each_object(at(out, "/spec/spec/devices/requests"), wrap_exactly);
  else if (kind != "DeviceClass")
    return std::nullopt;
  return out;
}

}  // namespace podium::api::detail
