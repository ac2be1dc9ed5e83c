// History: the versions of each object of a kind, and which of them an engine may have decided on.
//
// An engine decides on the version that it has read last, or on a later one: the answer to a request may be
// newer than the watch.
// Owner: an Observer. Threads: one. Errors: none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulate/server/store.h"

namespace podium::simulate {

class History {
 public:
  explicit History(std::string plural) : plural_(std::move(plural)) {}

  void committed(const Commit& commit);
  // Whole lines of a watch, or a list.
  void read(const std::string& engine, std::string_view objects, Steady now);

  // When the engine last read the object; nullopt: never.
  std::optional<Steady> last_read(const std::string& engine, const std::string& uid) const {
    const auto it = read_.find(engine + uid);
    return it == read_.end() ? std::nullopt : std::optional(it->second.back().first);
  }
  // The engine had read the object at that time.
  bool knew(const std::string& uid, const std::string& engine, Steady at) const {
    return last_version(uid, engine, at) > 0;
  }
  // The versions of the object if it exists, from the one on that the engine had read at that time. All
  // versions if it has not read any.
  std::vector<StoredPtr> possible(const std::string& uid, const std::string& engine, Steady decided) const;
  // The same for a pod that has a node. An engine that knows this by its own assumption ignores the pod's
  // updates, as kube-scheduler does, until the watch shows the binding: all earlier versions also count.
  std::vector<StoredPtr> possible_of_placed(const std::string& uid, const std::string& engine,
                                            Steady decided) const;

 private:
  // The version that the engine had read at that time; 0: none.
  Version last_version(const std::string& uid, const std::string& engine, Steady decided) const;
  std::vector<StoredPtr> from(Version least, const std::string& uid) const;

  const std::string plural_;
  std::map<std::string, std::vector<std::pair<Version, StoredPtr>>> versions_;  // by UID
  std::map<std::string, std::vector<std::pair<Steady, Version>>> read_;         // by the engine and the UID
};

}  // namespace podium::simulate
