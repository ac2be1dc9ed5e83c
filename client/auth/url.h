// URL of an API server, and percent-encoding of paths and queries.
//
// Threads: pure functions. Errors: Kind::invalid with the reason, without the URL, which may hold a password.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace podium::client {

struct ServerUrl {
  bool tls = true;
  std::string host;  // a name or an IP address, without brackets
  std::string port;
  std::string prefix;  // path before /api, without a trailing slash; usually empty

  std::string authority() const;  // host:port, as in a Host header
};

Result<ServerUrl> parse_server_url(std::string_view url);

// Encodes all but unreserved characters: the result is one path segment or one query value.
std::string percent_encode(std::string_view text);

}  // namespace podium::client
