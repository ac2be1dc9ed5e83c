// What-ifs are answered on threads of their own while the snapshot that they were forked from goes on
// changing. For TSan: a fork shares its columns, its objects and its profile with the one that it comes from.
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <string>
#include <vector>

#include "controller/what_if.h"
#include "unit/controller/served_api.h"
#include "unit/support/builders.h"

namespace podium::controller {
namespace {

using podium::test::node;
using podium::test::pod;
using podium::test::share;

constexpr int kNodes = 8;  // of 4 CPUs each
constexpr int kRounds = 24;

// Pods come, and each round one volume more is promised; what a question hears is what was there when it was
// asked.
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
  const auto& profile = *unit::default_config().profiles[0];
  const api::Pod question = pod("ask").req("cpu", "1").claim("c");

  std::vector<ReportStatus> answers(kRounds);
  boost::asio::thread_pool workers(2);
  for (int i = 0; i < kRounds; ++i) {
    boost::asio::post(workers, [&answers, &question, &profile, i, fork = live] {
      answers[i] = answer(question, kNodes * 4, fork, profile);
    });
    live.add_pod(cluster::make_pod_info(
        share(pod("p" + std::to_string(i)).req("cpu", "1").node("n" + std::to_string(i % kNodes)).build())));
    auto promised = podium::test::persistent_volume("v" + std::to_string(i), "1Gi", "local");
    promised.claim = {"default", "somebody", "uid"};
    live.objects().assume(share(promised));
  }
  workers.join();
  for (int i = 0; i < kRounds; ++i) {
    EXPECT_EQ(answers[i].placements.size(), static_cast<std::size_t>(kNodes * 4 - i)) << i;
  }
}

}  // namespace
}  // namespace podium::controller
