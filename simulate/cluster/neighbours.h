// Neighbours: users whose pods have constraints on each other, and who change pods that run.
//
// Users create pods with required affinity, anti-affinity and topology spread constraints, change the labels
// of any pod, and resize pods in place. Kubelets report the resources that a pod has, and accept, defer or
// refuse a resize. All of it from dice, until rest().
// Owner: a Life with neighbours. Threads: one. Errors: none.
#pragma once

#include <functional>
#include <string>

#include "simulate/base/agenda.h"
#include "simulate/base/dice.h"
#include "simulate/server/store.h"

namespace podium::simulate {

class Neighbours {
 public:
  Neighbours(Store& store, Agenda& agenda, Dice dice);

  void begin();  // after Cluster::begin()
  void rest() { resting_ = true; }

 private:
  void act();
  void one_act();
  void make_pod();
  void delete_pod();
  void relabel();
  void resize();
  std::string app();
  std::string rules();
  void committed(const Commit& commit);
  void look_at_resize(const Key& pod, const std::string& uid);
  void change(const Key& key, const std::string& uid, const std::string& by,
              const std::function<void(json::value&)>& how);
  StoredPtr any_pod(bool on_a_node, std::string_view prefix);

  Store& store_;
  Agenda& agenda_;
  Dice dice_;
  const std::chrono::microseconds pace_;
  const std::uint64_t pods_;
  bool resting_ = false;
};

}  // namespace podium::simulate
