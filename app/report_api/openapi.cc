#include "app/report_api/openapi.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <string>
#include <utility>

#include "app/report_api/routes.h"
#include "base/version.h"

namespace podium::app::report_api {
namespace {

namespace json = boost::json;

struct Failure {
  const char *code, *when;
  bool of_questions_only, is_text = false;
};
constexpr Failure kFailures[] = {
    {"400", "the path, a parameter or the body is malformed", false},
    {"401", "no credentials, or invalid ones", false},
    {"403", "the user may not do this in the namespace", false},
    {"404",
     "there is no decision on the pod, the object of a question does not exist, or `whatIf.enabled` is false",
     false},
    {"405", "the method is not allowed; the header Allow lists those that are", false},
    {"408", "the body did not arrive in time", true},
    {"413", "the body is larger than 1 MiB", true},
    {"415", "the body is neither JSON nor YAML", true},
    {"422",
     "podium refuses the question, such as one with an unknown profile or node, or the API server would "
     "refuse the pod",
     true},
    {"429", "the user sends too many requests; Retry-After says when to send the next", false},
    {"431", "the path and the headers are larger than 16 KiB together; the connection ends", false, true},
    {"503", "this process cannot answer now: it follows another, starts or stops", false},
    {"504", "the answer took too long", true},
};

json::object reference(const std::string& name) { return {{"$ref", "#/components/schemas/" + name}}; }

json::object in_json(json::object schema) {
  return {{"application/json", json::object{{"schema", std::move(schema)}}}};
}

json::object text_schema() { return {{"type", "string"}}; }
json::object integer_schema() { return {{"type", "integer"}, {"format", "int64"}}; }

json::object list_of(json::object items, int most) {
  return {{"type", "array"}, {"items", std::move(items)}, {"maxItems", most}};
}

json::object object_of(json::object properties) {
  json::array required;
  for (const auto& [name, schema] : properties) required.emplace_back(name);
  return {{"type", "object"}, {"required", std::move(required)}, {"properties", std::move(properties)}};
}

json::object anything(const char* description) { return {{"type", "object"}, {"description", description}}; }

json::object schemas() {
  return {
      {"HostScore", object_of({{"Host", text_schema()}, {"Score", integer_schema()}})},
      {"Scores", list_of(reference("HostScore"), 10)},
      {"Strategy", object_of({{"Strategy", text_schema()},
                              {"Weight", integer_schema()},
                              {"HostPriority", list_of(reference("HostScore"), 5)}})},
      {"Strategies", list_of(reference("Strategy"), 32)},
      {"Decisions",
       object_of({{"metadata", anything("continue: the parameter of the next page, if there is one")},
                  {"items", list_of(reference("DecisionLine"), static_cast<int>(kLongestPage))}})},
      {"DecisionLine",
       anything(
           "namespace, name, uid, outcome, summary, attempts; if they apply: node, score, rejection (as in a "
           "report, without examples), schedulingGates, since (the oldest known attempt), decidedAt, gone; "
           "of a pending pod: created, workload, requests, resourceClaims, nodeSelector. With words=true: "
           "words (asks, reason, missing)")},
      {"Changes", object_of({{"version", text_schema()}})},
      {"Nodes",
       anything("metadata: leader, nodes, cordoned. resources: their names. zones: name, nodes, cordoned, "
                "allocatable, requested, free (without cordoned nodes). items: name, zone, cordoned, pods, "
                "allocatable, requested. Amounts are in the order of resources: cpu in thousandths of a "
                "core, all others in whole units")},
      {"Access", anything("user, leader, mayListNodes, mayListDecisions; with namespace: mayAskAboutPods")},
      {"SchedulingReport",
       anything("podium.dev/v1alpha1 SchedulingReport: docs/reports.md; with words=true also words")},
      {"Manifest",
       anything("a Pod, Deployment, ReplicaSet, StatefulSet, DaemonSet or Job; or a SchedulingReport with "
                "dryRun: true")},
      {"Status", anything("v1 Status of Kubernetes, with reason, code and message")},
  };
}

std::string schema_of(Form form) {
  switch (form) {
    case Form::scores:
      return "Scores";
    case Form::strategies:
      return "Strategies";
    case Form::decisions:
      return "Decisions";
    case Form::changes:
      return "Changes";
    case Form::nodes:
      return "Nodes";
    case Form::access:
      return "Access";
    default:
      return "SchedulingReport";
  }
}

json::array parameters_json(const Route& route) {
  json::array out;
  const auto add_path = [&](const char* name) {
    out.push_back(
        json::object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", text_schema()}});
  };
  const auto has = [&](const char* name) { return route.pattern.text().contains(name); };
  if (has("{namespace}")) add_path("namespace");
  if (has("{pod}")) add_path("pod");
  for (const auto& one : parameters_of(route)) {
    auto schema = text_schema();
    if (one.type == Parameter::Type::flag) schema = {{"type", "boolean"}};
    if (one.type == Parameter::Type::integer)
      schema = {{"type", "integer"}, {"minimum", one.least}, {"maximum", one.most}};
    out.push_back(json::object{{"name", one.name},
                               {"in", "query"},
                               {"description", one.description},
                               {"schema", std::move(schema)}});
  }
  return out;
}

json::object responses_of(const Route& route) {
  json::object out{{"200", json::object{{"description", route.summary},
                                        {"content", in_json(reference(schema_of(route.form)))}}}};
  for (const auto& failure : kFailures) {
    if (failure.of_questions_only && !route.is_question) continue;
    auto content = failure.is_text ? json::object{{"text/plain", json::object{{"schema", text_schema()}}}}
                                   : in_json(reference("Status"));
    out[failure.code] = json::object{{"description", failure.when}, {"content", std::move(content)}};
  }
  return out;
}

json::object operation_of(const Route& route) {
  json::object out{{"summary", route.summary}, {"parameters", parameters_json(route)}};
  if (route.is_question) {
    auto content = in_json(reference("Manifest"));
    content["application/yaml"] = content["application/json"];
    out["requestBody"] = json::object{{"required", true}, {"content", std::move(content)}};
  }
  out["responses"] = responses_of(route);
  return out;
}

}  // namespace

json::object openapi_document() {
  json::object paths;
  for (const auto& route : routes()) {
    auto& path = paths[route.pattern.text()];
    if (!path.is_object()) path = json::object();
    path.as_object()[route.is_question ? "post" : "get"] = operation_of(route);
  }
  const json::object bearer{{"type", "http"}, {"scheme", "bearer"}};
  return {{"openapi", "3.0.3"},
          {"info", json::object{{"title", "podium"}, {"version", std::string(kVersion)}}},
          {"paths", std::move(paths)},
          {"components",
           json::object{{"schemas", schemas()}, {"securitySchemes", json::object{{"bearer", bearer}}}}},
          {"security", json::array{json::object{{"bearer", json::array()}}}}};
}

}  // namespace podium::app::report_api
