#include "cel/address.h"
#include "cel/functions.h"
#include "cel/quantity.h"
#include "cel/semver.h"

// The libraries of Kubernetes: quantities, versions, addresses.
namespace podium::cel {
// A named namespace: in a unity build, functions of sibling files would clash.
namespace kubernetes_functions {
namespace {

constexpr Kinds kText = bit(Kind::string), kInt = bit(Kind::integer), kQuantity = bit(Kind::quantity);
constexpr Kinds kSemver = bit(Kind::semver), kIp = bit(Kind::ip), kCidr = bit(Kind::cidr);

template <typename T>
Value made(std::expected<T, std::string> result, Value (*wrap)(T)) {
  return result ? wrap(std::move(*result)) : Value::error(std::move(result.error()));
}
Value wrapped(Quantity quantity) { return Value::quantity(quantity); }
Value computed(Quantity quantity) { return Value::quantity(quantity, true); }

Value quantity(const Call& call) { return made(Quantity::parse(call.args[0].text()), wrapped); }
Value is_quantity(const Call& call) {
  return Value::boolean(Quantity::parse(call.args[0].text()).has_value());
}
Value sign(const Call& call) {
  const auto nanos = call.args[0].as_quantity().nanos;
  return Value::integer(nanos < 0 ? -1 : nanos > 0 ? 1 : 0);
}
int order(const Call& call) {
  const auto left = call.args[0].as_quantity().nanos, right = call.args[1].as_quantity().nanos;
  return left < right ? -1 : left > right ? 1 : 0;
}
Value quantity_is_greater(const Call& call) { return Value::boolean(order(call) > 0); }
Value quantity_is_less(const Call& call) { return Value::boolean(order(call) < 0); }
Value quantity_compare(const Call& call) { return Value::integer(order(call)); }
Value as_float(const Call& call) { return Value::real(call.args[0].as_quantity().approximate()); }
Value is_integer(const Call& call) {
  std::int64_t value = 0;
  return Value::boolean(call.args[0].as_quantity().integer(value));
}
Value as_integer(const Call& call) {
  std::int64_t value = 0;
  if (!call.args[0].as_quantity().integer(value)) return Value::error("cannot convert value to integer");
  return Value::integer(value);
}
Quantity operand(const Value& value) {
  if (value.is(Kind::quantity)) return value.as_quantity();
  Quantity quantity = Quantity::of(value.as_int());
  quantity.format = Quantity::Format::exponent;
  return quantity;
}
Value quantity_add(const Call& call) {
  return made(call.args[0].as_quantity().plus(operand(call.args[1])), computed);
}
Value quantity_sub(const Call& call) {
  return made(call.args[0].as_quantity().minus(operand(call.args[1])), computed);
}

std::expected<Semver, std::string> parse_semver(const Call& call) {
  const bool is_normalized = call.args.size() == 2 && call.args[1].as_bool();
  return is_normalized ? Semver::parse_normalized(call.args[0].text()) : Semver::parse(call.args[0].text());
}
Value semver(const Call& call) { return made(parse_semver(call), Value::semver); }
Value is_semver(const Call& call) { return Value::boolean(parse_semver(call).has_value()); }
int semver_order(const Call& call) { return call.args[0].as_semver().compare(call.args[1].as_semver()); }
Value semver_is_greater(const Call& call) { return Value::boolean(semver_order(call) > 0); }
Value semver_is_less(const Call& call) { return Value::boolean(semver_order(call) < 0); }
Value semver_compare(const Call& call) { return Value::integer(semver_order(call)); }
template <std::uint64_t Semver::* part>
Value number_of(const Call& call) {
  return Value::integer(static_cast<std::int64_t>(call.args[0].as_semver().*part));
}

Value ip(const Call& call) { return made(Address::parse(call.args[0].text()), Value::ip); }
Value is_ip(const Call& call) { return Value::boolean(Address::parse(call.args[0].text()).has_value()); }
Value is_canonical(const Call& call) {
  const auto address = Address::parse(call.args[0].text());
  return address ? Value::boolean(address->text() == call.args[0].text()) : Value::error(address.error());
}
Value family(const Call& call) { return Value::integer(call.args[0].as_ip().v4 ? 4 : 6); }
template <bool (Address::*holds)() const>
Value test(const Call& call) {
  return Value::boolean((call.args[0].as_ip().*holds)());
}

Value cidr(const Call& call) { return made(Cidr::parse(call.args[0].text()), Value::cidr); }
Value is_cidr(const Call& call) { return Value::boolean(Cidr::parse(call.args[0].text()).has_value()); }
Value contains_ip(const Call& call) {
  const Value other =
      call.args[1].is(Kind::string) ? made(Address::parse(call.args[1].text()), Value::ip) : call.args[1];
  // Upstream fails here without the reason why the address is not valid.
  if (other.is_error()) return Value::no_such_overload();
  return Value::boolean(call.args[0].as_cidr().contains(other.as_ip()));
}
Value contains_cidr(const Call& call) {
  const Value other =
      call.args[1].is(Kind::string) ? made(Cidr::parse(call.args[1].text()), Value::cidr) : call.args[1];
  if (other.is_error()) return other;
  const Cidr &outer = call.args[0].as_cidr(), &inner = other.as_cidr();
  return Value::boolean(outer.overlaps(inner) && outer.bits <= inner.bits);
}
Value address_of(const Call& call) { return Value::ip(call.args[0].as_cidr().address); }
Value prefix_length(const Call& call) { return Value::integer(call.args[0].as_cidr().bits); }
Value masked(const Call& call) {
  Cidr network = call.args[0].as_cidr();
  network.address = network.address.masked(network.bits);
  return Value::cidr(network);
}

}  // namespace
}  // namespace kubernetes_functions

void add_kubernetes(Table& table) {
  using namespace kubernetes_functions;
  const auto add = [&](std::string_view name, std::vector<Kinds> args, Implementation run) {
    table.push_back({.name = name, .overloads = {{std::move(args), run}}});
  };
  add("quantity", {kText}, quantity);
  add("isQuantity", {kText}, is_quantity);
  add("sign", {kQuantity}, sign);
  add("isGreaterThan", {kQuantity, kQuantity}, quantity_is_greater);
  add("isLessThan", {kQuantity, kQuantity}, quantity_is_less);
  add("compareTo", {kQuantity, kQuantity}, quantity_compare);
  add("asApproximateFloat", {kQuantity}, as_float);
  add("asInteger", {kQuantity}, as_integer);
  add("isInteger", {kQuantity}, is_integer);
  add("add", {kQuantity, kQuantity | kInt}, quantity_add);
  add("sub", {kQuantity, kQuantity | kInt}, quantity_sub);
  add("semver", {kText}, semver);
  add("semver", {kText, bit(Kind::boolean)}, semver);
  add("isSemver", {kText}, is_semver);
  add("isSemver", {kText, bit(Kind::boolean)}, is_semver);
  add("isGreaterThan", {kSemver, kSemver}, semver_is_greater);
  add("isLessThan", {kSemver, kSemver}, semver_is_less);
  add("compareTo", {kSemver, kSemver}, semver_compare);
  add("major", {kSemver}, number_of<&Semver::major>);
  add("minor", {kSemver}, number_of<&Semver::minor>);
  add("patch", {kSemver}, number_of<&Semver::patch>);
  add("ip", {kText}, ip);
  add("isIP", {kText}, is_ip);
  add("ip.isCanonical", {kText}, is_canonical);
  add("family", {kIp}, family);
  add("isUnspecified", {kIp}, test<&Address::is_unspecified>);
  add("isLoopback", {kIp}, test<&Address::is_loopback>);
  add("isLinkLocalMulticast", {kIp}, test<&Address::is_link_local_multicast>);
  add("isLinkLocalUnicast", {kIp}, test<&Address::is_link_local_unicast>);
  add("isGlobalUnicast", {kIp}, test<&Address::is_global_unicast>);
  add("cidr", {kText}, cidr);
  add("isCIDR", {kText}, is_cidr);
  add("containsIP", {kCidr, kText | kIp}, contains_ip);
  add("containsCIDR", {kCidr, kText | kCidr}, contains_cidr);
  add("ip", {kCidr}, address_of);
  add("prefixLength", {kCidr}, prefix_length);
  add("masked", {kCidr}, masked);
}

}  // namespace podium::cel
