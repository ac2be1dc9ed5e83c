#include "app/report_api/question_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cmath>

#include "api/text/json_memory.h"
#include "api/text/yaml.h"
#include "api/validate/validate.h"
#include "base/ascii.h"
#include "explain/question/question.h"
#include "explain/report/report_labels.h"

namespace podium::app::report_api {
namespace {

namespace json = boost::json;

constexpr std::size_t kNodes = 100'000;  // of a YAML document, after alias expansion
using explain::kReportKind;
using explain::kReportVersion;

const json::object* object_at(const json::object& parent, std::string_view key) {
  const auto* value = parent.if_contains(key);
  return value ? value->if_object() : nullptr;
}

std::string text_at(const json::object& parent, std::string_view key) {
  const auto* value = parent.if_contains(key);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

// Refuses what is not UTF-8, unlike api::parse_json: replies repeat parts of this text.
Result<json::value> parse_text_of_client(std::string_view text) {
  json::parse_options options;
  options.max_depth = 256;
  boost::system::error_code failure;
  auto value = json::parse(text, failure, api::json_memory(), options);
  if (failure) return invalid("body: not JSON: " + failure.message());
  return value;
}

// Such a number cannot be written as JSON again. The value is at most 256 levels deep.
bool has_infinite_number(const json::value& value) {
  if (const auto* number = value.if_double()) return !std::isfinite(*number);
  if (const auto* array = value.if_array()) return std::ranges::any_of(*array, has_infinite_number);
  const auto* object = value.if_object();
  return object &&
         std::ranges::any_of(*object, [](const auto& field) { return has_infinite_number(field.value()); });
}

Result<json::value> parse(const QuestionBody& body) {
  if (body.type == ContentType::json) return parse_text_of_client(body.text);
  auto documents =
      api::parse_documents(body.text, "body", {.bytes = body.text.size(), .nodes = kNodes, .lines = false});
  if (!documents) return std::unexpected(documents.error());
  if (documents->size() != 1)
    return invalid(fmt::format("body: has {} documents; a request asks one question", documents->size()));
  return std::move(documents->front().value);
}

Result<std::string> check_metadata(const json::object& manifest, const std::string& ns) {
  const auto* metadata = object_at(manifest, "metadata");
  if (!metadata) return std::string("what-if");
  const auto own = text_at(*metadata, "namespace");
  if (!own.empty() && own != ns)
    return invalid(fmt::format("metadata.namespace: is {:?}, and the path says {:?}", own, ns));
  const auto name = text_at(*metadata, "name");
  return api::is_dns_subdomain(name) ? name : std::string("what-if");
}

Result<json::object> spec_of_manifest(json::object& manifest, const json::object& query) {
  json::object spec = query;
  spec["dryRun"] = true;
  spec["template"] = std::move(manifest);
  return spec;
}

Result<void> check_report(const json::object& report) {
  if (text_at(report, "apiVersion") != kReportVersion)
    return invalid(fmt::format("apiVersion: must be {} for a {}", kReportVersion, kReportKind));
  constexpr std::string_view kKnown[] = {"apiVersion", "kind", "metadata", "spec", "status"};
  for (const auto& [field, value] : report) {
    if (std::ranges::find(kKnown, std::string_view(field)) == std::end(kKnown))
      return invalid(fmt::format("{}: unknown field", std::string_view(field)));
  }
  const auto* spec = object_at(report, "spec");
  if (!spec) return invalid("spec: required");
  const auto* dry_run = spec->if_contains("dryRun");
  if (!dry_run || *dry_run != json::value(true)) return invalid("spec.dryRun: must be true");
  return {};
}

// Merges the spec of the report and the parameters of the query. Refuses a field that both have.
Result<json::object> spec_of_report(const json::object& report, const json::object& query) {
  if (auto checked = check_report(report); !checked) return std::unexpected(checked.error());
  json::object spec = report.at("spec").as_object();
  for (const auto& [name, value] : query) {
    if (spec.contains(name)) return invalid(fmt::format("{}: also given in spec", std::string_view(name)));
    spec[name] = value;
  }
  // The TTL and the interval of answers apply only to reports in the cluster.
  for (const auto* of_an_object : {"ttlSeconds", "refreshSeconds"}) spec.erase(of_an_object);
  return spec;
}

// A manifest is the body, and the fields next to it come from the query.
explain::QuestionPaths paths_of(bool is_report) {
  if (is_report) return {};
  return {.spec = FieldPath::document("query"), .pod_template = FieldPath::document("body")};
}

}  // namespace

std::optional<ContentType> content_type_of(std::string_view header) {
  const auto type = trimmed(header.substr(0, header.find(';')));
  if (equal_fold(type, "application/json")) return ContentType::json;
  for (const auto* yaml : {"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"}) {
    if (equal_fold(type, yaml)) return ContentType::yaml;
  }
  return std::nullopt;
}

Result<QuestionPtr> read_question_body(const QuestionBody& body) {
  auto manifest = parse(body);
  if (!manifest) return std::unexpected(manifest.error());
  if (has_infinite_number(*manifest)) return invalid("body: a number is too large");
  if (!manifest->is_object()) return invalid("body: must be an object");
  auto& object = manifest->get_object();
  if (!object.contains("kind")) return invalid("kind: required");
  const auto name = check_metadata(object, body.ns);
  if (!name) return std::unexpected(name.error());
  const bool is_report = text_at(object, "kind") == kReportKind;
  auto spec = is_report ? spec_of_report(object, body.fields) : spec_of_manifest(object, body.fields);
  if (!spec) return std::unexpected(spec.error());

  api::ObjectMeta meta;
  meta.namespace_ = body.ns;
  meta.name = *name;
  meta.uid = body.uid;
  meta.generation = 1;
  auto question =
      explain::read_question(std::move(*spec), std::move(meta), std::chrono::seconds(1), paths_of(is_report));
  if (!question) return std::unexpected(question.error());
  question->withholds_node_names = body.withholds_node_names;
  return std::make_shared<const explain::Question>(std::move(*question));
}

}  // namespace podium::app::report_api
