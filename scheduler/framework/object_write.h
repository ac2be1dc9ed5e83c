// ObjectWrite: a request of a plugin to the API server, as data.
//
// Plugins are free of I/O: they return requests, and the scheduler makes them.
// Threads: a value. Source of the verbs: client/api.h.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <string>

namespace podium::framework {

// A request. Preconditions: a patch has the UID and the resourceVersion if they are set, a deletion the UID.
struct ObjectWrite {
  // merge: a JSON merge patch. strategic: a strategic merge patch, which also merges lists. read: GET.
  // create: POST of `patch`, named after its generateName. remove: DELETE, after a strategic `patch` if any.
  enum class Verb : std::uint8_t { merge, strategic, read, create, remove };

  std::string group, version = "v1", resource;  // "", "v1", "persistentvolumes"
  std::string namespace_, name, subresource;
  std::string uid, resource_version;  // preconditions
  boost::json::value patch;           // without the preconditions
  Verb verb = Verb::merge;
  // A JSON pointer to the member of the patch that gets the time of the request; empty: none. The plugins
  // have no clock.
  std::string time_at = {};
  std::chrono::milliseconds delay{0};  // before the request
};

}  // namespace podium::framework
