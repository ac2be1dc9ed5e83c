// Reports in the form of v1alpha1, for the tests of app/render and app/kubectl.
#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "app/render/why.h"
#include "base/time.h"

namespace podium::render {

inline Options plain() { return {.now = *parse_time("2026-11-23T02:10:00Z"), .program = "kubectl podium"}; }

// A placed pod: a tie of 18 nodes, one strategy of weight 3.
inline boost::json::value scheduled_report() {
  return boost::json::parse(R"json({
  "apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
  "metadata": {"name": "web-07", "namespace": "shop", "generation": 1},
  "spec": {"podRef": {"name": "web-07", "uid": "u-7"}, "dryRun": false},
  "status": {
    "outcome": "Scheduled", "profile": "default-scheduler", "attempts": 1,
    "choice": {"nodeName": "general-01", "score": 404, "tiedNodes": 18, "margin": 8},
    "decidedAt": "2026-11-23T02:00:00Z", "expiresAt": "2026-11-24T02:00:00Z",
    "nodeCounts": {"total": 66, "evaluated": 66, "feasible": 54},
    "strategies": [{"name": "TaintToleration", "weight": 3, "topNodes": []},
                   {"name": "NodeResourcesFit", "weight": 1}, {"name": "ImageLocality", "weight": 1}],
    "topNodes": [{"nodeName": "general-01", "score": 404, "strategyScores": [100, 95, 9]},
                 {"nodeName": "general-02", "score": 404, "strategyScores": [100, 95, 9]},
                 {"nodeName": "general-03", "score": 404, "strategyScores": [100, 95, 9]},
                 {"nodeName": "general-04", "score": 404, "strategyScores": [100, 95, 9]},
                 {"nodeName": "general-00", "score": 396, "strategyScores": [100, 96, 0]}],
    "rejections": [
      {"plugin": "TaintToleration", "code": "UntoleratedTaint", "reason": "node(s) had untolerated taint(s)",
       "nodeCount": 9, "taints": ["gpu=a100:NoSchedule", "gpu=t4:NoSchedule"], "taintsTotal": 2,
       "examples": ["gpu-00", "gpu-01", "gpu-02"]},
      {"plugin": "NodeUnschedulable", "code": "NodeUnschedulable", "reason": "node(s) were unschedulable",
       "nodeCount": 3, "examples": ["drained-00", "drained-01", "drained-02"]}],
    "rejectionsTotal": 2,
    "conditions": [{"type": "Complete", "status": "True", "reason": "Scheduled", "message": "",
                    "observedGeneration": 1}]}})json");
}

inline boost::json::value pending_report() {
  return boost::json::parse(R"json({
  "metadata": {"name": "big-2", "namespace": "ml"},
  "spec": {"podRef": {"name": "big-2", "uid": "u-2"}, "dryRun": false},
  "status": {
    "outcome": "Unschedulable", "attempts": 12, "decidedAt": "2026-11-23T02:00:00Z",
    "message": "0/66 nodes are available: 66 Insufficient nvidia.com/gpu.",
    "nodeCounts": {"total": 66, "evaluated": 66, "feasible": 0},
    "rejections": [{"plugin": "NodeResourcesFit", "code": "InsufficientResource",
                    "reason": "Insufficient nvidia.com/gpu", "about": {"resource": "nvidia.com/gpu"}, "nodeCount": 66, "preemptionMayHelp": false,
                    "shortfall": {"resource": "nvidia.com/gpu", "least": "7", "nodeName": "gpu-04"},
                    "examples": ["gpu-02"]}],
    "history": [{"at": "2026-11-23T01:50:00Z", "outcome": "Unschedulable", "reason": "Insufficient cpu",
                 "nodeCount": 60, "code": "InsufficientResource", "about": {"resource": "cpu"}}]}})json");
}

// A question for 20 replicas, of which 13 fit.
inline boost::json::value partly_answer() {
  return boost::json::parse(R"json({
  "metadata": {"name": "whatif-1", "namespace": "shop", "generation": 1},
  "spec": {"dryRun": true, "replicas": 20, "fixes": true, "template": {}},
  "status": {
    "outcome": "PartlyFits", "observedGeneration": 1,
    "choice": {"nodeName": "n1", "score": 300, "tiedNodes": 1, "margin": 4},
    "nodeCounts": {"total": 12, "evaluated": 12, "feasible": 10},
    "replicas": {"asked": 20, "fitting": 13},
    "placements": [{"nodeName": "n1", "count": 7}, {"nodeName": "n2", "count": 6}], "placementsTotal": 2,
    "firstFailure": {"replica": 14, "message": "0/12 nodes are available: 12 Insufficient cpu.",
      "rejections": [{"plugin": "NodeResourcesFit", "code": "InsufficientResource", "reason": "Insufficient cpu", "about": {"resource": "cpu"},
                      "nodeCount": 12, "preemptionMayHelp": true,
                      "shortfall": {"resource": "cpu", "least": "500m"}, "examples": ["n1", "n2", "n3"]}]},
    "changes": [{"type": "DrainNode", "nodeName": "n9", "message": "4 pods evicted: 4 would move, 0 would stay pending"}],
    "fixes": [{"type": "AddNodes", "message": "one more node like n1", "count": 1, "like": "n1",
               "nodeName": "n1-new", "score": 310, "fitting": 15}],
    "notModelled": ["quota", "extender https://x"],
    "conditions": [{"type": "Accepted", "status": "True"}, {"type": "Complete", "status": "True"}]}})json");
}

inline boost::json::value refused_answer() {
  return boost::json::parse(R"json({
  "metadata": {"name": "whatif-2", "namespace": "shop", "generation": 1},
  "spec": {"dryRun": true, "profile": "gone"},
  "status": {"outcome": "Refused", "conditions": [
    {"type": "Accepted", "status": "False", "reason": "Invalid", "message": "spec.profile: unknown profile \"gone\""},
    {"type": "Complete", "status": "True", "reason": "Refused"}]}})json");
}

// The verdict on a named node, with a fix.
inline boost::json::value node_answer() {
  return boost::json::parse(R"json({
  "metadata": {"name": "whatif-3", "namespace": "shop", "generation": 1},
  "spec": {"dryRun": true, "podRef": {"name": "web-07"}, "nodes": ["gpu-03"], "fixes": true},
  "status": {"outcome": "Fits", "choice": {"nodeName": "general-01", "score": 477, "tiedNodes": 18},
    "nodeCounts": {"total": 66, "evaluated": 66, "feasible": 54},
    "verdicts": [{"nodeName": "gpu-03", "fits": false, "plugin": "TaintToleration", "code": "UntoleratedTaint",
                  "reasons": ["node(s) had untolerated taint(s)"], "causes": [{"code": "UntoleratedTaint"}],
                  "checks": [{"plugin": "NodeUnschedulable", "passes": true},
                             {"plugin": "TaintToleration", "passes": false,
                              "reasons": ["node(s) had untolerated taint(s)"], "causes": [{"code": "UntoleratedTaint"}],
                              "taints": ["gpu=true:NoSchedule"]},
                             {"plugin": "NodeResourcesFit", "passes": false, "reasons": ["Insufficient cpu"],
                              "causes": [{"code": "InsufficientResource", "about": {"resource": "cpu"}}]},
                             {"plugin": "PodTopologySpread", "passes": true}],
                  "resources": [{"resource": "cpu", "requested": "4", "free": "3200m"},
                                {"resource": "memory", "requested": "512Mi", "free": "20Gi"}]}],
    "fixes": [{"type": "TolerateTaint", "message": "tolerate the taint gpu=true:NoSchedule", "nodeName": "gpu-03",
               "score": 486, "rank": 40, "feasible": 55, "bestNode": "general-01", "bestScore": 495, "taint": {"key": "gpu", "value": "true", "effect": "NoSchedule"}}],
    "conditions": [{"type": "Complete", "status": "True"}]}})json");
}

// One of five pods of the node is in another namespace.
inline boost::json::value drain_answer() {
  return boost::json::parse(R"json({
  "metadata": {"name": "whatif-4", "namespace": "shop", "generation": 1},
  "spec": {"dryRun": true, "template": {}, "changes": [{"type": "DrainNode", "nodeName": "n9"}]},
  "status": {"outcome": "DoesNotFit",
    "changes": [{"type": "DrainNode", "nodeName": "n9", "message": "5 pods evicted", "podsEvicted": 5,
                 "podsMoved": 3, "podsPending": 1, "budgetsBroken": 1, "podsTotal": 4,
                 "pods": [{"name": "big", "code": "NoNode", "reason": "Insufficient cpu",
                           "cause": {"code": "InsufficientResource", "about": {"resource": "cpu"}}, "nodeCount": 60,
                           "nodesTotal": 65},
                          {"name": "bare", "code": "NoController"},
                          {"name": "api-0", "nodeName": "n2", "score": 457, "feasible": 53},
                          {"name": "cache-11", "nodeName": "n1", "score": 447, "feasible": 30}],
                 "fullest": [{"nodeName": "n1", "resource": "cpu", "percent": 91},
                             {"nodeName": "n2", "resource": "memory", "percent": 40}]}],
    "conditions": [{"type": "Complete", "status": "True"}]}})json");
}

}  // namespace podium::render
