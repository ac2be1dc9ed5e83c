#include "scheduler/devices/cel_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cel/quantity.h"
#include "cel/semver.h"

namespace podium::devices {
namespace {

using cel::Kind;
using cel::Value;
using Entries = std::vector<std::pair<Value, Value>>;
using Converted = std::expected<Value, std::string>;

struct ConvertAttribute {
  Converted operator()(std::monostate) const { return std::unexpected("unsupported attribute value"); }
  Converted operator()(std::int64_t number) const { return Value::integer(number); }
  Converted operator()(bool flag) const { return Value::boolean(flag); }
  Converted operator()(const std::string& text) const { return Value::string(text); }
  Converted operator()(const api::SemanticVersion& version) const {
    auto parsed = cel::Semver::parse(version.text);
    if (!parsed) return std::unexpected("parse semantic version: " + parsed.error());
    return Value::semver(std::move(*parsed));
  }
  template <typename T>
  Converted operator()(const api::AttributeList<T>& list) const {
    std::vector<Value> items;
    for (const T& each : list.values) {
      auto item = (*this)(each);
      if (!item) return item;
      items.push_back(std::move(*item));
    }
    return Value::list(std::move(items));
  }
};

// {domain: {id: value}}
class Domains {
 public:
  explicit Domains(std::string_view driver) : driver_(driver) {}
  void add(std::string_view name, Value value) {
    const auto slash = name.find('/');
    const auto domain = slash == name.npos ? driver_ : name.substr(0, slash);
    const auto id = slash == name.npos ? name : name.substr(slash + 1);
    entries_[domain].emplace_back(Value::string(std::string(id)), std::move(value));
  }
  Value value() && {
    Entries domains;
    for (auto& [domain, entries] : entries_) {
      domains.emplace_back(Value::string(std::string(domain)), Value::map(std::move(entries)));
    }
    return Value::map_with_fallback(std::move(domains), Value::map({}));
  }

 private:
  std::string_view driver_;
  std::map<std::string_view, Entries> entries_;
};

// cel-go's error for the conversion of a value of this kind to a Go bool.
std::string conversion_error(const Value& value) {
  switch (value.kind()) {
    case Kind::string:
      return "unsupported native conversion from string to 'bool'";
    case Kind::integer:
      return "unsupported type conversion from 'int' to bool";
    case Kind::unsigned_integer:
      return "unsupported type conversion from 'uint' to bool";
    case Kind::real:
      return "type conversion error from Double to 'bool'";
    case Kind::list:
      return "type conversion error from list to 'bool'";
    case Kind::map:
      return "unsupported type conversion: bool to map";
    case Kind::bytes:
      return "type conversion error from Bytes to 'bool'";
    case Kind::null:
      return "type conversion error from 'null_type' to 'bool'";
    case Kind::timestamp:
      return "type conversion error from 'Timestamp' to 'bool'";
    case Kind::duration:
      return "type conversion error from 'Duration' to 'bool'";
    case Kind::quantity:
      return "type conversion error from 'Quantity' to 'bool'";
    case Kind::semver:
      return "type conversion error from 'Semver' to 'bool'";
    case Kind::ip:
      return "type conversion error from 'IP' to 'bool'";
    case Kind::cidr:
      return "type conversion error from 'CIDR' to 'bool'";
    default:
      return fmt::format("type conversion error from '{}' to 'bool'", value.type_name());
  }
}

}  // namespace

std::expected<Value, std::string> cel_device(const api::Device& device, std::string_view driver) {
  Domains attributes(driver), capacity(driver);
  for (const auto& [name, attribute] : device.attributes) {
    auto value = std::visit(ConvertAttribute{}, attribute);
    if (!value) return std::unexpected(fmt::format("attribute {}: {}", name, value.error()));
    attributes.add(name, std::move(*value));
  }
  for (const auto& [name, amount] : device.capacity) {
    const auto quantity = cel::Quantity::parse(amount.value.text);
    capacity.add(name, quantity ? Value::quantity(*quantity) : Value::error(quantity.error()));
  }
  Entries entries;
  entries.emplace_back(Value::string("driver"), Value::string(std::string(driver)));
  entries.emplace_back(Value::string("allowMultipleAllocations"),
                       Value::boolean(device.allow_multiple_allocations));
  entries.emplace_back(Value::string("attributes"), std::move(attributes).value());
  entries.emplace_back(Value::string("capacity"), std::move(capacity).value());
  return Value::map(std::move(entries));
}

std::expected<bool, std::string> cel_bool(const Value& value) {
  if (value.is(Kind::boolean)) return value.as_bool();
  if (value.is_error()) return std::unexpected(value.text());
  return std::unexpected(fmt::format("CEL result of type {} could not be converted to bool: {}",
                                     value.type_name(), conversion_error(value)));
}

}  // namespace podium::devices
