// ObjectTexts: the JSON of pods and of nodes, as the API server has them, for extenders to read.
//
// podium itself keeps of an object only what it reads; an extender may look at anything. Kept only where some
// extender asks for it: without extenders nothing is; nodes, and pods that are not pending any more, only for
// one without a cache of its own.
// Threads: all functions from any thread. A text is never changed: a change of the object brings another.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "client/watch/reflector.h"
#include "scheduler/extender/wire.h"

namespace podium::extender {

class ObjectTexts {
 public:
  struct Wanted {
    bool nodes = false;
    bool placed_pods = false;  // pending ones always are
  };
  explicit ObjectTexts(Wanted wanted) : wanted_(wanted) {}

  // A change of one object of this kind; kinds that are not kept are passed over.
  void changed(const client::Resource& kind, const client::Change& change);

  Text pod(const std::string& uid) const;    // null: not known, or not kept any more
  Text node(const std::string& name) const;  // null: not known

 private:
  using Texts = std::unordered_map<std::string, Text>;

  const Wanted wanted_;
  mutable std::mutex mutex_;
  Texts pods_, nodes_;  // by UID; by name
};

// Without what only matters to the API server's own bookkeeping, as upstream's cache has it.
std::string text_of(const boost::json::value& object);

}  // namespace podium::extender
