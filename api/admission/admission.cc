#include "api/admission/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "api/admission/limit_range.h"
#include "api/admission/runtime_class.h"
#include "api/validate/validate.h"
#include "api/values/defaults.h"
#include "api/values/node.h"
#include "base/problems.h"

namespace podium::api {
namespace {

// Two independent 64-bit FNV-1a hashes, formatted as a UUID.
std::string derived_uid(std::string_view identity) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::array<std::uint64_t, 2> halves = {0xcbf29ce484222325, 0x84222325cbf29ce4};
  for (auto& half : halves) {
    for (const char c : identity) half = (half ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  std::string uid;
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) uid += '-';
    uid += kHex[halves[i / 16] >> (60 - 4 * (i % 16)) & 15];
  }
  return uid;
}

void ensure_uid(ObjectMeta& meta, std::string_view kind) {
  if (meta.uid.empty()) meta.uid = derived_uid(std::string(kind) + "/" + meta.namespace_ + "/" + meta.name);
}

// Adds "key op (value of the pod's label)" for each key that the pod has. An absent selector stays absent.
void add_requirements(std::optional<LabelSelector>& selector, const std::vector<std::string>& keys,
                      Requirement::Op op, const Labels& labels) {
  if (!selector) return;
  for (const auto& key : keys) {
    if (const auto* value = labels.find(key)) selector->match_expressions.push_back({key, op, {*value}});
  }
}

void merge_label_keys(PodAffinityTerm& term, const Labels& labels) {
  add_requirements(term.label_selector, term.match_label_keys, Requirement::Op::in, labels);
  add_requirements(term.label_selector, term.mismatch_label_keys, Requirement::Op::not_in, labels);
}

void merge_label_keys(Pod& pod) {
  const auto& labels = pod.meta.labels;
  pod.topology_spread.change_each([&](TopologySpreadConstraint& constraint) {
    add_requirements(constraint.label_selector, constraint.match_label_keys, Requirement::Op::in, labels);
  });
  for (auto* affinity : {&pod.pod_affinity, &pod.pod_anti_affinity}) {
    affinity->required.change_each([&](PodAffinityTerm& term) { merge_label_keys(term, labels); });
    affinity->preferred.change_each(
        [&](WeightedPodAffinityTerm& weighted) { merge_label_keys(weighted.term, labels); });
  }
}

// Returns an error in the API server's words: "[spec.a: …, spec.b: …]".
Error rejected(std::vector<Finding> findings) {
  std::string text;
  for (const auto& finding : findings) text += (text.empty() ? "" : ", ") + finding.text();
  if (findings.size() > 1) text = "[" + text + "]";
  return {.kind = Error::Kind::invalid, .message = std::move(text), .findings = std::move(findings)};
}

void default_by_limit_ranges(const AdmissionObjects& objects, Pod& pod) {
  if (!objects.limit_ranges || !too_many_comparisons(*objects.limit_ranges, pod).empty()) return;
  for (const auto& range : *objects.limit_ranges) set_limit_range_defaults(range, pod);
}

std::string refusal_of_limit_ranges(const AdmissionObjects& objects, const Pod& pod) {
  if (!objects.limit_ranges) return {};
  if (auto why = too_many_comparisons(*objects.limit_ranges, pod); !why.empty()) return why;
  for (const auto& range : *objects.limit_ranges) {
    if (auto why = limit_range_refusal(range, pod); !why.empty()) return why;
  }
  return {};
}

Result<void> apply_runtime(const AdmissionObjects& objects, Pod& pod) {
  const auto read = objects.runtime_classes.find(pod.runtime_class);
  if (read == objects.runtime_classes.end()) return {};
  return apply_runtime_class(read->second ? &*read->second : nullptr, pod);
}

std::shared_ptr<const PriorityClass> builtin_class(std::string name, std::int32_t value) {
  auto made = std::make_shared<PriorityClass>();
  made->meta.name = std::move(name);
  made->value = value;
  made->preempt_never = false;
  return made;
}

void add_builtin_classes(Manifests::List<PriorityClass>& classes) {
  constexpr std::int32_t kSystemCritical = 2'000'000'000;
  for (auto& builtin : {builtin_class("system-node-critical", kSystemCritical + 1000),
                        builtin_class("system-cluster-critical", kSystemCritical)}) {
    const bool have = std::any_of(classes.begin(), classes.end(),
                                  [&](const auto& given) { return given->meta.name == builtin->meta.name; });
    if (!have) classes.push_back(builtin);
  }
}

// Replaces each object by a changed copy.
template <typename T, typename Change>
void change_all(Manifests::List<T>& list, Change change) {
  for (auto& object : list) {
    auto copy = std::make_shared<T>(*object);
    change(*copy);
    object = std::move(copy);
  }
}

template <typename T>
void default_all(Manifests::List<T>& list) {
  change_all(list, [](T& object) { set_defaults(object); });
}

Result<void> admit_nodes(Manifests::List<Node>& nodes) {
  default_all(nodes);
  for (const auto& node : nodes) {
    if (node->meta.created) continue;
    if (auto findings = validate(*node); !findings.empty()) {
      return invalid("node " + node->meta.name + ": " + rejected(std::move(findings)).message);
    }
  }
  return {};
}

// The LimitRanges and RuntimeClasses of manifests, for each pod. A cluster without any RuntimeClass counts as
// one whose classes are not known.
class ObjectsOfPods {
 public:
  explicit ObjectsOfPods(const Manifests& manifests) {
    for (const auto& each : manifests.runtime_classes) classes_[each->meta.name] = each.get();
    auto ranges = manifests.limit_ranges;
    std::ranges::sort(ranges, {}, [](const auto& range) -> const auto& { return range->meta.name; });
    for (const auto& range : ranges) {
      auto& of_namespace = by_namespace_[range->meta.namespace_].limit_ranges;
      if (!of_namespace) of_namespace.emplace();
      of_namespace->push_back(*range);
    }
  }

  const AdmissionObjects& of(const Pod& pod) {
    auto& objects = by_namespace_[pod.meta.namespace_];
    if (classes_.empty() || objects.runtime_classes.contains(pod.runtime_class)) return objects;
    auto& of_pod = objects.runtime_classes[pod.runtime_class];
    if (const auto found = classes_.find(pod.runtime_class); found != classes_.end()) of_pod = *found->second;
    return objects;
  }

 private:
  std::map<std::string_view, const RuntimeClass*> classes_;
  std::map<std::string, AdmissionObjects, std::less<>> by_namespace_;
};

void admit_pods(const PodAdmission& admission, ObjectsOfPods& objects, Manifests::List<Pod>& pods,
                std::span<const std::string> places, Problems& problems) {
  std::size_t number = 0;
  change_all(pods, [&](Pod& pod) {
    const auto place = number < places.size() ? places[number] : std::string();
    ++number;
    if (const auto admitted = admission.admit(pod, objects.of(pod)); !admitted)
      problems.add(fmt::format("{}{}pod {}: {}", place, place.empty() ? "" : ": ", pod.full_name(),
                               admitted.error().message));
  });
}

// Sets start time and topology labels of assigned pods, as scheduler and API server do.
void complete_assigned_pods(Manifests& manifests) {
  std::map<std::string_view, const Node*> nodes;
  for (const auto& node : manifests.nodes) nodes[node->meta.name] = node.get();
  change_all(manifests.pods, [&](Pod& pod) {
    if (pod.node_name.empty()) return;
    if (!pod.start_time) pod.start_time = missing_start_time();
    const auto node = nodes.find(pod.node_name);
    if (node != nodes.end() && !pod.meta.created) copy_topology_labels(*node->second, pod);
  });
}

// The given claims, and those that the claim controller would create from the templates of pending pods.
void complete_claims(Manifests& manifests, Manifests::List<Pod>& pending) {
  change_all(manifests.resource_claims,
             [](ResourceClaim& claim) { ensure_uid(claim.meta, "ResourceClaim"); });
  std::map<std::string, ClaimTemplates, std::less<>> templates;  // by namespace
  for (const auto& each : manifests.resource_claim_templates) {
    templates[each->meta.namespace_].emplace(each->meta.name, *each);
  }
  change_all(pending, [&](Pod& pod) {
    make_claims_of_templates(templates[pod.meta.namespace_], pod, [&manifests](ResourceClaim claim) {
      manifests.resource_claims.push_back(std::make_shared<const ResourceClaim>(std::move(claim)));
    });
  });
}

void add_missing_namespaces(Manifests& manifests, const Manifests::List<Pod>& pending) {
  std::set<std::string> missing;
  for (const auto* pods : {&std::as_const(manifests.pods), &pending}) {
    for (const auto& pod : *pods) missing.insert(pod->meta.namespace_);
  }
  for (const auto& ns : manifests.namespaces) missing.erase(ns->meta.name);
  for (const auto& name : missing) {
    auto added = std::make_shared<Namespace>();
    added->meta.name = name;
    manifests.namespaces.push_back(std::move(added));
  }
}

}  // namespace

PodAdmission::PodAdmission(Manifests::List<PriorityClass> classes) {
  add_builtin_classes(classes);
  for (auto& priority_class : classes) {
    // The admission controller uses the lowest of several global defaults.
    if (priority_class->global_default && (!default_ || priority_class->value < default_->value)) {
      default_ = priority_class;
    }
    classes_.insert_or_assign(priority_class->meta.name, priority_class);
  }
}

Result<void> PodAdmission::resolve_priority(Pod& pod) const {
  if (pod.priority) return {};
  auto chosen = default_;
  if (!pod.priority_class_name.empty()) {
    const auto found = classes_.find(pod.priority_class_name);
    if (found == classes_.end()) {
      return invalid("no PriorityClass with name " + pod.priority_class_name + " was found");
    }
    chosen = found->second;
  }
  if (chosen) pod.priority_class_name = chosen->meta.name;
  pod.priority = chosen ? chosen->value : 0;
  const bool never = chosen && chosen->preempt_never.value_or(false);
  if (pod.has_preemption_policy && pod.preempt_never != never) {
    const auto name = [](bool is_never) { return is_never ? "Never" : "PreemptLowerPriority"; };
    return invalid(std::string("preemptionPolicy ") + name(pod.preempt_never) + " differs from " +
                   name(never) + " of the priority class");
  }
  pod.preempt_never = never;
  pod.has_preemption_policy = true;
  return {};
}

Result<void> PodAdmission::admit(Pod& pod, const AdmissionObjects& objects) const {
  const bool is_new = !pod.meta.created;
  set_defaults(pod);
  if (is_new) default_by_limit_ranges(objects, pod);
  if (auto resolved = resolve_priority(pod); !resolved) return resolved;
  if (is_new) {
    if (auto applied = apply_runtime(objects, pod); !applied) return applied;
    merge_label_keys(pod);
    set_pod_level_defaults(pod);
    if (auto findings = validate(pod); !findings.empty())
      return std::unexpected(rejected(std::move(findings)));
    if (const auto why = refusal_of_limit_ranges(objects, pod); !why.empty()) return invalid(why);
  }
  ensure_uid(pod.meta, "Pod");
  return {};
}

Result<void> admit(Manifests& manifests, Manifests::List<Pod>& pending, std::span<const std::string> places) {
  default_all(manifests.priority_classes);
  add_builtin_classes(manifests.priority_classes);
  std::erase_if(manifests.pods, [](const auto& pod) { return pod->terminated(); });

  if (auto admitted = admit_nodes(manifests.nodes); !admitted) return admitted;
  const PodAdmission admission(manifests.priority_classes);
  default_all(manifests.limit_ranges);
  ObjectsOfPods objects(manifests);
  Problems problems;
  admit_pods(admission, objects, manifests.pods, {}, problems);
  admit_pods(admission, objects, pending, places, problems);
  if (problems) return std::unexpected(problems.error());
  complete_assigned_pods(manifests);
  complete_claims(manifests, pending);

  add_missing_namespaces(manifests, pending);
  default_all(manifests.namespaces);
  default_all(manifests.persistent_volumes);
  default_all(manifests.persistent_volume_claims);
  default_all(manifests.storage_classes);
  return {};
}

void add_default_tolerations(Pod& pod) {
  using enum TaintEffect;
  for (const auto* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const bool has = std::ranges::any_of(pod.tolerations, [key](const Toleration& each) {
      return (each.key == key || each.key.empty()) && (each.effect == no_execute || each.effect == none);
    });
    if (!has)
      pod.tolerations.push_back(
          {.key = key, .value = "", .op = Toleration::Op::exists, .effect = no_execute});
  }
}

void copy_topology_labels(const Node& node, Pod& pod) {
  for (const auto key : {label::zone, label::region}) {
    if (const auto* value = node.meta.labels.find(key)) pod.meta.labels.set(std::string(key), *value);
  }
}

Wall missing_start_time() {
  using namespace std::chrono;
  return sys_days(year(2200) / January / 1);
}

}  // namespace podium::api
