// Semver: a version as the library that Kubernetes uses reads it (blang/semver v4).
//
// Role: the values of version attributes. Threads: a value. Errors: parse() has that library's texts.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace podium::cel {

struct Semver {
  struct Part {
    std::string text;
    std::uint64_t number = 0;
    bool is_number = false;
  };
  std::uint64_t major = 0, minor = 0, patch = 0;
  std::vector<Part> pre;
  std::vector<std::string> build;

  static std::expected<Semver, std::string> parse(std::string_view text);
  // Also takes "v1.2", and leading zeros.
  static std::expected<Semver, std::string> parse_normalized(std::string_view text);
  int compare(const Semver& other) const;  // -1, 0, 1; builds do not count
  std::string text() const;
};

}  // namespace podium::cel
