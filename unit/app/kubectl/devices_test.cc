// Pods with ResourceClaims, on a dump as the API server writes it: with UIDs and resourceVersions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// g-1 and g-2 have one GPU each. The Deployment's pod has that of g-1.
constexpr const char* kGpuDump = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: ml}}
- {apiVersion: v1, kind: Node, metadata: {name: g-1}, status: {allocatable: {cpu: "8", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: g-2}, status: {allocatable: {cpu: "8", memory: 8Gi, pods: "10"}}}
- {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {}}
- apiVersion: resource.k8s.io/v1
  kind: ResourceSlice
  metadata: {name: g-1}
  spec: {driver: gpu.example.com, nodeName: g-1, pool: {name: g-1, generation: 1, resourceSliceCount: 1}, devices: [{name: d}]}
- apiVersion: resource.k8s.io/v1
  kind: ResourceSlice
  metadata: {name: g-2}
  spec: {driver: gpu.example.com, nodeName: g-2, pool: {name: g-2, generation: 1, resourceSliceCount: 1}, devices: [{name: d}]}
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaimTemplate
  metadata: {name: one, namespace: ml}
  spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  metadata: {name: shared, namespace: ml, uid: c1, resourceVersion: "71"}
  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: train, namespace: ml, uid: d1}
  spec:
    replicas: 2
    selector: {matchLabels: {app: train}}
    template: &template
      metadata: {labels: {app: train}}
      spec:
        resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
        containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: train-a, namespace: ml, uid: r1, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: train, uid: d1, controller: true}]}, spec: {selector: {matchLabels: {app: train}}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: train-a-1, namespace: ml, uid: p1, resourceVersion: "73", creationTimestamp: "2026-01-01T00:00:00Z", labels: {app: train}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: train-a, uid: r1, controller: true}]}
  spec:
    nodeName: g-1
    resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
    containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
  status: {phase: Running, resourceClaimStatuses: [{name: gpu, resourceClaimName: train-a-1-gpu}]}
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  metadata: {name: train-a-1-gpu, namespace: ml, uid: c2, resourceVersion: "72", ownerReferences: [{apiVersion: v1, kind: Pod, name: train-a-1, uid: p1, controller: true}]}
  spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
  status:
    allocation:
      devices: {results: [{request: r, driver: gpu.example.com, pool: g-1, device: d}]}
      nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [g-1]}]}]}
    reservedFor: [{resource: pods, name: train-a-1, uid: p1}]
)";

class OnADumpWithDevices : public OnADump {
 protected:
  std::string said(std::vector<std::string> words) {
    words.insert(words.end(), {"-n", "ml"});
    return run_on(gpu_dump_, std::move(words)).out;
  }
  const std::string gpu_dump_ = directory_.write("gpus.yaml", kGpuDump);
};

TEST_F(OnADumpWithDevices, TheDevicesOfAWorkloadsOwnPodsAreFree) {
  EXPECT_THAT(said({"whatif", "deploy/train"}),
              StartsWith("ml/train: all 2 fit; no room for more after that."));
}

TEST_F(OnADumpWithDevices, APodThatMovesLeavesItsDevices) {
  EXPECT_THAT(said({"drain", "g-1"}), StartsWith("1 of 1 pod has a new place; nothing would wait.\n"));
  // Each step drains one node, and the pod moves in both.
  const auto steps = said({"drain", "g-1", "g-2", "--rolling", "1"});
  EXPECT_THAT(steps, StartsWith("2 nodes in 2 steps of 1; nothing would wait.\n"));
  EXPECT_THAT(steps, HasSubstr("2  g-2       1     0 "));
}

TEST_F(OnADumpWithDevices, PodsThatShareAClaimAreWhereItsDeviceIs) {
  const auto file = directory_.write("shared.yaml", R"(apiVersion: apps/v1
kind: Deployment
metadata: {name: sharers}
spec:
  replicas: 3
  selector: {matchLabels: {app: s}}
  template:
    metadata: {labels: {app: s}}
    spec:
      resourceClaims: [{name: gpu, resourceClaimName: shared}]
      containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
)");
  const auto words = said({"whatif", "-f", file});
  EXPECT_THAT(words, StartsWith("ml/sharers: all 3 fit; room for 7 more after that."));
  EXPECT_THAT(words, HasSubstr("\n  g-2      3\n")) << "the device of g-1 is in use";
  EXPECT_THAT(words, Not(HasSubstr("does not model: ResourceClaim")));
}

// The claim that the scheduler makes for it has generated names.
TEST_F(OnADumpWithDevices, AnExtendedResourceIsNamed) {
  const auto file = directory_.write("extended.yaml", R"(
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {extendedResourceName: example.com/gpu}}
---
apiVersion: v1
kind: Pod
metadata: {name: two}
spec: {containers: [{name: c, image: i, resources: {limits: {example.com/gpu: "2"}}}]}
)");
  EXPECT_THAT(said({"whatif", "-f", file}),
              HasSubstr("; example.com/gpu: needs 2, 2 devices match, 1 in use"));
}

TEST_F(OnADumpWithDevices, AMissingClaimIsTheReason) {
  const auto file = directory_.write("missing.yaml", R"(
apiVersion: v1
kind: Pod
metadata: {name: lost}
spec: {resourceClaims: [{name: gpu, resourceClaimName: none}], containers: [{name: c, image: i}]}
)");
  EXPECT_THAT(said({"whatif", "-f", file}),
              StartsWith("ml/lost does not fit: its ResourceClaim none does not exist.\n"));
}

}  // namespace
}  // namespace podium::kubectl
