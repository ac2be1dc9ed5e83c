// podium_cel_answers: evaluates CEL expressions on devices, for e2e/cel/run.
//
// Reads JSON lines: {"devices": […]} sets the devices, {"expression": "…"} is evaluated on each of them.
// Writes for each expression a line: a list of texts, "true", "false" or "error: …", or {"refused": "…"}.
#include <boost/json.hpp>
#include <iostream>
#include <string>
#include <vector>

#include "cel/program.h"
#include "cel/quantity.h"
#include "cel/semver.h"

namespace {

namespace json = boost::json;
using podium::cel::Kind;
using podium::cel::Value;
using Entries = std::vector<std::pair<Value, Value>>;

Value attribute(const json::object& object) {
  const auto& [kind, value] = *object.begin();
  if (kind == "int") return Value::integer(value.to_number<std::int64_t>());
  if (kind == "bool") return Value::boolean(value.as_bool());
  const std::string text(value.as_string());
  if (kind == "string") return Value::string(text);
  auto version = podium::cel::Semver::parse(text);
  return version ? Value::semver(std::move(*version))
                 : Value::error("parse semantic version: " + version.error());
}
Value amount(const json::value& text) {
  const auto quantity = podium::cel::Quantity::parse(std::string_view(text.as_string()));
  return quantity ? Value::quantity(*quantity) : Value::error(quantity.error());
}

// {domain: {name: value}}; names without a domain are the driver's.
template <typename Convert>
Value by_domain(const json::object& object, const std::string& driver, Convert convert) {
  std::vector<std::pair<std::string, Entries>> domains;
  for (const auto& [name, value] : object) {
    const std::string whole(name);
    const auto slash = whole.find('/');
    const std::string domain = slash == std::string::npos ? driver : whole.substr(0, slash);
    auto at = std::find_if(domains.begin(), domains.end(), [&](const auto& d) { return d.first == domain; });
    if (at == domains.end()) at = domains.insert(at, {domain, {}});
    at->second.emplace_back(Value::string(slash == std::string::npos ? whole : whole.substr(slash + 1)),
                            convert(value));
  }
  Entries entries;
  for (auto& [domain, values] : domains)
    entries.emplace_back(Value::string(domain), Value::map(std::move(values)));
  return Value::map_with_fallback(std::move(entries), Value::map({}));
}

Value device(const json::object& object) {
  const std::string driver(object.at("driver").as_string());
  Entries entries;
  entries.emplace_back(Value::string("driver"), Value::string(driver));
  entries.emplace_back(Value::string("allowMultipleAllocations"),
                       Value::boolean(object.at("multiple").as_bool()));
  entries.emplace_back(Value::string("attributes"),
                       by_domain(object.at("attributes").as_object(), driver,
                                 [](const auto& v) { return attribute(v.as_object()); }));
  entries.emplace_back(Value::string("capacity"),
                       by_domain(object.at("capacity").as_object(), driver, amount));
  return Value::map(std::move(entries));
}

std::string answer(const Value& value) {
  if (value.is_error()) return "error: " + value.text();
  if (value.is(Kind::boolean)) return value.as_bool() ? "true" : "false";
  return "error: CEL result of type " + std::string(value.type_name()) + " could not be converted to bool";
}

}  // namespace

int main() {
  const std::vector<std::string> variables = {"device"};
  std::vector<Value> devices;
  std::string line;
  while (std::getline(std::cin, line)) {
    const json::object request = json::parse(line).as_object();
    if (const auto* list = request.if_contains("devices")) {
      devices.clear();
      for (const auto& each : list->as_array()) devices.push_back(device(each.as_object()));
      continue;
    }
    const auto program =
        podium::cel::Program::compile(std::string_view(request.at("expression").as_string()), variables);
    if (!program) {
      std::cout << json::serialize(json::object{{"refused", program.error().message}}) << '\n';
      continue;
    }
    json::array answers;
    for (const Value& each : devices) answers.push_back(json::string(answer(program->evaluate({&each, 1}))));
    std::cout << json::serialize(answers) << '\n';
  }
}
