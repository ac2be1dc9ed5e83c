// A patch whose first request failed: each way in which its requests end, with each state of the object.
#include "scheduler/live/settling.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json/parse.hpp>

#include "base/random.h"
#include "scheduler/live/api_object_writer.h"
#include "scheduler/live/doubt.h"
#include "unit/async/virtual_run.h"
#include "unit/client/doubles.h"

namespace podium::live {
namespace {

using namespace cycle;

using namespace std::chrono_literals;
using client::Request;
using client::Response;

constexpr int kLost = 0;

// The replies to the patches. The read after the last one shows the object's state; no earlier read succeeds.
struct Patches {
  const char* name;
  std::vector<int> codes;  // kLost: sent, and no reply
  bool late = false;       // the last code is repeated until no earlier request can take effect
  int last() const { return codes.back(); }
  bool in_doubt() const { return !late && (codes.front() == kLost || codes.front() == 502); }
  bool was_in_doubt() const { return in_doubt() || late; }
};

const Patches kPatches[] = {
    {"refused", {403}},
    {"conflict", {409}},
    {"not valid in this form", {422}},
    {"lost", {kLost}},
    {"a gateway gave up", {502}},
    {"lost, then refused", {kLost, 403}},
    {"lost, then conflict", {kLost, 409}},
    {"lost, then not valid in this form", {kLost, 422}},
    {"refused long after the loss", {kLost, 403}, true},
    {"conflict long after the loss", {kLost, 409}, true},
};

constexpr Shown kShown[] = {Shown::same, Shown::applied, Shown::changed,   Shown::replaced,
                            Shown::gone, Shown::barred,  Shown::unreadable};

std::string what_should_follow(const Patches& patches, Shown shown) {
  const bool conflict = patches.last() == 409, other_form = patches.last() == 422;
  switch (shown) {
    case Shown::applied:
      return "written";
    case Shown::barred:
      return "unread";
    case Shown::unreadable:
      return "sent again";
    case Shown::gone:
      return conflict ? "conflict" : "failed";
    case Shown::replaced:
      return conflict || patches.was_in_doubt() ? "conflict" : "failed";
    case Shown::changed:
      return conflict || other_form || patches.was_in_doubt() ? "conflict" : "failed";
    case Shown::same:
      break;
  }
  if (other_form) return "sent as a merge patch";
  if (patches.in_doubt()) return "sent again";
  return conflict ? "conflict" : "failed";
}

Response failed_with(int code, const char* reason = "") {
  return {code, fmt::format(R"({{"kind":"Status","code":{},"reason":"{}","message":"m"}})", code, reason)};
}

Response live_object(const char* uid, int version, const char* users) {
  return {200,
          fmt::format(R"({{"metadata":{{"uid":"{}","resourceVersion":"{}"}},"status":{{"users":[{}]}}}})",
                      uid, version, users)};
}

Response read_of(Shown shown) {
  switch (shown) {
    case Shown::same:
      return live_object("u", 7, "");
    case Shown::applied:
      return live_object("u", 8, R"({"uid":"b"})");
    case Shown::changed:
      return live_object("u", 8, "");
    case Shown::replaced:
      return live_object("other", 7, "");
    case Shown::gone:
      return failed_with(404, "NotFound");
    case Shown::barred:
      return failed_with(403);
    case Shown::unreadable:
      return failed_with(400);
  }
  return {};
}

framework::ObjectWrite patch_to_settle() {
  framework::ObjectWrite write;
  write.verb = framework::ObjectWrite::Verb::strategic;
  write.resource = "claims";
  write.namespace_ = "shop";
  write.name = "c";
  write.uid = "u";
  write.resource_version = "7";
  write.patch = boost::json::parse(R"({"status":{"users":[{"uid":"b"}]}})");
  return write;
}

// Writes against a server that answers so, and tells what came after the read that shows the object.
class SettlingServer {
 public:
  SettlingServer(const Patches& patches, Shown shown) : patches_(patches), shown_(shown) {}

  std::string what_follows() {
    const auto transport = std::make_shared<unit::ScriptedTransport>();
    transport->on_send = [this](const Request& request) {
      return request.method == "GET" ? read() : patch(request);
    };
    boost::asio::io_context io;
    client::Api api(transport, time_, system_random());
    auto outcome = boost::asio::co_spawn(io, write_object(api, patch_to_settle()), boost::asio::use_future);
    unit::run_for(io, time_, kLongestDoubt + 1min);
    if (outcome.wait_for(0s) != std::future_status::ready) return "nothing";
    const auto ended = outcome.get();
    if (!then_.empty()) return then_;
    if (ended.object) return "written";
    if (ended.conflict) return "conflict";
    return ended.request.verb == "get" ? "unread" : "failed";
  }

 private:
  bool is_late() const { return time_.now() - began_ >= kLongestDoubt; }

  Result<Response> patch(const Request& request) {
    if (decided_) {
      const bool merge = request.content_type == "application/merge-patch+json";
      then_ = merge ? "sent as a merge patch" : "sent again";
      return Response{200, "{}"};
    }
    const auto i = std::min(sent_++, patches_.codes.size() - 1);
    if (patches_.codes[i] != kLost) return failed_with(patches_.codes[i]);
    auto lost = fail(Error::Kind::unavailable, "cut");
    lost.error().maybe_applied = true;
    return lost;
  }
  Result<Response> read() {
    if (sent_ < patches_.codes.size() || (patches_.late && !is_late())) return read_of(Shown::unreadable);
    decided_ = true;
    return read_of(shown_);
  }

  const Patches& patches_;
  const Shown shown_;
  async::VirtualTime time_;
  const Steady began_ = time_.now();
  std::size_t sent_ = 0;
  bool decided_ = false;
  std::string then_;
};

TEST(Settling, WhatFollowsEachEndWithEachState) {
  for (const auto& patches : kPatches) {
    for (const auto shown : kShown) {
      SettlingServer server(patches, shown);
      EXPECT_EQ(server.what_follows(), what_should_follow(patches, shown))
          << patches.name << ", " << static_cast<int>(shown);
    }
  }
}

// Without a request in doubt, nothing is read: there is nothing to find out.
TEST(Settling, EndsWithoutAReadIfNothingWasSent) {
  Tries tries;
  EXPECT_EQ(tries.ended({.kind = Error::Kind::unavailable}, true, Steady(0s)), std::nullopt);
  EXPECT_EQ(tries.ended({.kind = Error::Kind::not_leader}, true, Steady(0s)), std::nullopt);
}

TEST(Settling, OneTryWithoutTheRightToWriteIsForgiven) {
  const Error lost{.kind = Error::Kind::unavailable, .maybe_applied = true};
  const Error not_leader{.kind = Error::Kind::not_leader};
  Tries tries;
  EXPECT_EQ(tries.ended(lost, true, Steady(0s)), Ended::in_doubt);
  EXPECT_EQ(tries.ended(not_leader, true, Steady(1s)), Ended::in_doubt);
  EXPECT_EQ(tries.ended(not_leader, true, Steady(2s)), std::nullopt);
  Tries stopped;
  EXPECT_EQ(stopped.ended(lost, true, Steady(0s)), Ended::in_doubt);
  EXPECT_EQ(stopped.ended({.kind = Error::Kind::cancelled}, true, Steady(1s)), std::nullopt);
}

}  // namespace
}  // namespace podium::live
