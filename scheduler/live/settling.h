// Settling a patch whose first request failed: what follows from its requests and a read of the object.
//
// A patch of one resourceVersion takes effect at most once: a request in flight has no effect after the
// object has changed. So a patch in doubt is sent again until the object shows the result, or until a refusal
// counts (kLongestDoubt) while the object is unchanged. A refusal may be the reply to a proxy's second try,
// so the object is read then as well.
//
// Threads: pure functions; a Tries belongs to one coroutine. Errors: none.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/result.h"

namespace podium::live {

// What the read of the object shows.
enum class Shown : std::uint8_t {
  same,      // the resourceVersion that the patch is for
  applied,   // everything in the patch, however it got there
  changed,   // another resourceVersion
  replaced,  // another object of its name
  gone,
  barred,      // it may not be read, or podium stops: no later read shows more
  unreadable,  // the read failed
};

// How the last request ended, given those before it. Doubt: a request may have taken effect, or may still.
enum class Ended : std::uint8_t {
  refused,     // no request left doubt
  conflicted,  // 409; no doubt is left
  other_form,  // 422 of a strategic patch; no request left doubt
  in_doubt,    // it left doubt, or an earlier one did so lately
  conflicted_in_doubt,
  other_form_in_doubt,
  refused_at_last,  // an earlier request left doubt, too long ago to still take effect
};

enum class Next : std::uint8_t {
  written,   // the patch is in the object
  failed,    // it is not, and will not be
  conflict,  // it is not: another has changed the object
  unread,    // whether it is cannot be found out
  as_merge,  // send it again, as a merge patch
  again,     // send it again
};

Next next_of(Ended ended, Shown shown);

// The requests of one patch.
class Tries {
 public:
  // How a request with this error ended. nullopt: no request can take effect, or none may follow.
  std::optional<Ended> ended(const Error& error, bool is_strategic, Steady now);

 private:
  std::optional<Steady> doubted_;  // end of the last try that left doubt
  bool lost_ = false;              // the previous try had no right to write
};

}  // namespace podium::live
