// The wire format of a watch: one JSON object per line, {"type": …, "object": …}.
//
// Pure. Threads: none of its own. Errors: Kind::invalid for a line that is not an event; the stream is then
// unusable. An event whose object cannot be parsed is still an event, with `problem` set.
#pragma once

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace podium::client {

// Splits a stream into lines, independent of how it is chunked; scans each byte once. Buffers what follows
// the last newline; it is incomplete if the stream ends there. Truncates lines to max_line bytes.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t max_line = 16u << 20) : max_line_(max_line) {}
  // Calls each(line) for every complete, non-empty line. Once it returns false, the rest is dropped.
  void feed(std::string_view piece, const std::function<bool(std::string_view)>& each);

 private:
  std::size_t max_line_;
  std::string partial_;
};

// A resourceVersion as a number; 0 if it is not one. The API server's are base-10 numbers above 0.
std::uint64_t version_number(std::string_view resource_version);

struct WatchEvent {
  enum class Type { added, modified, deleted, bookmark, error };
  Type type = Type::error;
  boost::json::value object;  // in the given storage
  std::string problem;        // not empty: why the object cannot be parsed; `object` is its read_outline()
  std::string resource_version;
  bool initial_events_end = false;  // bookmark with the annotation k8s.io/initial-events-end
};

// Refuses an event whose resourceVersion is not a number: no watch could resume from it.
Result<WatchEvent> parse_watch_event(std::string_view line, const boost::json::storage_ptr& storage);

// The Error of a metav1.Status. `http` is the reply's status code, or 0 without a reply. `reason` is empty if
// the value is not a Status.
Error status_error(const boost::json::value& status, int http);
Error status_error(std::string_view body, int http);

}  // namespace podium::client
