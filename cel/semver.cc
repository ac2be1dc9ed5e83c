#include "cel/semver.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "cel/go_text.h"

namespace podium::cel {
namespace {

bool is_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}
bool is_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c == '-' || (c < 0x80 && std::isalnum(c)); });
}
bool has_leading_zero(std::string_view text) { return text.size() > 1 && text[0] == '0'; }

std::expected<std::uint64_t, std::string> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc() && end == text.data() + text.size()) return value;
  return std::unexpected(
      fmt::format("strconv.ParseUint: parsing {}: {}", go_quoted(text),
                  code == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
}

std::vector<std::string_view> parts_of(std::string_view text, char by,
                                       std::size_t most = std::string_view::npos) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < most) {
    const std::size_t at = text.find(by);
    if (at == std::string_view::npos) break;
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

std::expected<std::uint64_t, std::string> component(std::string_view text, std::string_view what,
                                                    std::string_view name) {
  if (!is_digits(text)) {
    return std::unexpected(fmt::format("Invalid character(s) found in {} number {}", what, go_quoted(text)));
  }
  if (has_leading_zero(text)) {
    return std::unexpected(
        fmt::format("{} number must not contain leading zeroes {}", name, go_quoted(text)));
  }
  return parse_number(text);
}

std::expected<Semver::Part, std::string> prerelease(std::string_view text) {
  if (text.empty()) return std::unexpected("Prerelease is empty");
  Semver::Part part{std::string(text)};
  if (is_digits(text)) {
    if (has_leading_zero(text)) {
      return std::unexpected("Numeric PreRelease version must not contain leading zeroes " + go_quoted(text));
    }
    const auto value = parse_number(text);
    if (!value) return std::unexpected(value.error());
    part.number = *value;
    part.is_number = true;
  } else if (!is_word(text)) {
    return std::unexpected("Invalid character(s) found in prerelease " + go_quoted(text));
  }
  return part;
}

int number_order(std::uint64_t left, std::uint64_t right) { return left < right ? -1 : left > right ? 1 : 0; }

}  // namespace

std::expected<Semver, std::string> Semver::parse(std::string_view text) {
  if (text.empty()) return std::unexpected("Version string empty");
  const auto parts = parts_of(text, '.', 3);
  if (parts.size() != 3) return std::unexpected("No Major.Minor.Patch elements found");
  Semver result;
  const auto major = component(parts[0], "major", "Major");
  if (!major) return std::unexpected(major.error());
  const auto minor = component(parts[1], "minor", "Minor");
  if (!minor) return std::unexpected(minor.error());
  std::string_view rest = parts[2];
  std::vector<std::string_view> builds, releases;
  if (const auto at = rest.find('+'); at != std::string_view::npos) {
    builds = parts_of(rest.substr(at + 1), '.');
    rest = rest.substr(0, at);
  }
  if (const auto at = rest.find('-'); at != std::string_view::npos) {
    releases = parts_of(rest.substr(at + 1), '.');
    rest = rest.substr(0, at);
  }
  const auto patch = component(rest, "patch", "Patch");
  if (!patch) return std::unexpected(patch.error());
  result.major = *major;
  result.minor = *minor;
  result.patch = *patch;
  for (const auto each : releases) {
    auto part = prerelease(each);
    if (!part) return std::unexpected(part.error());
    result.pre.push_back(std::move(*part));
  }
  for (const auto each : builds) {
    if (each.empty()) return std::unexpected("Build meta data is empty");
    if (!is_word(each))
      return std::unexpected("Invalid character(s) found in build meta data " + go_quoted(each));
    result.build.emplace_back(each);
  }
  return result;
}

std::expected<Semver, std::string> Semver::parse_normalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  for (std::string_view part : parts_of(text, '.', 3)) {
    if (part.size() > 1) {
      part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
      const bool starts_with_digit = !part.empty() && is_digit(part[0]);
      parts.push_back((starts_with_digit ? "" : "0") + std::string(part));
    } else {
      parts.emplace_back(part);
    }
  }
  if (parts.size() < 3) {
    if (parts.back().find_first_of("+-") != std::string::npos) {
      return std::unexpected("short version cannot contain PreRelease/Build meta data");
    }
    while (parts.size() < 3) parts.emplace_back("0");
  }
  return parse(parts[0] + "." + parts[1] + "." + parts[2]);
}

int Semver::compare(const Semver& other) const {
  if (major != other.major) return number_order(major, other.major);
  if (minor != other.minor) return number_order(minor, other.minor);
  if (patch != other.patch) return number_order(patch, other.patch);
  if (pre.empty() || other.pre.empty()) {
    return pre.empty() == other.pre.empty() ? 0 : pre.empty() ? 1 : -1;
  }
  for (std::size_t i = 0; i < pre.size() && i < other.pre.size(); ++i) {
    const Part &left = pre[i], &right = other.pre[i];
    if (left.is_number != right.is_number) return left.is_number ? -1 : 1;
    const int result =
        left.is_number ? number_order(left.number, right.number) : left.text.compare(right.text);
    if (result != 0) return result < 0 ? -1 : 1;
  }
  return number_order(pre.size(), other.pre.size());
}

std::string Semver::text() const {
  std::string out = fmt::format("{}.{}.{}", major, minor, patch);
  for (std::size_t i = 0; i < pre.size(); ++i) out += (i ? "." : "-") + pre[i].text;
  for (std::size_t i = 0; i < build.size(); ++i) out += (i ? "." : "+") + build[i];
  return out;
}

}  // namespace podium::cel
