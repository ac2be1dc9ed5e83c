#include "app/kubectl/label_keys.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string_view>
#include <utility>

namespace podium::kubectl {
namespace {

namespace json = boost::json;

json::value* member(json::value* value, std::string_view name) {
  auto* object = value ? value->if_object() : nullptr;
  return object ? object->if_contains(name) : nullptr;
}

json::array* list(json::value* value, std::string_view name) {
  auto* found = member(value, name);
  return found ? found->if_array() : nullptr;
}

// Removes "key op [value of the label]" for each key that the pod has: the last one, as admission appends.
void remove_requirements(json::value& term, std::string_view keys, std::string_view op, json::value* labels) {
  auto* all = list(member(&term, "labelSelector"), "matchExpressions");
  const auto* of_term = list(&term, keys);
  if (!all || !of_term) return;
  for (const auto& key : *of_term) {
    const auto* value = key.is_string() ? member(labels, key.get_string()) : nullptr;
    if (!value) continue;
    json::array values;
    values.push_back(*value);
    const json::value added = json::object{{"key", key}, {"operator", op}, {"values", std::move(values)}};
    for (std::size_t i = all->size(); i-- > 0;) {
      if ((*all)[i] != added) continue;
      all->erase(all->begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
}

void remove_of_term(json::value& term, json::value* labels) {
  remove_requirements(term, "matchLabelKeys", "In", labels);
  remove_requirements(term, "mismatchLabelKeys", "NotIn", labels);
}

}  // namespace

void remove_merged_label_keys(json::value& pod) {
  auto* labels = member(member(&pod, "metadata"), "labels");
  auto* spec = member(&pod, "spec");
  if (auto* constraints = list(spec, "topologySpreadConstraints")) {
    for (auto& each : *constraints) remove_of_term(each, labels);
  }
  for (const auto* kind : {"podAffinity", "podAntiAffinity"}) {
    auto* affinity = member(member(spec, "affinity"), kind);
    if (auto* terms = list(affinity, "requiredDuringSchedulingIgnoredDuringExecution")) {
      for (auto& each : *terms) remove_of_term(each, labels);
    }
    if (auto* weighted = list(affinity, "preferredDuringSchedulingIgnoredDuringExecution")) {
      for (auto& each : *weighted) {
        if (auto* term = member(&each, "podAffinityTerm")) remove_of_term(*term, labels);
      }
    }
  }
}

}  // namespace podium::kubectl
