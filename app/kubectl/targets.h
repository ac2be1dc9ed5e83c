// The pods and workloads that the user names, in the forms of kubectl.
//
// Threads: the Cluster's. Errors: Kind::invalid, naming the word; else as Cluster's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode/pod_makers.h"
#include "app/kubectl/cluster.h"

namespace podium::kubectl {

struct Target {
  const api::PodMaker* maker;
  std::string name;
  std::string ns = {};    // empty: the Cluster's
  bool has_type = false;  // the user named the type; else it is a pod unless the cluster says otherwise
};

client::Resource resource_of(const api::PodMaker& maker);

// "web-07", "shop/web-07", "deploy/web", "deployment.apps/web", "deploy web api", and several of the first
// four. `ns`: the value of -n; a word with another namespace is an error.
Result<std::vector<Target>> parse_targets(const std::vector<std::string>& words, const std::string& ns);

// The start of pods' names, in these forms of a pod: "web-", "pod/web-", "shop/web-".
struct PodPrefix {
  std::string name;
  std::string ns = {};  // empty: not given
};
Result<PodPrefix> parse_pod_prefix(const std::string& word, const std::string& ns);

// A name without a type is a pod, else the only workload of that name. Does not change other names.
Target resolved(Cluster& cluster, Target target);

// "There is no namespace shp.\n", or empty.
std::string no_namespace(Cluster& cluster, const std::string& ns);

// "Did you mean …?" with pods and workloads of the namespace that have a similar name, or that the namespace
// does not exist; else empty. If the user named the type: of that type, or of another with this very name.
std::string did_you_mean(Cluster& cluster, const std::string& ns, const Target& target);

// Whether the name is likely mistyped: a pod has a similar name, or the namespace does not exist. If only a
// workload has a similar name, the pod more likely was one of its pods, and is gone.
struct Similar {
  std::string words;  // as did_you_mean()
  bool is_mistyped = false;
};
Similar similar_names(Cluster& cluster, const std::string& ns, const Target& target);

// Returns the error of a failed read: "there is no Deployment shop/web" if it does not exist, else the error.
Error without_object(Error error, const std::string& ns, const Target& target);

// Whether the text is a selector as -l takes it.
Result<void> check_selector(const std::string& selector);

}  // namespace podium::kubectl
