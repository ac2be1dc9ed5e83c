// Store: the objects of the modelled API server, with resourceVersions and their history, as etcd has them.
//
// Every write is a Commit with the next version. compact() forgets the commits so far: a watch cannot resume
// from before it.
// Owner: a Life. Threads: one. Errors: none; callers check preconditions.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "simulate/base/object_fields.h"
#include "simulate/protocol/route.h"

namespace podium::simulate {

using Version = std::uint64_t;

// An object as stored. Its text is made when it is first read: that of most reports never is.
struct Stored {
  explicit Stored(json::value object) : value(std::move(object)) {}
  const std::string& text() const;

  const json::value value;

 private:
  mutable std::string text_;
};
using StoredPtr = std::shared_ptr<const Stored>;

// Compares faster than == if the fields have the same order.
bool equal(const json::value& a, const json::value& b);

struct Commit {
  enum class Type { added, modified, deleted };
  Version version = 0;
  Type type = Type::added;
  Key key;
  StoredPtr before;  // null: it did not exist
  StoredPtr after;   // of a deletion: the last state, with the deletion's version
  std::string by;    // the client
};

class Store {
 public:
  using Objects = std::map<Key, StoredPtr>;

  explicit Store(const Clock& clock) : clock_(clock) {}

  StoredPtr find(const Key& key) const;  // null: it does not exist
  std::vector<StoredPtr> all(std::string_view plural, std::string_view ns = "") const;

  // Stores a new object with a UID, a creation time and generation 1.
  StoredPtr create(const Key& key, json::value object, const std::string& by);
  // Replaces an existing object. An unchanged object is not written. A changed spec gets the
  // next generation.
  StoredPtr update(const Key& key, json::value object, const std::string& by);
  void remove(const Key& key, const std::string& by);

  Version version() const { return version_; }
  Version compacted() const { return compacted_; }
  void compact();
  // The commits of a kind since the last compact(), the oldest first.
  const std::deque<Commit>& history(std::string_view plural) const;
  // Called with each commit, in the order in which they were added.
  void on_commit(std::function<void(const Commit&)> listener) { listeners_.push_back(std::move(listener)); }

 private:
  StoredPtr commit(Commit::Type type, const Key& key, StoredPtr before, json::value object,
                   const std::string& by);

  const Clock& clock_;
  Objects objects_;
  std::map<std::string, std::deque<Commit>, std::less<>> history_;  // by plural
  std::vector<std::function<void(const Commit&)>> listeners_;
  Version version_ = 1'000, compacted_ = 1'000;
  std::uint64_t uids_ = 0;
};

}  // namespace podium::simulate
