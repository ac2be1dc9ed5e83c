// Decodes the parts that several kinds share: metadata, selectors, tolerations, spread constraints, volumes.
#include <array>

#include "api/decode/decode.h"
#include "api/decode/decode_parts.h"
#include "api/decode/decode_reader.h"

namespace podium::api {
namespace detail {
namespace {

// kubectl's copy of the object. Only kubectl reads it, and it may be as large as the rest.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

OwnerReference read_owner(Field field) {
  OwnerReference owner;
  field["apiVersion"].into(owner.api_version);
  field["kind"].into(owner.kind);
  field["name"].into(owner.name);
  field["uid"].into(owner.uid);
  field["controller"].into(owner.controller);
  return owner;
}

Requirement::Op read_operator(std::string_view text, bool node_selector) {
  using Op = Requirement::Op;
  if (text == "In") return Op::in;
  if (text == "NotIn") return Op::not_in;
  if (text == "Exists") return Op::exists;
  if (text == "DoesNotExist") return Op::does_not_exist;
  if (node_selector && text == "Gt") return Op::gt;
  if (node_selector && text == "Lt") return Op::lt;
  return Op::unknown;
}

NodeSelectorTerm read_node_selector_term(Field field) {
  NodeSelectorTerm term;
  const auto read = [](Field item) { return read_requirement(item, true); };
  field["matchExpressions"].list(term.match_expressions, read);
  field["matchFields"].list(term.match_fields, read);
  return term;
}

}  // namespace

PodCondition read_condition(Field field) {
  PodCondition condition;
  field["type"].into(condition.type);
  field["status"].into(condition.status);
  field["reason"].into(condition.reason);
  field["message"].into(condition.message);
  return condition;
}

ObjectMeta read_meta(Field metadata, Annotations annotations) {
  ObjectMeta meta;
  metadata["name"].into(meta.name);
  metadata["namespace"].into(meta.namespace_);
  metadata["uid"].into(meta.uid);
  metadata["resourceVersion"].into(meta.resource_version);
  metadata["generation"].into(meta.generation);
  metadata["labels"].into(meta.labels);
  if (annotations == Annotations::kept) {
    metadata["annotations"].into(meta.annotations);
    if (meta.annotations.contains(kLastApplied)) meta.annotations.set(std::string(kLastApplied), "");
  }
  metadata["ownerReferences"].list(meta.owners, read_owner);
  metadata["creationTimestamp"].into(meta.created);
  metadata["deletionTimestamp"].into(meta.deleted);
  return meta;
}

Requirement read_requirement(Field field, bool node_selector) {
  Requirement requirement;
  field["key"].into(requirement.key);
  requirement.op = read_operator(field["operator"].text(), node_selector);
  field["values"].into(requirement.values);
  return requirement;
}

LabelSelector read_label_selector(Field field) {
  LabelSelector selector;
  field["matchLabels"].into(selector.match_labels);
  field["matchExpressions"].list(selector.match_expressions, [](Field item) {
    auto requirement = read_requirement(item, false);
    requirement.sort_values();
    return requirement;
  });
  return selector;
}

std::vector<NodeSelectorTerm> read_node_selector(Field field) {
  std::vector<NodeSelectorTerm> terms;
  field["nodeSelectorTerms"].list(terms, read_node_selector_term);
  return terms;
}

NodeAffinity read_node_affinity(Field field) {
  NodeAffinity affinity;
  if (const auto required = field["requiredDuringSchedulingIgnoredDuringExecution"]) {
    affinity.required = read_node_selector(required);
  }
  field["preferredDuringSchedulingIgnoredDuringExecution"].list(affinity.preferred, [](Field item) {
    PreferredNodeTerm term;
    item["weight"].into(term.weight);
    term.preference = read_node_selector_term(item["preference"]);
    return term;
  });
  return affinity;
}

TaintEffect read_taint_effect(Field field) { return taint_effect_of(field.text()); }

Toleration read_toleration(Field field) {
  Toleration toleration;
  field["key"].into(toleration.key);
  field["value"].into(toleration.value);
  toleration.effect = read_taint_effect(field["effect"]);
  const auto op = field["operator"].text();
  if (op == "Exists") {
    toleration.op = Toleration::Op::exists;
  } else if (op == "Lt") {
    toleration.op = Toleration::Op::lt;
  } else if (op == "Gt") {
    toleration.op = Toleration::Op::gt;
  } else if (!op.empty() && op != "Equal") {
    toleration.op = Toleration::Op::other;
  }
  return toleration;
}

TopologySpreadConstraint read_topology_spread_constraint(Field field) {
  TopologySpreadConstraint constraint;
  field["maxSkew"].into(constraint.max_skew);
  field["topologyKey"].into(constraint.topology_key);
  const auto action = field["whenUnsatisfiable"].text();
  constraint.do_not_schedule = action != "ScheduleAnyway";
  constraint.known_constraint = action == "ScheduleAnyway" || action == "DoNotSchedule";
  if (const auto selector = field["labelSelector"]) constraint.label_selector = read_label_selector(selector);
  field["minDomains"].into(constraint.min_domains);
  constraint.honor_node_affinity = field["nodeAffinityPolicy"].text() != "Ignore";
  constraint.honor_node_taints = field["nodeTaintsPolicy"].text() == "Honor";
  field["matchLabelKeys"].into(constraint.match_label_keys);
  return constraint;
}

Volume read_volume_source(Field field) {
  using Kind = Volume::Kind;
  struct Source {
    std::string_view field;
    Kind kind;
    std::string_view id;
  };
  static constexpr std::array<Source, 13> kSources = {{
      {"persistentVolumeClaim", Kind::claim, "claimName"},
      {"ephemeral", Kind::ephemeral, ""},
      {"gcePersistentDisk", Kind::gce_disk, "pdName"},
      {"awsElasticBlockStore", Kind::aws_disk, "volumeID"},
      {"rbd", Kind::rbd, "image"},
      {"iscsi", Kind::iscsi, "iqn"},
      {"azureDisk", Kind::azure_disk, "diskURI"},
      {"azureFile", Kind::azure_file, "shareName"},
      {"cinder", Kind::cinder, "volumeID"},
      {"vsphereVolume", Kind::vsphere, "volumePath"},
      {"portworxVolume", Kind::portworx, "volumeID"},
      {"csi", Kind::csi_inline, "driver"},
      {"image", Kind::image, "reference"},
  }};
  Volume volume;
  for (const auto& source : kSources) {
    const auto found = field[source.field];
    if (!found) continue;
    volume.kind = source.kind;
    if (!source.id.empty()) found[source.id].into(volume.id);
    found["readOnly"].into(volume.read_only);
    if (source.kind == Kind::rbd) {
      volume.pool = "rbd";
      found["pool"].into(volume.pool);
      found["monitors"].into(volume.monitors);
    } else if (source.kind == Kind::azure_disk) {
      volume.pool = "Shared";
      found["kind"].into(volume.pool);
    } else if (source.kind == Kind::azure_file) {
      found["secretName"].into(volume.pool);
      if (const auto ns = found["secretNamespace"]) volume.monitors.emplace_back(ns.text());
    }
    break;
  }
  return volume;
}

}  // namespace detail

Result<ObjectMeta> decode_meta(const boost::json::value& object) {
  detail::Reader reader(object);
  return reader.finish(detail::read_meta(reader.root()["metadata"], detail::Annotations::kept));
}

Result<NodeAffinity> decode_node_affinity(const boost::json::value& value, std::string_view path) {
  detail::Reader reader(value, path);
  return reader.finish(detail::read_node_affinity(reader.root()));
}

Result<TopologySpreadConstraint> decode_topology_spread_constraint(const boost::json::value& value,
                                                                   std::string_view path) {
  detail::Reader reader(value, path);
  return reader.finish(detail::read_topology_spread_constraint(reader.root()));
}

Result<LabelSelector> decode_label_selector(const boost::json::value& value, std::string_view path) {
  detail::Reader reader(value, path);
  return reader.finish(detail::read_label_selector(reader.root()));
}

}  // namespace podium::api
