#include "controller/report_spec.h"

#include <boost/json/serialize.hpp>

#include "api/decode.h"

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

Result<void> read_template(const json::value& value, Question& question) {
  if (json::serialize(value).size() > kTemplateBytes) return invalid("spec.template: larger than 64 KiB");
  auto pod = api::decode_pod_template(value);
  if (!pod) return invalid("spec.template." + pod.error().message);
  if (pod->containers.empty()) return invalid("spec.template.spec.containers: at least one is needed");
  auto claims = read_ephemeral_claims(value);
  if (!claims) return invalid("spec.template." + claims.error().message);
  question.claims = std::move(*claims);
  const auto* spec = object_at(value, "spec");
  question.names_scheduler = spec && spec->contains("schedulerName");
  pod->meta.name = question.meta.name;
  pod->meta.namespace_ = question.meta.namespace_;
  question.pod = std::move(*pod);
  return {};
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

Result<Question> read_question(const json::value& report, std::chrono::seconds default_ttl) {
  Question question;
  auto meta = api::decode_meta(report);
  if (!meta) return std::unexpected(meta.error());
  question.meta = std::move(*meta);
  const auto* spec = object_at(report, "spec");
  if (!spec) return invalid("spec: required");
  question.ttl = report_ttl(report.as_object().if_contains("spec"), default_ttl);
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
  if (pod_template) {
    if (auto read = read_template(*pod_template, question); !read) return std::unexpected(read.error());
  } else {
    const auto* ref = pod_ref->if_object();
    question.pod_name = ref ? string_at(*ref, "name") : "";
    if (question.pod_name.empty()) return invalid("spec.podRef.name: required");
  }
  return question;
}

}  // namespace podium::controller
