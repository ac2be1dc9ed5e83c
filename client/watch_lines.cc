#include "client/watch_lines.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <utility>

namespace podium::client {
namespace json = boost::json;
namespace {

const json::value* field(const json::value& value, std::string_view name) {
  const json::object* object = value.if_object();
  return object ? object->if_contains(name) : nullptr;
}

std::string_view text(const json::value* value) {
  const json::string* string = value ? value->if_string() : nullptr;
  return string ? std::string_view(*string) : std::string_view();
}

int number(const json::value* value) {
  const std::int64_t* integer = value ? value->if_int64() : nullptr;
  return integer && *integer > 0 && *integer < 1'000'000 ? static_cast<int>(*integer) : 0;
}

Result<WatchEvent::Type> event_type(std::string_view name) {
  if (name == "ADDED") return WatchEvent::Type::added;
  if (name == "MODIFIED") return WatchEvent::Type::modified;
  if (name == "DELETED") return WatchEvent::Type::deleted;
  if (name == "BOOKMARK") return WatchEvent::Type::bookmark;
  if (name == "ERROR") return WatchEvent::Type::error;
  return invalid("watch event of unknown type");
}

}  // namespace

Result<void> LineSplitter::feed(std::string_view piece, const std::function<bool(std::string_view)>& each) {
  while (!piece.empty()) {
    const auto newline = piece.find('\n');
    if (partial_.size() + std::min(newline, piece.size()) > max_line_) {
      partial_ = {};
      return invalid("watch event too long");
    }
    if (newline == std::string_view::npos) {
      partial_.append(piece);
      return {};
    }
    std::string_view line = piece.substr(0, newline);
    piece.remove_prefix(newline + 1);
    std::string whole;
    if (!partial_.empty()) {
      whole = std::exchange(partial_, {});
      line = whole.append(line);
    }
    if (!line.empty() && !each(line)) return {};
  }
  return {};
}

Result<json::value> parse_api_json(std::string_view text, const json::storage_ptr& storage) {
  json::parse_options options;
  options.max_depth = 128;
  options.allow_invalid_utf8 = true;
  boost::system::error_code failure;
  json::value value = json::parse(text, failure, storage, options);
  if (failure) return invalid("not JSON: " + failure.message());
  return value;
}

Result<WatchEvent> parse_watch_event(std::string_view line, const json::storage_ptr& storage) {
  auto whole = parse_api_json(line, storage);
  if (!whole) return std::unexpected(whole.error());
  auto type = event_type(text(field(*whole, "type")));
  if (!type) return std::unexpected(type.error());
  json::object* top = whole->if_object();
  json::value* object = top->if_contains("object");
  if (!object || !object->is_object()) return invalid("watch event without an object");
  WatchEvent event{*type, std::move(*object)};
  if (const json::value* metadata = field(event.object, "metadata")) {
    event.resource_version = text(field(*metadata, "resourceVersion"));
    if (const json::value* annotations = field(*metadata, "annotations");
        annotations && *type == WatchEvent::Type::bookmark) {
      event.initial_events_end = text(field(*annotations, "k8s.io/initial-events-end")) == "true";
    }
  }
  return event;
}

Error status_error(const json::value& status, int http) {
  Error error;
  error.kind = Error::Kind::status;
  error.code = http != 0 ? http : number(field(status, "code"));
  error.message = text(field(status, "message"));
  if (text(field(status, "kind")) == "Status") error.reason = text(field(status, "reason"));
  if (const json::value* details = field(status, "details")) {
    error.retry_after = number(field(*details, "retryAfterSeconds"));
  }
  if (error.message.empty()) error.message = "the server answered " + std::to_string(error.code);
  return error;
}

Error status_error(std::string_view body, int http) {
  auto status = parse_api_json(body, {});
  return status_error(status ? *status : json::value(), http);
}

}  // namespace podium::client
