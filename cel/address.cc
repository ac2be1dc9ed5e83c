#include "cel/address.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "cel/go_text.h"

namespace podium::cel {
namespace {

// Reads one address; fault() is its error.
class AddressReader {
 public:
  explicit AddressReader(std::string_view text) : text_(text) {}

  std::expected<Address, std::string> read(bool& has_zone) {
    const std::size_t kind = text_.find_first_of(".:%");
    if (kind == std::string_view::npos) return fault("unable to parse IP");
    if (text_[kind] == '%') return fault("missing IPv6 address");
    if (text_[kind] == '.') {
      Address address;
      address.v4 = true;
      if (auto wrong = dotted(text_, address.bytes.data())) return std::unexpected(*wrong);
      return address;
    }
    return groups(has_zone);
  }

 private:
  std::unexpected<std::string> fault(std::string_view what, std::string_view at = {}) const {
    std::string message = "ParseAddr(" + go_quoted(text_) + "): " + std::string(what);
    if (!at.empty()) message += " (at " + go_quoted(at) + ")";
    return std::unexpected(std::move(message));
  }

  std::optional<std::string> dotted(std::string_view part, std::uint8_t* out) const {
    int field = 0, value = 0, digits = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const char c = part[i];
      if (is_digit(c)) {
        if (digits == 1 && value == 0) return fault("IPv4 field has octet with leading zero").error();
        value = value * 10 + (c - '0');
        ++digits;
        if (value > 255) return fault("IPv4 field has value >255").error();
      } else if (c != '.') {
        return fault("unexpected character", part.substr(i)).error();
      } else if (digits == 0 || i + 1 == part.size()) {
        return fault("IPv4 field must have at least one digit", part.substr(i)).error();
      } else if (field == 3) {
        return fault("IPv4 address too long").error();
      } else {
        out[field++] = static_cast<std::uint8_t>(value);
        value = digits = 0;
      }
    }
    if (field < 3) return fault("IPv4 address too short").error();
    out[3] = static_cast<std::uint8_t>(value);
    return std::nullopt;
  }

  std::expected<Address, std::string> groups(bool& has_zone) {
    std::string_view rest = text_;
    if (const auto at = rest.find('%'); at != std::string_view::npos) {
      if (at + 1 == rest.size()) return fault("zone must be a non-empty string");
      has_zone = true;
      rest = rest.substr(0, at);
    }
    Address address;
    std::size_t filled = 0, gap = 16;  // gap: the position of "::"
    bool has_gap = false;
    if (rest.starts_with("::")) {
      has_gap = true;
      gap = 0;
      rest.remove_prefix(2);
      if (rest.empty()) return address;
    }
    while (filled < 16) {
      std::size_t length = 0;
      unsigned value = 0;
      for (; length < rest.size() && hex_digit(rest[length]) >= 0; ++length) {
        if (length > 3) return fault("each group must have 4 or less digits", rest);
        value = value * 16 + static_cast<unsigned>(hex_digit(rest[length]));
      }
      if (length == 0) return fault("each colon-separated field must have at least one digit", rest);
      if (length < rest.size() && rest[length] == '.') {
        if (!has_gap && filled != 12) {
          return fault("embedded IPv4 address must replace the final 2 fields of the address", rest);
        }
        if (filled > 12) {
          return fault("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
        }
        if (auto wrong = dotted(rest, address.bytes.data() + filled)) return std::unexpected(*wrong);
        rest = {};
        filled += 4;
        break;
      }
      address.bytes[filled++] = static_cast<std::uint8_t>(value >> 8);
      address.bytes[filled++] = static_cast<std::uint8_t>(value);
      rest.remove_prefix(length);
      if (rest.empty()) break;
      if (rest[0] != ':') return fault("unexpected character, want colon", rest);
      if (rest.size() == 1) return fault("colon must be followed by more characters", rest);
      rest.remove_prefix(1);
      if (rest[0] == ':') {
        if (has_gap) return fault("multiple :: in address", rest);
        has_gap = true;
        gap = filled;
        rest.remove_prefix(1);
        if (rest.empty()) break;
      }
    }
    if (!rest.empty()) return fault("trailing garbage after address", rest);
    if (filled < 16) {
      if (!has_gap) return fault("address string too short");
      std::rotate(address.bytes.begin() + static_cast<long>(gap),
                  address.bytes.begin() + static_cast<long>(filled), address.bytes.end());
    } else if (has_gap) {
      return fault("the :: must expand to at least one field of zeros");
    }
    return address;
  }

  std::string_view text_;
};

bool is_mapped(const Address& address) {
  return !address.v4 &&
         std::all_of(address.bytes.begin(), address.bytes.begin() + 10, [](auto b) { return b == 0; }) &&
         address.bytes[10] == 0xFF && address.bytes[11] == 0xFF;
}

}  // namespace

std::expected<Address, std::string> Address::parse(std::string_view text) {
  bool has_zone = false;
  auto address = AddressReader(text).read(has_zone);
  if (!address) {
    return std::unexpected("IP Address " + go_quoted(text) +
                           " parse error during conversion from string: " + address.error());
  }
  if (has_zone) return std::unexpected("IP address " + go_quoted(text) + " with zone value is not allowed");
  if (is_mapped(*address))
    return std::unexpected("IPv4-mapped IPv6 address " + go_quoted(text) + " is not allowed");
  return address;
}

bool Address::is_unspecified() const {
  return std::all_of(bytes.begin(), bytes.end(), [](auto b) { return b == 0; });
}
bool Address::is_loopback() const {
  if (v4) return bytes[0] == 127;
  return bytes[15] == 1 && std::all_of(bytes.begin(), bytes.end() - 1, [](auto b) { return b == 0; });
}
bool Address::is_multicast() const { return v4 ? (bytes[0] & 0xF0) == 0xE0 : bytes[0] == 0xFF; }
bool Address::is_link_local_multicast() const {
  if (v4) return bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0;
  return bytes[0] == 0xFF && (bytes[1] & 0x0F) == 2;
}
bool Address::is_link_local_unicast() const {
  if (v4) return bytes[0] == 169 && bytes[1] == 254;
  return bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80;
}
bool Address::is_global_unicast() const {
  const bool is_broadcast =
      v4 && std::all_of(bytes.begin(), bytes.begin() + 4, [](auto b) { return b == 255; });
  return !is_broadcast && !is_unspecified() && !is_loopback() && !is_multicast() && !is_link_local_unicast();
}

Address Address::masked(int bits) const {
  Address result = *this;
  for (int i = 0; i < 16; ++i) {
    const int left = std::clamp(bits - 8 * i, 0, 8);
    result.bytes[static_cast<std::size_t>(i)] &= static_cast<std::uint8_t>(0xFF00 >> left);
  }
  return result;
}

std::string Address::text() const {
  if (v4) return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < 8; ++i) groups[i] = bytes[2 * i] * 256u + bytes[2 * i + 1];
  if (is_mapped(*this)) return fmt::format("::ffff:{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]);
  // The longest run of at least two zero groups becomes "::"; of equal ones the first.
  std::size_t best = 8, best_length = 1;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i > best_length) {
      best = i;
      best_length = end - i;
    }
  }
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == best) {
      out += "::";
      i += best_length - 1;
      continue;
    }
    if (!out.empty() && !out.ends_with(':')) out += ':';
    out += fmt::format("{:x}", groups[i]);
  }
  return out;
}

std::expected<Cidr, std::string> Cidr::parse(std::string_view text) {
  constexpr std::string_view kAbout = "network address parse error during conversion from string: ";
  const auto fault = [&](std::string_view what) {
    return std::unexpected(
        fmt::format("{}{}netip.ParsePrefix({}): {}", kAbout, kAbout, go_quoted(text), what));
  };
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return fault("no '/'");
  bool has_zone = false;
  const auto address = AddressReader(text.substr(0, slash)).read(has_zone);
  if (!address) return fault(address.error());
  if (has_zone) return fault("IPv6 zones cannot be present in a prefix");
  const std::string_view digits = text.substr(slash + 1);
  const bool is_sloppy = digits.size() > 1 && (digits[0] < '1' || digits[0] > '9');
  int bits = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const bool is_number = end == digits.data() + digits.size() && !digits.empty() && is_digit(digits[0]);
  if (is_sloppy || !is_number) return fault("bad bits after slash: " + go_quoted(digits));
  if (code != std::errc() || bits > address->bits()) return fault("prefix length out of range");
  if (is_mapped(*address)) {
    return std::unexpected(
        fmt::format("{}IPv4-mapped IPv6 address {} is not allowed", kAbout, go_quoted(text)));
  }
  return Cidr{*address, bits};
}

bool Cidr::contains(const Address& other) const {
  return other.v4 == address.v4 && other.masked(bits) == address.masked(bits);
}
bool Cidr::overlaps(const Cidr& other) const {
  const int common = std::min(bits, other.bits);
  return other.address.v4 == address.v4 && other.address.masked(common) == address.masked(common);
}
std::string Cidr::text() const { return fmt::format("{}/{}", address.text(), bits); }

}  // namespace podium::cel
