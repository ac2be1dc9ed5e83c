// ReflectorState: which request a reflector sends next. KnownObjects says what its handler hears.
//
//   stream_list ──initial-events-end──▶ watch (on the same stream)
//        │ refused, no bookmark in time, or closed without it three times
//        ▼
//      list ──▶ watch ──cut, end, silence──▶ probe ──▶ watch …
//        ▲        │ 410 and the like, or        │ the server's resourceVersion went back,
//        │        │ it is time to list anew     │ or the kind is not served (404)
//        └────────┴─────────────────────────────┘
//
// A watch may lose an event without a trace, a DELETE that no later event mends. So everything is listed anew
// from time to time, at random so that the kinds take turns.
//
// Where going on at once could loop, a jittered exponential backoff (client-go's numbers) comes first.
// Pure: time comes in with each call, randomness from the Random given. Threads: none of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace podium::client {

// A resourceVersion as a number; 0 where it is none, which compares with nothing.
std::uint64_t version_number(std::string_view resource_version);

// Delays of base, 2·base, … up to max, each with up to as much again at random; back to base when none was
// asked for during reset_after. Source: client-go tools/cache/reflector.go, wait.Backoff.DelayWithReset.
class Backoff {
 public:
  Backoff(std::chrono::milliseconds base, std::chrono::milliseconds max,
          std::chrono::milliseconds reset_after = std::chrono::minutes(2));
  std::chrono::milliseconds next(Steady now, Random& random);

 private:
  std::chrono::milliseconds base_, max_, reset_after_, current_;
  std::optional<Steady> last_;
};

class ReflectorState {
 public:
  struct Options {
    bool streaming_list = true;
    std::chrono::milliseconds initial_events{10'000};  // a streaming list that adds nothing for so long is
                                                       // given up
    std::chrono::milliseconds initial_total{120'000};  // and so is one that takes so long
    std::chrono::milliseconds backoff{800}, backoff_max{30'000};
    // All is listed anew after this to a quarter more, at random; 0: never.
    std::chrono::milliseconds relist{3'600'000};
  };

  struct Action {
    enum class Kind {
      stream_list,  // open a watch with sendInitialEvents, from the most recent state
      list,         // LIST, from the most recent state
      probe,        // LIST limit=1, for the server's resourceVersion
      watch,        // open a watch at resource_version
      read,         // go on reading the open stream
      wait,         // for `delay`, then waited()
    };
    Kind kind = Kind::list;
    std::string resource_version;
    int timeout_seconds = 0;  // of streams: when the server shall end them
    std::int64_t limit = 0;   // of LIST: the page size; 0: all at once
    bool replace = false;     // of both lists: every object is told again
    std::chrono::milliseconds delay{0};
    bool operator==(const Action&) const = default;
  };

  ReflectorState(Options options, Random& random);

  Action next(Steady now);  // what to do now

  // How it went.
  void opened(Steady now);                        // a stream was accepted
  void added(Steady now);                         // an ADDED event while stream_list is going on
  void event(std::string_view resource_version);  // any object's event or a LIST's page, after it was applied
  enum class Bookmark {
    progress,
    listed,     // the streaming list is complete
    regressed,  // resourceVersions went back: close the stream; what it listed is not complete
  };
  Bookmark bookmark(std::string_view resource_version, bool initial_events_end);
  // A LIST came to its end. False: it is older than what is known, so it is not taken and asked for again.
  bool listed(std::string_view resource_version);
  void probed(std::string_view resource_version);
  void failed(const Error& error, Steady now);  // a request failed, or an ERROR event came
  void ended(Steady now);                       // the stream ended or was cut
  void silent();                                // the stream gave nothing for its time
  void settled();                               // the open stream has not failed for a while
  void waited() { delay_ = {}; }

  bool listing() const { return phase_ == Phase::stream_list || phase_ == Phase::list; }
  // Requests fail at present: from the first that fails until a list is complete, or a watch has given
  // something or settled. That it opened says little, since a 410 may follow.
  bool failing() const { return failing_; }
  std::optional<Steady> list_deadline() const;  // of a streaming list: when it is given up as silent
  const std::string& resource_version() const { return version_; }

 private:
  enum class Phase { stream_list, list, probe, watch };
  void go(Phase phase);
  void back_off(Steady now, const Error& error = {});
  void give_up_streaming(Steady now);
  void list_failed(const Error& error, Steady now);
  bool went_back(std::string_view resource_version) const;
  void advance(std::string_view resource_version);
  bool take_list(std::string_view resource_version);
  void stream_list_failed(const Error& error, Steady now);
  void watch_failed(const Error& error, Steady now);
  int stream_timeout();

  Options options_;
  Random& random_;
  Backoff backoff_, missing_;
  Phase phase_ = Phase::stream_list;
  bool open_ = false;       // this phase's stream is open
  bool got_event_ = false;  // and has given something
  bool replace_ = false;    // the next list tells everything again
  bool whole_ = false;      // the next LIST is not paged, because a continue token expired
  bool whole_is_too_large_ = false;
  std::int64_t page_;         // of a LIST that is paged
  int unfinished_lists_ = 0;  // streaming lists in a row that ended without their bookmark
  bool failing_ = false;
  std::string version_;        // of the last list, event or bookmark: where a watch goes on
  std::uint64_t highest_ = 0;  // seen anywhere, in lists that were cut off too
  std::chrono::milliseconds delay_{0};
  Steady opened_at_{}, progress_at_{};
  std::optional<Steady> no_streaming_before_, relist_at_;
};

}  // namespace podium::client
