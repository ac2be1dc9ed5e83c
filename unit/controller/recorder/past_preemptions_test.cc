// The preemptions of earlier processes, from the reports of the pods that got the room.
#include "controller/recorder/past_preemptions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <string>
#include <vector>

#include "unit/controller/report/served_api.h"
#include "unit/support/builders.h"

namespace podium::controller {
namespace {

namespace json = boost::json;

json::value report(const std::string& pod, const std::string& outcome, const std::string& victim,
                   const std::string& at) {
  return json::parse(fmt::format(
      R"({{"metadata":{{"name":"{0}","namespace":"ml","labels":{{"podium.dev/report":"decision","podium.dev/outcome":"{1}"}}}},
          "spec":{{"podRef":{{"name":"{0}","uid":"u-{0}"}}}},"status":{{"outcome":"{1}","attempts":2,"preemption":
          {{"nodeName":"n1","victims":[{{"namespace":"shop","name":"{2}"}}],"victimsTotal":1,"decidedAt":"{3}"}}}}}})",
      pod, outcome, victim, at));
}

struct Past : unit::ServedApi {
  std::vector<PastPreemption> read() {
    std::vector<PastPreemption> out;
    boost::asio::co_spawn(
        io, read_past_preemptions(api, [] { return true; }),
        [&](std::exception_ptr, std::vector<PastPreemption> past) { out = std::move(past); });
    io.restart();
    io.run_for(std::chrono::seconds(5));
    return out;
  }
};

TEST(PastPreemptions, TheNewestFirst) {
  Past w;
  w.server.put(unit::kPlural, report("first", "Scheduled", "low", "2026-11-29T10:00:00Z"));
  w.server.put(unit::kPlural, report("second", "Unschedulable", "low", "2026-11-29T11:00:00Z"));
  const auto past = w.read();
  ASSERT_EQ(past.size(), 2u);
  EXPECT_EQ(past[0].pod.pod, "second");
  EXPECT_EQ(past[0].pod.uid, "u-second");
  EXPECT_FALSE(past[0].is_placed);
  EXPECT_TRUE(past[1].is_placed);
  EXPECT_EQ(past[1].preempted.victims.at(0).name, "low");
}

// A CRD of an earlier release does not select by the field.
TEST(PastPreemptions, OfPodsWithoutANodeWithAnEarlierCrd) {
  Past w;
  w.server.put(unit::kPlural, report("first", "Unschedulable", "low", "2026-11-29T10:00:00Z"));
  w.server.put(unit::kPlural, report("placed", "Scheduled", "mid", "2026-11-29T11:00:00Z"));
  w.server.on_request = [](const client::Request& request) -> std::optional<unit::ObjectServer::Reply> {
    if (request.target.find("status.preemption.nodeName") == std::string::npos) return std::nullopt;
    return client::Response{400, R"({"kind":"Status","code":400,"reason":"BadRequest"})"};
  };
  const auto past = w.read();
  ASSERT_EQ(past.size(), 1u);
  EXPECT_EQ(past[0].pod.pod, "first");
}

TEST(PastPreemptions, AVictimWhoseNameAPodHasIsAnotherPod) {
  std::vector<PastPreemption> past{
      {.pod = {"ml", "vip", "u"},
       .preempted = {.node = "n1", .victims = {{"shop", "low"}, {"shop", "db-0"}, {"shop", "ends"}}}}};
  const std::vector<cluster::PodInfoPtr> pods{
      cluster::make_pod_info(test::share(test::pod("db-0").ns("shop").build())),
      cluster::make_pod_info(test::share(test::pod("ends").ns("shop").terminating().build())),
      cluster::make_pod_info(test::share(test::pod("low").ns("elsewhere").build()))};
  remove_living_victims(pods, past);
  ASSERT_EQ(past[0].preempted.victims.size(), 2u);
  EXPECT_EQ(past[0].preempted.victims[0].name, "low");
  EXPECT_EQ(past[0].preempted.victims[1].name, "ends");
}

}  // namespace
}  // namespace podium::controller
