// Places the replicas of a what-if on a fork, one after the other (framework/placement.h). Each sees the
// earlier ones and what Reserve assumed for them.
//
// Threads: pure functions on one fork. Errors: none; a replica that does not fit is data.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/admission/claim_template.h"
#include "explain/answer/changes.h"
#include "explain/workload/workload.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/decision.h"

namespace podium::explain {

struct Replicas {
  const Subject& subject;
  const api::Pod& pod;  // admitted
  const framework::Profile& profile;
  const Budget& budget;  // may be empty
  const api::ClaimTemplates& claim_templates;
};

// One replica's decision on the fork as it was before the replica was placed.
struct ReplicaSeen {
  std::int32_t index = 0;
  const cluster::PodInfoPtr& pod;
  const framework::Decision& decision;
  const cluster::Snapshot& fork;
  const std::string& refused;  // of `failed`: Reserve's message where it refused the chosen node; else empty
};
using SeeReplica = std::function<void(const ReplicaSeen&)>;

struct Placed {
  std::int32_t asked = 0;
  std::vector<cluster::Row> rows;  // of the replicas that fit, in their order; at most `asked`
  enum class Ended : std::uint8_t { done, out_of_time, out_of_memory };
  Ended ended = Ended::done;  // else: before all requested replicas were decided
  std::int32_t more = 0;      // that fit after them
  // The fork with the requested replicas only, if more were tried.
  std::optional<cluster::Snapshot> before_more = std::nullopt;
  bool counted = false;     // no more fit: the next one was rejected
  std::size_t evicted = 0;  // pods, and their nodes: see Count::evicts
  std::set<std::string> evicted_from = {};
  std::size_t next_start = 0;  // of the search for nodes, if not all are evaluated
  std::int32_t fitting() const { return static_cast<std::int32_t>(rows.size()); }
};

struct Count {
  static constexpr std::int32_t kAny = std::numeric_limits<std::int32_t>::max();
  std::int32_t asked = 1;
  std::int32_t more = 0;        // to try in addition, if all of them fit
  std::int32_t most = kAny;     // to place
  std::int32_t room = kAny;     // for which there is memory; one that does not fit leaves its claims
  std::int32_t seen = 0;        // the replica that `see` is called with
  bool evicts = false;          // evicts the pods that a replica that does not fit would preempt
  bool continues = false;       // after a replica that does not fit
  bool is_one_attempt = false;  // PostFilter takes back no claim: as kube-scheduler's framework decides
  std::size_t start = 0;        // of the search for nodes
};

// Whether claims are created for a replica: they are on the fork then, also if it has no place.
bool leaves_claims(const Subject& subject);

// The replica of this index, with the claims that are created for it, which get on the fork. `node`: the one
// that its DaemonSet creates it for; empty: any.
cluster::PodInfoPtr make_replica(const Replicas& replicas, std::int32_t index, cluster::Snapshot& fork,
                                 std::string_view node = {});

// Places up to `count` replicas and stops at the first that does not fit. A DaemonSet's replicas are pinned
// to the nodes that should run it, regardless of `count`, and placement continues after a failure, also with
// the replicas that were asked for of a StatefulSet whose pods are created in parallel. Calls
// `see` before its replica is placed, `failed` with the first that does not fit, and `each` after each
// decision; a placed replica is then on the fork. All three may be empty.
Placed place_replicas(const Replicas& replicas, Count count, cluster::Snapshot& fork, const SeeReplica& see,
                      const SeeReplica& failed, const SeeReplica& each = {});

}  // namespace podium::explain
