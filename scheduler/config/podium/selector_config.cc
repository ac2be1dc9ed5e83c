#include "scheduler/config/podium/selector_config.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/decode/decode.h"
#include "api/validate/name_forms.h"
#include "api/values/selector.h"
#include "scheduler/config/schema/names.h"

namespace podium::config {
namespace json = boost::json;
namespace {

void check_values(const json::value& requirement, const std::string& path, Problems& problems) {
  const auto op = requirement.at("operator").as_string();
  const auto& values = requirement.at("values").as_array();
  const auto at = child(path, "values");
  if ((op == "In" || op == "NotIn") && values.empty()) {
    problems.required(at, api::kValuesRequiredError);
  } else if ((op == "Exists" || op == "DoesNotExist") && !values.empty()) {
    problems.forbidden(at, api::kValuesForbiddenError);
  } else if (op != "In" && op != "NotIn" && op != "Exists" && op != "DoesNotExist") {
    problems.not_supported(child(path, "operator"), shown(op), {"In", "NotIn", "Exists", "DoesNotExist"});
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const auto& error : check_label_value(values[i].as_string()))
      problems.invalid(item(at, i), shown(values[i]), error);
  }
}

}  // namespace

const Schema& label_selector_schema() {
  using enum SchemaField::Presence;
  using enum Schema::Kind;
  static const Schema requirement{
      object, {{"key", &schema::text}, {"operator", &schema::text}, {"values", &schema::texts}}};
  static const Schema requirements{.kind = list, .element = &requirement};
  static const Schema selector{
      object, {{"matchLabels", &schema::text_map, omit}, {"matchExpressions", &requirements, omit}}};
  return selector;
}

std::shared_ptr<const api::LabelSelector> read_selector(const json::value& selector, const std::string& path,
                                                        Problems& problems) {
  for (const auto& [key, value] : selector.at("matchLabels").as_object()) {
    const auto at = child(path, "matchLabels");
    for (const auto& error : check_label_key(key)) problems.invalid(at, std::string_view(key), error);
    for (const auto& error : check_label_value(value.as_string())) problems.invalid(at, shown(value), error);
  }
  const auto& requirements = selector.at("matchExpressions").as_array();
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    const auto at = item(child(path, "matchExpressions"), i);
    const auto& key = requirements[i].at("key");
    for (const auto& error : check_label_key(key.as_string()))
      problems.invalid(child(at, "key"), shown(key), error);
    check_values(requirements[i], at, problems);
  }
  if (problems) return {};
  auto decoded = api::decode_label_selector(selector, path);
  if (!decoded) {
    problems.add(path, decoded.error().message);
    return {};
  }
  return std::make_shared<const api::LabelSelector>(std::move(*decoded));
}

}  // namespace podium::config
