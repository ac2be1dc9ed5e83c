#include "client/retry.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace podium::client {
namespace {

using namespace std::chrono_literals;
using Wait = std::optional<std::chrono::milliseconds>;

class SetRandom final : public Random {
 public:
  explicit SetRandom(std::uint64_t value) : value_(value) {}
  std::uint64_t next() override { return value_; }

 private:
  const std::uint64_t value_;
};

Error failure(Error::Kind kind, int code = 0, int retry_after = 0) {
  Error error;
  error.kind = kind;
  error.status.code = code;
  error.status.retry_after = retry_after;
  return error;
}

TEST(Retry, OnlyWhatATryCanMend) {
  Error lost = failure(Error::Kind::unavailable);
  lost.maybe_applied = true;
  Error ahead = failure(Error::Kind::status, 504, 1);
  ahead.status.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  struct Case {
    const char* name;
    Error error;
    bool read, write;
  } cases[] = {
      {"refused", failure(Error::Kind::unavailable), true, true},
      {"lost reply", lost, false, false},
      {"untrusted", failure(Error::Kind::untrusted), false, false},
      {"timeout", failure(Error::Kind::timeout), false, false},
      {"cancelled", failure(Error::Kind::cancelled), false, false},
      {"invalid", failure(Error::Kind::invalid), false, false},
      {"internal", failure(Error::Kind::internal), false, false},
      {"400", failure(Error::Kind::status, 400), false, false},
      {"404", failure(Error::Kind::status, 404), false, false},
      {"409", failure(Error::Kind::status, 409), false, false},
      {"410", failure(Error::Kind::status, 410), false, false},
      {"429", failure(Error::Kind::status, 429), true, true},
      {"500", failure(Error::Kind::status, 500), true, false},
      {"502", failure(Error::Kind::status, 502), true, false},
      {"503", failure(Error::Kind::status, 503), true, false},
      {"503 with Retry-After", failure(Error::Kind::status, 503, 1), true, true},
      {"504", failure(Error::Kind::status, 504), true, false},
      {"a resource version ahead of the server", ahead, false, false},
  };
  SetRandom random(0);
  for (const auto& test : cases) {
    EXPECT_EQ(Retry(true, random).after(test.error).has_value(), test.read) << test.name;
    EXPECT_EQ(Retry(false, random).after(test.error).has_value(), test.write) << test.name;
  }
}

// Source: pkg/scheduler/util/utils.go Retriable, RetriableWithConflict; client-go retry.DefaultBackoff.
TEST(Retry, AWriteThatMayTakePlaceTwiceIsRepeatedThreeTimes) {
  SetRandom none(0);
  for (const int code : {500, 503, 409}) {
    SCOPED_TRACE(code);
    const auto error = failure(Error::Kind::status, code);
    Retry never(false, none), errors(false, none, Repeats::errors),
        conflicts(false, none, Repeats::errors_and_conflicts);
    EXPECT_EQ(never.after(error), std::nullopt);
    for (auto* retry : {&errors, &conflicts}) {
      const bool repeats = code != 409 || retry == &conflicts;
      for (auto wait : {10ms, 50ms, 250ms}) EXPECT_EQ(retry->after(error), repeats ? Wait(wait) : Wait());
      EXPECT_EQ(retry->after(error), std::nullopt);
    }
  }
  SetRandom most(~std::uint64_t{0});
  Retry jittered(false, most, Repeats::errors);
  for (auto wait : {11ms, 55ms, 275ms})
    EXPECT_EQ(jittered.after(failure(Error::Kind::status, 500)), Wait(wait));
  for (const int code : {400, 403, 404, 422, 502, 504})
    EXPECT_EQ(Retry(false, none, Repeats::errors_and_conflicts).after(failure(Error::Kind::status, code)),
              std::nullopt)
        << code;
}

TEST(Retry, WaitsDoubleUpToFiveSeconds) {
  SetRandom full(0), half(~std::uint64_t{0});
  Retry longest(true, full), shortest(true, half);
  for (auto wait : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5000ms, 5000ms}) {
    EXPECT_EQ(longest.after(failure(Error::Kind::unavailable)), Wait(wait));
    EXPECT_EQ(shortest.after(failure(Error::Kind::unavailable)), Wait(wait / 2));
  }
}

TEST(Retry, RetryAfterIsALowerBound) {
  SetRandom full(0);
  EXPECT_EQ(Retry(false, full).after(failure(Error::Kind::status, 429, 3)), Wait(3010ms));
  EXPECT_EQ(Retry(false, full, Repeats::errors).after(failure(Error::Kind::status, 500, 3)), Wait(3001ms));
}

TEST(Retry, RetryAfterHasABound) {
  SetRandom full(0);
  EXPECT_EQ(Retry(false, full).after(failure(Error::Kind::status, 429, 3600)), Wait(30'010ms));
}

TEST(RateLimit, LetsABurstThroughAndThenPaces) {
  Steady start{};
  RateLimit limit(10, 3, start);
  std::vector<std::chrono::nanoseconds> waits;
  for (int i = 0; i < 5; ++i) waits.push_back(limit.take(start));
  EXPECT_EQ(waits, (std::vector<std::chrono::nanoseconds>{0ns, 0ns, 0ns, 100ms, 200ms}));
  EXPECT_EQ(limit.take(start + 10s), 0ns);
}

}  // namespace
}  // namespace podium::client
