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
// and told again.
//
// Guarantees: the handler sees for each object (by namespace/name and UID) adds, updates and deletes in an
// order that the server's history allows; an object that was replaced under the same name shows as a delete
// and an add; when a list is complete there are no ghosts. Duplicates and events that go back in time are
// dropped.
// Threads: objects are parsed on the reflector's own executor; the handler is called there too, one call at a time, and
// should decode there and hand over plain values.
// Errors: none reach the handler's changed(); they are logged, counted and retried until stop.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "client/api.h"

namespace podium::client {

// One change of one object. The value's memory belongs to the batch: it is gone after changed() returns. A
// copy of it (boost::json::value's copy constructor) owns its memory and may be kept.
//
// deleted: the object as the server sent it in its DELETED event; where the delete was missed and comes from
// a relist (or from another UID under the same name), only what identifies it: {apiVersion, kind, metadata:
// {namespace, name, uid, resourceVersion}}. Objects are not kept here, so a handler that needs the last state
// keeps its own.
struct Change {
  enum class Type { added, updated, deleted };
  Type type = Type::added;
  boost::json::value object;
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
};

class ReflectorHandler {
 public:
  virtual ~ReflectorHandler() = default;
  virtual void changed(std::span<const Change> changes) = 0;  // a batch, in order; never empty
  virtual void synced() = 0;                                  // the first list is complete; called once
  virtual void unavailable(const Error&) {}  // for readiness: the kind can't be listed or watched right now;
                                             // told once
  virtual void available() {}                // and now it can again
};

struct ReflectorCounts {
  std::uint64_t lists = 0;    // complete ones, of either kind
  std::uint64_t watches = 0;  // opened
  std::uint64_t changes = 0;  // told to the handler
  std::uint64_t errors = 0;   // requests that failed, streams that were cut, lines that made no sense
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
