// ClaimController: kube-controller-manager's controller of resource claims, and its garbage collector.
//
// It creates the claims of templates and names them in the pod's status. It removes the reservations of
// deleted or finished pods; with the last one it removes the allocation and the finalizer. It deletes a
// template's claim with its pod.
// Owner: a Life with devices. Threads: one. Errors: none.
// Source: pkg/controller/resourceclaim/controller.go, syncClaim.
#pragma once

#include <string>

#include "simulate/base/agenda.h"
#include "simulate/base/dice.h"
#include "simulate/server/store.h"

namespace podium::simulate {

class ClaimController {
 public:
  ClaimController(Store& store, Agenda& agenda, Dice dice);

 private:
  void committed(const Commit& commit);
  void pod_committed(const Commit& commit);
  void make_claims(const Key& pod, const std::string& uid);
  bool is_used_by(const std::string& pod_uid, const std::string& ns) const;
  bool needs_sync(const json::value& claim) const;
  void sync_later(const Key& claim);
  void sync(const Key& claim);
  void drop_finalizer(const Key& claim);

  Store& store_;
  Agenda& agenda_;
  Dice dice_;
  std::uint64_t made_ = 0;
};

}  // namespace podium::simulate
