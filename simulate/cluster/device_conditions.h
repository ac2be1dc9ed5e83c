// DeviceConditions: drivers that must make a device ready before its pod is bound.
//
// Some devices have binding conditions. Once a claim has such a device, its driver writes a condition to the
// claim's status: that it is ready, or that it failed; soon, late, or not at all. All of it from dice, until
// rest(): then each device that is waited for becomes ready.
// Owner: a Life whose devices have conditions. Threads: one. Errors: none.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "simulate/base/agenda.h"
#include "simulate/base/dice.h"
#include "simulate/server/store.h"

namespace podium::simulate {

class DeviceConditions {
 public:
  DeviceConditions(Store& store, Agenda& agenda, Dice dice);

  // The conditions in the slice for a device of the node; empty: none. They may be added and removed.
  std::string_view of_device(const std::string& node, std::uint64_t device);
  void rest();

 private:
  void committed(const Commit& commit);
  void look_at(const Key& claim, const json::value& object);
  void write_later(const Key& claim, const json::value& result, const json::value& allocation);
  void write(const Key& claim, const json::value& result, const json::value& allocation,
             std::string_view type, bool is_true);

  Store& store_;
  Agenda& agenda_;
  Dice dice_;
  std::map<std::pair<std::string, std::uint64_t>, bool> slow_;  // by node and device: has conditions
  bool resting_ = false;
};

}  // namespace podium::simulate
