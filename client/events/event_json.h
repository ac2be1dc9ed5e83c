// The JSON text of an events.k8s.io/v1 Event, written without a tree in between: it is made once for every
// pod placed.
//
// Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "client/events/event_recorder.h"

namespace podium::client {

struct EventText {
  EventRegarding regarding;
  std::optional<EventRegarding> related;
  std::string type, reason, action, note;
};

struct EventSeriesText {
  int count = 0;  // below 2: no series
  Wall last{};
};

inline constexpr std::size_t kNoteLimit = 1024;

// At most kNoteLimit bytes, cut between characters, with " ..." where it was cut.
std::string cut_note(std::string note);

// "<object>.<time in hex>"; something random where that is no DNS subdomain.
std::string event_name(std::string_view object, std::uint64_t nanoseconds, Random& random);

std::string event_json(const EventText& event, std::string_view name, std::string_view ns,
                       std::string_view controller, std::string_view instance, Wall time,
                       const EventSeriesText& series);

}  // namespace podium::client
