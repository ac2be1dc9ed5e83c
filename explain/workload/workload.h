// Subject: the subject of a what-if: pods as their controller would create them, and that controller.
//
// Reads a pod template, a whole manifest, a live workload or a live pod. The default topology spreading of a
// pod follows from its owner, so the ReplicaSet or StatefulSet that would own the pods is part of the
// Subject; add_owner() puts it on the fork.
//
// Threads: values and pure functions. Errors: Kind::invalid; Error.message is "path: reason".
// Sources: pkg/controller/deployment/util, pkg/controller/statefulset/stateful_set_utils.go,
// pkg/controller/job, pkg/controller/daemon/daemon_controller.go.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode/pod_makers.h"
#include "api/values/meta.h"
#include "api/values/objects.h"
#include "api/values/pod.h"
#include "base/field_path.h"
#include "base/result.h"
#include "explain/workload/ephemeral_claims.h"
#include "explain/workload/rolling_update.h"
#include "scheduler/cluster/snapshot.h"

namespace podium::explain {

struct Subject {
  // In the order of api::pod_makers().
  enum class Kind : std::uint8_t {
    pod,
    deployment,
    stateful_set,
    replica_set,
    daemon_set,
    job,
    cron_job,
    replication_controller
  };
  Kind kind = Kind::pod;
  std::string name;                      // of the workload; empty for a pod
  api::Pod pod;                          // before admission; of replica 0, except what replica_of() changes
  std::vector<EphemeralClaim> claims;    // of its generic ephemeral volumes
  bool has_deadline = false;             // the pod has activeDeadlineSeconds
  std::string os;                        // the pod's spec.os, which no plugin reads
  bool names_scheduler = false;          // the pod sets schedulerName
  bool is_stored = false;                // a pod of the API server, already admitted
  std::string was_on;                    // the node of a placed pod
  std::string end;                       // of a stored pod that has ended or terminates: "it has succeeded"
  std::optional<std::int32_t> existing;  // pods of a live workload, by its status
  std::int32_t replicas = 1;  // of the workload; unused for a DaemonSet, which has one pod on each node
  // The ReplicaSet, StatefulSet or ReplicationController that would own the pods.
  std::optional<api::Workload> owner;
  std::optional<RollingUpdate> rolling_update;              // Deployment, StatefulSet, DaemonSet
  std::string kept_template;                                // why its pods keep theirs: kept_template()
  std::vector<api::PersistentVolumeClaim> claim_templates;  // StatefulSet
  std::int32_t first_ordinal = 0;                           // StatefulSet
  bool is_indexed = false;                                  // Job: completionMode Indexed
  bool is_parallel = false;  // a StatefulSet whose pods do not wait for those before them
};

// "Deployment", "StatefulSet" …; nullopt: not a kind that a what-if reads from the API server.
std::optional<Subject::Kind> workload_kind(std::string_view kind);
const api::PodMaker& maker_of(Subject::Kind);
std::string_view to_string(Subject::Kind);
// A what-if is about one namespace: "", or why an object of it may not name another one.
std::string other_namespace(std::string_view named, std::string_view ns);

// The path of the pod in a manifest at `path`: a Pod's manifest is the pod itself.
FieldPath pod_path(const FieldPath& path, Subject::Kind);

// Names each field of a manifest, or of a "PodTemplateSpec", that its type does not have.
Result<void> check_known_fields(const boost::json::value& value, std::string_view type,
                                const FieldPath& path);

// `report` gives the pods their namespace, and a pod its name and UID.
// A pod template, or a manifest, which has a kind. Refuses unknown fields, unless they are allowed.
Result<Subject> read_template(const boost::json::value& value, const FieldPath& path,
                              const api::ObjectMeta& report, bool allow_unknown_fields = false);
// A live workload. Accepts unknown fields: the API server may be newer.
Result<Subject> read_workload(const boost::json::value& value, Subject::Kind kind, const FieldPath& path,
                              const api::ObjectMeta& report);
// A live pod, pending or placed. It is evaluated as if it were not placed.
Result<Subject> read_stored_pod(const boost::json::value& value, const FieldPath& path);

// The pods of the subject: the stored pod, or those of the workload with this kind and name.
// remove_placed() removes them from the fork, so that they are evaluated as if they were not placed.
struct RemovedPods {
  std::vector<cluster::PodInfoPtr> placed;
  std::vector<cluster::PodInfoPtr> nominated;     // they wait for their victims to terminate
  std::vector<cluster::PodInfoPtr> victims = {};  // of other workloads: the nominated pods have their room
  std::vector<cluster::PodInfoPtr> waiting = {};  // without a node, if the question needs those
};
std::function<bool(const api::Pod&)> own_pods_of(const Subject& subject, const cluster::Snapshot& fork);
RemovedPods remove_placed(const Subject& subject, cluster::Snapshot& fork);

void add_owner(const Subject& subject, cluster::Snapshot& fork);

// The pod of a replica, made from the admitted pod. The first replica keeps the pod's name and UID.
api::Pod replica_of(const Subject& subject, const api::Pod& admitted, std::int32_t index);

// The missing claims that a StatefulSet's controller would create for this replica.
void make_set_claims(const Subject& subject, const api::Pod& replica, cluster::Snapshot& fork);

// DaemonSet: the nodes that should run one of its pods, by name. Takes the pod of the template, because the
// controller does not know what admission adds.
std::vector<cluster::Row> daemon_rows(const api::Pod& pod, const cluster::Snapshot& snapshot);
// DaemonSet: pins a replica to a node, as its controller does.
void pin_to_node(api::Pod& pod, std::string_view node);

}  // namespace podium::explain
