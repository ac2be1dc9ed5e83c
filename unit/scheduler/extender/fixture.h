// Shared by the extender tests: a nodeCacheCapable extender and its replies.
#pragma once

#include <string>
#include <utility>

#include "client/http/transport.h"
#include "scheduler/config/values/config.h"

namespace podium::extender {

inline Result<client::Response> ok(std::string body) { return client::Response{200, std::move(body), 0, ""}; }

// Without verbs; tests set them.
inline config::Extender extender_at(std::string url) {
  config::Extender out;
  out.url_prefix = std::move(url);
  out.node_cache_capable = true;
  return out;
}

}  // namespace podium::extender
