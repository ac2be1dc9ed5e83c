// BindingHealth: a missing right makes podium unready, one pod's refusal does not.
#include "scheduler/live/binding_health.h"

#include <gtest/gtest.h>

#include "base/result.h"

namespace podium::live {
namespace {

using namespace std::chrono_literals;

constexpr Steady kStart{1h};

Error status_of(int code, std::string message) {
  Error error = fail(Error::Kind::status, std::move(message)).error();
  error.status.code = code;
  return error;
}

const Error kForbidden = status_of(403, R"(User "x" cannot create resource "pods/binding")");

TEST(BindingHealth, AMissingRightCountsUntilABindingSucceeds) {
  BindingHealth health;
  EXPECT_EQ(health.why_unhealthy(kStart), std::nullopt);
  health.failed(kForbidden, kStart);
  EXPECT_EQ(health.why_unhealthy(kStart + 1min), "bindings are refused: " + kForbidden.message);
  health.bound();
  EXPECT_EQ(health.why_unhealthy(kStart + 1min), std::nullopt);
}

TEST(BindingHealth, ARefusalThatDoesNotComeAgainIsForgotten) {
  BindingHealth health;
  health.failed(kForbidden, kStart);
  health.failed(kForbidden, kStart + 1min);
  EXPECT_TRUE(health.why_unhealthy(kStart + 1min + BindingHealth::kForget - 1s));
  EXPECT_FALSE(health.why_unhealthy(kStart + 1min + BindingHealth::kForget));
}

TEST(BindingHealth, WhatIsAboutOnePodDoesNotCount) {
  const Error cases[] = {status_of(403, "admission webhook \"x\" denied the request"),
                         status_of(403, "exceeded quota"),
                         status_of(409, "conflict"),
                         status_of(404, "not found"),
                         status_of(500, "internal"),
                         fail(Error::Kind::unavailable, "refused").error()};
  for (const auto& error : cases) {
    BindingHealth health;
    health.failed(error, kStart);
    EXPECT_EQ(health.why_unhealthy(kStart), std::nullopt) << error.message;
  }
}

}  // namespace
}  // namespace podium::live
