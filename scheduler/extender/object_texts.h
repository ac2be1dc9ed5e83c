// ObjectTexts: a cache of the JSON of pods and nodes, for requests to extenders.
//
// podium decodes only the fields that it uses, but an extender may read any field. Pending pods are always
// cached; nodes and placed pods only if Wanted says that an extender needs whole objects.
// Owner: Extenders. Threads: all functions are thread-safe. A Text is immutable; an update replaces it.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/text_hash.h"
#include "client/watch/reflector.h"
#include "scheduler/extender/wire.h"

namespace podium::extender {

class ObjectTexts {
 public:
  struct Wanted {
    bool nodes = false;
    bool placed_pods = false;  // pending pods are always cached
  };
  explicit ObjectTexts(Wanted wanted) : wanted_(wanted) {}

  // Applies a watch event. Kinds that are not cached are ignored.
  void changed(const client::Resource& kind, const client::Change& change);

  Text pod(const std::string& uid) const;    // null: not cached
  Text node(const std::string& name) const;  // null: not cached

 private:
  using Texts = std::unordered_map<std::string, Text, TextHash>;

  const Wanted wanted_;
  mutable std::mutex mutex_;
  Texts pods_, nodes_;  // by UID; by name
};

// Serializes an object without managedFields, kind and apiVersion, as upstream's cache has it.
std::string text_of(const boost::json::value& object);

}  // namespace podium::extender
