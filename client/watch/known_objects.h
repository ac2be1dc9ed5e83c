// KnownObjects: tracks which objects a handler has seen, and decides what to dispatch to it next.
//
// Keeps only the identity and version of each object. Applies a list object by object; at its end, deletes
// the objects that it did not have. Between lists, drops stale events, in whatever order they arrive: those
// from before the list, by its resourceVersion; later ones by UID and resourceVersion, with tombstones of
// the last 1024 deleted UIDs. An event older than a discarded tombstone is also dropped: a later relist
// repairs what that may lose.
// Owner: the reflector. Pure. Threads: none of its own. Errors: none; unusable objects return false.
#pragma once

#include <boost/json/value.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/packed_uid.h"
#include "base/text_hash.h"
#include "client/watch/reflector.h"

namespace podium::client {

class KnownObjects {
 public:
  // replace: resourceVersions went back; versions are not compared, and every object is dispatched again.
  void begin_list(bool replace);
  // The list is complete as of this version. Adds the deletes of objects that it did not have.
  void end_list(std::string_view resource_version, std::vector<Change>& changes);

  // upsert: an object of a list, or of an ADDED or MODIFIED event; remove: of a DELETED event. Moves the
  // object into `changes` if the handler has to see it. False: it has no name or UID. readable = false: the
  // object is the outline of one that cannot be parsed.
  bool upsert(boost::json::value& object, std::vector<Change>& changes, bool readable = true);
  bool remove(boost::json::value& object, std::vector<Change>& changes);

  std::size_t size() const { return known_.size(); }
  std::size_t listed() const { return listed_; }  // objects that this list, or the last one, has had

 private:
  struct Known {
    PackedUid uid;
    std::uint64_t version = 0;
    std::uint32_t list = 0;  // the last list that had it
    bool readable = true;
  };
  struct Identity {
    std::string_view name_space, name, uid;
    std::uint64_t version = 0;
  };
  static constexpr std::size_t kTombstones = 1024;

  static bool read_identity(const boost::json::value& object, Identity& identity);
  void note_kind(const boost::json::value& object);
  bool has_tombstone(const Identity& identity) const;
  void add_tombstone(std::string_view uid, std::uint64_t version);
  bool stale(const Known& known, const Identity& identity) const;
  bool settled(const Identity& identity) const;
  Change missed_delete(std::string_view key, const Known& known) const;

  boost::unordered_flat_map<std::string, Known, TextHash, std::equal_to<>> known_;  // by namespace/name
  boost::unordered_flat_map<std::string, std::uint64_t, TextHash> tombstones_;
  std::deque<std::string> tombstone_order_;
  std::string api_version_, kind_;
  std::uint64_t settled_ = 0;  // the version of the last list, or of the newest tombstone discarded since
  std::uint32_t list_ = 0;
  std::size_t listed_ = 0;
  bool listing_ = false, replace_ = false;
};

}  // namespace podium::client
