// Fixture: a ReportWriter and a Retention on an in-memory API server and a clock that the test moves.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <string>
#include <vector>

#include "base/time.h"
#include "controller/recorder/report_recorder.h"
#include "controller/recorder/report_writer.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/decision.h"
#include "unit/controller/report/log_capture.h"
#include "unit/controller/report/served_api.h"
#include "unit/support/builders.h"

namespace podium::controller::report_writer_test {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace explain;
using namespace std::chrono_literals;
using test::node;
using test::pod;
using unit::default_config;
using unit::kPlural;
using unit::Lines;
using unit::ObjectServer;
using unit::ServedApi;

inline const std::string kReports = "/apis/podium.dev/v1alpha1/namespaces/shop/schedulingreports";
inline const client::Response kNoSuchKind{
    404, R"({"code":404,"message":"the server could not find the requested resource"})"};

// One node with four CPUs.
inline const cluster::Snapshot& snapshot() {
  static const auto one = [] {
    cluster::Snapshot made;
    made.set_node(node("n1").cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
    return made;
  }();
  return one;
}

inline cluster::PodInfo info_of(const api::Pod& pod) { return *cluster::make_pod_info(test::share(pod)); }

inline api::Pod small(const std::string& name) {
  return pod(name).ns("shop").uid("uid-of-" + name).req("cpu", "1");
}
inline api::Pod huge(const std::string& name) {
  return pod(name).ns("shop").uid("uid-of-" + name).req("cpu", "64");
}

// Backoffs are short, and the clock advances a little with each step.
struct Writing : ServedApi {
  explicit Writing(ReportRecorder::Announce announce = {}, std::size_t max_decisions = 20'000,
                   ReportRecorder::Ended ended = {}, std::chrono::milliseconds longest = 4ms)
      : retention(api, retention_options(max_decisions), gate, io.get_executor()),
        writer(api, bindings_first, retention, settings, gate, io.get_executor(),
               {.item = {1ms, longest}, .of_namespace = {1ms, longest}, .all = {1ms, longest}}),
        recorder(writer, settings, std::move(announce), std::move(ended)) {}
  ~Writing() {
    gate.cancel();
    io.restart();
    io.run();
  }

  static RetentionOptions retention_options(std::size_t max_decisions) {
    RetentionOptions made;
    made.limits = {{max_decisions, 1u << 30}, {max_decisions, 1u << 30}};
    made.round = 1ms;
    return made;
  }

  // Changes the settings, as a changed file would.
  template <typename Change>
  void set(Change change) {
    auto next = *settings.now();
    change(next);
    settings.replace(std::move(next));
  }
  // Records a decision on the pod; if it fits, the test still has to end its binding.
  void decide(const api::Pod& pod, std::uint32_t attempt = 1) {
    const auto info = cluster::make_pod_info(test::share(pod));
    const auto decision = framework::evaluate(*info, cluster, *default_config().profiles[0]);
    framework::Attempt what;
    what.pod = info;
    what.profile = "default-scheduler";
    what.number = attempt;
    what.decided_at = clock.wall();
    recorder.decided(what, decision, cluster);
  }
  void gated(const api::Pod& pod, std::uint32_t attempts, const framework::Verdict& gate) {
    recorder.gated({info_of(pod), attempts, gate, clock.wall()}, cluster);
  }
  void bind(const api::Pod& pod) {
    decide(pod);
    recorder.binding_ended(info_of(pod), {.bound = true, .node = "n1"});
  }
  // Runs until no worker is left.
  void run() {
    run_until([this] { return gate.inside() == 0; });
  }
  template <typename Condition>
  void run_until(Condition condition) {
    io.restart();
    while (!condition() && io.run_one() > 0) clock.advance(1ms);
    EXPECT_TRUE(condition());
  }
  void drain(async::DrainLimits limits = 1s) {
    bool drained = false;
    asio::co_spawn(io, writer.drain(limits), [&](std::exception_ptr) { drained = true; });
    run_until([&] { return drained; });
  }
  // "name pod outcome attempts" of all reports, in order of names.
  Lines reports() const {
    Lines out;
    for (const auto& report : server.all(kPlural)) {
      const auto* attempts = report.at("status").as_object().if_contains("attempts");
      out.push_back(fmt::format("{} {} {} {}", ObjectServer::text(report, "/metadata/name"),
                                ObjectServer::text(report, "/spec/podRef/uid"),
                                ObjectServer::text(report, "/status/outcome"),
                                attempts ? attempts->to_number<int>() : 0));
    }
    return out;
  }

  cluster::Snapshot cluster = snapshot();
  unit::LogCapture log;
  client::Precedence bindings_first{clock};
  config::LivePodium settings{config::Podium()};
  async::Gate gate;
  Retention retention;
  ReportWriter writer;
  ReportRecorder recorder;
};

}  // namespace podium::controller::report_writer_test
