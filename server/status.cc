#include "server/status.h"

#include <boost/json/serialize.hpp>
#include <optional>

namespace podium::server {

namespace json = boost::json;

namespace {

const char* reason_of(int code) {
  switch (code) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 408:
    case 504:
      return "Timeout";
    case 413:
      return "RequestEntityTooLarge";
    case 415:
      return "UnsupportedMediaType";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 503:
      return "ServiceUnavailable";
    default:
      return code >= 500 ? "InternalError" : "Unknown";
  }
}

Reply make_reply(int code, std::string reason, std::string message, std::optional<json::object> details) {
  json::object body{{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
                    {"status", "Failure"}, {"message", message}, {"reason", reason}};
  if (details) body["details"] = std::move(*details);
  body["code"] = code;
  return Reply(code, json::serialize(body) + "\n", "application/json");
}

}  // namespace

Reply status_reply(int code, std::string reason, std::string message) {
  return make_reply(code, std::move(reason), std::move(message), std::nullopt);
}

Reply status_reply(int code, std::string reason, std::string message, json::object details) {
  return make_reply(code, std::move(reason), std::move(message), std::move(details));
}

Reply status_reply(int code, std::string message) {
  return status_reply(code, reason_of(code), std::move(message));
}

}  // namespace podium::server
