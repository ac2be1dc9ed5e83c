// ReflectorState: decides which request a reflector sends next. KnownObjects decides what to dispatch.
//
//   stream_list ──initial-events-end──▶ watch (on the same stream)
//        │ refused, no bookmark in time, or closed without it three times
//        ▼
//      list ──▶ watch ──cut, end, silence──▶ probe ──▶ watch …
//        ▲        │ 410 and the like, or        │ the server's resourceVersion went back,
//        │        │ it is time to relist        │ or the resource is not served (404)
//        └────────┴─────────────────────────────┘
//
// A watch may lose an event without notice, such as a DELETE, which no later event repairs. So everything is
// relisted from time to time, at random so that resources do not relist together.
//
// Versions that go back lead to a list immediately, unless that happened recently. A watch that the server
// fails repeatedly at the same version also leads to a list: the version may be the reason. A jittered
// exponential backoff (client-go's numbers) precedes every retry that could loop.
// Pure: the caller passes the time, and Random the randomness. Threads: none of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "client/decode/watch_lines.h"

namespace podium::client {

// Delays of base, 2·base, … up to max, each plus up to 100 % at random. Resets to base after reset_after
// without a call. Source: client-go tools/cache/reflector.go, wait.Backoff.DelayWithReset.
class RelistBackoff {
 public:
  RelistBackoff(std::chrono::milliseconds base, std::chrono::milliseconds max,
                std::chrono::milliseconds reset_after = std::chrono::minutes(2))
      : backoff_{base, max}, reset_after_(reset_after) {}
  std::chrono::milliseconds next(Steady now, Random& random);

 private:
  Backoff backoff_;
  std::chrono::milliseconds reset_after_;
  unsigned calls_ = 0;  // since the last reset
  std::optional<Steady> last_;
};

class ReflectorState {
 public:
  struct Options {
    bool streaming_list = true;
    // A streaming list is given up after this without an ADDED event, or after the total.
    std::chrono::milliseconds initial_events{10'000}, initial_total{120'000};
    std::chrono::milliseconds backoff{800}, backoff_max{30'000};
    // Relists after this plus up to a quarter, at random; 0: never.
    std::chrono::milliseconds relist{3'600'000};
  };

  struct Action {
    enum class Kind {
      stream_list,  // open a watch with sendInitialEvents, from the most recent state
      list,         // LIST, from the most recent state
      probe,        // LIST limit=1, for the server's resourceVersion
      watch,        // open a watch at resource_version
      read,         // continue to read the open stream
      wait,         // for `delay`, then waited()
    };
    Kind kind = Kind::list;
    std::string resource_version;
    int timeout_seconds = 0;  // streams: timeoutSeconds of the request
    std::int64_t limit = 0;   // LIST: the page size; 0: not paged
    bool replace = false;     // both lists: every object is dispatched again
    std::chrono::milliseconds delay{0};
    bool operator==(const Action&) const = default;
  };

  ReflectorState(Options options, Random& random);

  Action next(Steady now);  // what to do now

  // Results of the action.
  void opened(Steady now);                        // the server accepted a stream
  void added(Steady now);                         // an ADDED event during stream_list
  void event(std::string_view resource_version);  // an event of an object or a page of a LIST was applied
  enum class Bookmark {
    progress,
    listed,     // the streaming list is complete
    regressed,  // resourceVersions went back: close the stream, the list is incomplete
  };
  Bookmark bookmark(std::string_view resource_version, bool initial_events_end, Steady now);
  // A LIST is complete. False: it is older than the known state; discard it and list again.
  bool listed(std::string_view resource_version, Steady now);
  void probed(std::string_view resource_version, Steady now);
  void failed(const Error& error, Steady now);  // a request failed, or an ERROR event arrived
  void ended(Steady now);                       // the stream ended or was cut
  void silent();                                // the stream was silent for too long
  void settled();                               // the open stream has not failed for a while
  void waited() { delay_ = {}; }

  bool listing() const { return phase_ == Phase::stream_list || phase_ == Phase::list; }
  // An outage: from the first failure until a list is complete, or a watch has sent something or settled. An
  // opened watch alone does not end it, because a 410 may follow.
  bool failing() const { return outage_.has_value(); }
  std::optional<int> outage() const { return outage_; }  // the code of its last failure; nullopt: none
  std::optional<Steady> list_deadline() const;           // streaming list: when it is given up
  const std::string& resource_version() const { return version_; }

 private:
  enum class Phase { stream_list, list, probe, watch };
  void enter(Phase phase);
  void back_off(Steady now, const Error& error = {});
  void give_up_streaming(Steady now);
  void list_failed(const Error& error, Steady now);
  bool went_back(std::string_view resource_version) const;
  void advance(std::string_view resource_version);
  bool take_list(std::string_view resource_version);
  void regressed(Steady now);
  void stream_list_failed(const Error& error, Steady now);
  void watch_failed(const Error& error, Steady now);
  int stream_timeout();

  Options options_;
  Random& random_;
  RelistBackoff backoff_, missing_, expired_;
  Phase phase_ = Phase::stream_list;
  bool open_ = false;       // this phase's stream is open
  bool got_event_ = false;  // it has sent something
  bool replace_ = false;    // the next list dispatches every object again
  bool unpaged_ = false;    // the next LIST is not paged, because a continue token expired
  bool unpaged_is_too_large_ = false;
  std::int64_t page_;         // page size of a paged LIST
  int unfinished_lists_ = 0;  // consecutive streaming lists that ended without their bookmark
  std::optional<int> outage_;
  std::string version_;        // of the last list, event or bookmark: where a watch resumes
  std::uint64_t highest_ = 0;  // highest version seen, also in incomplete lists
  std::chrono::milliseconds delay_{0};
  int failed_watches_ = 0;  // in a row, at version_
  std::optional<Steady> regressed_at_;
  Steady opened_at_{}, progress_at_{};
  std::optional<Steady> no_streaming_before_, relist_at_;
};

}  // namespace podium::client
