#include "client/watch/reflector_state.h"

#include <algorithm>

#include "base/random.h"
#include "client/request_errors.h"
#include "client/retry.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;

constexpr auto kStreamingRetry = 10min;  // after a server refused streaming lists
constexpr auto kVeryShortWatch = 1s;     // back off after an empty stream that ends this soon
constexpr std::int64_t kPage = 500;
constexpr auto kRegressedLately = 2min;  // versions went back before: back off
constexpr int kFailedWatches = 5;        // at one version, without an event, before a list is tried
constexpr int kUnfinishedLists = 3;      // unfinished streaming lists before a LIST is tried
constexpr auto kMissingMax = 3s;  // longest backoff while the resource is not served: it may return soon
constexpr int kMinStreamSeconds = 300;  // timeoutSeconds of a watch: this to twice this, at random

// The server is unreachable or overloaded: the same request may succeed later.
bool is_transient(const Error& error) { return may_pass(error) || is_cancelled(error); }

// The server does not support streaming lists, or not for this resource.
bool refused_streaming(const Error& error) {
  constexpr int codes[] = {400, 405, 406, 415, 422, 500, 501, 504};
  return error.kind == Error::Kind::invalid || error.kind == Error::Kind::too_large ||
         error.kind == Error::Kind::internal ||
         std::ranges::find(codes, error.status.code) != std::end(codes);
}

}  // namespace

std::chrono::milliseconds RelistBackoff::next(Steady now, Random& random) {
  if (last_ && now - *last_ > reset_after_) calls_ = 0;
  last_ = now;
  return std::chrono::duration_cast<std::chrono::milliseconds>(backoff_.after(++calls_) *
                                                               (1 + random.unit()));
}

ReflectorState::ReflectorState(Options options, Random& random)
    : options_(options),
      random_(random),
      backoff_(options.backoff, options.backoff_max),
      missing_(options.backoff, std::min<std::chrono::milliseconds>(options.backoff_max, kMissingMax)),
      expired_(options.backoff, options.backoff_max),
      page_(kPage) {}

ReflectorState::Action ReflectorState::next(Steady now) {
  Action action;
  if (delay_.count() > 0) {
    action.kind = Action::Kind::wait;
    action.delay = delay_;
    return action;
  }
  if (phase_ == Phase::watch && options_.relist.count() > 0) {
    if (!relist_at_) {
      const auto more = static_cast<std::int64_t>(random_.unit() * options_.relist.count() / 4);
      relist_at_ = now + options_.relist + std::chrono::milliseconds(more);
    }
    if (now >= *relist_at_) enter(Phase::stream_list);
  }
  if (open_) {
    action.kind = Action::Kind::read;
    return action;
  }
  const bool streaming = options_.streaming_list && (!no_streaming_before_ || now >= *no_streaming_before_);
  if (phase_ == Phase::stream_list && !streaming) phase_ = Phase::list;
  switch (phase_) {
    case Phase::stream_list:
      action.kind = Action::Kind::stream_list;
      action.timeout_seconds = stream_timeout();
      action.replace = replace_;
      break;
    case Phase::list:
      action.kind = Action::Kind::list;
      action.limit = unpaged_ ? 0 : page_;
      action.replace = replace_;
      break;
    case Phase::probe:
      action.kind = Action::Kind::probe;
      break;
    case Phase::watch:
      action.kind = Action::Kind::watch;
      action.resource_version = version_;
      action.timeout_seconds = stream_timeout();
      break;
  }
  return action;
}

void ReflectorState::opened(Steady now) {
  open_ = true;
  got_event_ = false;
  opened_at_ = progress_at_ = now;
}

void ReflectorState::added(Steady now) { progress_at_ = now; }

void ReflectorState::event(std::string_view resource_version) {
  got_event_ = true;
  // Objects of a list come in no order of versions; only its end has the list's version.
  if (phase_ != Phase::watch) {
    highest_ = std::max(highest_, version_number(resource_version));
    return;
  }
  outage_.reset();
  failed_watches_ = 0;
  if (!went_back(resource_version)) advance(resource_version);
}

ReflectorState::Bookmark ReflectorState::bookmark(std::string_view resource_version, bool initial_events_end,
                                                  Steady now) {
  got_event_ = true;
  if (phase_ == Phase::stream_list) {
    if (!initial_events_end) return Bookmark::progress;
    if (!take_list(resource_version)) {
      regressed(now);
      return Bookmark::regressed;
    }
    phase_ = Phase::watch;
    return Bookmark::listed;
  }
  if (went_back(resource_version)) {
    regressed(now);
    return Bookmark::regressed;
  }
  outage_.reset();
  failed_watches_ = 0;
  advance(resource_version);
  return Bookmark::progress;
}

bool ReflectorState::listed(std::string_view resource_version, Steady now) {
  if (!take_list(resource_version)) {
    regressed(now);
    return false;
  }
  unpaged_ = unpaged_is_too_large_ = false;
  page_ = kPage;
  enter(Phase::watch);
  return true;
}

void ReflectorState::probed(std::string_view resource_version, Steady now) {
  if (!went_back(resource_version)) return enter(Phase::watch);
  regressed(now);
}

void ReflectorState::regressed(Steady now) {
  replace_ = true;
  enter(Phase::stream_list);
  if (regressed_at_ && now - *regressed_at_ < kRegressedLately) back_off(now);
  regressed_at_ = now;
}

void ReflectorState::failed(const Error& error, Steady now) {
  open_ = false;
  switch (phase_) {
    case Phase::stream_list:
      return stream_list_failed(error, now);
    case Phase::list:
      return list_failed(error, now);
    case Phase::probe:
      // A resource that is not served has lost its objects: there is no watch to resume.
      if (is_not_found(error)) enter(Phase::stream_list);
      break;
    case Phase::watch:
      return watch_failed(error, now);
  }
  outage_ = error.status.code;
  back_off(now, error);
}

void ReflectorState::list_failed(const Error& error, Steady now) {
  if (is_expired(error) && !unpaged_ && !unpaged_is_too_large_) {
    unpaged_ = true;  // as in client-go's pager: pages may expire again
    return;
  }
  if (is_too_large(error) && unpaged_) {
    unpaged_ = false;
    unpaged_is_too_large_ = true;
  } else if (is_too_large(error)) {
    page_ = std::max<std::int64_t>(page_ / 4, 1);
  }
  outage_ = error.status.code;
  back_off(now, error);
}

void ReflectorState::stream_list_failed(const Error& error, Steady now) {
  const bool later = is_transient(error) || is_expired(error) || is_ahead_of_server(error);
  if (error.kind == Error::Kind::timeout || (!later && refused_streaming(error))) {
    return give_up_streaming(now);
  }
  outage_ = error.status.code;
  back_off(now, error);
}

void ReflectorState::watch_failed(const Error& error, Steady now) {
  // Expired: the versions since are compacted. Other permanent errors (forbidden, not served, an invalid
  // event): a list either recovers or returns a better error.
  const bool same = error.status.code == 500 && !is_expired(error) && ++failed_watches_ < kFailedWatches;
  const bool resume = is_transient(error) || same;
  if (!resume) failed_watches_ = 0;
  if (!is_expired(error)) outage_ = error.status.code;
  enter(resume ? Phase::probe : Phase::stream_list);
  back_off(now, error);
}

void ReflectorState::ended(Steady now) {
  const bool very_short = !got_event_ && now - opened_at_ < kVeryShortWatch;
  if (phase_ == Phase::stream_list) {
    enter(Phase::stream_list);
    if (++unfinished_lists_ >= kUnfinishedLists) give_up_streaming(now);
    return back_off(now);
  }
  enter(Phase::probe);
  if (very_short) back_off(now);
}

void ReflectorState::silent() {
  if (phase_ == Phase::stream_list) return give_up_streaming(opened_at_);
  enter(Phase::probe);
}

void ReflectorState::settled() {
  if (open_ && phase_ == Phase::watch) outage_.reset();
}

void ReflectorState::give_up_streaming(Steady now) {
  no_streaming_before_ = now + kStreamingRetry;
  unfinished_lists_ = 0;
  enter(Phase::list);
}

std::optional<Steady> ReflectorState::list_deadline() const {
  if (phase_ != Phase::stream_list || !open_) return std::nullopt;
  return std::min(progress_at_ + options_.initial_events, opened_at_ + options_.initial_total);
}

void ReflectorState::enter(Phase phase) {
  phase_ = phase;
  open_ = false;
  if (phase == Phase::stream_list || phase == Phase::list) relist_at_.reset();
}

void ReflectorState::back_off(Steady now, const Error& error) {
  using std::chrono::milliseconds;
  // A 410 is the answer of a server that works: however long it was away before, a list is due soon.
  auto& backoff = is_not_found(error) ? missing_ : is_expired(error) ? expired_ : backoff_;
  const milliseconds asked = std::chrono::seconds(std::min(error.status.retry_after, kMaxRetryAfter));
  const milliseconds jitter(static_cast<std::int64_t>(random_.unit() * asked.count() / 10));
  delay_ = std::max(backoff.next(now, random_), asked + jitter);
}

bool ReflectorState::went_back(std::string_view resource_version) const {
  const auto number = version_number(resource_version);
  return number != 0 && number < highest_;
}

void ReflectorState::advance(std::string_view resource_version) {
  if (version_number(resource_version) == 0) return;
  version_ = resource_version;
  highest_ = version_number(resource_version);
}

// A list is a consistent read. An older one means that the server's history went back (etcd restored), or
// that a proxy answered from a stale cache; a second list shows which.
bool ReflectorState::take_list(std::string_view resource_version) {
  if (!replace_ && went_back(resource_version)) {
    replace_ = true;
    return false;
  }
  replace_ = false;
  outage_.reset();
  failed_watches_ = unfinished_lists_ = 0;
  advance(resource_version);
  return true;
}

int ReflectorState::stream_timeout() {
  return kMinStreamSeconds + static_cast<int>(random_.unit() * kMinStreamSeconds);
}

}  // namespace podium::client
