// PodAdmission and admit(): what an API server does to pods and nodes on admission, for objects that did not
// come from one: those of `podium evaluate`, and the templates of what-ifs.
//
// Emulates defaulting, the Priority and PodTopologyLabels admission controllers, matchLabelKeys merging and
// validation; LimitRanger and RuntimeClass where their objects are given. Objects with
// metadata.creationTimestamp count as stored already: only their priority is resolved. Source:
// pkg/registry/core/pod/strategy.go, plugin/pkg/admission/priority, plugin/pkg/admission/podtopologylabels;
// the order of plugins: pkg/kubeapiserver/options/plugins.go. Threads: pure functions; a PodAdmission is
// immutable. Errors: Kind::invalid with the field paths; of admit() with the objects, a line for each pod.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/admission/claim_template.h"
#include "api/admission/quota.h"
#include "api/decode/manifests.h"
#include "api/values/objects.h"
#include "api/values/pod.h"
#include "api/values/pod_group.h"
#include "base/instant.h"
#include "base/result.h"

namespace podium::api {

// The objects that admission and answers read, besides priority classes. Absent objects are not applied.
struct AdmissionObjects {
  std::optional<std::vector<LimitRange>> limit_ranges;  // of the pod's namespace
  std::optional<std::vector<ResourceQuota>> quotas;     // of the pod's namespace, by name
  // By name, those that were read; nullopt: the cluster does not have it. "": of the pods that name none.
  std::map<std::string, std::optional<RuntimeClass>, std::less<>> runtime_classes;
  ClaimTemplates claim_templates;            // of the pod's namespace, those that were read
  std::set<std::string> no_claim_templates;  // names that no template of the namespace has
  // By name: the claim templates that may exist, and why each was not read: "podium may not read it".
  std::map<std::string, std::string, std::less<>> unread_claim_templates;
  // Names of claims, and of templates of claims, that the API server refuses for their adminAccess.
  std::set<std::string> refused_claims, refused_claim_templates;
  PodGroupMinimums group_minimums;     // of the groups that the question is about
  bool has_all_group_minimums = true;  // false: some groups could not be read
};

class PodAdmission {
 public:
  // Adds the built-in classes unless given.
  explicit PodAdmission(Manifests::List<PriorityClass> classes);

  // Makes the pod what the API server would store. Its namespace and name have to be set. A pod without a UID
  // gets one derived from its name.
  Result<void> admit(Pod& pod, const AdmissionObjects& objects = {}) const;

 private:
  Result<void> resolve_priority(Pod& pod) const;

  std::map<std::string, std::shared_ptr<const PriorityClass>, std::less<>> classes_;
  std::shared_ptr<const PriorityClass> default_;  // for pods that name none; may be null
};

// Admits all objects: `manifests` is the cluster, `pending` the pods to evaluate. Drops terminated pods,
// adds missing namespaces and the built-in priority classes, and copies the zone and region labels of nodes
// to their pods. The cluster's LimitRanges apply to the pods that are not stored yet, and so do its
// RuntimeClasses where it has any. `places`: where each of `pending` is in the user's files, for errors;
// fewer, or an empty one: not known.
Result<void> admit(Manifests& manifests, Manifests::List<Pod>& pending,
                   std::span<const std::string> places = {});

// The tolerations of the admission plugin DefaultTolerationSeconds, without their seconds, which no decision
// depends on. Source: plugin/pkg/admission/defaulttolerationseconds.
void add_default_tolerations(Pod& pod);

// Copies the node's zone and region labels to the pod, as the API server does on binding.
void copy_topology_labels(const Node& node, Pod& pod);

// Start time of assigned pods without one. kube-scheduler uses the current time, which is later than any
// other; this is a fixed time far in the future.
Wall missing_start_time();

}  // namespace podium::api
