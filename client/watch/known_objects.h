// KnownObjects: what a reflector's handler has been told, kept small, and what it must be told next.
//
// Of each object only its identity and version are kept. A list is applied as it comes, object by object;
// what it did not show is deleted at its end. Between lists, events older than what is known are dropped, in
// any order they come: those of the time before the list, of which the list has told the outcome, and later
// ones by UID and resourceVersion, with a bounded memory of the UIDs that were deleted last. What is older
// than that memory is dropped with it: an event that comes after more than a thousand deletes that it should
// have come before is one that is told again. Pure. Threads: none of its own.
#pragma once

#include <boost/json/value.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "client/watch/reflector.h"

namespace podium::client {

class KnownObjects {
 public:
  // replace: resourceVersions went back, so that versions are not compared and every object is told again.
  void begin_list(bool replace);
  // The list is complete, and as of this version.
  void end_list(std::string_view resource_version, std::vector<Change>& changes);

  // An object of a list, or an ADDED, MODIFIED or DELETED event's. What is to be told is added to `changes`,
  // with the object moved there. False: the object has no name or UID. Not readable: it is the outline of one
  // that cannot be parsed.
  bool upsert(boost::json::value& object, std::vector<Change>& changes, bool readable = true);
  bool remove(boost::json::value& object, std::vector<Change>& changes);

  std::size_t size() const { return known_.size(); }

 private:
  struct Known {
    std::string uid;
    std::uint64_t version = 0;
    std::uint32_t list = 0;  // the last list that showed it
    bool readable = true;
  };
  struct Identity {
    std::string_view name_space, name, uid;
    std::uint64_t version = 0;
  };
  static constexpr std::size_t kTombs = 1024;

  static bool read_identity(const boost::json::value& object, Identity& identity);
  void note_kind(const boost::json::value& object);
  bool buried(const Identity& identity) const;
  void bury(std::string_view uid, std::uint64_t version);
  bool stale(const Known& known, const Identity& identity) const;
  bool settled(const Identity& identity) const;
  Change missed_delete(std::string_view key, const Known& known) const;

  boost::unordered_flat_map<std::string, Known> known_;  // by namespace/name
  boost::unordered_flat_map<std::string, std::uint64_t> tombs_;
  std::deque<std::string> tomb_order_;
  std::string api_version_, kind_;
  std::uint64_t settled_ = 0;  // the last list's version, or that of the newest tomb that was given up since
  std::uint32_t list_ = 0;
  bool listing_ = false, replace_ = false;
};

}  // namespace podium::client
