#include "client/events/event_json.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "api/text/json_string.h"
#include "base/ascii.h"
#include "base/check.h"
#include "base/random.h"
#include "base/time.h"
#include "base/utf8.h"

namespace podium::client {
namespace {

// Appends ,"name":"value" unless the value is empty.
void append_field(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  if (out.back() != '{') out += ',';
  out.append("\"").append(name).append("\":");
  api::append_json(out, value);
}

void append_reference(std::string& out, std::string_view name, const EventRegarding& object) {
  out.append(",\"").append(name).append("\":{");
  append_field(out, "kind", object.kind);
  append_field(out, "namespace", object.namespace_);
  append_field(out, "name", object.name);
  append_field(out, "uid", object.uid);
  append_field(out, "apiVersion", object.api_version);
  append_field(out, "resourceVersion", object.resource_version);
  out += '}';
}

// Calls each(text) for all texts of an object or an event but for `related`.
template <typename Object, typename Each>
void each_text_of_object(Object& object, Each each) {
  for (auto* text : {&object.api_version, &object.kind, &object.namespace_, &object.name, &object.uid,
                     &object.resource_version})
    each(*text);
}
template <typename Event, typename Each>
void each_text(Event& event, Each each) {
  each_text_of_object(event.regarding, each);
  for (auto* text : {&event.type, &event.reason, &event.action, &event.note}) each(*text);
}

bool name_character(char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '.'; }

}  // namespace

// Each text has its length before it; what follows the event's own is of `related`.
std::string pack(const EventText& event) {
  std::string out;
  std::size_t all = 0;
  const auto count = [&all](const std::string& text) { all += sizeof(std::uint32_t) + text.size(); };
  const auto add = [&out](const std::string& text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    out.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
  };
  each_text(event, count);
  if (event.related) each_text_of_object(*event.related, count);
  out.reserve(all);
  each_text(event, add);
  if (event.related) each_text_of_object(*event.related, add);
  return out;
}

EventText unpack_event(std::string_view packed) {
  EventText event;
  const auto take = [&packed](std::string& text) {
    std::uint32_t size = 0;
    PODIUM_CHECK(packed.size() >= sizeof size, packed.size());
    std::memcpy(&size, packed.data(), sizeof size);
    PODIUM_CHECK(packed.size() - sizeof size >= size, packed.size(), size);
    text = packed.substr(sizeof size, size);
    packed.remove_prefix(sizeof size + size);
  };
  each_text(event, take);
  if (!packed.empty()) each_text_of_object(event.related.emplace(), take);
  return event;
}

std::string cut_note(std::string note) {
  constexpr std::string_view kEnd = " ...";
  if (note.size() <= kNoteLimit) return note;
  note.resize(whole_characters(note, kNoteLimit - kEnd.size()).size());
  return note.append(kEnd);
}

std::string event_name(std::string_view object, std::uint64_t nanoseconds, Random& random) {
  constexpr std::size_t kNameLimit = 253;
  auto name = fmt::format("{}.{:x}", object, nanoseconds);
  if (name.size() <= kNameLimit && !object.empty() && std::ranges::all_of(name, name_character)) return name;
  return fmt::format("event-{:016x}{:016x}", random.next(), random.next());
}

std::string event_json(const EventText& event, std::string_view name, std::string_view ns,
                       std::string_view controller, std::string_view instance, Wall time,
                       const EventSeriesText& series) {
  std::string out;
  out.reserve(640 + event.note.size());
  out += R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{)";
  append_field(out, "name", name);
  append_field(out, "namespace", ns);
  out += '}';
  append_field(out, "eventTime", format_micro_time(time));
  append_field(out, "reportingController", controller);
  append_field(out, "reportingInstance", instance);
  append_field(out, "action", event.action);
  append_field(out, "reason", event.reason);
  append_field(out, "note", event.note);
  append_field(out, "type", event.type);
  append_reference(out, "regarding", event.regarding);
  if (event.related) append_reference(out, "related", *event.related);
  if (series.count > 1) {
    out.append(R"(,"series":{"count":)")
        .append(std::to_string(series.count))
        .append(R"(,"lastObservedTime":)");
    api::append_json(out, format_micro_time(series.last));
    out += '}';
  }
  out += '}';
  return out;
}

}  // namespace podium::client
