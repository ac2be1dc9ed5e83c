// The requests of PreBind writes, and the outcome for every kind of reply.
#include "scheduler/live/api_object_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/clock.h"
#include "base/random.h"
#include "base/time.h"
#include "scheduler/live/doubt.h"
#include "unit/async/virtual_run.h"
#include "unit/client/client_loop.h"
#include "unit/client/doubles.h"
#include "unit/support/http_script.h"

namespace podium::live {
namespace {

using namespace cycle;

using client::ClientLoop;
using client::ScopedTransport;
using unit::HttpExchange;
using unit::HttpScript;
using unit::replying;

constexpr auto kPath = "/api/v1/namespaces/shop/persistentvolumeclaims/data";
constexpr auto kWritten =
    R"({"metadata":{"name":"data","resourceVersion":"8","annotations":{"node":"n1","other":"x"}}})";
constexpr auto kOld = R"({"metadata":{"name":"data","resourceVersion":"7","annotations":{"other":"x"}}})";

framework::ObjectWrite annotation() {
  framework::ObjectWrite write;
  write.resource = "persistentvolumeclaims";
  write.namespace_ = "shop";
  write.name = "data";
  write.uid = "uid-data";
  write.resource_version = "7";
  write.patch = boost::json::parse(R"({"metadata":{"annotations":{"node":"n1"}}})");
  return write;
}

class ApiObjectWriterTest : public testing::Test {
 protected:
  cycle::WriteOutcome write(framework::ObjectWrite what = annotation()) {
    return loop_.run(write_object(api_, std::move(what)));
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (const auto& request : server_.requests()) out.push_back(request.method + " " + request.target);
    return out;
  }
  const std::string patch_line_ = std::string("PATCH ") + kPath + "?fieldManager=podium";

  HttpScript server_;
  ClientLoop loop_;
  ScopedTransport transport_{loop_, client::config_for(server_.url())};
  client::Api api_{transport_.shared(), system_clock(), system_random()};
};

TEST_F(ApiObjectWriterTest, AMergePatchWithItsPreconditions) {
  server_.always(replying(200, kWritten));
  const auto outcome = write();
  ASSERT_TRUE(outcome.object);
  EXPECT_EQ(*outcome.object, boost::json::parse(kWritten));
  const auto request = server_.requests().at(0);
  EXPECT_EQ(lines(), std::vector{patch_line_});
  EXPECT_EQ(request.headers.at("content-type"), "application/merge-patch+json");
  EXPECT_EQ(boost::json::parse(request.body),
            boost::json::parse(
                R"({"metadata":{"annotations":{"node":"n1"},"uid":"uid-data","resourceVersion":"7"}})"));
}

TEST_F(ApiObjectWriterTest, ClusterScopedAndWithoutMetadata) {
  server_.always(replying(200, "{}"));
  framework::ObjectWrite what;
  what.group = "storage.k8s.io";
  what.resource = "things";
  what.name = "t";
  what.subresource = "status";
  what.resource_version = "3";
  what.patch = boost::json::parse(R"({"spec":1})");
  EXPECT_TRUE(write(what).object);
  EXPECT_EQ(lines(),
            std::vector<std::string>{"PATCH /apis/storage.k8s.io/v1/things/t/status?fieldManager=podium"});
  EXPECT_EQ(boost::json::parse(server_.requests().at(0).body),
            boost::json::parse(R"({"spec":1,"metadata":{"resourceVersion":"3"}})"));
}

TEST_F(ApiObjectWriterTest, AConflictIsAnErrorInTheServersWords) {
  server_.always(replying(409, R"({"kind":"Status","status":"Failure","reason":"Conflict","code":409,
                                   "message":"the object has been modified"})"));
  const auto outcome = write();
  EXPECT_FALSE(outcome.object);
  EXPECT_EQ(outcome.error, "the object has been modified");
  EXPECT_EQ(lines(), std::vector{patch_line_});
}

TEST_F(ApiObjectWriterTest, AConflictIsDistinguishedFromOtherErrors) {
  server_.then(
      replying(409, R"({"kind":"Status","status":"Failure","reason":"Conflict","code":409,"message":"m"})"));
  server_.then(
      replying(422, R"({"kind":"Status","status":"Failure","reason":"Invalid","code":422,"message":"m"})"));
  EXPECT_TRUE(write().conflict);
  EXPECT_FALSE(write().conflict);
}

TEST_F(ApiObjectWriterTest, AReadIsAGet) {
  server_.always(replying(200, kOld));
  auto what = annotation();
  what.verb = framework::ObjectWrite::Verb::read;
  what.delay = std::chrono::milliseconds(1);
  const auto outcome = write(what);
  ASSERT_TRUE(outcome.object);
  EXPECT_EQ(*outcome.object, boost::json::parse(kOld));
  EXPECT_EQ(lines(), std::vector{std::string("GET ") + kPath});
}

framework::ObjectWrite creation() {
  framework::ObjectWrite what;
  what.verb = framework::ObjectWrite::Verb::create;
  what.resource = "persistentvolumeclaims";
  what.namespace_ = "shop";
  what.patch = boost::json::parse(R"({"metadata":{"generateName":"data-","labels":{"a":"b"}}})");
  return what;
}

std::string name_in(const std::string& body) {
  return std::string(boost::json::parse(body).at_pointer("/metadata/name").as_string());
}

constexpr auto kClaims = "/api/v1/namespaces/shop/persistentvolumeclaims";

TEST_F(ApiObjectWriterTest, AnObjectIsCreatedWithANameLikeTheServers) {
  server_.always(replying(201, kOld));
  EXPECT_TRUE(write(creation()).object);
  auto sent = boost::json::parse(server_.requests().at(0).body);
  const auto name = name_in(server_.requests().at(0).body);
  EXPECT_TRUE(name.starts_with("data-") && name.size() == 10) << name;
  sent.at("metadata").as_object().erase("name");
  EXPECT_EQ(sent, creation().patch);
  EXPECT_EQ(lines(), std::vector{std::string("POST ") + kClaims});

  auto what = creation();
  what.patch.at("metadata").as_object()["generateName"] = std::string(70, 'x') + "-";
  EXPECT_TRUE(write(what).object);
  EXPECT_EQ(name_in(server_.requests().at(1).body).size(), 63u);
}

// A plugin of another program may return anything. The pod's binding fails, and the process continues.
TEST_F(ApiObjectWriterTest, ACreateWithoutGenerateNameIsAnError) {
  server_.always(replying(201, kOld));
  for (const char* patch : {"null", "[]", "{}", R"({"metadata":1})", R"({"metadata":{"name":"data"}})",
                            R"({"metadata":{"generateName":1}})", R"({"metadata":{"generateName":""}})"}) {
    auto what = creation();
    what.patch = boost::json::parse(patch);
    const auto outcome = write(what);
    EXPECT_FALSE(outcome.object) << patch;
    EXPECT_EQ(outcome.error, "the object to create has no metadata.generateName") << patch;
  }
  EXPECT_EQ(lines(), std::vector<std::string>{});
}

TEST_F(ApiObjectWriterTest, ANameThatIsTakenIsDrawnAgain) {
  constexpr auto kTaken =
      R"({"kind":"Status","status":"Failure","reason":"AlreadyExists","code":409,"message":"it exists"})";
  server_.then(replying(409, kTaken));
  server_.then(replying(201, kOld));
  EXPECT_TRUE(write(creation()).object);
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_NE(name_in(requests[0].body), name_in(requests[1].body));
  server_.always(replying(409, kTaken));
  EXPECT_EQ(write(creation()).error, "it exists");
}

TEST_F(ApiObjectWriterTest, ACreateWhoseReplyIsLostMakesNoSecondObject) {
  struct Case {
    const char* name;
    int status;
    const char* live;
    bool made;
  };
  const Case cases[] = {
      {"it was made", 200, R"({"metadata":{"name":"n","generateName":"data-","labels":{"a":"b"}}})", true},
      {"it is another's", 200, R"({"metadata":{"name":"n","generateName":"data-"}})", false},
      {"it was not", 404, R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})", false}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto before = lines().size();
    server_.then([](HttpExchange& exchange) { exchange.cut(); });
    server_.then(replying(c.status, c.live));
    EXPECT_EQ(write(creation()).object.has_value(), c.made);
    const auto requests = server_.requests();
    ASSERT_EQ(requests.size(), before + 2);
    EXPECT_EQ(requests.back().method + " " + requests.back().target,
              std::string("GET ") + kClaims + "/" + name_in(requests[before].body));
  }
}

TEST_F(ApiObjectWriterTest, AnObjectIsRemovedAfterItsPatch) {
  constexpr auto kGone =
      R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404,"message":"m",
          "details":{"name":"data","kind":"persistentvolumeclaims"}})";
  auto what = annotation();
  what.verb = framework::ObjectWrite::Verb::remove;
  what.resource_version.clear();
  server_.then(replying(200, kOld));
  server_.then(replying(200, "{}"));
  EXPECT_TRUE(write(what).object);
  const std::string remove_line = std::string("DELETE ") + kPath;
  EXPECT_EQ(lines(), (std::vector{patch_line_, remove_line}));
  const auto body = server_.requests().at(1).body;
  EXPECT_EQ(boost::json::parse(body).at_pointer("/preconditions/uid"), "uid-data");

  server_.then(replying(404, kGone));
  EXPECT_TRUE(write(what).object) << "somebody else was faster";
  server_.then(replying(403, R"({"kind":"Status","status":"Failure","code":403,"message":"not you"})"));
  EXPECT_EQ(write(what).error, "not you");
  EXPECT_EQ(lines().size(), 4u) << "what could not be patched is not deleted";
}

framework::ObjectWrite reservation() {
  auto write = annotation();
  write.verb = framework::ObjectWrite::Verb::strategic;
  write.patch = boost::json::parse(R"({"status":{"time":null,"users":[{"uid":"b"}]}})");
  write.time_at = "/status/time";
  return write;
}

TEST_F(ApiObjectWriterTest, AStrategicPatchWithTheTime) {
  server_.always(replying(200, "{}"));
  EXPECT_TRUE(write(reservation()).object);
  const auto request = server_.requests().at(0);
  EXPECT_EQ(request.headers.at("content-type"), "application/strategic-merge-patch+json");
  const auto body = boost::json::parse(request.body);
  EXPECT_EQ(body.at_pointer("/status/users/0/uid"), "b");
  EXPECT_TRUE(parse_time(std::string_view(body.at_pointer("/status/time").as_string())));
}

// What the object is like after a reservation that failed.
std::string live_with(const char* users, int version) {
  return fmt::format(
      R"({{"metadata":{{"uid":"uid-data","resourceVersion":"{}"}},"status":{{"users":[{}]}}}})", version,
      users);
}

std::string refusal_with(int code) {
  return fmt::format(R"({{"kind":"Status","status":"Failure","code":{},"message":"m"}})", code);
}

constexpr auto kInvalid =
    R"({"kind":"Status","status":"Failure","reason":"Invalid","code":422,"message":"field is immutable"})";

// An API server that sorts what must not change refuses a strategic patch.
TEST_F(ApiObjectWriterTest, ARefusedStrategicPatchIsMadeAsAMergePatch) {
  server_.then(replying(422, kInvalid));
  server_.then(replying(200, R"({"metadata":{"uid":"uid-data","resourceVersion":"7"},
                        "status":{"users":[{"uid":"a"}],"x":1}})"));
  server_.then(replying(200, kWritten));
  auto what = reservation();
  what.patch.as_object()["status"].as_object()["$setElementOrder/users"] = boost::json::array();
  EXPECT_TRUE(write(what).object);
  EXPECT_EQ(lines(), (std::vector<std::string>{patch_line_, std::string("GET ") + kPath, patch_line_}));
  const auto request = server_.requests().at(2);
  EXPECT_EQ(request.headers.at("content-type"), "application/merge-patch+json");
  auto body = boost::json::parse(request.body);
  EXPECT_TRUE(body.at("status").as_object().at("time").is_string());
  body.at("status").as_object().erase("time");
  EXPECT_EQ(body, boost::json::parse(R"({"status":{"users":[{"uid":"a"},{"uid":"b"}]},
                                         "metadata":{"uid":"uid-data","resourceVersion":"7"}})"));
}

TEST_F(ApiObjectWriterTest, ARefusedStrategicPatchToWhatHasChangedIsAConflict) {
  server_.then(replying(422, kInvalid));
  server_.then(replying(200, live_with("", 8)));
  const auto outcome = write(reservation());
  EXPECT_TRUE(outcome.conflict);
  EXPECT_FALSE(outcome.object);
}

TEST_F(ApiObjectWriterTest, APatchThatIsRefusedBothWaysIsAnError) {
  for (int i = 0; i < 2; ++i) {
    server_.then(replying(422, kInvalid));
    server_.then(replying(200, live_with("", 7)));
  }
  const auto outcome = write(reservation());
  EXPECT_EQ(outcome.error, "field is immutable");
  EXPECT_FALSE(outcome.conflict);
}

// The list of the object may have more than the patch added.
TEST_F(ApiObjectWriterTest, ALostReplyToAStrategicPatchIsLookedInto) {
  auto what = reservation();
  what.time_at.clear();
  what.patch = boost::json::parse(R"({"status":{"users":[{"uid":"b"}]}})");
  for (const std::string user : {"b", "c"}) {
    server_.then([](HttpExchange& exchange) { exchange.cut(); });
    server_.then(replying(200, R"({"metadata":{"uid":"uid-data"},"status":{"users":[{"uid":"a"},{"uid":")" +
                                   user + R"(","name":"x"}]}})"));
    EXPECT_EQ(write(what).object.has_value(), user == "b");
  }
}

// A late write must not find the object as it was, once its devices are given to another.
TEST_F(ApiObjectWriterTest, AStrategicPatchInDoubtIsSentUntilTheObjectShowsIt) {
  auto what = reservation();
  what.time_at.clear();
  what.patch = boost::json::parse(R"({"status":{"users":[{"uid":"b"}]}})");
  const std::string patch = patch_line_, get = std::string("GET ") + kPath;
  const auto refusal = [](int code) { return replying(code, refusal_with(code)); };
  struct Case {
    const char* name;
    std::vector<unit::HttpHandler> replies;  // after the first one
    std::vector<std::string> lines;
    bool written, conflict;
  };
  const auto unchanged = replying(200, live_with("", 7)),
             written = replying(200, live_with(R"({"uid":"b"})", 8)),
             changed = replying(200, live_with("", 8));
  const Case cases[] = {
      {"not yet, and then it is made", {unchanged, replying(200, "{}")}, {patch, get, patch}, true, false},
      {"not yet, and the late one was first",
       {unchanged, refusal(409), written},
       {patch, get, patch, get},
       true,
       false},
      {"another has changed it", {changed}, {patch, get}, false, true},
      {"it cannot be read at first",
       {refusal(404), refusal(409), changed},
       {patch, get, patch, get},
       false,
       true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto before = lines().size();
    server_.then([](HttpExchange& exchange) { exchange.cut(); });
    for (const auto& reply : c.replies) server_.then(reply);
    const auto outcome = write(what);
    EXPECT_EQ(outcome.object.has_value(), c.written);
    EXPECT_EQ(outcome.conflict, c.conflict);
    auto seen = lines();
    seen.erase(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(before));
    EXPECT_EQ(seen, c.lines);
  }
}

// No request lasts that long, so that none can take effect any more.
TEST(ApiObjectWriter, ARefusalCountsLongAfterTheDoubt) {
  using namespace std::chrono_literals;
  struct Case {
    const char* name;
    int code;                          // of the refusals
    std::chrono::minutes in_doubt{0};  // each reply is lost for that long, the first one in any case
  };
  const Case cases[] = {
      {"forbidden", 403}, {"invalid in both forms", 422}, {"in doubt again and again", 403, 4min}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    async::VirtualTime time;
    const auto began = time.now();
    boost::asio::io_context io;
    const auto transport = std::make_shared<unit::ScriptedTransport>();
    int patches = 0;
    transport->on_send = [&](const client::Request& request) -> Result<client::Response> {
      if (request.method == "GET") return client::Response{200, live_with("", 7)};
      if (patches++ > 0 && time.now() - began >= c.in_doubt)
        return client::Response{c.code, refusal_with(c.code)};
      auto lost = fail(Error::Kind::unavailable, "cut");
      lost.error().maybe_applied = true;
      return lost;
    };
    client::Api api(transport, time, system_random());
    auto outcome = boost::asio::co_spawn(io, write_object(api, reservation()), boost::asio::use_future);
    unit::run_for(io, time, c.in_doubt + kLongestDoubt - 10s);
    EXPECT_EQ(outcome.wait_for(0s), std::future_status::timeout);
    unit::run_for(io, time, 1min);
    ASSERT_EQ(outcome.wait_for(0s), std::future_status::ready);
    const auto ended = outcome.get();
    EXPECT_FALSE(ended.object);
    EXPECT_EQ(ended.error, "m");
    EXPECT_FALSE(ended.conflict);
  }
}

// A proxy may have sent the patch twice.
TEST_F(ApiObjectWriterTest, ARefusedStrategicPatchIsLookedInto) {
  auto what = reservation();
  what.time_at.clear();
  what.patch = boost::json::parse(R"({"status":{"users":[{"uid":"b"}]}})");
  for (const bool made : {true, false}) {
    server_.then(replying(403, R"({"kind":"Status","status":"Failure","code":403,"message":"m"})"));
    server_.then(replying(200, made ? live_with(R"({"uid":"b"})", 8) : live_with("", 7)));
    EXPECT_EQ(write(what).object.has_value(), made);
  }
}

TEST_F(ApiObjectWriterTest, ALostReplyIsLookedInto) {
  struct Case {
    const char* name;
    const char* live;
    bool written;
  };
  const Case cases[] = {{"it was made", kWritten, true}, {"it was not", kOld, false}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto before = lines().size();
    server_.then([](HttpExchange& exchange) { exchange.cut(); });
    server_.then(replying(200, c.live));
    const auto outcome = write();
    EXPECT_EQ(outcome.object.has_value(), c.written);
    EXPECT_EQ(outcome.error.empty(), c.written);
    auto seen = lines();
    seen.erase(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(before));
    EXPECT_EQ(seen, (std::vector{patch_line_, std::string("GET ") + kPath}));
  }
}

TEST_F(ApiObjectWriterTest, ARefusalToLookIntoItIsNamed) {
  server_.then([](HttpExchange& exchange) { exchange.cut(); });
  server_.then(replying(403, R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403,
                                 "message":"podium cannot get it"})"));
  const auto outcome = write();
  EXPECT_FALSE(outcome.object);
  EXPECT_TRUE(outcome.error.ends_with("; the write may have taken effect: podium cannot get it"))
      << outcome.error;
  EXPECT_EQ(outcome.request.verb, "get");
  EXPECT_EQ(outcome.request.resource, "persistentvolumeclaims");
}

}  // namespace
}  // namespace podium::live
