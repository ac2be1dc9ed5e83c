// The address of an API server, and percent-encoding for paths and queries.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace podium::client {

struct ServerUrl {
  bool tls = true;
  std::string host;  // a name or an IP address, without brackets
  std::string port;
  std::string prefix;  // path before /api, without a trailing slash; mostly empty

  std::string authority() const;  // host:port as a Host header writes it
};

Result<ServerUrl> parse_server_url(std::string_view url);

// Everything but unreserved characters is encoded, so the text stays one path segment or one query value.
std::string percent_encode(std::string_view text);

}  // namespace podium::client
