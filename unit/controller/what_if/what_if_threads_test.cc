// What-ifs run on their own threads while the snapshot that they were forked from changes. For TSan:
// a fork shares columns, objects and profile with the original.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <string>
#include <vector>

#include "controller/what_if/asker.h"
#include "controller/what_if/what_if_controller.h"
#include "explain/answer/answer.h"
#include "unit/controller/report/served_api.h"
#include "unit/explain/answer/asking.h"

namespace podium::controller {

using namespace explain;
namespace {

using podium::test::node;
using podium::test::pod;
using podium::test::share;

constexpr int kNodes = 8;  // of 4 CPUs each
constexpr int kRounds = 24;

// Pods arrive, and each round reserves one more volume; an answer reflects the snapshot at its fork.
TEST(WhatIfThreads, AnswersAreOfTheMomentOfTheirFork) {
  cluster::Snapshot live;
  live.objects().set(share(podium::test::storage_class("local", "kubernetes.io/no-provisioner", true)));
  live.objects().set(share(podium::test::persistent_volume_claim("default", "c", "1Gi", "local")));
  for (int i = 0; i < kNodes; ++i) {
    live.set_node(
        node("n" + std::to_string(i)).cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
  }
  for (int i = 0; i < kRounds; ++i) {
    live.objects().set(share(podium::test::persistent_volume("v" + std::to_string(i), "1Gi", "local")));
  }
  const auto question = unit::about(pod("ask").req("cpu", "1").claim("c"), kNodes * 4);

  std::vector<ReportStatus> answers(kRounds);
  boost::asio::thread_pool workers(2);
  for (int i = 0; i < kRounds; ++i) {
    boost::asio::post(workers, [&answers, &question, i, fork = live] {
      answers[i] = answer(question, fork, unit::default_config());
    });
    live.add_pod(cluster::make_pod_info(
        share(pod("p" + std::to_string(i)).req("cpu", "1").node("n" + std::to_string(i % kNodes)).build())));
    auto promised = podium::test::persistent_volume("v" + std::to_string(i), "1Gi", "local");
    promised.claim = {"default", "somebody", "uid"};
    live.objects().assume(share(promised));
  }
  workers.join();
  for (int i = 0; i < kRounds; ++i) {
    EXPECT_EQ(answers[i].answer->fitting, static_cast<std::size_t>(kNodes * 4 - i)) << i;
  }
}

config::Config two_workers() {
  auto settings = unit::default_config();
  settings.podium.what_if.workers = 2;
  return settings;
}

struct Pool : unit::ServedApi {
  Pool() {
    server.serve_watches(unit::kPlural);
    for (int i = 0; i < kNodes; ++i) {
      live.set_node(
          node("n" + std::to_string(i)).cap("cpu", "4").cap("memory", "8Gi").cap("pods", "110").ptr());
    }
    async::spawn(gate, io.get_executor(), "what-ifs", controller.run());
  }
  ~Pool() {
    controller.stop();
    gate.cancel();
    io.restart();
    io.run();
    workers.join();
  }
  // Forks on the strand, which keeps changing the snapshot.
  client::Task<cluster::Snapshot> fork() {
    auto made = live;
    live.add_pod(cluster::make_pod_info(share(pod("p" + std::to_string(forks))
                                                  .req("cpu", "1m")
                                                  .node("n" + std::to_string(forks % kNodes))
                                                  .build())));
    ++forks;
    co_return made;
  }
  void ask(const std::string& name, int replicas) {
    server.put(
        unit::kPlural,
        boost::json::parse(fmt::format(
            R"({{"metadata":{{"name":"{}","namespace":"shop"}},"spec":{{"dryRun":true,"replicas":{},"template":
                        {{"spec":{{"containers":[{{"name":"c","image":"i"}}]}}}}}}}})",
            name, replicas)));
  }

  const config::Config settings = two_workers();
  cluster::Snapshot live;
  int forks = 0;
  async::Gate gate;
  boost::asio::thread_pool workers{2};
  Retention retention{api, {}, gate, io.get_executor()};
  WhatIfController controller{
      api, retention, settings, gate, io.get_executor(), workers.get_executor(), [this] { return fork(); }};
};

TEST(WhatIfThreads, EachQuestionHasItsOwnAnswer) {
  constexpr int kQuestions = 60;
  Pool pool;
  for (int i = 0; i < kQuestions; ++i) pool.ask("ask-" + std::to_string(i), i + 2);
  while (pool.controller.answered() < kQuestions) pool.io.run_one();
  for (int i = 0; i < kQuestions; ++i) {
    const auto status = pool.report("ask-" + std::to_string(i)).at("status");
    EXPECT_EQ(status.at("replicas").at("fitting").to_number<int>(), i + 2) << i;
  }
}

// Work in progress when the gate is cancelled ends soon, and nothing outlives the gate.
TEST(WhatIfThreads, ACancelledGateEndsWhatIsBeingEvaluated) {
  for (int asked = 0; asked < 8; ++asked) {
    Pool pool;
    for (int i = 0; i < 8; ++i) pool.ask("ask-" + std::to_string(i), 800);
    while (pool.forks < asked) pool.io.run_one();
  }
}

}  // namespace
}  // namespace podium::controller
