// Volumes: users whose pods have claims for volumes, and administrators who make and remove volumes.
//
// Claims are of three classes: "local" binds to volumes that an administrator makes, "late" is provisioned
// when podium has chosen a node, "now" immediately. A volume can be reached from one node, or from the nodes
// of one zone. A node attaches two or three provisioned volumes. Most pods come with their claims, as those
// of a StatefulSet do; some claims are for one pod alone. Users also delete claims for which pods wait, and
// bind volumes to claims by hand. All of it from dice, until rest().
// Owner: a Life with volumes. Threads: one. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/base/agenda.h"
#include "simulate/base/dice.h"
#include "simulate/server/store.h"

namespace podium::simulate {

inline constexpr std::string_view kVolumes = "persistentvolumes", kVolumeClaims = "persistentvolumeclaims";
inline constexpr std::string_view kNodeDrivers = "csinodes", kDiskDriver = "disk.example.com";
inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";

std::string claim_class(const json::value& object);   // of a claim or a volume
std::int64_t storage_of(const json::value& object);   // in GiB: what a claim asks for, what a volume has
std::string selected_node(const json::value& claim);  // by the annotation; empty: none
// True if a pod on the node can use the volume.
bool is_reached(const json::value& volume, const json::value& node);
// The names of the claims that the pod's volumes have.
std::vector<std::string> claims_of(const json::value& pod);
bool uses(const json::value& pod, const std::string& claim);
bool is_for_one_pod(const json::value& claim);  // ReadWriteOncePod
json::value volume_for(std::string_view storage_class, std::int64_t storage, std::string_view label,
                       std::string_view value);

class Volumes {
 public:
  Volumes(Store& store, Agenda& agenda, Dice dice);

  void begin();  // after Cluster::begin()
  void rest() { resting_ = true; }

 private:
  void act();
  void one_act();
  void node_committed(const Commit& commit);
  void register_driver(const std::string& node);
  void make_volume();
  void make_claim(const std::string& ns, const std::string& name);
  void make_pod();
  void delete_pod();
  void delete_claim();
  void delete_volume();
  void bind_by_hand();
  bool is_used(const json::value& claim) const;
  StoredPtr any(std::string_view plural, std::string_view prefix);

  Store& store_;
  Agenda& agenda_;
  Dice dice_;
  const std::chrono::microseconds pace_;
  const std::uint64_t pods_, claims_;
  bool resting_ = false;
};

}  // namespace podium::simulate
