// Manifests: the objects of YAML and JSON files that people and kubectl write.
//
// Strict, like `kubectl apply` with field validation: unknown and duplicate fields, wrong types, objects
// without kind or name, and objects defined twice with different contents are Errors with text, document and
// path; an Error names all of them (base/problems.h). Does not default or admit
// (admission/admission.h). Does no I/O: the caller reads the files. Threads: pure functions.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "api/decode/pod_makers.h"
#include "api/values/object.h"
#include "base/result.h"

namespace podium::api {

// The objects that podium reads, by kind, in the order of the input.
struct Manifests {
  template <typename T>
  using List = std::vector<std::shared_ptr<const T>>;

  List<Node> nodes;
  List<Pod> pods;
  List<Namespace> namespaces;
  List<Workload> workloads;
  List<PriorityClass> priority_classes;
  List<PodDisruptionBudget> disruption_budgets;
  List<PersistentVolume> persistent_volumes;
  List<PersistentVolumeClaim> persistent_volume_claims;
  List<StorageClass> storage_classes;
  List<CsiNode> csi_nodes;
  List<CsiDriver> csi_drivers;
  List<CsiStorageCapacity> csi_storage_capacities;
  List<VolumeAttachment> volume_attachments;
  List<LimitRange> limit_ranges;  // these two are for admission only
  List<RuntimeClass> runtime_classes;
  List<ResourceSlice> resource_slices;
  List<DeviceClass> device_classes;
  List<DeviceTaintRule> device_taint_rules;
  List<ResourceClaim> resource_claims;
  List<ResourceClaimTemplate> resource_claim_templates;
  // Kinds with a list without objects in the input, such as LimitRange: the cluster has none.
  std::set<std::string, std::less<>> empty_kinds;
};

// Kinds whose state decisions depend on and manifests of users lack: such a manifest, applied again, leaves
// an existing object as it is.
template <typename T>
inline constexpr bool keeps_state =
    std::is_same_v<T, PersistentVolume> || std::is_same_v<T, PersistentVolumeClaim> ||
    std::is_same_v<T, PodDisruptionBudget> || std::is_same_v<T, ResourceClaim>;

struct ManifestText {
  std::string source;  // file name, or "-"; for Errors
  std::string text;    // one or more documents: objects, Lists, typed lists
};

struct ManifestOptions {
  bool allow_unknown_fields = false;
  std::string ns = "default";  // of objects that name none
};

// Skips kinds that podium does not read, with one warning per kind.
Result<Manifests> read_manifests(const std::vector<ManifestText>& texts, const ManifestOptions& options,
                                 std::vector<std::string>& warnings);
// The same for objects that sort_objects() took out of their documents.
Result<Manifests> read_objects(const std::vector<SortedObjects::Object>& objects,
                               const ManifestOptions& options, std::vector<std::string>& warnings);

}  // namespace podium::api
