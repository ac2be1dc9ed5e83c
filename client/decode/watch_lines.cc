#include "client/decode/watch_lines.h"

#include <algorithm>
#include <utility>

#include "api/text/json_view.h"
#include "api/text/parse_json.h"
#include "api/values/decimal.h"
#include "client/decode/json_skim.h"
#include "client/decode/list_page.h"

namespace podium::client {
namespace json = boost::json;
namespace {

using api::member;
using api::text_of;

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
  return invalid("watch event has an unknown type");
}

void note_metadata(WatchEvent& event) {
  const json::value* metadata = member(&event.object, "metadata");
  if (!metadata) return;
  event.resource_version = text_of(member(metadata, "resourceVersion"));
  if (event.type != WatchEvent::Type::bookmark) return;
  if (const json::value* annotations = member(metadata, "annotations")) {
    event.initial_events_end = text_of(member(annotations, "k8s.io/initial-events-end")) == "true";
  }
}

// The event of a line that cannot be parsed, if its type and the object's metadata can be.
Result<WatchEvent> outline_event(std::string_view line, const std::string& problem,
                                 const json::storage_ptr& storage) {
  std::string_view type_text, object;
  skim_members(line, [&](std::string_view key, std::string_view value) {
    if (key == "type") type_text = value;
    if (key == "object") object = value;
  });
  if (type_text.size() < 2) return invalid(problem);
  auto type = event_type(type_text.substr(1, type_text.size() - 2));
  const bool of_object = type && *type != WatchEvent::Type::bookmark && *type != WatchEvent::Type::error;
  if (!of_object || object.empty()) return invalid(problem);
  WatchEvent event{*type, read_outline(object, storage), problem, {}};
  note_metadata(event);
  return event;
}

std::vector<ApiStatus::Cause> causes_of(const json::value* list) {
  std::vector<ApiStatus::Cause> out;
  const json::array* causes = list ? list->if_array() : nullptr;
  if (!causes) return out;
  for (const auto& cause : *causes) {
    out.push_back({.reason = std::string(text_of(member(&cause, "reason"))),
                   .message = std::string(text_of(member(&cause, "message"))),
                   .field = std::string(text_of(member(&cause, "field")))});
  }
  return out;
}

}  // namespace

void LineSplitter::feed(std::string_view piece, const std::function<bool(std::string_view)>& each) {
  while (!piece.empty()) {
    const auto newline = piece.find('\n');
    std::string_view line = piece.substr(0, newline);
    const auto room = max_line_ - std::min(max_line_, partial_.size());
    if (newline == std::string_view::npos) {
      partial_.append(line.substr(0, room));
      return;
    }
    piece.remove_prefix(newline + 1);
    line = line.substr(0, room);
    std::string whole;
    if (!partial_.empty()) {
      whole = std::exchange(partial_, {});
      line = whole.append(line);
    }
    if (!line.empty() && !each(line)) return;
  }
}

std::uint64_t version_number(std::string_view resource_version) {
  return api::whole_number<std::uint64_t>(resource_version).value_or(0);
}

Result<WatchEvent> parse_watch_event(std::string_view line, const json::storage_ptr& storage) {
  auto whole = api::parse_json(line, storage);
  if (!whole) return outline_event(line, whole.error().message, storage);
  auto type = event_type(text_of(member(&*whole, "type")));
  if (!type) return std::unexpected(type.error());
  json::object* top = whole->if_object();
  json::value* object = top->if_contains("object");
  if (!object || !object->is_object()) return invalid("watch event has no object");
  WatchEvent event{*type, std::move(*object), {}, {}};
  note_metadata(event);
  if (!event.resource_version.empty() && version_number(event.resource_version) == 0)
    return invalid("watch event has an invalid resourceVersion");
  return event;
}

Error status_error(const json::value& given, int http) {
  Error error;
  error.kind = Error::Kind::status;
  error.message = text_of(member(&given, "message"));
  auto& status = error.status;
  status.code = http != 0 ? http : number(member(&given, "code"));
  if (text_of(member(&given, "kind")) == "Status") status.reason = text_of(member(&given, "reason"));
  if (const json::value* details = member(&given, "details")) {
    status.retry_after = number(member(details, "retryAfterSeconds"));
    status.kind = text_of(member(details, "kind"));
    status.name = text_of(member(details, "name"));
    status.causes = causes_of(member(details, "causes"));
  }
  if (error.message.empty()) error.message = "the server answered " + std::to_string(status.code);
  return error;
}

Error status_error(std::string_view body, int http) {
  auto status = api::parse_json(body);
  return status_error(status ? *status : json::value(), http);
}

}  // namespace podium::client
