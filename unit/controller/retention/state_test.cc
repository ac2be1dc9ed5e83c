// RetentionState: until when a report is kept, by its metadata and the API server's time.
#include "controller/retention/state.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "base/time.h"

namespace podium::controller {
namespace {

using namespace std::chrono_literals;

TEST(RetentionState, AReportExpiresByItsLabelUnlessAWrongClockWroteIt) {
  struct Case {
    const char* name;
    std::chrono::minutes label;  // from the write
    std::optional<std::chrono::seconds> ttl;
    std::chrono::seconds expect;
  };
  const Case cases[] = {
      {"the label agrees", 61min, 1h, 62min},
      {"only the label", 61min, std::nullopt, 62min},
      {"written by a clock that is ahead", 600min, 1h, 1h},
      {"written by a clock that is behind", 20min, 1h, 1h},
      {"a short TTL is kept to the second", 2min, 90s, 90s},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    RetentionState state;
    const auto written = *parse_time("2026-11-22T13:20:00Z");
    const Steady now{1h};
    state.server.saw(written, now);
    const auto minute = minute_of(expiry_minute(written + c.label));
    EXPECT_EQ(state.due_of(written, minute, c.ttl, now) - now, c.expect);
    EXPECT_FALSE(state.is_over(minute, now));
    EXPECT_TRUE(state.is_over(minute, now + c.label));
  }
}

}  // namespace
}  // namespace podium::controller
