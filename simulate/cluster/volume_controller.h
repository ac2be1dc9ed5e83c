// VolumeController: binds claims and volumes, provisions volumes, and removes those of deleted claims, each
// after a drawn time.
//
// - A claim of class "now" gets a volume of its own. So does one of class "late" once podium has chosen a
//   node, unless the provisioner fails: it removes the choice, so that podium decides again. It may also take
//   longer than podium waits.
// - A claim of class "local" is bound to the volume that names it. If the claim has another one already, the
//   volume is free again.
// - A volume of a deleted claim is removed, if it was provisioned; else it stays and is not used again.
// Source: pkg/controller/volume/persistentvolume/pv_controller.go syncClaim, syncVolume.
// Owner: a Life with volumes. Threads: one. Errors: none.
#pragma once

#include <string>

#include "simulate/base/agenda.h"
#include "simulate/base/dice.h"
#include "simulate/server/store.h"

namespace podium::simulate {

class VolumeController {
 public:
  VolumeController(Store& store, Agenda& agenda, Dice dice);

  void rest() { resting_ = true; }  // provisioning is fast, and does not fail

 private:
  void committed(const Commit& commit);
  void sync_claim(const Key& key, const std::string& uid);
  void sync_volume(const Key& key, const std::string& uid);
  void provision(const Key& claim, const std::string& uid, const std::string& node);
  void make_for(const Key& claim, const json::value& object, const std::string& zone);
  void bind(const Key& claim, const json::value& object, const std::string& volume);

  Store& store_;
  Agenda& agenda_;
  Dice dice_;
  bool resting_ = false;
};

}  // namespace podium::simulate
