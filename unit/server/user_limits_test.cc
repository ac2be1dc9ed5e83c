// UserLimits: rate and concurrency of a user, and of all.
#include "server/user_limits.h"

#include <gtest/gtest.h>

#include <vector>

#include "unit/client/doubles.h"

namespace podium::server {
namespace {

using namespace std::chrono_literals;

struct Limited {
  // "ok", or "REASON, after SECONDS". A slot that is not kept ends immediately.
  std::string ask(const std::string& user, bool keep = false) {
    auto admission = limits.admit(user, clock.now());
    if (!admission.slot) return admission.why + ", after " + std::to_string(admission.retry_after.count());
    if (keep) kept.push_back(std::move(admission.slot));
    return "ok";
  }

  unit::ManualClock clock;
  UserLimits limits{{.per_second = 0.5, .burst = 3, .active = 2, .active_in_all = 3, .users = 4}};
  std::vector<UserLimits::Slot> kept;
};

TEST(UserLimits, ABurstThenARate) {
  Limited limited;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limited.ask("ann"), "ok");
  EXPECT_EQ(limited.ask("ann"), "too many requests per second, after 2");
  EXPECT_EQ(limited.ask("bob"), "ok") << "it is another's";
  limited.clock.advance(1s);
  EXPECT_EQ(limited.ask("ann"), "too many requests per second, after 1");
  limited.clock.advance(1s);
  EXPECT_EQ(limited.ask("ann"), "ok");
  EXPECT_EQ(limited.ask("ann"), "too many requests per second, after 2");
}

TEST(UserLimits, InProgress) {
  Limited limited;
  EXPECT_EQ(limited.ask("ann", true), "ok");
  EXPECT_EQ(limited.ask("ann", true), "ok");
  EXPECT_EQ(limited.ask("ann"), "too many of your requests are in progress, after 1");
  EXPECT_EQ(limited.ask("bob", true), "ok");
  EXPECT_EQ(limited.ask("cat"), "too many requests are in progress, after 1");
  limited.kept.erase(limited.kept.begin());
  EXPECT_EQ(limited.ask("ann"), "ok");
  limited.kept.clear();
  EXPECT_EQ(limited.limits.in_progress(), 0u);
}

TEST(UserLimits, RemembersFewUsersAndWhoIsBusy) {
  Limited limited;
  for (int i = 0; i < 3; ++i) limited.ask("ann", i == 0);
  for (int i = 0; i < 1000; ++i) limited.ask("user-" + std::to_string(i));
  EXPECT_LE(limited.limits.users(), 4u);
  EXPECT_EQ(limited.ask("ann"), "too many requests per second, after 2") << "she has one in progress";
}

}  // namespace
}  // namespace podium::server
