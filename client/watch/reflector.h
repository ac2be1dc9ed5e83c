// Reflector: keeps a handler in sync with one resource of the API server, like client-go's reflector.
//
// Streaming list or LIST, then watch with bookmarks; resumes a cut stream; relists on 410 Gone, with the
// deletes that were missed; renews a silent watch; jittered backoff. ReflectorState decides the next request,
// KnownObjects what to dispatch. Both are pure and tested without a network; run() is the loop that feeds
// them from an Api.
//
// Every list asks for the most recent state (resourceVersion unset). Before a watch resumes, one cheap
// consistent read checks whether the server's resourceVersion went back (etcd restored); if so, everything
// is relisted and dispatched again. A watch may lose events without notice, so everything is relisted every
// 60 to 75 minutes by default; only differences are dispatched.
//
// Guarantees: per object (namespace/name and UID), adds, updates and deletes come in an order that the
// server's history allows. An object replaced under the same name is a delete and an add. After a complete
// list no deleted object remains. Duplicates and stale events are dropped. An object that cannot be read
// (too deeply nested, or too long a line) does not fail its list or watch.
// Owner: the caller of run(). Threads: objects are parsed on the reflector's executor; the handler is called
// there, one call at a time. It should decode there and pass plain values on.
// Errors: changed() never gets one; they are logged, counted and retried until stop().
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "client/api.h"
#include "client/decode/arena_json.h"

namespace podium::client {

// One change of one object. The object is valid until changed() returns; clone() it to keep it.
//
// deleted: the object of the DELETED event. If the delete was missed (found by a relist, or by another UID
// under the name), only {apiVersion, kind, metadata: {namespace, name, uid, resourceVersion}}. The reflector
// keeps no objects; a handler that needs the last state keeps it.
// unreadable: the object exists but cannot be parsed, so its last dispatched state is out of date.
// {apiVersion, kind, metadata}, as far as they can be parsed. Once readable again it is `added`; it may also
// be deleted without having been added.
struct Change {
  enum class Type { added, updated, deleted, unreadable };
  Type type = Type::added;
  ArenaJson object;
};

struct ReflectorOptions {
  Resource resource;
  std::string ns;  // empty: all
  std::string label_selector, field_selector;
  bool optional = false;       // the server may not serve the resource: a 404 is checked by discovery
  bool streaming_list = true;  // use sendInitialEvents if the server supports it
  // A watch without events and bookmarks for this long is renewed. A frozen server is reported (unavailable)
  // after this plus one probe of 10 s.
  std::chrono::milliseconds silence{30'000};
  std::chrono::milliseconds initial_events{10'000};  // falls back to LIST after this without an ADDED event
  std::chrono::milliseconds backoff{800}, backoff_max{30'000};
  // Relists after this plus up to a quarter, at random, to repair lost events; 0: never.
  std::chrono::milliseconds relist{3'600'000};
  // After an outage, a watch without events counts as working once it has been open for this long.
  std::chrono::milliseconds settle{1'000};
};

class ReflectorHandler {
 public:
  virtual ~ReflectorHandler() = default;
  virtual void changed(std::span<const Change> changes) = 0;  // a batch, in order; never empty
  virtual void synced() = 0;                                  // the first list is complete; called once
  // resourceVersions have started again, as after a restore of etcd: those that the handler knows say nothing
  // about the next ones. A list follows that dispatches every object again.
  virtual void versions_restarted() {}
  // A list is complete, as of this resourceVersion, and what it changes has been dispatched.
  virtual void listed(std::string_view /*version*/) {}
  // For readiness and logs: the resource cannot be listed or watched; called once per outage, and again when
  // the code becomes another. The message begins with the request.
  virtual void unavailable(const Error&) {}
  // The outage is a 404, and discovery confirms that the server does not serve the resource (`optional`).
  // Until discovery lists it again, only discovery is asked, twice a minute.
  virtual void not_served() {}
  virtual void available() {}  // the outage is over: a list is complete, or a watch works
};

struct ReflectorCounts {
  std::uint64_t lists = 0;       // complete lists, streaming or not
  std::uint64_t watches = 0;     // watches opened
  std::uint64_t changes = 0;     // changes dispatched
  std::uint64_t errors = 0;      // failed requests, cut streams, lines that are not events
  std::uint64_t unreadable = 0;  // objects that could not be parsed, counted each time
};

class Reflector {
 public:
  Reflector(Api& api, ReflectorOptions options, ReflectorHandler& handler);
  ~Reflector();
  // Runs until stop(), on the executor that it is spawned on, which also parses. The handler outlives it.
  Task<void> run();
  void stop();                     // thread-safe; run() returns soon
  ReflectorCounts counts() const;  // thread-safe

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::client
