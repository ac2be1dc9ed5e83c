// Texts that others have written: a terminal must not obey them, whatever verb prints them.
#include <gmock/gmock.h>

#include "base/utf8.h"
#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

// In each text of a dump that podium takes as it is: @ is replaced by it.
constexpr std::string_view kHostile = R"(\e]0;x\a\e[2J\u202e\U000E0041\u009b31m\rz)";

constexpr std::string_view kHostileDump = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {"a@": "b@"}}}
- {apiVersion: v1, kind: Namespace, metadata: {name: "other@"}}
- apiVersion: v1
  kind: Node
  metadata: {name: n-1, labels: {"topology.kubernetes.io/zone": "z", "disk": "ssd"}}
  spec: {taints: [{key: "gpu", value: "a", effect: PreferNoSchedule}]}
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10", "example.com/x": "1"}}
- apiVersion: v1
  kind: Node
  metadata: {name: "n-2", labels: {"topology.kubernetes.io/zone": "y"}}
  spec: {taints: [{key: "gpu", value: "a", effect: NoSchedule}]}
  status: {allocatable: {cpu: "8", memory: 8Gi, pods: "10"}}
- apiVersion: v1
  kind: Node
  metadata: {name: n-3}
  spec: {unschedulable: true}
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
- apiVersion: v1
  kind: Pod
  metadata: {name: "web-a-1", namespace: shop, uid: w1, labels: {app: web, "l": "v"}, annotations: {"a@": "b@", "cluster-autoscaler.kubernetes.io/safe-to-evict": "false@"}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: "web-a@", uid: r, controller: true}]}
  spec: {nodeName: n-1, priorityClassName: "p", volumes: [{name: "v", emptyDir: {}}], containers: [{name: "c", image: "i", resources: {requests: {cpu: "2"}}}]}
  status: {phase: Running, conditions: [{type: Ready, status: "False", message: "m@", reason: "r@"}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: sel, namespace: shop, uid: s1, labels: {app: web}, ownerReferences: [{apiVersion: "a@/v1", kind: "Kind@", name: "own@", uid: r3, controller: true}]}
  spec: {priority: 5, schedulerName: "default-scheduler", nodeSelector: {"disk": "nvme"}, tolerations: [{key: "t", operator: Exists}], containers: [{name: "c", image: "i", resources: {requests: {cpu: "3", "example.com/y": "2"}, limits: {"example.com/y": "2"}}}]}
  status: {phase: Pending, nominatedNodeName: "n-9@", conditions: [{type: PodScheduled, status: "False", reason: "Unschedulable@", message: "0/9 nodes@"}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: other, namespace: shop, uid: o1}
  spec: {schedulerName: "mine@", containers: [{name: c, image: i}]}
  status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", message: "says@"}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: gated, namespace: shop, uid: g1}
  spec: {schedulingGates: [{name: "example.com/gate"}], containers: [{name: c, image: i}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: claims, namespace: shop, uid: c1}
  spec: {volumes: [{name: v, persistentVolumeClaim: {claimName: "claim@"}}], resourceClaims: [{name: "r", resourceClaimName: "rc"}], containers: [{name: c, image: i}]}
  status: {phase: Pending}
- apiVersion: v1
  kind: Pod
  metadata: {name: failed, namespace: shop, uid: f1}
  spec: {nodeName: "n-2@", containers: [{name: c, image: i}]}
  status: {phase: Failed, reason: "Evicted@", message: "low@"}
- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: "pdb@", namespace: shop}, spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}}
- {apiVersion: v1, kind: ResourceQuota, metadata: {name: "quota@", namespace: shop}, spec: {hard: {"pods": "1", "x@": "2"}}, status: {hard: {"pods": "1"}, used: {"pods": "1"}}}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: "p"}, value: 3}
- {apiVersion: v1, kind: "Other@", metadata: {name: "o@"}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: "web-a@", namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d, controller: true}]}, spec: {selector: {matchLabels: {app: web}}}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop}
  spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {priorityClassName: "p", nodeSelector: {"disk": "ssd"}, topologySpreadConstraints: [{maxSkew: 1, topologyKey: "k", whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {"l": "v"}}}], containers: [{name: "c", image: "i@", resources: {requests: {cpu: "2"}}}]}}}
)";

std::string hostile(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '@')
      out += kHostile;
    else
      out += c;
  }
  return out;
}

// The first character, and what follows, that a terminal would obey; empty: none.
std::string obeyed(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(1)) {
    if (text.front() != '\n' && control_length(text) > 0) return std::string(text.substr(0, 60));
  }
  return {};
}

TEST_F(OnADump, NoVerbPrintsWhatATerminalObeys) {
  const auto dump = directory_.write("hostile.yaml", hostile(kHostileDump));
  const auto file = directory_.write(
      "workload.yaml",
      hostile("{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 0, selector: "
              "{matchLabels: "
              "{a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: "
              "i}]}}}}\n---\n{apiVersion: v1, kind: \"Thing@\", metadata: "
              "{name: \"t@\"}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: p-1}, spec: {nodeSelector: "
              "{no: x}, containers: [{name: c, image: \"i@\"}]}}\n"));
  const std::vector<std::vector<std::string>> verbs = {
      {"why", "sel"},
      {"why", "sel", "--node", "n-1"},
      {"why", "sel", "--timeline"},
      {"why", "other"},
      {"why", "gated"},
      {"why", "claims"},
      {"why", "failed"},
      {"why", "deploy/web"},
      {"why", "-l", "app=web"},
      {"why", "nobody"},
      {"why", "web-a-2"},
      {"whatif", "sel", "--fixes"},
      {"whatif", "claims"},
      {"whatif", "deploy/web", "--fixes"},
      {"whatif", "deploy/web", "--drain", "n-1"},
      {"whatif", "-f", file},
      {"capacity", "deploy/web"},
      {"capacity"},
      {"capacity", "--requests", "cpu=1"},
      {"pending"},
      {"pending", "-A"},
      {"drain", "n-1"},
      {"drain", "n-1", "--rolling", "1"},
      {"drain", "n-1", "--fail"},
      {"drain", "-l", "disk=x"},
      {"nodes", "--for-pending"},
      {"nodes", "--could-go"},
      {"compare", "--weights", "NodeResourcesFit=5"},
  };
  std::size_t answered = 0;
  for (const auto& words : verbs) {
    for (const auto* format : {"table", "wide"}) {
      auto all = words;
      all.insert(all.end(), {"-n", "shop", "-o", format});
      const auto ran = run_on(dump, all);
      EXPECT_EQ(obeyed(ran.out), "") << testing::PrintToString(all) << "\n" << ran.out;
      EXPECT_EQ(obeyed(ran.err + ran.missing + warnings_), "") << testing::PrintToString(all) << "\n"
                                                               << ran.err;
      answered += ran.code != 2 && ran.out.size() + ran.err.size() > 20 ? 1 : 0;
    }
  }
  EXPECT_GT(answered, verbs.size()) << "the dump is read";
}

}  // namespace
}  // namespace podium::kubectl
