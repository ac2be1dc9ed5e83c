#include "scheduler/live/object_patch.h"

#include <algorithm>

namespace podium::live {

namespace json = boost::json;

json::value with_preconditions(const framework::ObjectWrite& write) {
  json::value body = write.patch;
  if (!body.is_object()) body = json::object();
  auto& metadata = body.as_object()["metadata"];
  if (!metadata.is_object()) metadata = json::object();
  if (!write.uid.empty()) metadata.as_object()["uid"] = write.uid;
  if (!write.resource_version.empty()) metadata.as_object()["resourceVersion"] = write.resource_version;
  return body;
}

bool has(const json::value& object, const json::value& patch, Verb verb) {
  if (const auto* items = patch.if_array(); items && verb == Verb::strategic && object.is_array()) {
    return std::ranges::all_of(*items, [&](const json::value& wanted) {
      const auto matches = [&](const json::value& item) { return has(item, wanted, verb); };
      return std::ranges::any_of(object.get_array(), matches);
    });
  }
  if (!patch.is_object()) return object == patch;
  for (const auto& [key, wanted] : patch.as_object()) {
    const auto* field = object.is_object() ? object.as_object().if_contains(key) : nullptr;
    if (wanted.is_null() ? field != nullptr : !field || !has(*field, wanted, verb)) return false;
  }
  return true;
}

void put_time(framework::ObjectWrite& write, Wall now) {
  boost::system::error_code none;
  auto* field = write.time_at.empty() ? nullptr : write.patch.find_pointer(write.time_at, none);
  if (field) *field = format_time(now);
}

json::value as_merge(const json::value* live, const json::value& patch) {
  if (const auto* items = patch.if_array()) {
    json::array list = live && live->is_array() ? live->get_array() : json::array();
    for (const auto& item : *items) {
      if (!has(list, json::array{item}, Verb::strategic)) list.push_back(item);
    }
    return list;
  }
  if (!patch.is_object()) return patch;
  json::object out;
  for (const auto& [key, wanted] : patch.as_object()) {
    if (key.starts_with("$")) continue;
    out[key] = as_merge(live && live->is_object() ? live->get_object().if_contains(key) : nullptr, wanted);
  }
  return out;
}

}  // namespace podium::live
