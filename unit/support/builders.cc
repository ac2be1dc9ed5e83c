#include "unit/support/builders.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace podium::test {
namespace {

using Op = api::Requirement::Op;

api::ObjectMeta named(std::string ns, std::string name) {
  api::ObjectMeta meta;
  meta.uid = ns.empty() ? "uid-" + name : "uid-" + ns + "-" + name;
  meta.namespace_ = std::move(ns);
  meta.name = std::move(name);
  return meta;
}

void add_label(std::optional<api::LabelSelector>& selector, std::string key, std::string value) {
  if (!selector) selector.emplace();
  selector->match_labels.set(std::move(key), std::move(value));
}

}  // namespace

api::Quantity quantity(std::string_view text) {
  const auto parsed = api::Quantity::parse(text);
  if (!parsed) {
    std::fprintf(stderr, "test data: no quantity: %.*s\n", static_cast<int>(text.size()), text.data());
    std::abort();
  }
  return *parsed;
}

void set_resource(api::ResourceList& list, std::string_view name, std::string_view amount) {
  auto& entries = list.write();
  const auto at = std::lower_bound(entries.begin(), entries.end(), name,
                                   [](const auto& entry, std::string_view key) { return entry.first < key; });
  if (at != entries.end() && at->first == name) {
    at->second = quantity(amount);
  } else {
    entries.emplace(at, name, quantity(amount));
  }
}

api::TaintEffect taint_effect(std::string_view text) {
  if (text.empty()) return api::TaintEffect::none;
  if (text == "NoSchedule") return api::TaintEffect::no_schedule;
  if (text == "PreferNoSchedule") return api::TaintEffect::prefer_no_schedule;
  if (text == "NoExecute") return api::TaintEffect::no_execute;
  std::fprintf(stderr, "test data: no taint effect: %.*s\n", static_cast<int>(text.size()), text.data());
  std::abort();
}

api::Requirement in(std::string key, Strings values) { return {std::move(key), Op::in, std::move(values)}; }
api::Requirement not_in(std::string key, Strings values) {
  return {std::move(key), Op::not_in, std::move(values)};
}
api::Requirement exists(std::string key) { return {std::move(key), Op::exists, {}}; }
api::Requirement does_not_exist(std::string key) { return {std::move(key), Op::does_not_exist, {}}; }
api::Requirement gt(std::string key, std::string value) {
  return {std::move(key), Op::gt, {std::move(value)}};
}
api::Requirement lt(std::string key, std::string value) {
  return {std::move(key), Op::lt, {std::move(value)}};
}

api::LabelSelector select_all() { return {}; }
api::LabelSelector select_labels(std::initializer_list<api::Labels::Entry> labels) { return {labels, {}}; }
api::LabelSelector select_where(std::vector<api::Requirement> expressions) {
  return {{}, std::move(expressions)};
}

api::NodeSelectorTerm node_term(std::vector<api::Requirement> expressions,
                                std::vector<api::Requirement> fields) {
  return {std::move(expressions), std::move(fields)};
}

TermBuilder term(std::string topology_key) { return TermBuilder(std::move(topology_key)); }
TermBuilder& TermBuilder::selector(api::LabelSelector selector) {
  term_.label_selector = std::move(selector);
  return *this;
}
TermBuilder& TermBuilder::label(std::string key, std::string value) {
  add_label(term_.label_selector, std::move(key), std::move(value));
  return *this;
}
TermBuilder& TermBuilder::namespaces(Strings names) {
  term_.namespaces = std::move(names);
  return *this;
}
TermBuilder& TermBuilder::namespace_selector(api::LabelSelector selector) {
  term_.namespace_selector = std::move(selector);
  return *this;
}
TermBuilder& TermBuilder::match_label_keys(Strings keys) {
  term_.match_label_keys = std::move(keys);
  return *this;
}
TermBuilder& TermBuilder::mismatch_label_keys(Strings keys) {
  term_.mismatch_label_keys = std::move(keys);
  return *this;
}

SpreadBuilder spread(std::string topology_key) { return SpreadBuilder(std::move(topology_key)); }
SpreadBuilder& SpreadBuilder::max_skew(int skew) {
  constraint_.max_skew = skew;
  return *this;
}
SpreadBuilder& SpreadBuilder::schedule_anyway() {
  constraint_.do_not_schedule = false;
  return *this;
}
SpreadBuilder& SpreadBuilder::selector(api::LabelSelector selector) {
  constraint_.label_selector = std::move(selector);
  return *this;
}
SpreadBuilder& SpreadBuilder::label(std::string key, std::string value) {
  add_label(constraint_.label_selector, std::move(key), std::move(value));
  return *this;
}
SpreadBuilder& SpreadBuilder::min_domains(int domains) {
  constraint_.min_domains = domains;
  return *this;
}
SpreadBuilder& SpreadBuilder::ignore_node_affinity() {
  constraint_.honor_node_affinity = false;
  return *this;
}
SpreadBuilder& SpreadBuilder::honor_node_taints() {
  constraint_.honor_node_taints = true;
  return *this;
}
SpreadBuilder& SpreadBuilder::match_label_keys(Strings keys) {
  constraint_.match_label_keys = std::move(keys);
  return *this;
}

api::Namespace make_namespace(std::string name, std::initializer_list<api::Labels::Entry> labels) {
  api::Namespace made;
  made.meta = named("", name);
  made.meta.labels = labels;
  made.meta.labels.set("kubernetes.io/metadata.name", std::move(name));
  return made;
}

api::Workload workload(api::Workload::Kind kind, std::string ns, std::string name,
                       api::LabelSelector selector) {
  return {named(std::move(ns), std::move(name)), kind, std::move(selector)};
}

api::Workload service(std::string ns, std::string name, std::initializer_list<api::Labels::Entry> selector) {
  return workload(api::Workload::Kind::service, std::move(ns), std::move(name), select_labels(selector));
}

api::PriorityClass priority_class(std::string name, int value) {
  api::PriorityClass made;
  made.meta = named("", std::move(name));
  made.value = value;
  made.preempt_never = false;
  return made;
}

api::PodDisruptionBudget disruption_budget(std::string ns, std::string name, api::LabelSelector selector,
                                           int allowed) {
  api::PodDisruptionBudget made;
  made.meta = named(std::move(ns), std::move(name));
  made.selector = std::move(selector);
  made.disruptions_allowed = allowed;
  return made;
}

api::PersistentVolume persistent_volume(std::string name, std::string_view capacity,
                                        std::string storage_class, Strings access_modes) {
  api::PersistentVolume made;
  made.meta = named("", std::move(name));
  made.capacity = quantity(capacity);
  made.storage_class = std::move(storage_class);
  made.phase = "Available";
  made.access_modes = std::move(access_modes);
  return made;
}

api::PersistentVolumeClaim persistent_volume_claim(std::string ns, std::string name, std::string_view request,
                                                   std::string storage_class, Strings access_modes) {
  api::PersistentVolumeClaim made;
  made.meta = named(std::move(ns), std::move(name));
  made.request = quantity(request);
  made.storage_class = std::move(storage_class);
  made.phase = "Pending";
  made.access_modes = std::move(access_modes);
  return made;
}

void bind_claim(api::PersistentVolumeClaim& claim, api::PersistentVolume& volume) {
  claim.volume_name = volume.meta.name;
  claim.phase = volume.phase = "Bound";
  claim.meta.annotations.set("pv.kubernetes.io/bind-completed", "yes");
  volume.claim = {claim.meta.namespace_, claim.meta.name, claim.meta.uid};
}

api::StorageClass storage_class(std::string name, std::string provisioner, bool wait_for_first_consumer) {
  api::StorageClass made;
  made.meta = named("", std::move(name));
  made.provisioner = std::move(provisioner);
  made.wait_for_first_consumer = wait_for_first_consumer;
  return made;
}

api::CsiNode csi_node(std::string name, std::initializer_list<std::pair<std::string, int>> driver_limits) {
  api::CsiNode made;
  made.meta = named("", std::move(name));
  for (const auto& [driver, limit] : driver_limits) made.drivers.push_back({driver, limit});
  return made;
}

}  // namespace podium::test
