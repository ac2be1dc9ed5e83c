#include "controller/report_spec.h"

#include <fmt/format.h>

#include "api/decode.h"
#include "api/known_fields.h"
#include "client/decode/watch_lines.h"

namespace podium::controller {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds kLongestTtl = std::chrono::hours(720);

const json::object* object_at(const json::value& parent, std::string_view key) {
  if (!parent.is_object()) return nullptr;
  const auto* value = parent.as_object().if_contains(key);
  return value ? value->if_object() : nullptr;
}

std::string string_at(const json::object& parent, std::string_view key) {
  const auto* value = parent.if_contains(key);
  return value && value->is_string() ? std::string(value->as_string()) : std::string();
}

// A pod gets labels, annotations and owners from its template; name, namespace and UID come
// from the report.
api::ObjectMeta meta_of_pod(api::ObjectMeta of_template, const api::ObjectMeta& report) {
  api::ObjectMeta meta;
  meta.name = report.name;
  meta.namespace_ = report.namespace_;
  meta.uid = report.uid;
  meta.labels = std::move(of_template.labels);
  meta.annotations = std::move(of_template.annotations);
  meta.owners = std::move(of_template.owners);
  return meta;
}

Result<void> read_template(const json::value& value, Question& question) {
  if (const auto path = api::detail::first_unknown_field(value, "PodTemplateSpec")) {
    return invalid("spec.template." + *path + ": unknown field");
  }
  auto pod = api::decode_pod_template(value);
  if (!pod) return invalid("spec.template." + pod.error().message);
  if (pod->containers.empty()) return invalid("spec.template.spec.containers: at least one is needed");
  if (!pod->node_name.empty()) {
    return invalid("spec.template.spec.nodeName: must be empty: a pod that names its node is not scheduled");
  }
  auto claims = read_ephemeral_claims(value);
  if (!claims) return invalid("spec.template." + claims.error().message);
  question.claims = std::move(*claims);
  const auto* spec = object_at(value, "spec");
  question.names_scheduler = spec && spec->contains("schedulerName");
  pod->meta = meta_of_pod(std::move(pod->meta), question.meta);
  question.pod = std::move(*pod);
  return {};
}

Result<void> read_reference(const json::value& value, Question& question) {
  const auto* ref = value.if_object();
  question.pod_name = ref ? string_at(*ref, "name") : "";
  question.pod_uid = ref ? string_at(*ref, "uid") : "";
  if (question.pod_name.empty()) return invalid("spec.podRef.name: required");
  return {};
}

Result<void> read_spec(const json::value& value, std::chrono::seconds default_ttl, Question& question) {
  const auto* spec = value.if_object();
  if (!spec) return invalid("spec: required");
  question.ttl = report_ttl(&value, default_ttl);
  question.profile = string_at(*spec, "profile");
  if (const auto* replicas = spec->if_contains("replicas")) {
    const auto* count = replicas->if_int64();
    if (!count || *count < 1 || *count > 1000) return invalid("spec.replicas: must be between 1 and 1000");
    question.replicas = static_cast<std::int32_t>(*count);
  }
  const auto* pod_template = spec->if_contains("template");
  const auto* pod_ref = spec->if_contains("podRef");
  if ((pod_template != nullptr) == (pod_ref != nullptr)) {
    return invalid("spec: a what-if needs exactly one of template and podRef");
  }
  return pod_template ? read_template(*pod_template, question) : read_reference(*pod_ref, question);
}

}  // namespace

std::optional<std::chrono::seconds> parse_ttl(std::string_view text) {
  std::int64_t total = 0, number = -1;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      number = (number < 0 ? 0 : number) * 10 + (c - '0');
      if (number > 1'000'000'000) return std::nullopt;
      continue;
    }
    const std::int64_t unit = c == 'h' ? 3600 : c == 'm' ? 60 : c == 's' ? 1 : 0;
    if (number < 0 || unit == 0) return std::nullopt;
    total += number * unit;
    number = -1;
  }
  if (number >= 0 || text.empty()) return std::nullopt;
  return std::chrono::seconds(total);
}

std::chrono::seconds report_ttl(const json::value* spec, std::chrono::seconds default_ttl) {
  const auto* object = spec ? spec->if_object() : nullptr;
  const auto ttl = object ? parse_ttl(string_at(*object, "ttl")) : std::nullopt;
  return ttl && ttl->count() > 0 && *ttl <= kLongestTtl ? *ttl : default_ttl;
}

Result<void> check_size(const ReportText& report) {
  if (report.template_bytes > kTemplateBytes) return invalid("spec.template: larger than 64 KiB");
  if (report.template_depth > kTemplateDepth) {
    return invalid(fmt::format("spec.template: nested deeper than {} levels", kTemplateDepth));
  }
  if (report.bytes > kObjectBytes) return invalid("metadata: the whole report is larger than 1 MiB");
  return {};
}

Result<Question> read_question(const ReportText& report, std::chrono::seconds default_ttl) {
  if (auto size = check_size(report); !size) return std::unexpected(size.error());
  auto spec = report.spec.empty() ? json::value() : client::parse_api_json(report.spec, {});
  if (!spec) return invalid("spec: " + spec.error().message);
  Question question;
  question.meta.namespace_ = report.ns;
  question.meta.name = report.name;
  question.meta.uid = report.uid;
  question.meta.generation = report.generation;
  if (auto read = read_spec(*spec, default_ttl, question); !read) return std::unexpected(read.error());
  return question;
}

Result<void> read_pod(std::string_view json, Question& question) {
  if (json.size() > kObjectBytes) return invalid("spec.podRef.name: the pod is larger than 1 MiB");
  const auto live = client::parse_api_json(json, {});
  if (!live) return invalid("spec.podRef: " + live.error().message);
  auto pod = api::decode_pod(*live);
  if (!pod) return invalid("spec.podRef: " + pod.error().message);
  if (!question.pod_uid.empty() && question.pod_uid != pod->meta.uid) {
    return invalid("spec.podRef.uid: pod " + question.pod_name + " has another UID");
  }
  if (!pod->node_name.empty()) {
    return invalid("spec.podRef.name: pod " + question.pod_name + " is on node " + pod->node_name +
                   " already");
  }
  auto claims = read_ephemeral_claims(*live);
  if (!claims) return invalid("spec.podRef: " + claims.error().message);
  question.claims = std::move(*claims);
  question.names_scheduler = true;
  question.pod = std::move(*pod);
  return {};
}

}  // namespace podium::controller
