// The wire form of a watch: one JSON object a line, {"type": …, "object": …}.
//
// Pure. Threads: none of its own. Errors: Kind::invalid for a line that is no event; the stream is then of no
// use. An event whose object cannot be parsed is an event all the same.
#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace podium::client {

// Cuts a stream into lines, whatever the pieces that it comes in; each byte is looked at once. What follows
// the last newline is kept for the next piece, and is of no use when the stream ends there. Of a line that
// is longer than max_line, max_line bytes are kept.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t max_line = 16u << 20) : max_line_(max_line) {}
  // Calls each(line) for every complete, non-empty line, until it returns false: the rest is then dropped.
  void feed(std::string_view piece, const std::function<bool(std::string_view)>& each);

 private:
  std::size_t max_line_;
  std::string partial_;
};

struct WatchEvent {
  enum class Type { added, modified, deleted, bookmark, error };
  Type type = Type::error;
  boost::json::value object;  // in the storage given
  std::string problem;        // why the object cannot be parsed; `object` is then its outline (read_outline)
  std::string resource_version;
  bool initial_events_end = false;  // of a bookmark: annotated k8s.io/initial-events-end
};

// JSON of the API server, at most 256 levels deep (values are copied and destroyed by recursion) and lenient
// about UTF-8.
Result<boost::json::value> parse_api_json(std::string_view text, const boost::json::storage_ptr& storage);

Result<WatchEvent> parse_watch_event(std::string_view line, const boost::json::storage_ptr& storage);

// The Error of a metav1.Status; `http` is the reply's code where there is one. What is no Status has no
// reason.
Error status_error(const boost::json::value& status, int http);
Error status_error(std::string_view body, int http);

}  // namespace podium::client
