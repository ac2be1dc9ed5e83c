#include "controller/report_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <functional>
#include <utility>

#include "client/api.h"
#include "controller/report_metadata.h"

namespace podium::controller {
namespace {

namespace json = boost::json;

client::Request request(std::string method, std::string target, const json::value& body) {
  client::Request made;
  made.method = std::move(method);
  made.target = std::move(target);
  made.body = json::serialize(body);
  made.accept = client::kBriefReply;
  made.timeout = std::chrono::seconds(10);
  return made;
}

json::object without_nulls(json::object object) {
  for (auto it = object.begin(); it != object.end();) {
    if (it->value().is_null())
      it = object.erase(it);
    else
      ++it;
  }
  return object;
}

json::object step(std::string_view op, std::string_view path, json::value value) {
  const auto memory = value.storage();
  return json::object({{"op", op}, {"path", path}, {"value", std::move(value)}}, memory);
}

}  // namespace

json::value report_body(const ReportOwner& owner, const std::string& name, std::chrono::seconds ttl) {
  json::object metadata{{"name", name},
                        {"namespace", owner.ns},
                        {"labels", {{kReportLabel, kDecision}}},
                        {"annotations", {{kTtlAnnotation, std::to_string(ttl.count())}}}};
  return json::object{{"apiVersion", "podium.dev/v1alpha1"},
                      {"kind", "SchedulingReport"},
                      {"metadata", std::move(metadata)},
                      {"spec", {{"podRef", {{"name", owner.pod}, {"uid", owner.uid}}}, {"dryRun", false}}}};
}

client::Request make_report(const ReportOwner& owner, const std::string& name, std::chrono::seconds ttl) {
  return request("POST", client::resource::scheduling_reports.path(owner.ns) + "?fieldManager=podium",
                 report_body(owner, name, ttl));
}

client::Request fill_report(const ReportOwner& owner, const std::string& name, const ReportStatus& status) {
  // Hundreds of small values: allocated in one block and freed with it.
  std::array<unsigned char, 16'384> block;
  json::monotonic_resource memory(block.data(), block.size());
  const json::storage_ptr here(&memory);
  const json::value steps(json::array({step("test", "/spec/podRef/uid", json::value(owner.uid, here)),
                                       step("test", "/spec/dryRun", json::value(false, here)),
                                       step("add", "/status", without_nulls(to_json(status, here)))},
                                      here));
  auto made = request(
      "PATCH", client::resource::scheduling_reports.path(owner.ns, name, "status") + "?fieldManager=podium",
      steps);
  made.content_type = "application/json-patch+json";
  return made;
}

client::Request delete_report(const std::string& ns, const std::string& name, const std::string& uid) {
  return request(
      "DELETE", client::resource::scheduling_reports.path(ns, name),
      json::object{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", {{"uid", uid}}}});
}

std::string suffixed(const std::string& pod, const std::string& uid) {
  constexpr std::size_t kLongest = 246;  // 253 minus a dash and six hex digits
  auto base = pod.substr(0, std::min(pod.size(), kLongest));
  while (!base.empty() && (base.back() == '.' || base.back() == '-')) base.pop_back();
  return fmt::format("{}-{:06x}", base, std::hash<std::string>{}(uid) & 0xFFFFFF);
}

}  // namespace podium::controller
