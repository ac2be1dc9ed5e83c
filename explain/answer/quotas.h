// Quotas: the ResourceQuotas of a what-if's namespace, and their usage by its pods. The API server may refuse
// pods that the nodes have room for, so the answer reports both.
//
// A replica is admitted if its pod and the claims that are created for it are. Of other objects only those
// count that a controller creates to own the pods of a new workload ("count/replicasets.apps").
//
// Owner: one answer. Threads: none. Errors: none; a quota that refuses is data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/admission/admission.h"
#include "explain/answer/budget.h"
#include "explain/report/what_if_parts.h"
#include "explain/workload/workload.h"

namespace podium::explain {

// The replicas of a workload before their creation.
struct NewPods {
  const Subject& subject;
  const api::Pod& pod;  // admitted
  const api::ClaimTemplates& claim_templates;
  const cluster::Snapshot& fork;
  std::int32_t existing = 0;  // the number of replicas that exist, and are not admitted again
};

class Quotas {
 public:
  Quotas() = default;
  // Keeps a reference to the budget. Once it has ended, fewer pods are admitted than the quotas allow.
  Quotas(std::vector<api::ResourceQuota> quotas, const Budget& budget);

  // Removes the pods from the usage. The fork does not know whether they have deadlines.
  void release(const RemovedPods& pods, bool have_deadlines = false);
  // Creates pods up to this number. Returns how many are admitted.
  std::int32_t take(const NewPods& pods, std::int32_t count);
  // Creates the object that owns the pods of a new workload, if there is one and no quota refuses it.
  void take_owner(const NewPods& pods);
  // Creates a claim. Returns the name of a quota that refuses it; empty: it is admitted.
  std::string take(const api::PersistentVolumeClaim& claim);

  // The quotas that count these pods, those that allow the fewest first.
  std::vector<QuotaAnswer> answers(const NewPods& pods, std::int32_t asked) const;

 private:
  bool has_time() const { return !budget_ || explain::has_time(*budget_); }

  std::vector<api::ResourceQuota> quotas_;
  const Budget* budget_ = nullptr;
};

// Returns how many of these pods exist and stay: those of a question about a pod or a workload of the
// cluster. The pods of a template replace existing ones. `removed`: how many of them the fork had.
std::int32_t existing_pods(const Subject& subject, std::size_t removed);

}  // namespace podium::explain
