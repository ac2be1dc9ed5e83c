#include "app/kubectl/manifest.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "api/yaml.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

const std::array<PodMaker, 8>& pod_makers() {
  static const std::array<PodMaker, 8> kMakers = {{
      {"Pod", "po", "", client::resource::pods},
      {"Deployment", "deploy", "/spec/template", client::Resource("apps", "v1", "deployments")},
      {"StatefulSet", "sts", "/spec/template", client::Resource("apps", "v1", "statefulsets")},
      {"ReplicaSet", "rs", "/spec/template", client::Resource("apps", "v1", "replicasets")},
      {"DaemonSet", "ds", "/spec/template", client::Resource("apps", "v1", "daemonsets")},
      {"Job", "job", "/spec/template", client::Resource("batch", "v1", "jobs")},
      {"CronJob", "cj", "/spec/jobTemplate/spec/template", client::Resource("batch", "v1", "cronjobs")},
      {"ReplicationController", "rc", "/spec/template", client::Resource("", "v1", "replicationcontrollers")},
  }};
  return kMakers;
}

bool same(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

const json::value* value_at(const json::value& value, std::string_view pointer) {
  boost::system::error_code none;
  const auto* found = value.find_pointer(pointer, none);
  return found && !found->is_null() ? found : nullptr;
}

// Labels and annotations, which a pod takes from its template.
json::object labels_and_annotations(const json::value& metadata) {
  json::object out;
  for (const char* key : {"labels", "annotations"}) {
    const auto* fields = metadata.is_object() ? metadata.get_object().if_contains(key) : nullptr;
    if (!fields || !fields->is_object()) continue;
    auto copy = fields->get_object();
    copy.erase(kLastApplied);
    if (!copy.empty()) out[key] = std::move(copy);
  }
  return out;
}

// A StatefulSet's pods have its claims as volumes.
void add_claims(const json::value& object, json::object& spec) {
  const auto* claims = value_at(object, "/spec/volumeClaimTemplates");
  if (!claims || !claims->is_array()) return;
  auto& volumes = spec["volumes"];
  if (!volumes.is_array()) volumes = json::array();
  for (const auto& claim : claims->get_array()) {
    const auto name = text_of(claim, "/metadata/name");
    volumes.get_array().push_back(
        json::object{{"name", name},
                     {"persistentVolumeClaim",
                      json::object{{"claimName", name + "-" + text_of(object, "/metadata/name") + "-0"}}}});
  }
}

// Removes what no template needs: a StatefulSet's claims as volumes, and the scheduler's name where the
// author gave none.
void remove_added(const json::value& object, const json::value* given, json::object& spec) {
  std::vector<std::string> added;
  if (const auto* claims = value_at(object, "/spec/volumeClaimTemplates"); claims && claims->is_array()) {
    for (const auto& claim : claims->get_array()) added.push_back(text_of(claim, "/metadata/name"));
  }
  if (auto* volumes = spec.if_contains("volumes"); volumes && volumes->is_array()) {
    auto& list = volumes->get_array();
    list.erase(std::remove_if(list.begin(), list.end(),
                              [&](const json::value& volume) {
                                return std::ranges::find(added, text_of(volume, "/name")) != added.end();
                              }),
               list.end());
    if (list.empty()) spec.erase("volumes");
  }
  if (!given || !value_at(*given, "/schedulerName")) spec.erase("schedulerName");
}

Result<void> collect(const json::value& value, const std::string& source, std::vector<json::value>& out,
                     std::vector<std::string>& others) {
  const auto kind = text_of(value, "/kind");
  if (!value.is_object() || kind.empty()) return invalid(source + ": missing kind");
  if (const auto* items = value_at(value, "/items"); items && items->is_array() && kind.ends_with("List")) {
    for (const auto& item : items->get_array()) {
      if (auto collected = collect(item, source, out, others); !collected) return collected;
    }
    return {};
  }
  if (const auto* maker = pod_maker(kind); maker && maker->kind == kind) {
    out.push_back(value);
  } else if (std::ranges::find(others, kind) == others.end()) {
    others.push_back(kind);
  }
  return {};
}

}  // namespace

const PodMaker* pod_maker(std::string_view word) {
  const auto found = std::ranges::find_if(pod_makers(), [&](const PodMaker& maker) {
    return same(word, maker.kind) || same(word, maker.short_name) || same(word, maker.resource.plural);
  });
  return found == pod_makers().end() ? nullptr : &*found;
}

Result<TypeAndName> parse_target(std::string_view text) {
  const auto slash = text.find('/');
  const auto name = slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
  if (name.empty() || name.find('/') != std::string_view::npos) {
    return invalid("\"" + std::string(text) +
                   "\" is no TYPE/NAME, such as deploy/web or pod/web-0; a file is -f FILE");
  }
  const auto* maker = pod_maker(text.substr(0, slash));
  if (!maker || maker->kind == "CronJob" || maker->kind == "ReplicationController") {
    return invalid("\"" + std::string(text.substr(0, slash)) +
                   "\" is none of pod, deployment, statefulset, replicaset, daemonset and job");
  }
  return TypeAndName{maker, std::string(name)};
}

Result<std::vector<json::value>> objects_that_make_pods(std::string_view text, const std::string& source,
                                                        std::vector<std::string>& others) {
  api::YamlLimits limits;
  limits.lines = false;
  auto documents = api::parse_documents(text, source, limits);
  if (!documents) return std::unexpected(documents.error());
  std::vector<json::value> out;
  for (const auto& document : *documents) {
    const auto where = source + ": document " + std::to_string(document.index);
    if (auto collected = collect(document.value, where, out, others); !collected) {
      return std::unexpected(collected.error());
    }
  }
  if (!out.empty()) return out;
  std::string found;
  for (const auto& kind : others) found += (found.empty() ? "; it has " : ", ") + kind;
  return invalid(source + ": nothing in it makes pods" + found);
}

Result<json::value> pod_of(const json::value& object, const std::string& ns) {
  const auto kind = text_of(object, "/kind"), name = text_of(object, "/metadata/name");
  const auto* maker = pod_maker(kind);
  const auto* source =
      maker && !maker->pod_template.empty() ? value_at(object, maker->pod_template) : &object;
  const auto* spec = source ? value_at(*source, "/spec") : nullptr;
  if (!spec || !spec->is_object()) {
    const auto where =
        maker ? std::string(maker->pod_template.empty() ? "" : maker->pod_template.substr(1)) : "";
    auto path = where + (where.empty() ? "spec" : "/spec");
    std::ranges::replace(path, '/', '.');
    return invalid(kind + " " + name + ": " + path + ": missing");
  }
  const auto* metadata = value_at(*source, "/metadata");
  auto meta = metadata ? labels_and_annotations(*metadata) : json::object();
  meta["generateName"] = (name.empty() ? std::string("whatif") : name.substr(0, 50)) + "-";
  meta["namespace"] = ns;
  json::object pod_spec = spec->get_object();
  pod_spec.erase("nodeName");
  if (kind == "StatefulSet") add_claims(object, pod_spec);
  return json::object{
      {"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", std::move(meta)}, {"spec", std::move(pod_spec)}};
}

json::value template_of(const json::value& object, const json::value& admitted) {
  const auto kind = text_of(object, "/kind");
  const auto* maker = pod_maker(kind);
  const auto* source =
      maker && !maker->pod_template.empty() ? value_at(object, maker->pod_template) : &object;
  const auto *spec = value_at(admitted, "/spec"), *metadata = value_at(admitted, "/metadata");
  json::object pod_template{{"metadata", metadata ? labels_and_annotations(*metadata) : json::object()},
                            {"spec", spec ? spec->get_object() : json::object()}};
  remove_added(object, source ? value_at(*source, "/spec") : nullptr, pod_template["spec"].get_object());
  if (kind == "Pod") return pod_template;
  json::object whole = object.get_object();
  whole.erase("status");
  json::object meta;
  if (const auto* given = value_at(object, "/metadata"); given && given->is_object()) {
    meta = labels_and_annotations(*given);
    for (const char* key : {"name", "generateName", "namespace"}) {
      if (const auto* field = given->get_object().if_contains(key)) meta[key] = *field;
    }
  }
  whole["metadata"] = std::move(meta);
  if (kind == "CronJob") {  // a run of it is a Job
    const auto* job = value_at(object, "/spec/jobTemplate/spec");
    whole["kind"] = "Job";
    whole["spec"] = job ? *job : json::value(json::object());
  }
  whole["spec"].as_object()["template"] = std::move(pod_template);
  return whole;
}

std::string text_of(const json::value& value, std::string_view pointer) {
  const auto* found = value_at(value, pointer);
  return found && found->is_string() ? std::string(found->get_string()) : std::string();
}

}  // namespace podium::kubectl
