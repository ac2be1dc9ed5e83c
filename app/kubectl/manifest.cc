#include "app/kubectl/manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/array.hpp>

#include "api/admission/admission.h"
#include "api/decode/decode.h"
#include "api/text/json_view.h"
#include "api/text/yaml.h"
#include "api/validate/validate.h"
#include "api/values/defaults.h"
#include "app/kubectl/file_places.h"
#include "explain/workload/placing_order.h"
#include "explain/workload/workload.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

const std::string kReportWithoutQuestion = "SchedulingReport without dryRun: true";
constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

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
  const auto* claims = api::find_at(object, "/spec/volumeClaimTemplates");
  if (!claims || !claims->is_array()) return;
  auto& volumes = spec["volumes"];
  if (!volumes.is_array()) volumes = json::array();
  for (const auto& claim : claims->get_array()) {
    const auto name = api::text_at(claim, "/metadata/name");
    volumes.get_array().push_back(json::object{
        {"name", name},
        {"persistentVolumeClaim",
         json::object{{"claimName", name + "-" + api::text_at(object, "/metadata/name") + "-0"}}}});
  }
}

// Removes fields that a template does not need: a StatefulSet's claims as volumes, and the scheduler's name
// if the author did not set it.
void remove_added(const json::value& object, const json::value* given, json::object& spec) {
  std::vector<std::string> added;
  if (const auto* claims = api::find_at(object, "/spec/volumeClaimTemplates"); claims && claims->is_array()) {
    for (const auto& claim : claims->get_array()) added.push_back(api::text_at(claim, "/metadata/name"));
  }
  if (auto* volumes = spec.if_contains("volumes"); volumes && volumes->is_array()) {
    auto& list = volumes->get_array();
    list.erase(std::remove_if(list.begin(), list.end(),
                              [&](const json::value& volume) {
                                return std::ranges::find(added, api::text_at(volume, "/name")) != added.end();
                              }),
               list.end());
    if (list.empty()) spec.erase("volumes");
  }
  if (!given || !api::find_at(*given, "/schedulerName")) spec.erase("schedulerName");
}

// The maker of an object that objects_of_file() returned, or that the API server has. Null: no maker.
const PodMaker* maker_of(const json::value& object) {
  const auto kind = api::text_at(object, "/kind");
  const auto found = std::ranges::find(api::pod_makers(), kind, &PodMaker::kind);
  return found == api::pod_makers().end() ? nullptr : &*found;
}

// Adds the faults that the API server would find in the object's pod. `known`: those that ended the reading.
void add_pod_faults(const FileObject& object, const std::vector<Finding>& known, Problems& problems) {
  const auto& path = object.maker->pod_template;
  const auto* source = path.empty() ? &object.value : api::find_at(object.value, path);
  auto pod = source ? api::decode_pod_template(*source) : Result<api::Pod>();
  if (!source || !pod) return;
  api::set_defaults(*pod);
  auto below = std::string(path.empty() ? "" : path.substr(1));
  std::ranges::replace(below, '/', '.');
  for (const auto& [of_pod, reason, is_whole] : api::validate(*pod)) {
    if (of_pod.starts_with("metadata.") || is_whole) continue;
    const auto at = below.empty() ? of_pod : fmt::format("{}.{}", below, of_pod);
    const bool is_known =
        std::ranges::any_of(known, [&](const Finding& each) { return each.path.starts_with(at); });
    if (!is_known) problems.add(fmt::format("{}: {}: {}", object.place(at), at, reason));
  }
}

// Reads it as podium does. Fields of a newer API are allowed: the API server and podium check them. They are
// named next to another fault.
void check_workload(const FileObject& object, const std::string& ns, Problems& problems) {
  const auto& value = object.value;
  const auto* metadata = api::find_at(value, "/metadata");
  if (!metadata || !metadata->is_object())
    return problems.add(fmt::format("{}: metadata: required", object.place("metadata")));
  // A pod that kubectl printed has more than a pod that a user may create.
  if (object.maker->kind == "Pod" && !api::text_at(value, "/metadata/uid").empty()) return;
  api::ObjectMeta meta;
  meta.name = api::text_at(value, "/metadata/name");
  meta.namespace_ = api::text_at(value, "/metadata/namespace");
  if (meta.namespace_.empty()) meta.namespace_ = ns;
  const auto manifest = FieldPath::document("manifest");
  const auto read = explain::read_template(value, manifest, meta, true);
  if (read) return;
  if (const auto known = explain::check_known_fields(value, object.maker->kind, manifest); !known)
    problems.add(with_places(known.error(), object));
  problems.add(with_places(read.error(), object));
  add_pod_faults(object, findings_of(read.error()), problems);
}

}  // namespace

Result<FileObjects> objects_of_file(std::string_view text, const std::string& source, const std::string& ns,
                                    bool may_make_none) {
  auto documents = api::parse_documents(text, source);
  if (!documents) return std::unexpected(documents.error());
  Problems problems;
  auto sorted = api::sort_objects(std::move(*documents), source, problems);
  FileObjects out;
  for (auto& object : sorted.objects) {
    if (object.role == api::Role::makes_pods) {
      check_workload(object, ns, problems);
      out.makers.push_back(std::move(object));
      continue;
    }
    const auto* dry_run = api::find_at(object.value, "/spec/dryRun");
    if (object.role == api::Role::question && dry_run && *dry_run == json::value(true)) {
      out.questions.push_back(std::move(object));
      continue;
    }
    const bool is_report = object.role == api::Role::question;  // of a decision
    const auto kind = is_report ? kReportWithoutQuestion : api::text_at(object.value, "/kind");
    const bool is_context = object.role == api::Role::context;
    if (!is_context && std::ranges::find(out.not_asked, kind) == out.not_asked.end())
      out.not_asked.push_back(kind);
    if (is_report) continue;
    out.others.push_back(std::move(object));
  }
  for (auto& skipped : sorted.skipped) out.not_asked.push_back(std::move(skipped));
  if (out.makers.empty() && out.questions.empty() && !may_make_none && !problems) {
    std::vector<std::string> found;
    for (const auto& each : out.others) {
      if (auto kind = api::text_at(each.value, "/kind"); std::ranges::find(found, kind) == found.end())
        found.push_back(std::move(kind));
    }
    for (const auto& each : out.not_asked) {
      if (std::ranges::find(found, each) == found.end()) found.push_back(each);
    }
    problems.add(fmt::format("{}: contains {}{}{}", source, api::kNoPodMaker,
                             found.empty() ? "" : "; it has ", fmt::join(found, ", ")));
  }
  if (problems) return std::unexpected(problems.error());
  return out;
}

namespace {

// With the labels, the affinity and the priority of the template.
api::Pod template_pod(const FileObject& object, const std::string& ns, const api::PodAdmission& admission) {
  const auto* source = &object.value;
  if (!object.maker->pod_template.empty()) source = api::find_at(object.value, object.maker->pod_template);
  auto decoded = source ? api::decode_pod_template(*source) : Result<api::Pod>();
  auto pod = decoded ? std::move(*decoded) : api::Pod();
  pod.meta.namespace_ = api::text_at(object.value, "/metadata/namespace");
  if (pod.meta.namespace_.empty()) pod.meta.namespace_ = ns;
  // Whatever else is wrong with it, the question about it says so.
  (void)admission.admit(pod);
  return pod;
}

}  // namespace

std::vector<const FileObject*> in_placing_order(const std::vector<const FileObject*>& makers,
                                                const std::string& ns, const api::PodAdmission& admission) {
  std::vector<api::Pod> pods;
  for (const auto* maker : makers) pods.push_back(template_pod(*maker, ns, admission));
  std::vector<const FileObject*> out;
  for (const auto i : explain::placing_order(pods)) out.push_back(makers[i]);
  return out;
}

Result<json::value> pod_of(const json::value& object, const std::string& ns) {
  const auto kind = api::text_at(object, "/kind"), name = api::text_at(object, "/metadata/name");
  const auto* maker = maker_of(object);
  const auto* source =
      maker && !maker->pod_template.empty() ? api::find_at(object, maker->pod_template) : &object;
  const auto* spec = source ? api::find_at(*source, "/spec") : nullptr;
  if (!spec || !spec->is_object()) {
    const auto where =
        maker ? std::string(maker->pod_template.empty() ? "" : maker->pod_template.substr(1)) : "";
    auto path = where + (where.empty() ? "spec" : "/spec");
    std::ranges::replace(path, '/', '.');
    return invalid(kind + " " + name + ": " + path + ": missing");
  }
  const auto* metadata = api::find_at(*source, "/metadata");
  auto meta = metadata ? labels_and_annotations(*metadata) : json::object();
  meta["generateName"] = (name.empty() ? std::string("whatif") : name.substr(0, 50)) + "-";
  meta["namespace"] = ns;
  json::object pod_spec = spec->get_object();
  // A pod that kubectl printed is on its node. Any other pod with nodeName requests the node
  // and skips the scheduler.
  if (kind == "Pod" && api::find_at(object, "/metadata/uid")) pod_spec.erase("nodeName");
  if (kind == "StatefulSet") add_claims(object, pod_spec);
  return json::object{
      {"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", std::move(meta)}, {"spec", std::move(pod_spec)}};
}

json::value template_of(const json::value& object, const json::value& admitted) {
  const auto kind = api::text_at(object, "/kind");
  const auto* maker = maker_of(object);
  const auto* source =
      maker && !maker->pod_template.empty() ? api::find_at(object, maker->pod_template) : &object;
  const auto *spec = api::find_at(admitted, "/spec"), *metadata = api::find_at(admitted, "/metadata");
  json::object pod_template{{"metadata", metadata ? labels_and_annotations(*metadata) : json::object()},
                            {"spec", spec ? spec->get_object() : json::object()}};
  remove_added(object, source ? api::find_at(*source, "/spec") : nullptr, pod_template["spec"].get_object());
  if (kind == "Pod") return pod_template;
  json::object whole = object.get_object();
  whole.erase("status");
  json::object meta;
  if (const auto* given = api::find_at(object, "/metadata"); given && given->is_object()) {
    meta = labels_and_annotations(*given);
    for (const char* key : {"name", "generateName", "namespace"}) {
      if (const auto* field = given->get_object().if_contains(key)) meta[key] = *field;
    }
  }
  whole["metadata"] = std::move(meta);
  if (kind == "CronJob") {  // a run of it is a Job
    const auto* job = api::find_at(object, "/spec/jobTemplate/spec");
    whole["kind"] = "Job";
    whole["spec"] = job ? *job : json::value(json::object());
  }
  whole["spec"].as_object()["template"] = std::move(pod_template);
  return whole;
}

void drop_copies(FileObjects& objects, KnownMakers& known, Problems& problems) {
  std::erase_if(objects.makers, [&](const FileObject& object) {
    const auto name = api::text_at(object.value, "/metadata/name");
    if (name.empty()) return false;
    const auto key =
        fmt::format("{} {}/{}", object.maker->kind, api::text_at(object.value, "/metadata/namespace"), name);
    const auto [first, is_new] = known.try_emplace(key, object.value);
    if (!is_new && first->second != object.value)
      problems.add(
          fmt::format("{}: {} {} appears twice", object.place("metadata.name"), object.maker->kind, name));
    return !is_new;
  });
}

json::object pods_before(json::value pod_template, int replicas) {
  json::object change{{"type", "AddPods"}, {"template", std::move(pod_template)}};
  if (replicas > 0) change["count"] = replicas;
  return change;
}

}  // namespace podium::kubectl
