// carry_out(): the outcome of a binding for each sequence of replies and states of the pod.
#include "scheduler/live/binding_request.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "unit/client/client_loop.h"
#include "unit/client/doubles.h"
#include "unit/support/builders.h"

namespace podium::live {
namespace {

using namespace cycle;

using namespace std::chrono_literals;
using Log = std::vector<std::string>;

Error refusal(int code, std::string reason = "") {
  Error error;
  error.kind = Error::Kind::status;
  error.status.code = code;
  error.status.reason = std::move(reason);
  error.message = fmt::format("code {}", code);
  return error;
}

const Error kUnanswered = [] {
  Error error;
  error.kind = Error::Kind::timeout;
  error.message = "deadline passed";
  error.maybe_applied = true;
  return error;
}();
const Error kRefusedConnection = [] {
  Error error;
  error.kind = Error::Kind::unavailable;
  error.message = "connection refused";
  return error;
}();
const Error kClosed = [] {
  Error error;
  error.kind = Error::Kind::cancelled;
  error.message = "stopped";
  return error;
}();
const Error kNotLeader = client::not_leader().error();
const Result<void> kBound;

std::string pod(const char* uid, const char* node, const char* rest = "") {
  return fmt::format(R"({{"metadata":{{"name":"web","namespace":"default","uid":"{}"{}}},)"
                     R"("spec":{{"nodeName":"{}","containers":[{{"name":"c"}}]}}}})",
                     uid, rest, node);
}
std::string pending() { return pod("uid-web", ""); }

struct Case {
  const char* name;
  std::vector<Result<void>> sent;  // the result of each request
  std::string live;                // the pod; empty: reading it is forbidden; "gone"; "away": a proxy's 404
  const char* outcome;
  bool in_doubt = true;
  std::chrono::minutes passes{0};  // while the pod is read
};

class BindingRequestTest : public testing::TestWithParam<Case> {};

TEST_P(BindingRequestTest, EndsAsItIs) {
  const auto& test = GetParam();
  unit::ManualClock clock;
  unit::FixedRandom random;
  const auto transport = std::make_shared<unit::ScriptedTransport>();
  transport->on_send = [&](const client::Request& request) -> Result<client::Response> {
    EXPECT_EQ(request.method, "GET");
    clock.advance(test.passes);
    if (test.live.empty()) return client::Response{.status = 403, .body = R"({"kind":"Status"})"};
    if (test.live == "away") return client::Response{.status = 404, .body = "<html>no such page</html>"};
    if (test.live == "gone")
      return client::Response{.status = 404, .body = R"({"kind":"Status","reason":"NotFound"})"};
    return client::Response{.status = 200, .body = test.live};
  };
  client::Api api(transport, clock, random);
  client::ClientLoop loop;
  LogLimit log;
  std::size_t at = 0;
  int doubts = 0;
  BindingRequest request;
  request.pod = cluster::make_pod_info(podium::test::pod("web").ptr());
  request.node = "n";
  const auto next = [&] { return test.sent.at(at++); };
  struct Sender {
    static client::Task<Result<void>> send(std::function<Result<void>()> next) { co_return next(); }
  };
  request.send = [&] { return Sender::send(next); };
  request.in_doubt = [&] { ++doubts; };
  const auto first = next();
  const auto outcome = loop.run(carry_out(api, std::move(request), first, log));
  const char* ends[] = {"bound", "elsewhere", "rejected", "not sent", "unknown"};
  EXPECT_EQ(
      ends[static_cast<int>(outcome.end)] + (outcome.error.empty() ? std::string() : ": " + outcome.error),
      test.outcome);
  EXPECT_EQ(at, test.sent.size()) << "requests";
  EXPECT_EQ(doubts, test.in_doubt ? 1 : 0);
}

std::unexpected<Error> is(const Error& error) { return std::unexpected(error); }

INSTANTIATE_TEST_SUITE_P(
    Of, BindingRequestTest,
    testing::Values(
        Case{"bound", {kBound}, "", "bound", false},
        Case{"forbidden", {is(refusal(403))}, "", "rejected: code 403", false},
        Case{"invalid", {is(refusal(422))}, "", "rejected: code 422", false},
        Case{"gone", {is(refusal(404, "NotFound"))}, "", "elsewhere: the pod is gone", false},
        Case{"gone_and_not_there",
             {is(refusal(404, "NotFound"))},
             "gone",
             "elsewhere: the pod is gone",
             false},
        Case{"said_to_be_gone", {is(refusal(404, "NotFound"))}, pending(), "rejected: code 404", false},
        Case{"said_to_be_gone_and_ours", {is(refusal(404, "NotFound"))}, pod("uid-web", "n"), "bound", false},
        Case{"gone_and_reading_fails", {is(refusal(404, "NotFound")), kBound}, "away", "bound"},
        Case{"a_404_of_another", {is(refusal(404))}, "", "rejected: code 404", false},
        Case{"not_reached", {is(kRefusedConnection)}, "", "rejected: connection refused", false},
        Case{"no_right", {is(kNotLeader)}, "", "not sent: not sent: no longer leading", false},
        Case{"closed", {is(kClosed)}, "", "not sent: stopped", false},
        Case{"conflict_and_ours", {is(refusal(409))}, pod("uid-web", "n"), "bound", false},
        Case{"conflict_and_another_node",
             {is(refusal(409))},
             pod("uid-web", "m"),
             "elsewhere: the pod was placed on m",
             false},
        Case{"conflict_and_pending", {is(refusal(409))}, pending(), "rejected: code 409", false},
        Case{"conflict_and_not_to_be_seen", {is(refusal(409))}, "", "rejected: code 409", false},
        Case{"conflict_and_reading_fails", {is(refusal(409)), kBound}, "away", "bound"},
        Case{"an_error_and_ours", {is(refusal(500))}, pod("uid-web", "n"), "bound", false},
        Case{"an_error_and_pending", {is(refusal(500))}, pending(), "rejected: code 500", false},
        Case{"an_error_and_reading_fails", {is(refusal(500)), kBound}, "away", "bound"},
        Case{"overloaded_and_ours", {is(refusal(429))}, pod("uid-web", "n"), "bound", false},
        Case{"a_404_of_another_and_ours", {is(refusal(404))}, pod("uid-web", "n"), "bound", false},
        Case{"a_404_of_another_and_pending", {is(refusal(404))}, pending(), "rejected: code 404", false},
        Case{"in_doubt_and_bound", {is(kUnanswered), kBound}, "", "bound"},
        Case{"in_doubt_and_ours", {is(kUnanswered), is(refusal(409))}, pod("uid-web", "n"), "bound"},
        Case{"in_doubt_and_another_node",
             {is(kUnanswered), is(refusal(409))},
             pod("uid-web", "m"),
             "elsewhere: the pod was placed on m"},
        Case{"in_doubt_and_replaced",
             {is(kUnanswered), is(refusal(409))},
             pod("uid-other", ""),
             "elsewhere: the pod was replaced by another of its name"},
        Case{"in_doubt_and_gone",
             {is(kUnanswered), is(refusal(404, "NotFound"))},
             "",
             "elsewhere: the pod is gone"},
        Case{"in_doubt_and_gone_as_it_is_looked_at",
             {is(kUnanswered), is(refusal(409))},
             "gone",
             "elsewhere: the pod is gone"},
        Case{"in_doubt_and_on_its_way_out",
             {is(kUnanswered), is(refusal(409))},
             pod("uid-web", "", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"),
             "rejected: code 409"},
        // The pod is still pending, so the first request may still be executed.
        Case{"in_doubt_whoever_refuses_the_next",
             {is(kUnanswered), is(refusal(403)), is(refusal(409)), kBound},
             pending(),
             "bound"},
        Case{"in_doubt_and_forbidden_to_look",
             {is(kUnanswered), is(refusal(403)), is(refusal(403)), kBound},
             "",
             "bound"},
        Case{"in_doubt_and_not_reached", {is(kUnanswered), is(kRefusedConnection), kBound}, "", "bound"},
        Case{"unanswered_again_and_ours", {is(kUnanswered), is(kUnanswered)}, pod("uid-web", "n"), "bound"},
        Case{"refused_long_after",
             {is(kUnanswered), is(refusal(403)), is(refusal(403))},
             pending(),
             "rejected: code 403",
             true,
             5min},
        Case{"in_doubt_and_closed", {is(kUnanswered), is(kClosed)}, "", "unknown: stopped"},
        Case{"in_doubt_and_the_right_comes_back", {is(kUnanswered), is(kNotLeader), kBound}, "", "bound"},
        Case{"in_doubt_and_the_right_is_lost",
             {is(kUnanswered), is(kNotLeader), is(kNotLeader)},
             "",
             "unknown: not sent: no longer leading"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace podium::live
