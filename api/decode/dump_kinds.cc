#include "api/decode/dump_kinds.h"

#include <algorithm>
#include <array>

namespace podium::api {
namespace {

constexpr std::array kDumpKinds = {
    DumpKind{"Node", "", "nodes", false, false},
    DumpKind{"Pod", "", "pods"},
    DumpKind{"Namespace", "", "namespaces", false, false},
    DumpKind{"Service", "", "services"},
    DumpKind{"ReplicationController", "", "replicationcontrollers"},
    DumpKind{"ReplicaSet", "apps", "replicasets"},
    DumpKind{"StatefulSet", "apps", "statefulsets"},
    DumpKind{"Deployment", "apps", "deployments"},
    DumpKind{"DaemonSet", "apps", "daemonsets"},
    DumpKind{"Job", "batch", "jobs"},
    DumpKind{"CronJob", "batch", "cronjobs"},
    DumpKind{"HorizontalPodAutoscaler", "autoscaling", "horizontalpodautoscalers"},
    DumpKind{"PersistentVolume", "", "persistentvolumes", false, false},
    DumpKind{"PersistentVolumeClaim", "", "persistentvolumeclaims"},
    DumpKind{"StorageClass", "storage.k8s.io", "storageclasses", false, false},
    DumpKind{"CSINode", "storage.k8s.io", "csinodes", false, false},
    DumpKind{"CSIDriver", "storage.k8s.io", "csidrivers", false, false},
    DumpKind{"CSIStorageCapacity", "storage.k8s.io", "csistoragecapacities"},
    DumpKind{"VolumeAttachment", "storage.k8s.io", "volumeattachments", false, false},
    DumpKind{"PriorityClass", "scheduling.k8s.io", "priorityclasses", false, false},
    DumpKind{"PodDisruptionBudget", "policy", "poddisruptionbudgets"},
    DumpKind{"LimitRange", "", "limitranges"},
    DumpKind{"ResourceQuota", "", "resourcequotas"},
    DumpKind{"RuntimeClass", "node.k8s.io", "runtimeclasses", false, false},
    DumpKind{"ResourceClaim", "resource.k8s.io", "resourceclaims"},
    DumpKind{"ResourceClaimTemplate", "resource.k8s.io", "resourceclaimtemplates"},
    DumpKind{"DeviceClass", "resource.k8s.io", "deviceclasses", false, false},
    DumpKind{"ResourceSlice", "resource.k8s.io", "resourceslices", false, false},
    DumpKind{"DeviceTaintRule", "resource.k8s.io", "devicetaintrules", true, false},
};

}  // namespace

std::span<const DumpKind> dump_kinds() { return kDumpKinds; }

const DumpKind* dump_kind(std::string_view api_version, std::string_view kind) {
  const auto slash = api_version.find('/');
  const auto group = slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
  const auto found = std::ranges::find_if(
      kDumpKinds, [&](const DumpKind& each) { return each.kind == kind && each.group == group; });
  return found == kDumpKinds.end() ? nullptr : &*found;
}

std::string dump_command() {
  std::string names;
  for (const auto& each : kDumpKinds) {
    if (!each.is_recent) names += (names.empty() ? "" : ",") + std::string(each.plural);
  }
  return "kubectl get " + names + " -A -o yaml";
}

}  // namespace podium::api
