// The events that ApiAnnouncer records for pods: reason, text and the reporting profile.
#include "scheduler/live/api_announcer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <map>

#include "base/clock.h"
#include "base/random.h"
#include "unit/client/object_server.h"
#include "unit/support/builders.h"

namespace podium::live {
namespace {

using namespace cycle;

namespace asio = boost::asio;
using podium::test::pod;
using Lines = std::vector<std::string>;

class ApiAnnouncerTest : public testing::Test {
 protected:
  ApiAnnouncer announcer(bool events = true) {
    return {[this](std::string_view name) { return &recorders_.find(name)->second; }, statuses_, events};
  }
  // "controller type reason action pod note", of each event.
  Lines recorded() {
    io_.run();
    Lines out;
    for (const auto& event : server_.all("events")) {
      const auto text = [&](const char* field) { return std::string(event.at(field).as_string()); };
      out.push_back(fmt::format("{} {} {} {} {}: {}", text("reportingController"), text("type"),
                                text("reason"), text("action"),
                                event.at("regarding").at("name").as_string().c_str(), text("note")));
    }
    std::ranges::sort(out);
    return out;
  }
  static cluster::PodInfoPtr info(const api::Pod& pod) {
    return cluster::make_pod_info(std::make_shared<const api::Pod>(pod));
  }

  unit::ObjectServer server_;
  client::Api api_{server_.transport, system_clock(), system_random()};
  client::Precedence none_first_{system_clock()};
  async::Gate gate_;
  asio::io_context io_{1};
  std::map<std::string, client::EventRecorder, std::less<>> recorders_ = [this] {
    std::map<std::string, client::EventRecorder, std::less<>> out;
    for (const auto* name : {"default-scheduler", "batch"}) {
      out.try_emplace(name, api_, none_first_, gate_, io_.get_executor(),
                      client::EventRecorderOptions{.controller = name, .instance = "host"});
    }
    return out;
  }();
  PodStatusWriter statuses_{api_, gate_, io_.get_executor()};
};

TEST_F(ApiAnnouncerTest, EachProfileSpeaksUnderItsName) {
  auto announcer = this->announcer();
  announcer.scheduled(*info(pod("web")), "n1");
  announcer.scheduled(*info(pod("job").scheduler("batch")), "n2");
  announcer.failed(*info(pod("big").scheduler("batch")), "Unschedulable", "no room", std::nullopt);
  announcer.skipped(*info(pod("late").terminating()));
  EXPECT_EQ(recorded(),
            (Lines{
                "batch Normal Scheduled Binding job: Successfully assigned default/job to n2",
                "batch Warning FailedScheduling Scheduling big: no room",
                "default-scheduler Normal Scheduled Binding web: Successfully assigned default/web to n1",
                "default-scheduler Warning FailedScheduling Scheduling late: skip schedule deleting pod: "
                "default/late",
            }));
}

TEST_F(ApiAnnouncerTest, WithoutEventsNothingIsAnnounced) {
  auto announcer = this->announcer(false);
  announcer.scheduled(*info(pod("web")), "n1");
  announcer.skipped(*info(pod("late").terminating()));
  EXPECT_EQ(recorded(), Lines());
}

TEST_F(ApiAnnouncerTest, ABoundPodGetsNoConditionOfAnEarlierAttempt) {
  auto announcer = this->announcer(false);
  announcer.failed(*info(pod("late")), "Unschedulable", "no node", std::nullopt);
  announcer.scheduled(*info(pod("late")), "n1");
  io_.run();
  EXPECT_EQ(server_.requests("PATCH"), Lines{});
}

}  // namespace
}  // namespace podium::live
