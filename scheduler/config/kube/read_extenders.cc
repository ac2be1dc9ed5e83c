#include "scheduler/config/kube/read_extenders.h"

#include <algorithm>
#include <boost/json/object.hpp>

#include "base/duration.h"
#include "scheduler/framework/plugin_names.h"
#include "scheduler/plugins/shared/arg_names.h"

namespace podium::config {
namespace json = boost::json;
namespace {

constexpr std::string_view kDefaultTimeout = "5s";

std::string text(const json::object& object, std::string_view name) {
  return std::string(object.at(name).as_string());
}

Extender::Tls read_tls(const json::object& tls) {
  Extender::Tls out;
  out.insecure = tls.at("insecure").as_bool();
  out.server_name = text(tls, "serverName");
  out.cert_file = text(tls, "certFile");
  out.key_file = text(tls, "keyFile");
  out.ca_file = text(tls, "caFile");
  out.cert_data = text(tls, "certData");
  out.key_data = text(tls, "keyData");
  out.ca_data = text(tls, "caData");
  return out;
}

// Rounds up to a millisecond, since a timeout of 0 would mean no timeout.
std::chrono::milliseconds timeout(const json::object& extender) {
  const auto given = parse_duration(extender.at("httpTimeout").as_string()).value_or(std::chrono::seconds(5));
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(given), std::chrono::milliseconds(1));
}

}  // namespace

std::vector<Extender> read_extenders(json::array& extenders) {
  std::vector<Extender> out;
  for (auto& each : extenders) {
    auto& extender = each.as_object();
    if (extender.at("httpTimeout") == "0s") extender.at("httpTimeout") = kDefaultTimeout;
    auto& one = out.emplace_back();
    one.url_prefix = text(extender, "urlPrefix");
    one.filter_verb = text(extender, "filterVerb");
    one.prioritize_verb = text(extender, "prioritizeVerb");
    one.preempt_verb = text(extender, "preemptVerb");
    one.bind_verb = text(extender, "bindVerb");
    one.weight = extender.at("weight").as_int64();
    one.enable_https = extender.at("enableHTTPS").as_bool();
    if (const auto* tls = extender.if_contains("tlsConfig")) one.tls = read_tls(tls->as_object());
    one.http_timeout = timeout(extender);
    one.node_cache_capable = extender.at("nodeCacheCapable").as_bool();
    one.ignorable = extender.at("ignorable").as_bool();
    for (const auto& resource : extender.at("managedResources").as_array()) {
      one.managed_resources.push_back(text(resource.as_object(), "name"));
    }
  }
  return out;
}

json::array ignored_resources(const json::array& extenders) {
  json::array out;
  for (const auto& extender : extenders) {
    for (const auto& resource : extender.at("managedResources").as_array()) {
      if (resource.at("ignoredByScheduler").as_bool()) out.push_back(resource.at("name"));
    }
  }
  return out;
}

void ignore_resources(const json::array& ignored, PluginArgs& args, const std::string& path,
                      Problems& problems) {
  const auto it = args.find(framework::names::kNodeResourcesFit);
  if (it == args.end()) {
    return problems.add(path, "couldn't build extenders: can't find NodeResourcesFitArgs in plugin config");
  }
  it->second.value[plugins::arg_names::kIgnoredResources] = ignored;
}

}  // namespace podium::config
