// Budgets: PodDisruptionBudgets, which users create and change, and the controller that writes their status.
//
// A budget selects the pods of its namespace by their label "app". It allows as many disruptions as running
// pods are above its minimum, and its status follows the pods after a while.
// Owner: a Life with neighbours. Threads: one. Errors: none.
#pragma once

#include "simulate/base/agenda.h"
#include "simulate/base/dice.h"
#include "simulate/server/store.h"

namespace podium::simulate {

inline constexpr const char* kBudgets = "poddisruptionbudgets";

bool covers(const json::value& budget, const json::value& pod);
// False: an eviction of a pod that it covers breaks the budget.
bool allows_disruption(const json::value& budget);

class Budgets {
 public:
  Budgets(Store& store, Agenda& agenda, Dice dice);

  void begin();
  void rest() { resting_ = true; }

 private:
  void act();
  void one_act();
  void committed(const Commit& commit);
  void count(const Key& budget);

  Store& store_;
  Agenda& agenda_;
  Dice dice_;
  const std::chrono::microseconds pace_;
  bool resting_ = false;
};

}  // namespace podium::simulate
