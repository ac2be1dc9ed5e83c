// Devices in the answers to "why".
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "app/render/pending.h"
#include "app/render/why.h"
#include "app/render/words.h"

namespace podium::render {
namespace {

using explain::main_rejection;

TEST(Devices, APlacedPodHearsWhichItHas) {
  const auto report = read_report(boost::json::parse(R"json({
    "metadata": {"name": "train", "namespace": "ml", "generation": 1},
    "status": {"outcome": "Scheduled", "choice": {"nodeName": "n1", "score": 300, "tiedNodes": 1},
      "nodeCounts": {"total": 3, "evaluated": 3, "feasible": 1}, "topNodes": [{"nodeName": "n1", "score": 300}],
      "devices": [{"claimName": "train-gpu", "request": "gpu", "driver": "gpu.example.com", "pool": "n1",
                   "device": "gpu-0"},
                  {"claimName": "train-nic", "request": "nic/fast", "driver": "net.example.com", "pool": "rack-7",
                   "device": "eth-1\u001b[2J"}],
      "devicesTotal": 40}})json"));
  const auto text = why(report, "pod ml/train", {});
  EXPECT_NE(text.find("Devices:\n"
                      "  gpu       n1/gpu-0         gpu.example.com  claim train-gpu\n"
                      "  nic/fast  rack-7/eth-1[2J  net.example.com  claim train-nic\n"
                      "  and 38 more\n"),
            text.npos)
      << text;
}

TEST(Devices, APendingPodHearsWhatIsWrongWithThem) {
  const auto words = [](std::vector<framework::DeviceTally> devices) {
    explain::ReportRejection rejection;
    rejection.devices = std::move(devices);
    return shortfall_words(rejection);
  };
  EXPECT_EQ(words({{"c", "gpu", 0}}), "gpu: no device matches");
  EXPECT_EQ(words({{"c", "gpu", 1, 1}}), "gpu: 1 device matches, 1 in use");
  EXPECT_EQ(words({{"c", "gpu", 8, 4, 2, 1}}),
            "gpu: 8 devices match, 4 in use, 2 tainted, 1 with too little left, 1 free");
  EXPECT_EQ(words({{"c", "gpu", 2, 2}, {"c", "nic", 4}}),
            "gpu: 2 devices match, 2 in use; nic: 4 devices match, 4 free");
  EXPECT_EQ(words({{"c", "gpu", 8, 0, 8, 0, {"broken-0", "hot"}}}),
            "gpu: 8 devices match, 8 tainted (DeviceTaintRule broken-0, hot)");
  EXPECT_EQ(words({{"c", "gpu", 8, 2, 0, 0, {}, 4, 3, "n2"}}),
            "gpu: needs 4, 8 devices match, 2 in use, 6 free (3 on n2, which has the most)");
  EXPECT_EQ(words({{"c", "gpu", 8, 2, 0, 0, {}, 4, 3}}),
            "gpu: needs 4, 8 devices match, 2 in use, 6 free (one node has 3 at most)");
  EXPECT_EQ(words({{"c", "gpu", 2, 0, 0, 0, {}, 4, 2, "n2"}}), "gpu: needs 4, 2 devices match, 2 free");
  EXPECT_EQ(words({{"c", "gpu", 0, 0, 0, 0, {}, 4}}), "gpu: needs 4, no device matches");
  EXPECT_EQ(words({{"c", "gpu", 1, 5}}), "gpu: 1 device matches, 5 in use") << "a report that is wrong";
}

TEST(Devices, TheTableOfPendingPodsHasThem) {
  auto pod = read_waiting_pod(boost::json::parse(R"json({
    "metadata": {"namespace": "ml", "name": "train", "uid": "u"},
    "spec": {"resourceClaims": [{"name": "gpus", "resourceClaimTemplateName": "two"}], "containers": []},
    "status": {"phase": "Pending"}})json"));
  ASSERT_TRUE(pod);
  pod->report = read_report(boost::json::parse(R"json({
    "metadata": {"name": "train", "namespace": "ml", "generation": 1},
    "status": {"outcome": "Unschedulable", "nodeCounts": {"total": 3, "evaluated": 3, "feasible": 0},
      "rejections": [{"plugin": "DynamicResources", "code": "InsufficientDevices",
        "reason": "cannot allocate all claims", "nodeCount": 3, "preemptionMayHelp": false, "devices": [
          {"claimName": "train-gpus", "request": "gpu", "matched": 4, "inUse": 3, "tainted": 0, "tooSmall": 0}]}]}})json"));
  const auto groups = group_waiting({*pod});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].asks, "claim gpus");
  EXPECT_EQ(groups[0].blocked_by, "3 of 3 nodes do not have enough free devices for the pod's claims");
  EXPECT_EQ(groups[0].nearest_miss, "gpu: 4 devices match, 3 in use, 1 free");
}

TEST(Devices, TheRejectionThatCountsThemSaysMost) {
  explain::ReportRejection plain, counted;
  plain.nodes = counted.nodes = 3;
  plain.reason = "plain";
  counted.devices = {{"c", "gpu", 1, 1}};
  EXPECT_EQ(main_rejection({plain, counted})->reason, "");
  EXPECT_EQ(main_rejection({counted, plain})->reason, "");
}

// Each pod of a DaemonSet names its node.
TEST(MainRejection, IsNotThatThePodNamesOtherNodes) {
  explain::ReportRejection others, full;
  others.code = "ExcludedByName";
  others.nodes = 4;
  full.code = "InsufficientResource";
  full.nodes = 1;
  EXPECT_EQ(main_rejection({others, full})->code, "InsufficientResource");
  EXPECT_EQ(main_rejection({others})->code, "ExcludedByName");
}

}  // namespace
}  // namespace podium::render
