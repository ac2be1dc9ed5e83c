// LeaderState: decides who holds the Lease, by the local clock only, and what to ask the server next.
//
//   acquiring: get ─absent─▶ create ─▶ leading        held by another and alive ─▶ standby, then get
//               └─free, expired or ours─▶ update ─▶ leading
//   leading:   update, every retry_period; if that fails: get, then update or create
//   lost:      another holds it, or nothing was renewed for renew_deadline; final
//
// A standby reads the lease four times as often as the leader renews it, and when the record expires, so that
// it leads soon after a release. client-go's waits a retry_period or more.
//
// A record is alive for its leaseDuration after it was last seen to change. Its timestamps are never compared
// with the local clock. Pure: the caller passes the time. Threads: none of its own. Source: client-go
// tools/leaderelection.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/instant.h"
#include "base/random.h"
#include "base/result.h"
#include "client/leader/leader.h"

namespace podium::client {

struct LeaseRecord {
  std::string holder;
  int duration_seconds = 0;
  std::string acquire_time, renew_time;  // MicroTime, as on the wire
  int transitions = 0;
  bool operator==(const LeaseRecord&) const = default;
};

class LeaderState {
 public:
  struct Action {
    enum class Kind { get, create, update, wait, lost };
    Kind kind = Kind::get;
    LeaseRecord record;                 // to be written
    std::chrono::milliseconds time{0};  // wait: how long; requests: the timeout
    bool operator==(const Action&) const = default;
  };

  LeaderState(LeaderOptions options, Random& random);

  Action next(Steady now, Wall wall);

  void observed(LeaseRecord record, Steady now);
  void absent();             // get returned NotFound
  void written(Steady now);  // create or update succeeded
  void failed();             // a request failed
  void waited() { phase_ = Phase::attempt; }

  // The time at which leadership ends unless it is renewed; nullopt when not leading.
  std::optional<Steady> leading_until() const;
  const std::string& holder() const { return observed_.holder; }
  // After observed(): another process holds the lease.
  bool is_held_by_another() const { return phase_ == Phase::standby; }

 private:
  enum class Phase { attempt, slow, create, update, fast, wait, standby, lost };
  bool is_own() const { return observed_.holder == options_.identity; }
  bool alive(Steady now) const { return now < expires(); }
  Steady expires() const;  // when the observed record ends unless it changes
  LeaseRecord record(Wall wall) const;
  std::chrono::milliseconds jittered(std::chrono::milliseconds period);
  std::chrono::milliseconds wait_time(Steady now);
  std::chrono::milliseconds standby_time(Steady now);
  std::chrono::milliseconds request_time(Steady now) const;

  LeaderOptions options_;
  Random& random_;
  Phase phase_ = Phase::attempt;
  bool leading_ = false;
  LeaseRecord observed_, sent_;
  Steady observed_at_{};  // when observed_ was first seen
  Steady attempt_at_{};   // when the current attempt began
  Steady renewed_at_{};   // when the last successful attempt began
};

}  // namespace podium::client
