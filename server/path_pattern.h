// PathPattern: a path with parameters, such as "/v1/namespaces/{namespace}/pods/{pod}".
//
// A parameter matches one segment, which is percent-decoded. Fixed segments match literally, so
// that an encoded path never passes for another.
// Threads: immutable. Errors: Kind::invalid for a segment that is not encoded correctly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace podium::server {

// "%2F" is "/". Refuses a '%' without two hexadecimal digits.
Result<std::string> percent_decode(std::string_view text);

class PathPattern {
 public:
  explicit PathPattern(std::string_view pattern);

  // The parameters' values in order, decoded; nullopt: another path.
  std::optional<Result<std::vector<std::string>>> match(std::string_view path) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> segments_;  // a parameter keeps its braces
};

}  // namespace podium::server
