// Devices: drivers that publish the devices of nodes, and users whose pods have claims on them.
//
// Drivers write ResourceSlices: of one part or of two, a generation after the other, with taints that come
// and go. Administrators taint devices by DeviceTaintRules. Users create pods with claims of their own, with
// claims that pods share, and with templates; they delete claims and change them, also between two writes of
// podium. All of it from dice, until rest().
// Owner: a Life with devices. Threads: one. Errors: none.
#pragma once

#include <map>
#include <set>
#include <string>

#include "simulate/base/agenda.h"
#include "simulate/base/dice.h"
#include "simulate/cluster/device_conditions.h"
#include "simulate/server/store.h"

namespace podium::simulate {

class Devices {
 public:
  // `conditions`: those that devices have; null: none.
  Devices(Store& store, Agenda& agenda, Dice dice, DeviceConditions* conditions);

  void begin();  // after Cluster::begin()
  void rest() { resting_ = true; }

 private:
  // The devices of a node, as its driver knows them.
  struct Hardware {
    std::uint64_t count = 0, generation = 0;
    std::set<std::uint64_t> tainted;
    bool split = false;  // into two slices
  };

  void act();
  void one_act();
  void make_pod();
  void make_claim();
  void delete_pod();
  void change_hardware();
  void change_rule(const std::string& node);
  void touch(const Key& claim, const std::string& uid);
  void publish(const std::string& node);
  void write_slice(const std::string& node, std::uint64_t part, std::uint64_t generation);
  void committed(const Commit& commit);
  void claim_committed(const Commit& commit);
  StoredPtr any(std::string_view plural, std::string_view prefix);

  Store& store_;
  Agenda& agenda_;
  Dice dice_;
  DeviceConditions* const conditions_;
  const std::chrono::microseconds pace_;
  const std::uint64_t pods_, claims_;
  std::map<std::string, Hardware> hardware_;  // by the node's name; also of deleted nodes
  bool resting_ = false;
};

}  // namespace podium::simulate
