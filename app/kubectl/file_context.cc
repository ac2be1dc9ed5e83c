#include "app/kubectl/file_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/decode/dump_kinds.h"
#include "api/text/json_view.h"
#include "explain/question/question_limits.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr std::size_t kOfOneChange = std::min(explain::kMostNewObjects, explain::kMostNewClaims);

constexpr std::string_view kAutoscaler = "HorizontalPodAutoscaler";

bool is_empty(const json::value& value) {
  return value.is_null() || (value.is_object() && value.get_object().empty()) ||
         (value.is_array() && value.get_array().empty());
}

// Whether the stored object has all that the file says of it. The API server adds fields.
bool is_part_of(const json::value& given, const json::value& stored) {
  if (given.is_object()) {
    const auto* fields = stored.if_object();
    return fields && std::ranges::all_of(given.get_object(), [&](const auto& field) {
             const auto* same = fields->if_contains(field.key());
             return same ? is_part_of(field.value(), *same) : is_empty(field.value());
           });
  }
  if (given.is_array()) {
    const auto* items = stored.if_array();
    return items && std::ranges::equal(given.get_array(), *items,
                                       [](const auto& a, const auto& b) { return is_part_of(a, b); });
  }
  return given == stored;
}

}  // namespace

bool is_unchanged(json::value given, const json::value& stored) {
  auto& fields = given.as_object();
  for (const char* key : {"status", "kind", "apiVersion"}) fields.erase(key);
  auto* metadata = fields.if_contains("metadata");
  if (metadata && metadata->is_object()) {
    for (const char* key : {"namespace", "creationTimestamp", "uid", "resourceVersion", "managedFields"})
      metadata->get_object().erase(key);
  }
  return is_part_of(given, stored);
}

namespace {

// The fields of a pod that name an object which admission looks up, and the kind of the object.
struct NamedBy {
  const char *field, *kind;
  bool is_namespaced;
};
constexpr std::array kNamed = {
    NamedBy{"priorityClassName", "PriorityClass", false}, NamedBy{"runtimeClassName", "RuntimeClass", false},
    NamedBy{"serviceAccountName", "ServiceAccount", true}, NamedBy{"serviceAccount", "ServiceAccount", true}};

std::string key_of(std::string_view kind, const std::string& ns, const std::string& name) {
  return ns.empty() ? fmt::format("{} {}", kind, name) : fmt::format("{} {}/{}", kind, ns, name);
}

}  // namespace

std::vector<std::string> FileContext::add(Cluster& cluster, const std::vector<FileObject>& objects) {
  const client::Resource accounts{"", "v1", "serviceaccounts"};
  std::vector<std::string> warnings;
  for (const auto& object : objects) {
    const auto& value = object.value;
    const auto kind = api::text_at(value, "/kind"), version = api::text_at(value, "/apiVersion"),
               name = api::text_at(value, "/metadata/name");
    const auto* known = api::dump_kind(version, kind);
    const bool is_account = kind == "ServiceAccount" && version == "v1";
    // Only the number of replicas of an autoscaler counts (explain/workload/scale.h).
    if ((!known && !is_account) || kind == kAutoscaler) continue;
    const bool is_namespaced = is_account || known->is_namespaced;
    auto ns = is_namespaced ? api::text_at(value, "/metadata/namespace") : std::string();
    if (is_namespaced && ns.empty()) ns = cluster.ns();
    const auto resource = is_account ? accounts
                                     : client::Resource{std::string(known->group), "v1",
                                                        std::string(known->plural), is_namespaced};
    const auto stored = cluster.get(resource, ns, name);
    const bool is_new = !stored && client::object_is_gone(stored.error());
    if (is_new) new_.insert(key_of(kind, ns, name));
    if (is_account || (stored && is_unchanged(value, *stored))) continue;
    if (kind == "PersistentVolumeClaim" && version == "v1") {
      claims_.push_back({&object, ns});
    } else if (explain::can_be_added(version, kind)) {
      objects_.push_back({&object, ns});
    } else {
      warnings.push_back(fmt::format("{}: {} {} was ignored: {}", object.place(""), kind, name,
                                     stored ? "the answer uses the cluster's own" : "the cluster has none"));
    }
  }
  return warnings;
}

void FileContext::append(const char* type, const char* field, const std::vector<Added>& from,
                         const std::string& ns, json::array& changes, QuestionSource& source) const {
  json::array* list = nullptr;
  for (const auto& [object, of] : from) {
    if (!of.empty() && of != ns) continue;
    if (!list || list->size() == kOfOneChange) {
      changes.push_back(json::object{{"type", type}, {field, json::array()}});
      list = &changes.back().as_object().at(field).as_array();
      source.changes.emplace_back();
    }
    auto copy = object->value.as_object();
    copy.erase("status");
    list->push_back(std::move(copy));
    source.changes.back().push_back(object);
  }
}

json::array FileContext::changes(const std::string& ns, QuestionSource& source) const {
  json::array out;
  append("AddObjects", "objects", objects_, ns, out, source);
  append("AddClaims", "claims", claims_, ns, out, source);
  return out;
}

json::object FileContext::hide(json::value& pod) const {
  json::object hidden;
  const auto ns = api::text_at(pod, "/metadata/namespace");
  auto* spec = pod.as_object().if_contains("spec");
  if (!spec || !spec->is_object()) return hidden;
  for (const auto& [field, kind, is_namespaced] : kNamed) {
    const auto* name = spec->get_object().if_contains(field);
    if (!name || !name->is_string()) continue;
    if (!new_.contains(key_of(kind, is_namespaced ? ns : "", std::string(name->get_string())))) continue;
    hidden[field] = *name;
    spec->get_object().erase(field);
  }
  return hidden;
}

void FileContext::restore(const json::object& hidden, json::value& pod) {
  auto* spec = pod.as_object().if_contains("spec");
  if (!spec || !spec->is_object()) return;
  auto& fields = spec->get_object();
  // Those of the class that the API server chose instead.
  if (hidden.contains("priorityClassName")) {
    fields.erase("priority");
    fields.erase("preemptionPolicy");
  }
  for (const auto& [field, name] : hidden) fields[field] = name;
}

}  // namespace podium::kubectl
