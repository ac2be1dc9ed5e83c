// JSON text of an events.k8s.io/v1 Event. Written without a value tree, because every bound pod has one.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "client/events/event_recorder.h"

namespace podium::client {

struct EventText {
  EventRegarding regarding;
  std::optional<EventRegarding> related;
  std::string type, reason, action, note;
};

// The texts as one, a fifth of their size: thousands of events may wait to be written.
std::string pack(const EventText& event);
EventText unpack_event(std::string_view packed);

struct EventSeriesText {
  int count = 0;  // below 2: no series
  Wall last{};
};

inline constexpr std::size_t kNoteLimit = 1024;

// Truncates to kNoteLimit bytes at a character boundary, with " ..." at the end.
std::string cut_note(std::string note);

// "<object>.<time in hex>", or a random name if that is not a DNS subdomain.
std::string event_name(std::string_view object, std::uint64_t nanoseconds, Random& random);

std::string event_json(const EventText& event, std::string_view name, std::string_view ns,
                       std::string_view controller, std::string_view instance, Wall time,
                       const EventSeriesText& series);

}  // namespace podium::client
