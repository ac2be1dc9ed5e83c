// Objects: every object that a decision reads besides nodes and pods, by namespace and name.
//
// Each kind has one copy-on-write map, so forks share what does not change.
//
// Volumes and claims can be assumed: find() and all() return the assumed object instead of the API
// server's, until the API server has another version. Source: plugins/volumebinding
// passive_assume_cache.go.
//
// A ResourceClaim is assumed as the reply to a write has it, so only a newer version replaces it. Claims
// whose allocation is chosen are in flight until PreBind has ended. The devices of both are summed up as
// claims change. Source: util/assumecache/assume_cache.go, plugins/dynamicresources/dra_manager.go.
// What writes is compiled in cluster_objects.cc, once for each kind.
// Owner: a Snapshot, whose thread rule applies. Errors: none; unknown objects are ignored.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "api/values/object.h"
#include "api/values/objects.h"
#include "scheduler/cluster/cow_ordered_map.h"
#include "scheduler/cluster/devices_in_use.h"
#include "scheduler/cluster/extended_classes.h"
#include "scheduler/cluster/taint_rules.h"
#include "scheduler/cluster/volume_index.h"

namespace podium::cluster {

// Namespace and name. Cluster-scoped kinds use an empty namespace.
using ObjectKey = std::pair<std::string, std::string>;
struct ObjectKeyLess {
  using is_transparent = void;
  template <typename A, typename B>  // pairs of strings or views
  bool operator()(const A& a, const B& b) const {
    const std::string_view first = a.first, other = b.first;
    return first != other ? first < other : std::string_view(a.second) < std::string_view(b.second);
  }
};

// Ordered, so that iteration is reproducible.
template <typename T>
using ObjectMap = CowOrderedMap<ObjectKey, std::shared_ptr<const T>, ObjectKeyLess>;

// True if resourceVersion `a` is higher than `b`. Both are decimal numbers.
inline bool is_newer(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() > b.size() : a > b;
}

// Kinds that a snapshot keeps; the others are read by admission only.
template <typename T>
concept Kept = !std::is_same_v<T, api::LimitRange> && !std::is_same_v<T, api::RuntimeClass> &&
               !std::is_same_v<T, api::ResourceClaimTemplate>;

class Objects {
 public:
  template <typename T>
  const ObjectMap<T>& all() const {
    return std::get<ObjectMap<T>>(maps_);
  }
  template <typename T>
  const T* find(std::string_view ns, std::string_view name) const {
    const auto& map = all<T>();
    const auto it = map.find(std::pair(ns, name));
    return it == map.end() ? nullptr : it->second.get();
  }
  template <typename T>
  std::shared_ptr<const T> shared(std::string_view ns, std::string_view name) const {  // as find()
    const auto it = all<T>().find(std::pair(ns, name));
    return it == all<T>().end() ? nullptr : it->second;
  }
  // Stores the API server's object and returns true. Drops an assumption that was made on another
  // resourceVersion; ignores an object of the same one. If the kind is assumed as written, ignores an
  // object that is not newer than the stored one.
  template <Kept T>
  bool set(std::shared_ptr<const T> object);
  template <typename T>
  void remove(const std::string& ns, const std::string& name);

  // --- assumptions ---
  template <typename T>
  static constexpr bool assumed_as_written = std::is_same_v<T, api::ResourceClaim>;
  template <typename T>
  static constexpr bool can_be_assumed =
      std::is_same_v<T, api::PersistentVolume> || std::is_same_v<T, api::PersistentVolumeClaim> ||
      assumed_as_written<T>;

  // `object` is a changed copy of the stored object; find() and all() return it from now on.
  template <typename T>
  void assume(std::shared_ptr<const T> object);
  // Puts the API server's object back if the assumption was made on this resourceVersion.
  template <typename T>
  void restore(const std::string& ns, const std::string& name, std::string_view resource_version);
  // The keys of the assumed objects that the API server has never shown and that are not newer than
  // `version`. A list of that version has shown everything that exists.
  template <typename T>
  std::vector<ObjectKey> never_shown(std::string_view version) const;
  // resourceVersions have started again, as after a restore of etcd: of each object that is stored now, the
  // next set() is news, unless a newer one is assumed before; and one that was never shown is not newer than
  // the next list.
  template <typename T>  // assumed as written
  void forget_versions();
  // The API server's object, regardless of assumptions; null if there is none.
  template <typename T>
  std::shared_ptr<const T> actual(std::string_view ns, std::string_view name) const;

  // --- claims in flight: from Reserve until PreBind has ended ---
  struct Flight {
    std::shared_ptr<const api::ResourceClaim> claim;  // with the allocation
    int sharers = 1;                                  // the pods that have begun it
  };
  using ClaimsInFlight = std::map<std::string, Flight, std::less<>>;
  const ClaimsInFlight& claims_in_flight() const { return *claims_in_flight_; }  // by UID
  bool is_in_flight(std::string_view uid) const { return claims_in_flight_->contains(uid); }
  // Adds a sharer to a claim that is in flight. Has no effect on a claim that is allocated by now.
  void begin_flight(std::shared_ptr<const api::ResourceClaim> claim);
  enum class FlightEnd : bool { for_one, for_all };  // sharers
  // False: it was not in flight, or others share it.
  bool end_flight(std::string_view uid, FlightEnd end);

  // --- devices ---
  const DevicesInUse& devices_in_use() const {
    return devices_in_use_;
  }  // of all claims, those in flight too
  // Follows the order in which classes are set and removed.
  const ExtendedClasses& extended_classes() const { return extended_classes_; }
  const TaintRules& taint_rules() const { return taint_rules_; }
  // Another one after each change of a DeviceTaintRule that changes a taint of a device.
  std::uint64_t taints_version() const { return taints_version_; }
  // Another one after each change of a ResourceSlice. Copies with equal versions have equal slices.
  const std::shared_ptr<const void>& slices_version() const { return slices_version_; }

  // --- volumes in use ---
  const VolumeIndex& volumes() const { return volumes_; }
  VolumeIndex& volumes() { return volumes_; }  // for Snapshot, which reports nodes and pods

 private:
  // All writes end here. Null removes the object.
  template <typename T>
  void put(ObjectKey key, std::shared_ptr<const T> object);
  void slice_changed(const api::ResourceSlice* before, const api::ResourceSlice* after);
  void rule_changed(const api::DeviceTaintRule* before, const TaintRules::RulePtr& after);

  template <typename T>
  const std::shared_ptr<const T>* assumed_on(const ObjectKey& key) const;
  template <typename T>
  void drop_assumption(const ObjectKey& key);
  bool make_comparable(const ObjectKey& key);  // returns whether it was

  // The API server's version of each assumed object.
  std::tuple<ObjectMap<api::PersistentVolume>, ObjectMap<api::PersistentVolumeClaim>,
             ObjectMap<api::ResourceClaim>>
      assumed_on_;
  Cow<std::set<ObjectKey, ObjectKeyLess>> incomparable_;  // claims: see forget_versions()
  Cow<ClaimsInFlight> claims_in_flight_;
  DevicesInUse devices_in_use_;
  ExtendedClasses extended_classes_;
  TaintRules taint_rules_;
  std::uint64_t taints_version_ = 0;
  std::shared_ptr<const void> slices_version_;  // null: there has never been a slice
  std::tuple<ObjectMap<api::Namespace>, ObjectMap<api::PriorityClass>, ObjectMap<api::PodDisruptionBudget>,
             ObjectMap<api::PersistentVolume>, ObjectMap<api::PersistentVolumeClaim>,
             ObjectMap<api::StorageClass>, ObjectMap<api::CsiNode>, ObjectMap<api::CsiDriver>,
             ObjectMap<api::CsiStorageCapacity>, ObjectMap<api::VolumeAttachment>,
             ObjectMap<api::ResourceSlice>, ObjectMap<api::DeviceClass>, ObjectMap<api::ResourceClaim>,
             ObjectMap<api::DeviceTaintRule>>
      maps_;
  using WorkloadKey = std::tuple<std::string, api::Workload::Kind, std::string>;
  CowOrderedMap<WorkloadKey, std::shared_ptr<const api::Workload>> workloads_;
  VolumeIndex volumes_;

 public:
  const auto& workloads() const { return workloads_; }  // by (namespace, kind, name), ordered
  void set_workload(std::shared_ptr<const api::Workload> w);
  void remove_workload(const std::string& ns, api::Workload::Kind kind, const std::string& name);
};

}  // namespace podium::cluster
