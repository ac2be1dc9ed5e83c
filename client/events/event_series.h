// EventSeries: aggregates repeated events into series, as client-go does.
//
// The first event is created; the second turns it into a series, written immediately. Later ones are only
// counted here. The count is written after six quiet minutes, and every half hour while the series continues,
// because the server deletes events after an hour. Holds at most `capacity` series; evicts the one that has
// been quiet longest. Pure. Threads: none of its own. Source: client-go tools/events/event_broadcaster.go.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace podium::client {

class EventSeries {
 public:
  struct Write {
    enum class Kind { none, create, patch };
    Kind kind = Kind::none;
    std::string ns, name;
    Wall first{};
    int count = 1;
    Wall last{};
    bool operator==(const Write&) const = default;
  };

  explicit EventSeries(std::size_t capacity) : capacity_(capacity) {}

  // Records one event. Events with equal `identity` are one series; ns and name are those of the Event to
  // create. If a series is evicted with an unwritten count, that write is added to `also`.
  Write happened(std::string_view identity, const std::string& ns, const std::string& name, Steady now,
                 Wall wall, std::vector<Write>& also);
  // Writes that are due; drops quiet series. all: every unwritten count, for a stop.
  std::vector<Write> due(Steady now, bool all = false);
  std::size_t size() const { return entries_.size(); }

 private:
  using Key = std::array<std::uint64_t, 2>;
  struct Entry {
    Key key{};
    std::string object;  // "namespace/name" of the Event
    Wall first{}, last{};
    int count = 1, written = 1;
    Steady seen{}, written_at{};
  };
  using Entries = std::list<Entry>;
  static Key key_of(Key key) { return key; }
  static Key key_of(Entries::const_iterator entry) { return entry->key; }
  struct KeyHash {
    using is_transparent = void;
    using is_avalanching = void;  // a key is a hash
    std::size_t operator()(const auto& of) const { return key_of(of)[0]; }
  };
  struct KeyEqual {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const { return key_of(a) == key_of(b); }
  };
  static Write patch(Entry& entry, Steady now);

  std::size_t capacity_;
  Entries entries_;  // the one quiet longest first
  boost::unordered_flat_set<Entries::iterator, KeyHash, KeyEqual> by_key_;
};

}  // namespace podium::client
