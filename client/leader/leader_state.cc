#include "client/leader/leader_state.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/random.h"
#include "base/time.h"

namespace podium::client {
namespace {

constexpr double kJitter = 1.2;   // client-go's JitterFactor, while acquiring
constexpr int kStandbyReads = 4;  // in a retry period
constexpr int kMostTransitions =
    std::numeric_limits<std::int32_t>::max();  // the field of the Lease has 32 bits

}  // namespace

LeaderState::LeaderState(LeaderOptions options, Random& random)
    : options_(std::move(options)), random_(random) {}

LeaderState::Action LeaderState::next(Steady now, Wall wall) {
  // Checked first: a process that was frozen must not renew a lease that it may have lost in the meantime.
  if (leading_ && now >= renewed_at_ + options_.renew_deadline) {
    leading_ = false;
    phase_ = Phase::lost;
  }
  Action action;
  switch (phase_) {
    case Phase::attempt:
      attempt_at_ = now;
      phase_ = leading_ && alive(now) ? Phase::fast : Phase::slow;
      return next(now, wall);
    case Phase::slow:
      action.kind = Action::Kind::get;
      action.time = request_time(now);
      return action;
    case Phase::create:
      action.kind = Action::Kind::create;
      break;
    case Phase::update:
    case Phase::fast:
      action.kind = Action::Kind::update;
      break;
    case Phase::wait:
      action.kind = Action::Kind::wait;
      action.time = wait_time(now);
      return action;
    case Phase::standby:
      action.kind = Action::Kind::wait;
      action.time = standby_time(now);
      return action;
    case Phase::lost:
      action.kind = Action::Kind::lost;
      return action;
  }
  action.record = sent_ = record(wall);
  action.time = request_time(now);
  return action;
}

void LeaderState::observed(LeaseRecord record, Steady now) {
  // A new leader increments the transitions, so no other has led since: somebody has emptied the lease.
  const bool emptied = leading_ && record.holder.empty() && record.transitions == observed_.transitions;
  if (record != observed_) {
    observed_ = std::move(record);
    observed_at_ = now;
  }
  if (is_own() || observed_.holder.empty() || !alive(now)) {
    // A leader that finds the lease free or expired under another name has lost it: another may have led.
    phase_ = leading_ && !is_own() && !emptied ? Phase::lost : Phase::update;
  } else {
    phase_ = leading_ ? Phase::lost : Phase::standby;
  }
  if (phase_ == Phase::lost) leading_ = false;
}

void LeaderState::absent() { phase_ = Phase::create; }

void LeaderState::written(Steady now) {
  observed_ = sent_;
  observed_at_ = now;
  renewed_at_ = attempt_at_;
  leading_ = true;
  phase_ = Phase::wait;
}

void LeaderState::failed() { phase_ = phase_ == Phase::fast ? Phase::slow : Phase::wait; }

std::optional<Steady> LeaderState::leading_until() const {
  if (!leading_) return std::nullopt;
  return renewed_at_ + options_.renew_deadline;
}

Steady LeaderState::expires() const {
  return observed_at_ + std::chrono::seconds(observed_.duration_seconds);
}

LeaseRecord LeaderState::record(Wall wall) const {
  LeaseRecord record;
  record.holder = options_.identity;
  record.duration_seconds =
      static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(options_.lease_duration).count());
  record.acquire_time = record.renew_time = format_micro_time(wall);
  if (phase_ == Phase::create) return record;
  record.transitions = observed_.transitions;
  if (is_own()) {
    record.acquire_time = observed_.acquire_time;
  } else {
    record.transitions = std::min(record.transitions, kMostTransitions - 1) + 1;
  }
  return record;
}

std::chrono::milliseconds LeaderState::jittered(std::chrono::milliseconds period) {
  const auto extra = random_.unit() * kJitter * static_cast<double>(period.count());
  return period + std::chrono::milliseconds(static_cast<std::int64_t>(extra));
}

std::chrono::milliseconds LeaderState::standby_time(Steady now) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(expires() - now);
  const auto period = std::max(options_.retry_period / kStandbyReads, std::chrono::milliseconds(1));
  return std::clamp(left, std::chrono::milliseconds(0), jittered(period));
}

std::chrono::milliseconds LeaderState::wait_time(Steady now) {
  const auto period = options_.retry_period;
  if (!leading_) return jittered(period);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(renewed_at_ + options_.renew_deadline - now);
  return std::min(period, left);
}

std::chrono::milliseconds LeaderState::request_time(Steady now) const {
  const auto half = options_.renew_deadline / 2;
  if (!leading_) return half;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(renewed_at_ + options_.renew_deadline - now);
  return std::min(half, left);
}

}  // namespace podium::client
