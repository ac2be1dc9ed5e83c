// EventSeries: which of the events that happen is new, and which is the same one again.
//
// The first of a kind is created; the second makes it a series, written at once; later ones are counted here,
// and the count is written when the series has been quiet for six minutes, and every half hour while it is
// not (the server forgets events after an hour). Bounded: what was quiet longest is forgotten first. Pure.
// Threads: none of its own. Source: client-go tools/events/event_broadcaster.go.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
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

  // An event happened. `identity` is what makes it the same as another; ns and name are the object's for a
  // new one. Forgetting another series for room may need its count written: that is added to `also`.
  Write happened(std::string_view identity, const std::string& ns, const std::string& name, Steady now,
                 Wall wall, std::vector<Write>& also);
  // What is to be written by now; quiet ones are forgotten. all: the counts of all series, because we stop.
  std::vector<Write> due(Steady now, bool all = false);
  std::size_t size() const { return entries_.size(); }

 private:
  using Key = std::array<std::uint64_t, 2>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return key[0]; }
  };
  struct Entry {
    Key key{};
    std::string ns, name;
    Wall first{}, last{};
    int count = 1, written = 1;
    Steady seen{}, written_at{};
  };
  static Write patch(Entry& entry, Steady now);

  std::size_t capacity_;
  std::list<Entry> entries_;  // quiet longest first
  std::unordered_map<Key, std::list<Entry>::iterator, KeyHash> by_key_;
};

}  // namespace podium::client
