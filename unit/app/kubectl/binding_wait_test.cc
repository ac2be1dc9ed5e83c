// What a pod waits for that has a node and is not bound.
#include "app/kubectl/binding_wait.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <map>

#include "unit/app/kubectl/empty_cluster.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

// Has PersistentVolumeClaims, by name: their phases.
class Claims final : public EmptyCluster {
 public:
  using Phases = std::map<std::string, std::string>;
  explicit Claims(Phases phases) : phases_(std::move(phases)) {}

  Result<json::value> get(const client::Resource&, const std::string&, const std::string& name) override {
    const auto found = phases_.find(name);
    if (found == phases_.end()) return std::unexpected(Error{});
    return json::value{{"status", {{"phase", found->second}}}};
  }

 private:
  const Phases phases_;
};

json::value pod(const std::string& volumes, const std::string& node = "") {
  return json::parse(R"({"metadata": {"namespace": "shop", "name": "db"}, "spec": {"nodeName": ")" + node +
                     R"(", "volumes": [)" + volumes + R"(]}, "status": {"nominatedNodeName": "n-2"}})");
}

constexpr const char* kOne = R"({"name": "a", "persistentVolumeClaim": {"claimName": "data"}})";

TEST(Binding, NamesTheClaimsWithoutAVolume) {
  const auto both = std::string(kOne) + R"(, {"name": "scratch", "ephemeral": {}}, {"name": "e"})";
  const auto start = std::string("shop/db goes to n-2, and is not bound yet: ");
  Claims none_bound(Claims::Phases{{"data", "Pending"}, {"db-scratch", "Pending"}});
  Claims one_bound(Claims::Phases{{"data", "Bound"}, {"db-scratch", "Pending"}});
  EXPECT_EQ(binding_words(none_bound, pod(kOne), std::nullopt), start + "its claim data has no volume.\n");
  EXPECT_EQ(binding_words(none_bound, pod(both), std::nullopt),
            start + "its claims data and db-scratch have no volume.\n");
  EXPECT_EQ(binding_words(one_bound, pod(both), std::nullopt),
            start + "its claim db-scratch has no volume.\n");
  Claims unreadable(Claims::Phases{});
  EXPECT_EQ(binding_words(unreadable, pod(kOne), std::nullopt),
            start + "its binding waits for volumes, claims or a permit.\n");
}

TEST(Binding, OfAPodThatDoesNotWaitForOneIsEmpty) {
  Claims claims(Claims::Phases{{"data", "Pending"}});
  EXPECT_EQ(binding_words(claims, pod(kOne, "n-2"), std::nullopt), "");
  render::Report preempts;
  preempts.status.preemption = explain::Preempted{"n-2", {{"batch", "a"}}, 1};
  EXPECT_EQ(binding_words(claims, pod(kOne), preempts), "");
  EXPECT_NE(binding_words(claims, pod(kOne), render::Report()), "") << "an attempt before";
  render::Report said;
  said.status.outcome = "Binding";
  said.status.choice.emplace().node = "n-2";
  EXPECT_EQ(binding_words(claims, pod(kOne), said), "") << "the report says it";
  EXPECT_TRUE(waits_for_binding(pod(kOne), said));
}

// kube-scheduler nominates a node too if it has evicted pods there.
TEST(Binding, OfAPodWithoutAReportWhoseLastAttemptFailedIsNotKnown) {
  Claims claims(Claims::Phases{{"data", "Pending"}});
  auto failed = pod(kOne);
  failed.at("status").as_object()["conditions"] = json::parse(
      R"([{"type": "PodScheduled", "status": "False", "message": "found a potential placement on node n-2"}])");
  EXPECT_EQ(binding_words(claims, failed, std::nullopt), "");
  EXPECT_FALSE(waits_for_binding(failed, std::nullopt));
  EXPECT_TRUE(waits_for_binding(failed, render::Report())) << "podium's reports say that it has evicted none";
}

}  // namespace
}  // namespace podium::kubectl
