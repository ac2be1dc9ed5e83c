#include "explain/question/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/decode/decode.h"
#include "api/decode/known_fields.h"
#include "api/text/json_view.h"
#include "api/validate/validate.h"
#include "api/values/defaults.h"
#include "base/ascii.h"
#include "explain/workload/daemon_set_pods.h"

namespace podium::explain {
namespace {

namespace json = boost::json;
using Type = Change::Type;

struct Name {
  Type type;
  std::string_view text;
};
constexpr std::array kTypes = {
    Name{Type::add_nodes, "AddNodes"},       Name{Type::remove_node, "RemoveNode"},
    Name{Type::cordon_node, "CordonNode"},   Name{Type::uncordon_node, "UncordonNode"},
    Name{Type::drain_node, "DrainNode"},     Name{Type::drain_nodes, "DrainNodes"},
    Name{Type::fail_nodes, "FailNodes"},     Name{Type::taint_node, "TaintNode"},
    Name{Type::untaint_node, "UntaintNode"}, Name{Type::label_node, "LabelNode"},
    Name{Type::delete_pods, "DeletePods"},   Name{Type::add_pods, "AddPods"},
    Name{Type::add_claims, "AddClaims"},     Name{Type::add_objects, "AddObjects"}};

struct AddedKind {
  std::string_view version, kind;
};
constexpr std::array kAddedKinds = {AddedKind{"v1", "Namespace"},
                                    AddedKind{"v1", "Service"},
                                    AddedKind{"v1", "PersistentVolume"},
                                    AddedKind{"v1", "LimitRange"},
                                    AddedKind{"policy/v1", "PodDisruptionBudget"},
                                    AddedKind{"scheduling.k8s.io/v1", "PriorityClass"},
                                    AddedKind{"node.k8s.io/v1", "RuntimeClass"},
                                    AddedKind{"storage.k8s.io/v1", "StorageClass"},
                                    AddedKind{"storage.k8s.io/v1", "CSIDriver"},
                                    AddedKind{"resource.k8s.io/v1", "DeviceClass"},
                                    AddedKind{"resource.k8s.io/v1", "ResourceClaim"},
                                    AddedKind{"resource.k8s.io/v1", "ResourceClaimTemplate"}};

std::optional<Type> read_type(ObjectReader& reader, Problems& problems) {
  const auto text = reader.required("type");
  if (text.empty()) return std::nullopt;
  const auto found = std::ranges::find(kTypes, text, &Name::text);
  if (found != kTypes.end()) return found->type;
  std::string known;
  for (const auto& each : kTypes) known += fmt::format("{}{}", known.empty() ? "" : ", ", each.text);
  problems.add(reader.path("type"), fmt::format("unknown type \"{}\" (known: {})", text, known));
  return std::nullopt;
}

api::TaintEffect read_effect(const std::string& text, const FieldPath& path, Problems& problems) {
  using enum api::TaintEffect;
  const auto effect = api::taint_effect_of(text);
  if (effect != none && effect != unknown) return effect;
  problems.add(path, api::kTaintEffectError);
  return no_schedule;
}

void check_key(const std::string& key, const FieldPath& path, Problems& problems) {
  if (!key.empty()) check_label_key(key, path, problems);
}

void check_value(const std::string& value, const FieldPath& path, Problems& problems) {
  if (!api::is_label_value(value))
    problems.add(path, fmt::format("\"{}\" is not a valid label value", value));
}

void read_labels(const json::value& value, const FieldPath& path, Change& change, Problems& problems) {
  const auto* labels = value.if_object();
  if (!labels || labels->empty()) return problems.add(path, "must be an object with at least one label");
  for (const auto& label : *labels) {
    const std::string key(std::string_view(label.key()));
    const auto& text = label.value();
    const FieldPath at = fmt::format("{}[{}]", path.text(), key);
    check_key(key, at, problems);
    if (text.is_null()) {
      change.labels.emplace_back(key, std::nullopt);
    } else if (text.is_string()) {
      const std::string value_of_label(text.get_string());
      check_value(value_of_label, at, problems);
      change.labels.emplace_back(key, value_of_label);
    } else {
      problems.add(at, "must be a string, or null to remove the label");
    }
  }
}

// "-new-N" is added to it, and a name has 253 characters at most.
constexpr std::size_t kLongestStem = 240;

// A node as in a manifest. It may have no name.
void read_node(const json::value& value, const FieldPath& path, Change& change, Problems& problems) {
  if (const auto unknown = api::detail::first_unknown_field(value, "Node"))
    return problems.add(path / *unknown, "unknown field");
  auto node = api::decode_node(value);
  if (!node) return problems.add_all(below(path, node.error()));
  if (node->meta.name.empty()) node->meta.name = "what-if";
  if (node->meta.name.size() > kLongestStem)
    problems.add(path / "metadata.name",
                 fmt::format("longer than {} characters: the names of the new nodes add a number to it",
                             kLongestStem));
  api::set_defaults(*node);
  for (const auto& finding : api::validate(*node)) problems.add(below(path, finding));
  change.node = std::move(*node);
}

void read_count(ObjectReader& reader, std::int64_t most, Change& change) {
  if (const auto count = reader.integer("count", 1, most)) change.count = static_cast<std::int32_t>(*count);
}

void read_new_nodes(ObjectReader& reader, const FieldPath& path, Change& change, Problems& problems) {
  read_count(reader, kMostNewNodes, change);
  change.like = reader.text("like");
  const auto* node = reader.value("template");
  if (change.like.empty() == (node == nullptr)) problems.add(path, "needs exactly one of like and template");
  if (node) read_node(*node, reader.path("template"), change, problems);
}

void check_namespace(const std::string& other, const FieldPath& path, const std::string& ns,
                     Problems& problems) {
  if (const auto why = other_namespace(other, ns); !why.empty()) problems.add(path, why);
}

// A name that no pod of another change or of the question has: the names of claims derive from it.
std::string name_of_new_pods(std::string_view path) {
  std::string name = "before";
  for (const char c : path) {
    if (is_digit(c) || !name.ends_with('-')) name += is_digit(c) ? c : '-';
  }
  return name.substr(0, name.find_last_not_of('-') + 1);
}

void read_new_pods(ObjectReader& reader, const std::string& ns, Change& change, Problems& problems) {
  read_count(reader, kMostNewPods, change);
  const auto* workload = reader.value("template");
  if (!workload) return problems.add(reader.path("template"), "required");
  api::ObjectMeta meta;
  meta.namespace_ = ns;
  meta.name = name_of_new_pods(reader.path("template").text());
  meta.uid = reader.path("template").text();
  auto read = read_template(*workload, reader.path("template"), meta);
  if (!read) return problems.add_all(read.error());
  if (read->kind == Subject::Kind::daemon_set && change.count)
    problems.add(reader.path("count"), kOnePodOnEachNode);
  change.workload = std::move(*read);
}

void read_new_claims(ObjectReader& reader, const std::string& ns, Change& change, Problems& problems) {
  reader.items("claims", kMostNewClaims, [&](const json::value& item, const FieldPath& path) {
    if (const auto unknown = api::detail::first_unknown_field(item, "PersistentVolumeClaim"))
      return problems.add(path / *unknown, "unknown field");
    auto claim = api::decode_persistent_volume_claim(item);
    if (!claim) return problems.add_all(below(path, claim.error()));
    if (claim->meta.name.empty()) problems.add(path / "metadata.name", "required");
    check_namespace(claim->meta.namespace_, path / "metadata.namespace", ns, problems);
    claim->meta.namespace_ = ns;
    claim->meta.uid = path.text();
    api::set_defaults(*claim);
    change.claims.push_back(std::move(*claim));
  });
  if (!reader.value("claims")) problems.add(reader.path("claims"), "required");
}

void read_new_objects(ObjectReader& reader, const std::string& ns, Change& change, Problems& problems) {
  std::vector<api::SortedObjects::Object> objects;
  reader.items("objects", kMostNewObjects, [&](const json::value& item, const FieldPath& path) {
    const auto version = api::text_at(item, "/apiVersion"), kind = api::text_at(item, "/kind");
    if (!can_be_added(version, kind)) {
      std::string known;
      for (const auto& each : kAddedKinds) known += fmt::format("{}{}", known.empty() ? "" : ", ", each.kind);
      return problems.add(
          path / "kind",
          fmt::format("\"{}\" of apiVersion \"{}\" cannot be added (known: {})", kind, version, known));
    }
    check_namespace(api::text_at(item, "/metadata/namespace"), path / "metadata.namespace", ns, problems);
    api::SortedObjects::Object object;
    object.value = item;
    object.where = path.text();
    objects.push_back(std::move(object));
  });
  if (!reader.value("objects")) problems.add(reader.path("objects"), "required");
  std::vector<std::string> warnings;
  api::ManifestOptions options;
  options.ns = ns;
  auto read = api::read_objects(objects, options, warnings);
  if (!read) return problems.add_all(read.error());
  change.objects = std::move(*read);
}

void read_node_names(ObjectReader& reader, Change& change, Problems& problems) {
  reader.items("nodeNames", kMostDrainedNodes, [&](const json::value& item, const FieldPath& path) {
    const auto* name = item.if_string();
    if (!name || name->empty()) return problems.add(path, "must be the name of a node");
    change.node_names.emplace_back(*name);
  });
}

void read_drained_nodes(ObjectReader& reader, Change& change, Problems& problems) {
  read_node_names(reader, change, problems);
  reader.require_items("nodeNames");
  change.then_uncordon = reader.flag("thenUncordon");
}

void read_selector(ObjectReader& reader, Change& change, Problems& problems) {
  const auto* selector = reader.value("selector");
  if (!selector) return problems.add(reader.path("selector"), "required");
  if (const auto unknown = api::detail::first_unknown_field(*selector, "LabelSelector"))
    problems.add(reader.path("selector") / *unknown, "unknown field");
  auto read = api::decode_label_selector(*selector, reader.path("selector").text());
  if (!read) return problems.add_all(read.error());
  change.selector = std::move(*read);
}

void read_failed_nodes(ObjectReader& reader, const FieldPath& path, Change& change, Problems& problems) {
  const bool has_selector = reader.value("selector"), has_names = reader.value("nodeNames");
  if (has_selector == has_names) return problems.add(path, "needs exactly one of nodeNames and selector");
  if (has_selector) return read_selector(reader, change, problems);
  read_node_names(reader, change, problems);
  if (change.node_names.empty()) problems.add(reader.path("nodeNames"), "names no node");
}

}  // namespace

bool is_drain(Type type) {
  return type == Type::drain_node || type == Type::drain_nodes || type == Type::fail_nodes;
}

bool is_of_a_node(Type type) {
  return type != Type::add_nodes && type != Type::delete_pods && type != Type::add_pods &&
         type != Type::add_claims && type != Type::add_objects && type != Type::drain_nodes &&
         type != Type::fail_nodes;
}

bool can_be_added(std::string_view api_version, std::string_view kind) {
  return std::ranges::any_of(
      kAddedKinds, [&](const AddedKind& each) { return each.kind == kind && each.version == api_version; });
}

std::string_view to_string(Type type) { return std::ranges::find(kTypes, type, &Name::type)->text; }

api::Taint read_taint(const json::value& value, const FieldPath& path, Problems& problems) {
  ObjectReader reader(value, path, problems);
  api::Taint taint;
  taint.key = reader.required("key");
  check_key(taint.key, reader.path("key"), problems);
  taint.value = reader.text("value");
  check_value(taint.value, reader.path("value"), problems);
  taint.effect = read_effect(reader.text("effect"), reader.path("effect"), problems);
  reader.unknown_fields();
  return taint;
}

Change read_change(const json::value& value, const FieldPath& path, const std::string& ns,
                   Problems& problems) {
  Change change;
  ObjectReader reader(value, path, problems);
  const auto type = value.is_object() ? read_type(reader, problems) : std::nullopt;
  if (!type) return change;
  change.type = *type;
  if (is_of_a_node(*type)) change.node_name = reader.required("nodeName");
  switch (*type) {
    case Type::add_nodes:
      read_new_nodes(reader, path, change, problems);
      break;
    case Type::taint_node:
      if (const auto* taint = reader.value("taint"))
        change.taint = read_taint(*taint, reader.path("taint"), problems);
      else
        problems.add(reader.path("taint"), "required");
      break;
    case Type::untaint_node:
      change.key = reader.required("key");
      if (const auto effect = reader.text("effect"); !effect.empty())
        change.effect = read_effect(effect, reader.path("effect"), problems);
      break;
    case Type::label_node:
      if (const auto* labels = reader.value("labels"))
        read_labels(*labels, reader.path("labels"), change, problems);
      else
        problems.add(reader.path("labels"), "required");
      break;
    case Type::drain_nodes:
      read_drained_nodes(reader, change, problems);
      break;
    case Type::fail_nodes:
      read_failed_nodes(reader, path, change, problems);
      break;
    case Type::delete_pods:
      check_namespace(reader.text("namespace"), reader.path("namespace"), ns, problems);
      read_selector(reader, change, problems);
      break;
    case Type::add_pods:
      read_new_pods(reader, ns, change, problems);
      break;
    case Type::add_claims:
      read_new_claims(reader, ns, change, problems);
      break;
    case Type::add_objects:
      read_new_objects(reader, ns, change, problems);
      break;
    case Type::remove_node:
    case Type::cordon_node:
    case Type::uncordon_node:
    case Type::drain_node:
      break;
  }
  reader.unknown_fields();
  return change;
}

}  // namespace podium::explain
