// ChangeBatch: parses objects of lists and watches into changes, and dispatches them to a handler in batches.
//
// Owner: the reflector. Threads: the reflector's strand; counts() from any thread. Errors: none. An object
// that cannot be parsed is logged and counted, and dispatched as unreadable.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/decode/arena_json.h"
#include "client/decode/watch_lines.h"
#include "client/watch/known_objects.h"
#include "client/watch/reflector.h"

namespace podium::client {

class ChangeBatch {
 public:
  // `resource`: its plural, for logs. The handler outlives this.
  ChangeBatch(std::string resource, ReflectorHandler& handler);
  ChangeBatch(const ChangeBatch&) = delete;

  // As KnownObjects. end_list() also dispatches the batch.
  void begin_list(bool replace) { known_.begin_list(replace); }
  void end_list(std::string_view resource_version);
  std::size_t listed() const { return known_.listed(); }
  std::size_t size() const { return known_.size(); }

  // Adds an object of a list.
  void add_item(std::string_view text);
  // Parses a line of a watch. The event is valid until release().
  Result<WatchEvent> parse_event(std::string_view line);
  // Adds the object of an ADDED, MODIFIED or DELETED event.
  void add_event(WatchEvent& event);

  // Dispatches the batch and frees its memory: no event may be alive.
  void release();
  // release(), if the batch has enough changes for one call of the handler.
  void release_if_full();

  struct Counts {
    std::uint64_t changes = 0;     // dispatched
    std::uint64_t rejected = 0;    // objects without a name or UID
    std::uint64_t unreadable = 0;  // objects that cannot be parsed, counted each time
  };
  Counts counts() const { return {changes_, rejected_, unreadable_}; }

 private:
  // Counts and logs an unreadable object, by its outline, and adds its change. False: it has no name or UID.
  bool add_unreadable(boost::json::value& outline, const std::string& problem);
  void dispatch();
  std::string_view read_part_of(std::string_view text);

  const std::string resource_;
  ReflectorHandler& handler_;
  const bool keeps_managers_;
  std::string text_;  // of the object that is parsed
  KnownObjects known_;
  // The values of the batch live in `memory_`, which is freed after they were dispatched.
  Arena memory_;
  std::vector<Change> batch_;
  std::set<std::string> logged_;  // names of objects that cannot be parsed
  std::atomic<std::uint64_t> changes_{0}, rejected_{0}, unreadable_{0};
};

}  // namespace podium::client
