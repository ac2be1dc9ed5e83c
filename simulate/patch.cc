#include "simulate/patch.h"

#include <algorithm>
#include <string>

namespace podium::simulate {
namespace {

namespace json = boost::json;

void merge_conditions(json::value& into, const json::array& patch) {
  if (!into.is_array()) into = json::array();
  auto& list = into.get_array();
  for (const auto& wanted : patch) {
    const auto* type = wanted.as_object().if_contains("type");
    const auto there = std::ranges::find_if(list, [&](const json::value& one) {
      const auto* its = one.as_object().if_contains("type");
      return type && its && *its == *type;
    });
    if (there == list.end()) {
      merge_patch(list.emplace_back(json::object()), wanted);
    } else {
      merge_patch(*there, wanted);
    }
  }
}

void merge(json::value& into, const json::value& patch, bool strategic) {
  if (!patch.is_object()) {
    into = patch;
    return;
  }
  if (!into.is_object()) into = json::object();
  for (const auto& [key, value] : patch.get_object()) {
    if (value.is_null()) {
      into.get_object().erase(key);
    } else if (strategic && key == "conditions" && value.is_array()) {
      merge_conditions(into.get_object()[key], value.get_array());
    } else {
      merge(into.get_object()[key], value, strategic);
    }
  }
}

}  // namespace

void merge_patch(json::value& into, const json::value& patch) { merge(into, patch, false); }

void strategic_merge_patch(json::value& into, const json::value& patch) { merge(into, patch, true); }

Result<void> json_patch(json::value& into, const json::value& steps) {
  if (!steps.is_array()) return invalid("a JSON patch is a list");
  for (const auto& step : steps.get_array()) {
    const auto op = std::string(step.at("op").as_string()), path = std::string(step.at("path").as_string());
    boost::system::error_code none;
    if (op == "test") {
      const auto* found = into.find_pointer(path, none);
      // What is absent equals null.
      if ((found ? *found : json::value()) != step.at("value"))
        return invalid("testing path " + path + " value failed");
      continue;
    }
    const auto last = path.rfind('/');
    auto* parent = into.find_pointer(path.substr(0, last), none);
    if (op != "add" || !parent || !parent->is_object()) return invalid("not understood: " + op + " " + path);
    parent->get_object()[path.substr(last + 1)] = step.at("value");
  }
  return {};
}

}  // namespace podium::simulate
