// The forms of a report's status: a decision that fits, one that does not, a gated pod, an answer, a refusal.
// forms/*.json has their JSON, which a live test also sends through the API server.
#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>

#include "base/result.h"
#include "explain/report/refusal.h"
#include "explain/report/report.h"

namespace podium::explain {

using namespace std::chrono_literals;
namespace json = boost::json;

inline json::value fixture(const std::string& name) {
  std::ifstream file("unit/explain/report/forms/" + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  return json::parse(text.str());
}

inline ReportCondition complete(bool is_true, const std::string& reason, const std::string& message) {
  return {"Complete", is_true, reason, message, Wall(0s)};
}

inline ReportRejection insufficient(std::size_t nodes, bool may_help) {
  return {.plugin = "NodeResourcesFit",
          .code = "InsufficientResource",
          .reason = "Insufficient cpu",
          .nodes = nodes,
          .preemption_may_help = may_help,
          .about = {{framework::Topic::resource, "cpu"}}};
}

inline ReportStatus scheduled() {
  ReportStatus s;
  s.outcome = "Scheduled";
  s.profile = "default-scheduler";
  s.choice = {"n2", 310, 2, 10};
  s.decided_at = Wall(0s);
  s.expires_at = Wall(90s);
  s.attempts = 3;
  s.node_counts = {5, 5, 3};
  s.strategies = {{"TaintToleration", 3, {{"n1", 100}}},
                  {"ImageLocality", 1, {{"n1", 10}}, NodeLead{"n3", 2}}};
  s.top_nodes = {{"n2", 310, {100, 10}}, {"n1", 310, {100, 10}}, {"n3", 300, {100, 0}}};
  s.rejections = {insufficient(2, true),
                  {.code = "ExcludedByName", .reason = "node(s) didn't satisfy plugin", .nodes = 1}};
  s.rejections[0].shortfall = {"cpu", "500m", "n5", 2};
  s.rejections[0].examples = {"n4", "n5"};
  s.rejections_total = 2;
  s.devices = {{"web-gpu", "gpu", "gpu.example.com", "n2", "gpu-0"},
               {"monitor", "all", "gpu.example.com", "n2", "gpu-1", true}};
  s.devices_total = 3;
  s.preemption = Preempted{"n2", {{"shop", "old"}}, 4};
  s.history = {{Wall(-30s), "Unschedulable", "Insufficient cpu", 5},
               {Wall(-60s), "Failed", "the node is gone", 0}};
  s.queued = 1500ms;
  s.evaluate = 41us;
  s.bind = 2ms;
  s.pods_version = 123;
  s.conditions = {complete(true, "Scheduled", "placed on n2")};
  return s;
}

inline ReportStatus unschedulable() {
  ReportStatus s;
  s.outcome = "Unschedulable";
  s.profile = "default-scheduler";
  s.message = "0/5 nodes are available: 5 Insufficient cpu.";
  s.decided_at = Wall(0s);
  s.expires_at = Wall(90s);
  s.attempts = 1;
  s.node_counts = {5, 5, 0};
  s.rejections = {insufficient(5, false)};
  s.rejections[0].shortfall = {"cpu", "60"};
  s.rejections[0].examples = {"n1", "n2", "n3"};
  s.rejections[0].devices = {{"web-gpu", "gpu", 8, 4, 2, 1}};
  s.rejections[0].taints = {"gpu=a100:NoSchedule", "gpu:NoExecute"};
  s.rejections[0].taints_total = 4;
  s.rejections[0].about = {
      {framework::Topic::resource, "cpu"},           {framework::Topic::claim, "d-pg-0"},
      {framework::Topic::storage_class, "fast-ssd"}, {framework::Topic::volume, "pv-1"},
      {framework::Topic::device_class, "gpu"},       {framework::Topic::request, "gpu/a"},
      {framework::Topic::driver, "csi.example.com"}, {framework::Topic::label, "rack"}};
  s.rejections[0].parts = {{"nodeSelector", "disk=ssd", 2},
                           {"nodeAffinity", "zone In [eu-9z]", 0, {"eu-1a", "eu-1b"}, 7}};
  s.rejections_total = 1;
  s.evaluate = 41us;
  s.conditions = {complete(false, "Unschedulable", s.message)};
  return s;
}

inline ReportStatus gated() {
  ReportStatus s;
  s.outcome = "Gated";
  s.profile = "default-scheduler";
  s.message = "waits for its scheduling gate: example.com/quota";
  s.scheduling_gates = {"example.com/quota"};
  s.gated = {{Wall(-30s), std::nullopt, {"example.com/quota"}}, {Wall(-60s), Wall(-50s), {"P: no claim"}}};
  s.decided_at = Wall(0s);
  s.conditions = {complete(false, "Gated", s.message)};
  return s;
}

inline ReportStatus answered() {
  ReportStatus s;
  s.outcome = "PartlyFits";
  s.profile = "default-scheduler";
  s.choice = {"n1", 300, 1, {}};
  s.attempts = 1;
  s.node_counts = {2, 2, 1};
  auto& a = s.answer.emplace();
  a.asked = 3;
  a.fitting = 2;
  set_placements(a, {"n1", "n1"});
  set_zones(a, {{"b", 0, 1}, {"a", 2, 0}});
  a.room =
      ReplicaRoom{.count = 46,
                  .first_failure = FirstFailure{.replica = 50,
                                                .reason = "Insufficient cpu",
                                                .message = "0/2 nodes are available: 2 Insufficient cpu.",
                                                .node_counts = {2, 2, 0},
                                                .rejections = {insufficient(2, true)},
                                                .rejections_total = 1}};
  a.first_failure = FirstFailure{.replica = 3,
                                 .reason = "Insufficient cpu",
                                 .message = "0/2 nodes are available: 2 Insufficient cpu.",
                                 .node_counts = {2, 2, 0},
                                 .rejections = {insufficient(2, true)},
                                 .rejections_total = 1};
  a.verdicts = {{.node = "n1", .fits = true, .score = 300, .strategy_scores = {100, 0}, .rank = 1},
                {.node = "n2",
                 .plugin = "TaintToleration",
                 .code = "UntoleratedTaint",
                 .reasons = {"node(s) had untolerated taint(s)"},
                 .causes = {Cause{"UntoleratedTaint"}},
                 .would_fit_with = "toleration of gpu",
                 .checks = {{"TaintToleration",
                             false,
                             {"node(s) had untolerated taint(s)"},
                             {Cause{"UntoleratedTaint"}},
                             {"gpu:NoSchedule"}},
                            {"NodeResourcesFit"}},
                 .resources = {{"cpu", "500m", "3"}}}};
  a.group = GroupAnswer{.min_count = 3,
                        .topology_key = "topology.kubernetes.io/zone",
                        .domains = {{"a", 2, 1}},
                        .domains_total = 1};
  set_quotas(a, {{.name = "few",
                  .allowed = 1,
                  .resources = {{"pods", "4", "7", "5", true}, {"requests.cpu", "1", "2500m", "8"}}},
                 {.name = "strict", .allowed = 5, .reason = "must specify memory for: main"}});
  a.changes = {{.type = "DrainNode",
                .node = "n3",
                .message = "5 pods evicted",
                .pods_moved = 4,
                .pods_pending = 1,
                .budgets_broken = 1,
                .pods_evicted = 5,
                .pods_total = 3,
                .pods = {{.name = "big",
                          .code = "NoNode",
                          .reason = "Insufficient cpu",
                          .cause = Cause{"InsufficientResource", {{framework::Topic::resource, "cpu"}}}},
                         {.name = "web", .node = "n1", .score = 290, .feasible = 2}},
                .fullest = {{"n1", "cpu", 91}},
                .pods_gone = 1,
                .waiting_placed = 2,
                .waiting = {{"train-1", "n4"}},
                .budgets = {{"web", "shop", 1, {"web-0"}, 2}},
                .budgets_total = 1,
                .with_several_budgets = 1,
                .pending_so_far = 2}};
  a.fixes = {{.type = "LowerRequest",
              .fields = {{"resource", "cpu"}, {"most", "1500m"}},
              .message = "ask for at most 1500m of cpu",
              .node = "n1",
              .score = 290}};
  a.nodes_wanted = NodesWanted{
      .fit_now = 1,
      .gated = 2,
      .other_scheduler = 3,
      .evicting = 4,
      .not_evaluated = 5,
      .is_fewest = true,
      .is_finished = true,
      .price = "2.5",
      .shapes_tried = 2,
      .shapes_total = 3,
      .added = {{.shape = "like n1",
                 .like = "n1",
                 .allocatable = {{"cpu", "4"}},
                 .nodes = 2,
                 .pods = 3,
                 .workloads = {{.kind = "Deployment", .name = "web", .count = 2}, {.count = 1}},
                 .workloads_total = 2,
                 .left_over = {{"cpu", "500m"}}}},
      .added_total = 1,
      .nodes_total = 2,
      .unplaced = {{.pods = {.kind = "Pod", .name = "big", .count = 1}, .reason = "no shape has gpu=h100"}},
      .unplaced_total = 1,
      .uncordon = {"n4"}};
  a.nodes_spare = NodesSpare{
      .pods_moved = 2,
      .cordon_first = true,
      .is_finished = true,
      .nodes = {{.node = "n3", .pods_moved = 2, .pods = {{"web", "n1"}}, .pods_total = 1}},
      .nodes_total = 1,
      .blocked = {{.code = "NoRoom", .reason = "pod a has no other place", .nodes = 4, .examples = {"n1"}}}};
  a.not_modelled = {"extenders"};
  s.observed_generation = 2;
  s.conditions = {{"Accepted", true, "Accepted", "request is valid", Wall(0s)},
                  complete(true, "PartlyFits", "2 of 3 replicas fit")};
  for (auto& condition : s.conditions) condition.observed_generation = 2;
  return s;
}

inline ReportStatus refused() {
  auto s = refusal(invalid(Finding{.path = "spec.profile", .reason = "unknown profile"}).error());
  for (auto& condition : s.conditions) condition.since = Wall(0s);
  return s;
}

}  // namespace podium::explain
