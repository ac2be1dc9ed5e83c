// Reflector: keeps a handler in step with one kind of object on the API server.
//
// The protocol is a state machine after client-go's (list or streaming list, watch with bookmarks, resume on a cut stream,
// relist on 410 Gone with the deletes that were missed, jittered backoff, a silent watch is renewed), stepped by pure
// functions in ReflectorState, which a unit test drives without a network; run() is the loop that feeds it from an Api.
//
// Guarantees: the handler sees for each object (by namespace/name and UID) adds, updates and deletes in an order that the
// server's history allows; an object that was replaced under the same name shows as a delete and an add; after synced()
// once, relists never show ghosts. Duplicates and events that go back in time are dropped.
// Threads: objects are decoded on the reflector's own executor; the handler is called there too, one call at a time.
// Errors: none reach the handler; they are logged, counted and retried until stop.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/api.h"

namespace podium::client {

struct Change {
  enum class Type { added, updated, deleted };
  Type type = Type::added;
  boost::json::value object;         // for deleted: the last state known
};

struct ReflectorOptions {
  Resource resource;
  std::string ns;                    // empty: all
  std::string label_selector, field_selector;
  bool streaming_list = true;        // sendInitialEvents where the server has it
  std::chrono::milliseconds silence{45'000};  // a watch with neither events nor bookmarks for so long is renewed
};

class ReflectorHandler {
 public:
  virtual ~ReflectorHandler() = default;
  virtual void changed(std::vector<Change> changes) = 0;  // a batch, in order
  virtual void synced() = 0;                              // the first list is complete; called once
  virtual void unavailable(const Error&) {}               // for readiness: the kind can't be listed or watched right now
  virtual void available() {}                             // and now it can again
};

class Reflector {
 public:
  Reflector(Api& api, ReflectorOptions options, ReflectorHandler& handler);
  ~Reflector();
  Task<void> run();   // until stop(); co_spawn it on the executor that shall decode
  void stop();        // thread-safe; run() returns soon

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace podium::client
