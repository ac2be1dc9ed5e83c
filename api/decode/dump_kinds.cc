#include "api/decode/dump_kinds.h"

#include <array>

namespace podium::api {
namespace {

constexpr std::array kDumpKinds = {
    DumpKind{"Node", "", "nodes"},
    DumpKind{"Pod", "", "pods"},
    DumpKind{"Namespace", "", "namespaces"},
    DumpKind{"Service", "", "services"},
    DumpKind{"ReplicationController", "", "replicationcontrollers"},
    DumpKind{"ReplicaSet", "apps", "replicasets"},
    DumpKind{"StatefulSet", "apps", "statefulsets"},
    DumpKind{"Deployment", "apps", "deployments"},
    DumpKind{"DaemonSet", "apps", "daemonsets"},
    DumpKind{"Job", "batch", "jobs"},
    DumpKind{"CronJob", "batch", "cronjobs"},
    DumpKind{"PersistentVolume", "", "persistentvolumes"},
    DumpKind{"PersistentVolumeClaim", "", "persistentvolumeclaims"},
    DumpKind{"StorageClass", "storage.k8s.io", "storageclasses"},
    DumpKind{"CSINode", "storage.k8s.io", "csinodes"},
    DumpKind{"CSIDriver", "storage.k8s.io", "csidrivers"},
    DumpKind{"CSIStorageCapacity", "storage.k8s.io", "csistoragecapacities"},
    DumpKind{"VolumeAttachment", "storage.k8s.io", "volumeattachments"},
    DumpKind{"PriorityClass", "scheduling.k8s.io", "priorityclasses"},
    DumpKind{"PodDisruptionBudget", "policy", "poddisruptionbudgets"},
    DumpKind{"LimitRange", "", "limitranges"},
    DumpKind{"ResourceQuota", "", "resourcequotas"},
    DumpKind{"RuntimeClass", "node.k8s.io", "runtimeclasses"},
    DumpKind{"ResourceClaim", "resource.k8s.io", "resourceclaims"},
    DumpKind{"ResourceClaimTemplate", "resource.k8s.io", "resourceclaimtemplates"},
    DumpKind{"DeviceClass", "resource.k8s.io", "deviceclasses"},
    DumpKind{"ResourceSlice", "resource.k8s.io", "resourceslices"},
    DumpKind{"DeviceTaintRule", "resource.k8s.io", "devicetaintrules", true},
};

}  // namespace

std::span<const DumpKind> dump_kinds() { return kDumpKinds; }

std::string dump_command() {
  std::string names;
  for (const auto& each : kDumpKinds) {
    if (!each.is_recent) names += (names.empty() ? "" : ",") + std::string(each.plural);
  }
  return "kubectl get " + names + " -A -o yaml";
}

}  // namespace podium::api
