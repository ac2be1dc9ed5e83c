#include "controller/report/report_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <functional>
#include <utility>

#include "api/text/json_string.h"
#include "base/time.h"
#include "client/api.h"
#include "client/auth/url.h"
#include "controller/report/metadata.h"
#include "explain/report/bounds.h"
#include "explain/report/report_labels.h"

namespace podium::controller {
namespace {

namespace json = boost::json;

client::Request request(std::string method, std::string target, std::string body) {
  client::Request made;
  made.method = std::move(method);
  made.target = std::move(target);
  made.body = std::move(body);
  made.accept = client::kBriefReply;
  made.timeout = std::chrono::seconds(10);
  return made;
}

// The target of a write to this path.
std::string target_of(const std::string& path) { return path + "?fieldManager=" + client::kFieldManager; }

// Steps of a JSON patch. A field that is absent equals null.
std::string test_of(const StatusBefore& before) {
  if (!before.decided_at) return R"({"op":"test","path":"/status","value":null})";
  return fmt::format(R"({{"op":"test","path":"/status/decidedAt","value":"{}"}},)"
                     R"({{"op":"test","path":"/status/attempts","value":{}}},)"
                     R"({{"op":"test","path":"/status/outcome","value":"{}"}},)"
                     R"({{"op":"test","path":"/status/summary/reason","value":{}}})",
                     format_time(*before.decided_at), before.attempts, before.outcome,
                     json::serialize(json::value(before.reason)));
}

}  // namespace

StatusBefore identify(const explain::ReportStatus& status) {
  return {status.decided_at, status.attempts, status.outcome, explain::summary_of(status).reason};
}

ReportLabels labels_of(const explain::ReportStatus& status, const char* kind) {
  return {kind, status.outcome, status.expires_at};
}

json::object to_json(const ReportLabels& labels) {
  json::object out{{explain::kReportLabel, labels.kind}};
  if (!labels.outcome.empty()) out[explain::kOutcomeLabel] = labels.outcome;
  if (labels.expires) out[explain::kExpiresLabel] = expiry_minute(*labels.expires);
  return out;
}

std::string report_body(const ReportOwner& owner, const std::string& name, const ReportNotes& notes,
                        const explain::ReportStatus& status) {
  std::string out;
  out.reserve(768);
  const auto add = [&out](std::string_view before, std::string_view text) {
    out += before;
    api::append_json(out, text);
  };
  const auto add_label = [&](std::string_view key, std::string_view text) {
    if (out.back() != '{') out += ',';
    add("", key);
    add(":", text);
  };
  add(R"({"apiVersion":)", explain::kReportVersion);
  add(R"(,"kind":)", explain::kReportKind);
  add(R"(,"metadata":{"name":)", name);
  add(R"(,"namespace":)", owner.ns);
  out += R"(,"labels":{)";
  const auto labels = labels_of(status, explain::kDecision);
  add_label(explain::kReportLabel, labels.kind);
  if (!labels.outcome.empty()) add_label(explain::kOutcomeLabel, labels.outcome);
  if (labels.expires) add_label(explain::kExpiresLabel, expiry_minute(*labels.expires));
  out += R"(},"annotations":{)";
  add_label(explain::kTtlAnnotation, std::to_string(notes.ttl.count()));
  add_label(explain::kBytesAnnotation, std::to_string(notes.bytes));
  add(R"(}},"spec":{"podRef":{"name":)", owner.pod);
  add(R"(,"uid":)", owner.uid);
  out.append(R"(},"dryRun":false,"ttlSeconds":)").append(std::to_string(notes.ttl.count())).append("}}");
  return out;
}

client::Request make_report(const ReportOwner& owner, const std::string& name, const ReportNotes& notes,
                            const explain::ReportStatus& status) {
  return request("POST", target_of(client::resource::scheduling_reports.path(owner.ns)),
                 report_body(owner, name, notes, status));
}

std::size_t status_bytes(const ReportOwner& owner, const std::string& name) {
  return explain::kReportBytes - explain::kOtherBytes - name.size() - owner.pod.size() - owner.ns.size() -
         owner.uid.size();
}

client::Request fill_report(const ReportOwner& owner, const std::string& name, const StatusBefore& before,
                            const explain::ReportStatus& status) {
  auto made = request("PATCH", target_of(client::resource::scheduling_reports.path(owner.ns, name, "status")),
                      fmt::format(R"([{{"op":"test","path":"/spec/podRef/uid","value":{}}},)"
                                  R"({{"op":"test","path":"/spec/dryRun","value":false}},)"
                                  R"({},{{"op":"add","path":"/status","value":{}}}])",
                                  json::serialize(json::value(owner.uid)), test_of(before),
                                  explain::bounded_json(status, status_bytes(owner, name))));
  made.content_type = "application/json-patch+json";
  return made;
}

client::Request label_report(const std::string& ns, const std::string& name, const std::string& uid,
                             const ReportLabels& labels, const std::string& version) {
  auto wanted = to_json(labels);
  if (!labels.expires) wanted[explain::kExpiresLabel] = nullptr;
  json::object metadata{{"uid", uid}, {"labels", std::move(wanted)}};
  if (!version.empty()) metadata["resourceVersion"] = version;
  auto made = request("PATCH", target_of(client::resource::scheduling_reports.path(ns, name)),
                      json::serialize(json::object{{"metadata", std::move(metadata)}}));
  made.content_type = "application/merge-patch+json";
  return made;
}

client::Request delete_report(const std::string& ns, const std::string& name, const std::string& uid,
                              const std::string& version) {
  json::object preconditions{{"uid", uid}};
  if (!version.empty()) preconditions["resourceVersion"] = version;
  return request(
      "DELETE", client::resource::scheduling_reports.path(ns, name),
      json::serialize(json::object{
          {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", std::move(preconditions)}}));
}

std::string labels_of_minute(std::uint32_t minute) {
  return fmt::format("{}={},{}={}", explain::kExpiresLabel, expiry_minute(Wall(std::chrono::minutes(minute))),
                     explain::kReportLabel, explain::kDecision);
}

client::Request delete_minute(const std::string& ns, std::uint32_t minute) {
  const auto labels = labels_of_minute(minute);
  auto made =
      request("DELETE",
              fmt::format("{}?limit={}&labelSelector={}&fieldSelector={}",
                          client::resource::scheduling_reports.path(ns), kDeletedTogether,
                          client::percent_encode(labels), client::percent_encode("spec.dryRun!=true")),
              json::serialize(json::object{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}}));
  made.accept = client::kBriefListReply;
  made.timeout = std::chrono::seconds(60);
  return made;
}

std::string suffixed(const std::string& pod, const std::string& uid) {
  constexpr std::size_t kLongest = 246;  // 253 minus a dash and six hex digits
  auto base = pod.substr(0, std::min(pod.size(), kLongest));
  while (!base.empty() && (base.back() == '.' || base.back() == '-')) base.pop_back();
  return fmt::format("{}-{:06x}", base, std::hash<std::string>{}(uid) & 0xFFFFFF);
}

}  // namespace podium::controller
