#include "simulate/protocol/patch.h"

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

// Finalizers are a set.
void merge_finalizers(json::value& into, const json::array& patch) {
  if (!into.is_array()) into = json::array();
  auto& list = into.get_array();
  for (const auto& wanted : patch) {
    if (std::ranges::find(list, wanted) == list.end()) list.push_back(wanted);
  }
}

// The pods of a claim are merged by their UIDs.
void merge_reservations(json::object& status, const json::array& patch) {
  auto& into = status["reservedFor"];
  if (!into.is_array()) into = json::array();
  auto& list = into.get_array();
  const auto is_of = [](const json::value& one, const json::value& other) {
    const auto *left = one.as_object().if_contains("uid"), *right = other.as_object().if_contains("uid");
    return left && right && *left == *right;
  };
  for (const auto& wanted : patch) {
    const auto there = std::ranges::find_if(list, [&](const json::value& one) { return is_of(one, wanted); });
    if (wanted.as_object().contains("$patch")) {
      if (there != list.end()) list.erase(there);
    } else if (there == list.end()) {
      list.insert(list.begin(), wanted);  // as the API server does
    } else {
      merge_patch(*there, wanted);
    }
  }
  if (list.empty()) status.erase("reservedFor");
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
    } else if (strategic && key == "finalizers" && value.is_array()) {
      merge_finalizers(into.get_object()[key], value.get_array());
    } else if (strategic && key == "reservedFor" && value.is_array()) {
      merge_reservations(into.get_object(), value.get_array());
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
      // An absent field equals null.
      if ((found ? *found : json::value()) != step.at("value"))
        return invalid("testing path " + path + " value failed");
      continue;
    }
    const auto last = path.rfind('/');
    auto* parent = into.find_pointer(path.substr(0, last), none);
    if (op != "add" || !parent || !parent->is_object())
      return fail(Error::Kind::internal, "not understood: " + op + " " + path);
    parent->get_object()[path.substr(last + 1)] = step.at("value");
  }
  return {};
}

}  // namespace podium::simulate
