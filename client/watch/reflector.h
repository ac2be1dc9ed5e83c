// Reflector: keeps a handler in step with one kind of object on the API server.
//
// The protocol is a state machine after client-go's (list or streaming list, watch with bookmarks, resume on
// a cut stream, relist on 410 Gone with the deletes that were missed, jittered backoff, a silent watch is
// renewed), stepped by pure functions in ReflectorState (what to ask the server next) and KnownObjects (what
// to tell the handler), which a unit test drives without a network; run() is the loop that feeds them from an
// Api.
//
// Every list asks for the most recent state (resourceVersion unset), and before a watch is resumed one cheap
// consistent read tells whether the server's resourceVersion went back (etcd restored): then all is listed
// and told again. A watch may lose events without a trace, so that everything is listed anew every hour or
// so; only what that changes is told.
//
// Guarantees: the handler sees for each object (by namespace/name and UID) adds, updates and deletes in an
// order that the server's history allows; an object that was replaced under the same name shows as a delete
// and an add; when a list is complete there are no ghosts. Duplicates and events that go back in time are
// dropped. An object that cannot be read (nested deeper than parse_api_json goes, or longer than a line may
// be) is refused alone: neither its list nor its watch fails by it.
// Threads: objects are parsed on the reflector's own executor; the handler is called there too, one call at a
// time, and should decode there and hand over plain values.
// Errors: none reach the handler's changed(); they are logged, counted and retried until stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "client/api.h"
#include "client/decode/arena_json.h"

namespace podium::client {

// One change of one object. The object's memory belongs to the batch and is given back after changed()
// returns; clone() what is to be kept.
//
// deleted: the object as the server sent it in its DELETED event; where the delete was missed and comes from
// a relist (or from another UID under the same name), only what identifies it: {apiVersion, kind, metadata:
// {namespace, name, uid, resourceVersion}}. Objects are not kept here, so a handler that needs the last state
// keeps its own. unreadable: the object exists in a form that cannot be read, and its last state, if it was
// told, is out of date; {apiVersion, kind, metadata} of it, as far as they can be read. When it can be read
// again it is added; it may also be deleted without having been added.
struct Change {
  enum class Type { added, updated, deleted, unreadable };
  Type type = Type::added;
  ArenaJson object;
};

struct ReflectorOptions {
  Resource resource;
  std::string ns;  // empty: all
  std::string label_selector, field_selector;
  bool streaming_list = true;  // sendInitialEvents where the server has it
  // A watch with neither events nor bookmarks for so long is renewed; a server that is frozen is noticed
  // (unavailable) after this and one probe of 10 s.
  std::chrono::milliseconds silence{30'000};
  std::chrono::milliseconds initial_events{10'000};  // a streaming list that adds nothing for so long becomes
                                                     // a LIST
  std::chrono::milliseconds backoff{800}, backoff_max{30'000};
  // All is listed anew after this to a quarter more, at random, to mend events that were lost; 0: never.
  std::chrono::milliseconds relist{3'600'000};
  // After an outage, a watch on which nothing happens is taken to work when it has been open for so long.
  std::chrono::milliseconds settle{1'000};
};

class ReflectorHandler {
 public:
  virtual ~ReflectorHandler() = default;
  virtual void changed(std::span<const Change> changes) = 0;  // a batch, in order; never empty
  virtual void synced() = 0;                                  // the first list is complete; called once
  // For readiness and logs: the kind can't be listed or watched right now; called once an outage.
  virtual void unavailable(const Error&) {}
  virtual void available() {}  // and now it can again: a list is complete, or a watch works
};

struct ReflectorCounts {
  std::uint64_t lists = 0;       // complete ones, of either kind
  std::uint64_t watches = 0;     // opened
  std::uint64_t changes = 0;     // told to the handler
  std::uint64_t errors = 0;      // requests that failed, streams that were cut, lines that are no events
  std::uint64_t unreadable = 0;  // objects that could not be read, each time that they came
};

class Reflector {
 public:
  Reflector(Api& api, ReflectorOptions options, ReflectorHandler& handler);
  ~Reflector();
  Task<void> run();  // until stop(); co_spawn it on the executor that shall decode; the handler must outlive
                     // it
  void stop();       // thread-safe; run() returns soon
  ReflectorCounts counts() const;  // thread-safe

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::client
