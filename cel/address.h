// Address and Cidr: IP addresses and prefixes as Go's net/netip reads and writes them.
//
// Role: the values of ip() and cidr(). Threads: values. Errors: parse() has upstream's texts.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace podium::cel {

struct Address {
  std::array<std::uint8_t, 16> bytes{};  // an IPv4 address uses the first four
  bool v4 = false;

  static std::expected<Address, std::string> parse(std::string_view text);
  int bits() const { return v4 ? 32 : 128; }
  bool is_unspecified() const;
  bool is_loopback() const;
  bool is_multicast() const;
  bool is_link_local_multicast() const;
  bool is_link_local_unicast() const;
  bool is_global_unicast() const;
  Address masked(int bits) const;
  std::string text() const;
  bool operator==(const Address&) const = default;
};

struct Cidr {
  Address address;
  int bits = 0;

  static std::expected<Cidr, std::string> parse(std::string_view text);
  bool contains(const Address& other) const;
  bool overlaps(const Cidr& other) const;
  std::string text() const;
  bool operator==(const Cidr&) const = default;
};

}  // namespace podium::cel
