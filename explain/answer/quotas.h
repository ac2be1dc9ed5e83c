// Quotas: the ResourceQuotas of a what-if's namespace, and what its pods take of them. The API server refuses
// pods that the nodes have room for, so the answer says both.
//
// A replica is admitted if its pod and the claims that are made for it are. Objects that are not of pods and
// their claims ("count/deployments.apps") are not counted.
//
// Owner: one answer. Threads: none. Errors: none; a quota that refuses is data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/admission.h"
#include "explain/answer/budget.h"
#include "explain/report/answer.h"
#include "explain/workload/workload.h"

namespace podium::explain {

// The replicas of a workload, as they are before any of them is created.
struct NewPods {
  const Subject& subject;
  const api::Pod& pod;  // admitted
  const api::ClaimTemplates& claim_templates;
  const cluster::Snapshot& fork;
  std::int32_t existing = 0;  // the first of them are there already, and are not admitted again
};

class Quotas {
 public:
  Quotas() = default;
  // Keeps a reference to the budget. Once it has ended, fewer pods are admitted than the quotas allow.
  Quotas(std::vector<api::ResourceQuota> quotas, const Budget& budget);

  // The pods are not there any more. The fork does not know whether they have deadlines.
  void release(const RemovedPods& pods, bool have_deadlines = false);
  // Creates pods up to this number. Returns how many are admitted.
  std::int32_t take(const NewPods& pods, std::int32_t count);
  // Creates a claim. Returns the name of a quota that refuses it; empty: it is admitted.
  std::string take(const api::PersistentVolumeClaim& claim);

  // Each quota that counts these pods, those first that allow the fewest.
  std::vector<QuotaAnswer> answers(const NewPods& pods, std::int32_t asked) const;

 private:
  void release(const api::QuotaPod& pod);

  bool has_time() const { return !budget_ || explain::has_time(*budget_); }

  std::vector<api::ResourceQuota> quotas_;
  const Budget* budget_ = nullptr;
};

// How many of these pods are there already and stay: those of a question about a pod or a workload of the
// cluster. The pods of a template replace those that are there. `removed`: how many of them the fork had.
std::int32_t existing_pods(const Subject& subject, std::size_t removed);

}  // namespace podium::explain
