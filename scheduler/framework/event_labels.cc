#include "scheduler/framework/event_labels.h"

#include <array>
#include <bit>
#include <string>

namespace podium::framework {
namespace {

// In the order of EventResource. Upstream has no namespace events.
constexpr std::array<std::string_view, 17> kResources{"AssignedPod",
                                                      "UnscheduledPod",
                                                      "TargetPod",
                                                      "Node",
                                                      "Namespace",
                                                      "Service",
                                                      "PersistentVolume",
                                                      "PersistentVolumeClaim",
                                                      "storage.k8s.io/StorageClass",
                                                      "storage.k8s.io/CSINode",
                                                      "storage.k8s.io/CSIDriver",
                                                      "storage.k8s.io/CSIStorageCapacity",
                                                      "storage.k8s.io/VolumeAttachment",
                                                      "resource.k8s.io/ResourceClaim",
                                                      "resource.k8s.io/ResourceSlice",
                                                      "resource.k8s.io/DeviceClass",
                                                      "*"};

// In the order of Action's bits, then kAll.
constexpr std::array<std::string_view, kEventActions> kActions{"Add",
                                                               "Delete",
                                                               "UpdateNodeAllocatable",
                                                               "UpdateNodeLabel",
                                                               "UpdateNodeTaint",
                                                               "UpdateNodeCondition",
                                                               "UpdateNodeAnnotation",
                                                               "UpdateNodeDeclaredFeature",
                                                               "UpdatePodLabel",
                                                               "UpdatePodScaleDown",
                                                               "UpdatePodScaleUp",
                                                               "UpdatePodToleration",
                                                               "UpdatePodSchedulingGatesEliminated",
                                                               "UpdatePodGeneratedResourceClaim",
                                                               "Update",
                                                               "All"};

std::array<std::string, kEventSlots> make_labels() {
  std::array<std::string, kEventSlots> labels;
  for (std::size_t slot = 0; slot < kEventSlots; ++slot) {
    labels[slot] =
        std::string(kResources[slot / kActions.size()]) + std::string(kActions[slot % kActions.size()]);
  }
  return labels;
}

}  // namespace

std::size_t event_slot(EventResource resource, std::uint32_t action) {
  const auto which =
      action == kAll ? kActions.size() - 1 : static_cast<std::size_t>(std::countr_zero(action));
  return static_cast<std::size_t>(resource) * kActions.size() + which;
}

std::size_t event_slot(const ClusterEvent& event) {
  return event_slot(event.resource, event.actions == kAll ? kAll : event.actions & -event.actions);
}

std::string_view event_label(std::size_t slot) {
  static const auto labels = make_labels();
  return labels[slot];
}

}  // namespace podium::framework
