// Cluster: all clients except podium: users, kubelets and controllers. They write to the modelled API server.
//
// Users create, delete and change nodes, pods and what-ifs, from dice, until rest(). Kubelets run pods and
// end them, and the pod garbage collector deletes those whose node is deleted.
// Owner: a Life. Threads: one. Errors: none.
#pragma once

#include <string>
#include <vector>

#include "simulate/base/agenda.h"
#include "simulate/base/dice.h"
#include "simulate/server/api_server.h"
#include "simulate/server/faults.h"
#include "simulate/server/store.h"

namespace podium::simulate {

inline constexpr const char* kPeople = "people";  // the writer's name of users
inline constexpr const char* kHands = "hands";    // of users who change podium's own objects
inline constexpr const char* kKubelet = "kubelet";

class Cluster {
 public:
  Cluster(Store& store, Agenda& agenda, Faults faults, Dice dice);

  void begin();  // creates the initial cluster; users begin
  void rest() { resting_ = true; }

 private:
  void act();
  void one_act();
  void make_node(const std::string& name);
  void make_pod();
  void make_what_if();
  void change_what_if();
  void delete_pod();
  void finish_pod();
  void open_gate();
  void cordon();
  void node_goes_or_comes();
  void meddle_with_report();
  void meddle_with_lease();
  void committed(const Commit& commit);
  void pod_committed(const Commit& commit);
  StoredPtr any(std::string_view plural);
  // Changes an object if it still has this UID.
  void change(const Key& key, const std::string& uid, const std::string& by,
              const std::function<void(json::value&)>& how);

  Store& store_;
  Agenda& agenda_;
  const Faults faults_;
  Dice dice_;
  const std::chrono::microseconds pace_;
  const std::size_t nodes_, names_;
  bool resting_ = false;
};

}  // namespace podium::simulate
