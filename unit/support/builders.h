// Builders that read like the manifest, for all tests.
//
//   pod("web").ns("shop").label("app", "web").req("cpu", "250m").node("n1").build()
//   node("n1").zone("a").cap("cpu", "4").cap("pods", "110").taint("k", "v", "NoSchedule").ptr()
//
// Every setter returns the builder; build() gives the value, ptr() a shared one. A quantity that does not
// parse aborts the test. Values are set as given: nothing is defaulted beyond the namespace and a UID made
// from the name.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/values/node.h"
#include "api/values/objects.h"
#include "api/values/pod.h"
#include "api/values/quantity.h"

namespace podium::test {

api::Quantity quantity(std::string_view text);
// Adds to a sorted resource list, or replaces what is there.
void set_resource(api::ResourceList& list, std::string_view name, std::string_view amount);
api::TaintEffect taint_effect(std::string_view text);  // as the manifest writes it; "" is none

using Strings = std::vector<std::string>;

// --- selectors ---
api::Requirement in(std::string key, Strings values);
api::Requirement not_in(std::string key, Strings values);
api::Requirement exists(std::string key);
api::Requirement does_not_exist(std::string key);
api::Requirement gt(std::string key, std::string value);
api::Requirement lt(std::string key, std::string value);
api::LabelSelector select_all();                                              // {}
api::LabelSelector select_labels(std::initializer_list<api::Labels::Entry>);  // matchLabels
api::LabelSelector select_where(std::vector<api::Requirement> expressions);   // matchExpressions

// A term of node affinity: match expressions, and match fields.
api::NodeSelectorTerm node_term(std::vector<api::Requirement> expressions,
                                std::vector<api::Requirement> fields = {});

// A term of pod affinity or anti-affinity. Without selector() it matches nothing.
class TermBuilder {
 public:
  explicit TermBuilder(std::string topology_key) { term_.topology_key = std::move(topology_key); }
  TermBuilder& selector(api::LabelSelector);
  TermBuilder& label(std::string key, std::string value);  // selector: matchLabels
  TermBuilder& namespaces(Strings);
  TermBuilder& namespace_selector(api::LabelSelector);
  TermBuilder& match_label_keys(Strings);
  TermBuilder& mismatch_label_keys(Strings);
  operator api::PodAffinityTerm() const { return term_; }

 private:
  api::PodAffinityTerm term_;
};
TermBuilder term(std::string topology_key);

// A topology spread constraint; by default DoNotSchedule with maxSkew 1.
class SpreadBuilder {
 public:
  explicit SpreadBuilder(std::string topology_key) { constraint_.topology_key = std::move(topology_key); }
  SpreadBuilder& max_skew(int);
  SpreadBuilder& schedule_anyway();
  SpreadBuilder& selector(api::LabelSelector);
  SpreadBuilder& label(std::string key, std::string value);  // selector: matchLabels
  SpreadBuilder& min_domains(int);
  SpreadBuilder& ignore_node_affinity();
  SpreadBuilder& honor_node_taints();
  SpreadBuilder& match_label_keys(Strings);
  operator api::TopologySpreadConstraint() const { return constraint_; }

 private:
  api::TopologySpreadConstraint constraint_;
};
SpreadBuilder spread(std::string topology_key);

class PodBuilder {
 public:
  explicit PodBuilder(std::string name);

  // metadata
  PodBuilder& ns(std::string);
  PodBuilder& uid(std::string);
  PodBuilder& resource_version(std::string);
  PodBuilder& label(std::string key, std::string value);
  PodBuilder& annotation(std::string key, std::string value);
  PodBuilder& owner(std::string kind, std::string name,
                    std::string api_version = "apps/v1");  // the controller
  PodBuilder& created(std::string_view rfc3339);
  PodBuilder& terminating();

  // containers: the setters below work on the container that was added last; the first one comes by itself
  PodBuilder& container(std::string name = "");
  PodBuilder& init_container(std::string name = "");
  PodBuilder& sidecar(std::string name = "");  // an init container that restarts always
  PodBuilder& req(std::string_view resource, std::string_view amount);
  PodBuilder& limit(std::string_view resource, std::string_view amount);
  PodBuilder& image(std::string);
  PodBuilder& host_port(int port, std::string protocol = "TCP", std::string ip = "");
  PodBuilder& restart_rule(std::string action);

  // spec
  PodBuilder& node(std::string);
  PodBuilder& scheduler(std::string);
  PodBuilder& priority(int);
  PodBuilder& priority_class(std::string);
  PodBuilder& preempt_never();
  PodBuilder& host_network();
  PodBuilder& host_users(bool);
  PodBuilder& gate(std::string);
  PodBuilder& node_selector(std::string key, std::string value);
  PodBuilder& require_node(api::NodeSelectorTerm);  // another ORed term
  PodBuilder& require_no_node();                    // a required list without terms
  PodBuilder& prefer_node(int weight, api::NodeSelectorTerm);
  PodBuilder& affinity(api::PodAffinityTerm);
  PodBuilder& prefer_affinity(int weight, api::PodAffinityTerm);
  PodBuilder& anti_affinity(api::PodAffinityTerm);
  PodBuilder& prefer_anti_affinity(int weight, api::PodAffinityTerm);
  PodBuilder& spread(api::TopologySpreadConstraint);
  PodBuilder& tolerate(std::string key, std::string value, std::string_view effect = "");  // operator Equal
  PodBuilder& tolerate_exists(std::string key, std::string_view effect = "");  // "" and "": everything
  PodBuilder& overhead(std::string_view resource, std::string_view amount);
  PodBuilder& pod_req(std::string_view resource, std::string_view amount);  // pod-level resources
  PodBuilder& pod_limit(std::string_view resource, std::string_view amount);
  PodBuilder& claim(std::string claim_name, bool read_only = false);  // a volume of that claim
  PodBuilder& volume(api::Volume);
  PodBuilder& resource_claims();

  // status
  PodBuilder& phase(std::string);
  PodBuilder& nominated(std::string node);
  PodBuilder& started(std::string_view rfc3339);
  PodBuilder& condition(std::string type, std::string status, std::string reason = "",
                        std::string message = "");
  PodBuilder& status_resources(std::string container, std::string_view resource, std::string_view amount);
  PodBuilder& status_allocated(std::string container, std::string_view resource, std::string_view amount);

  api::Pod build() const { return pod_; }
  api::PodPtr ptr() const { return std::make_shared<const api::Pod>(pod_); }
  operator api::Pod() const { return pod_; }

 private:
  api::Container& current();
  api::ContainerStatus& status_of(const std::string& container);

  api::Pod pod_;
  bool in_init_ = false;
};
PodBuilder pod(std::string name);

class NodeBuilder {
 public:
  explicit NodeBuilder(std::string name);  // with the hostname label
  NodeBuilder& uid(std::string);
  NodeBuilder& label(std::string key, std::string value);
  NodeBuilder& no_hostname();
  NodeBuilder& annotation(std::string key, std::string value);
  NodeBuilder& zone(std::string);
  NodeBuilder& region(std::string);
  NodeBuilder& cap(std::string_view resource, std::string_view amount);          // capacity and allocatable
  NodeBuilder& allocatable(std::string_view resource, std::string_view amount);  // allocatable only
  NodeBuilder& taint(std::string key, std::string value, std::string_view effect);
  NodeBuilder& unschedulable();
  NodeBuilder& image(Strings names, std::int64_t size_bytes);
  NodeBuilder& condition(std::string type, std::string status);
  NodeBuilder& feature(std::string);  // status.declaredFeatures

  api::Node build() const { return node_; }
  api::NodePtr ptr() const { return std::make_shared<const api::Node>(node_); }
  operator api::Node() const { return node_; }

 private:
  api::Node node_;
};
NodeBuilder node(std::string name);

// The other kinds are small: these give a value to be adjusted field by field.
api::Namespace make_namespace(std::string name, std::initializer_list<api::Labels::Entry> labels = {});
api::Workload service(std::string ns, std::string name, std::initializer_list<api::Labels::Entry> selector);
api::Workload workload(api::Workload::Kind, std::string ns, std::string name, api::LabelSelector selector);
api::PriorityClass priority_class(std::string name, int value);
api::PodDisruptionBudget disruption_budget(std::string ns, std::string name, api::LabelSelector, int allowed);
api::PersistentVolume persistent_volume(std::string name, std::string_view capacity,
                                        std::string storage_class, Strings access_modes = {"ReadWriteOnce"});
api::PersistentVolumeClaim persistent_volume_claim(std::string ns, std::string name, std::string_view request,
                                                   std::string storage_class,
                                                   Strings access_modes = {"ReadWriteOnce"});
// Binds both to each other, as the volume controller does.
void bind_claim(api::PersistentVolumeClaim&, api::PersistentVolume&);
api::StorageClass storage_class(std::string name, std::string provisioner, bool wait_for_first_consumer);
api::CsiNode csi_node(std::string name, std::initializer_list<std::pair<std::string, int>> driver_limits);

template <typename T>
std::shared_ptr<const T> share(T object) {
  return std::make_shared<const T>(std::move(object));
}

}  // namespace podium::test
