#include "scheduler/config/podium/podium_config.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <set>

#include "api/values/quantity.h"
#include "base/duration.h"
#include "scheduler/config/podium/selector_config.h"
#include "scheduler/config/schema/names.h"
#include "scheduler/config/schema/schema.h"

namespace podium::config {
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kMinTtl = 1s, kMaxTtl = 720h;
constexpr std::int64_t kMaxReports = 1'000'000;
constexpr std::int64_t kMinBudget = 64 << 10, kMaxBudget = std::int64_t{16} << 30;
constexpr std::int64_t kMaxWorkers = 64;
constexpr std::int64_t kMaxWaiting = 100'000;
constexpr std::chrono::nanoseconds kMinDeadline = 10ms, kMaxDeadline = 10min;
constexpr std::size_t kMaxExcluded = 1000;
constexpr std::int64_t kMaxMemoryMib = 16'384;

void set_podium_defaults(json::object& config, bool adaptive_search) {
  const Podium defaults;
  config["apiVersion"] = kPodiumApiVersion;
  config["kind"] = kPodiumKind;
  if_absent(config, "adaptiveSearch", adaptive_search);
  if_absent(config, "withholdNodeNames", false);
  auto& reports = config.at("reports").as_object();
  if_absent(reports, "enabled", defaults.reports.enabled);
  if_absent(reports, "sampling", static_cast<std::int64_t>(defaults.reports.sampling));
  if_absent(reports, "ttl", json::string(format_duration(defaults.reports.ttl)));
  if_absent(reports, "maxReports", defaults.reports.max_reports);
  if_absent(reports, "maxReportsPerNamespace", defaults.reports.max_reports_per_namespace);
  if_absent(reports, "maxBytes", "64Mi");
  if_absent(reports, "maxBytesPerNamespace", "16Mi");
  if_absent(config.at("events").as_object(), "enabled", defaults.events.enabled);
  auto& what_if = config.at("whatIf").as_object();
  if_absent(what_if, "enabled", defaults.what_if.enabled);
  if_absent(what_if, "workers", defaults.what_if.workers);
  if_absent(what_if, "deadline", json::string(format_duration(defaults.what_if.deadline)));
  if_absent(what_if, "maxWaiting", defaults.what_if.max_waiting);
  if_absent(what_if, "maxWaitingPerNamespace", defaults.what_if.max_waiting_per_namespace);
  auto& http_api = config.at("httpAPI").as_object();
  if_absent(http_api, "enabled", defaults.http_api.enabled);
  if_absent(http_api, "memoryMiB", defaults.http_api.memory_mib);
  if_absent(http_api, "page", defaults.http_api.page);
}

void check_bounds(const json::value& value, std::int64_t low, std::int64_t high, const std::string& path,
                  Problems& problems) {
  if (value.as_int64() < low || value.as_int64() > high) {
    problems.invalid(path, shown(value), fmt::format("not in valid range [{}, {}]", low, high));
  }
}

std::chrono::nanoseconds read_duration(const json::value& value, std::chrono::nanoseconds low,
                                       std::chrono::nanoseconds high, const std::string& path,
                                       Problems& problems) {
  const auto duration = parse_duration(value.as_string()).value_or(low);
  if (duration < low || duration > high) {
    problems.invalid(path, shown(value),
                     fmt::format("not in valid range [{}, {}]", format_duration(low), format_duration(high)));
  }
  return duration;
}

std::vector<std::string> read_excluded(const json::array& list, Problems& problems) {
  const std::string path = "reports.excludeNamespaces";
  std::vector<std::string> out;
  std::set<std::string> seen;
  if (list.size() > kMaxExcluded) {
    problems.too_many(path, list.size(), kMaxExcluded);
    return out;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string name(list[i].as_string());
    for (const auto& error : check_dns_label(name)) problems.invalid(item(path, i), shown(list[i]), error);
    if (!seen.insert(name).second) problems.duplicate(item(path, i), shown(list[i]));
    out.push_back(std::move(name));
  }
  return out;
}

// A quantity such as 64Mi.
std::int64_t read_bytes(const json::value& value, const std::string& path, Problems& problems) {
  const auto quantity = api::Quantity::parse(value.as_string());
  const auto bytes = quantity ? quantity->value() : 0;
  if (!quantity) {
    problems.invalid(path, shown(value), "not a quantity such as \"64Mi\"");
  } else if (bytes < kMinBudget || bytes > kMaxBudget) {
    problems.invalid(path, shown(value), "not in valid range [64Ki, 16Gi]");
  }
  return bytes;
}

void read_budget(const json::object& reports, Podium::Reports& out, Problems& problems) {
  for (const char* name : {"maxReports", "maxReportsPerNamespace"})
    check_bounds(reports.at(name), 1, kMaxReports, child("reports", name), problems);
  out.max_reports = reports.at("maxReports").as_int64();
  out.max_reports_per_namespace = reports.at("maxReportsPerNamespace").as_int64();
  out.max_bytes = read_bytes(reports.at("maxBytes"), "reports.maxBytes", problems);
  out.max_bytes_per_namespace =
      read_bytes(reports.at("maxBytesPerNamespace"), "reports.maxBytesPerNamespace", problems);
}

void read_what_if(const json::object& what_if, Podium::WhatIf& out, Problems& problems) {
  out.enabled = what_if.at("enabled").as_bool();
  check_bounds(what_if.at("workers"), 1, kMaxWorkers, "whatIf.workers", problems);
  out.workers = what_if.at("workers").as_int64();
  out.deadline =
      read_duration(what_if.at("deadline"), kMinDeadline, kMaxDeadline, "whatIf.deadline", problems);
  check_bounds(what_if.at("maxWaiting"), 1, kMaxWaiting, "whatIf.maxWaiting", problems);
  out.max_waiting = what_if.at("maxWaiting").as_int64();
  check_bounds(what_if.at("maxWaitingPerNamespace"), 1, kMaxWaiting, "whatIf.maxWaitingPerNamespace",
               problems);
  out.max_waiting_per_namespace = what_if.at("maxWaitingPerNamespace").as_int64();
}

}  // namespace

const Schema& podium_schema() {
  using enum SchemaField::Presence;
  using enum Schema::Kind;
  static const Schema reports{object,
                              {{"enabled", &schema::boolean, pointer},
                               {"onlyFailures", &schema::boolean},
                               {"sampling", &schema::number, pointer},
                               {"ttl", &schema::duration, pointer},
                               {"maxReports", &schema::int64, pointer},
                               {"maxReportsPerNamespace", &schema::int64, pointer},
                               {"maxBytes", &schema::text, pointer},
                               {"maxBytesPerNamespace", &schema::text, pointer},
                               {"excludeNamespaces", &schema::texts},
                               {"namespaceSelector", &label_selector_schema(), pointer}}};
  static const Schema events{object,
                             {{"enabled", &schema::boolean, pointer}, {"bestNodes", &schema::boolean}}};
  static const Schema what_if{object,
                              {{"enabled", &schema::boolean, pointer},
                               {"workers", &schema::int64, pointer},
                               {"deadline", &schema::duration, pointer},
                               {"maxWaiting", &schema::int64, pointer},
                               {"maxWaitingPerNamespace", &schema::int64, pointer}}};
  static const Schema http_api{object,
                               {{"enabled", &schema::boolean, pointer},
                                {"memoryMiB", &schema::int64, pointer},
                                {"page", &schema::boolean, pointer}}};
  static const Schema all{object,
                          {{"apiVersion", &schema::text},
                           {"kind", &schema::text},
                           {"adaptiveSearch", &schema::boolean, pointer},
                           {"withholdNodeNames", &schema::boolean, pointer},
                           {"reports", &reports},
                           {"events", &events},
                           {"whatIf", &what_if},
                           {"httpAPI", &http_api}}};
  return all;
}

Podium read_podium(json::value& document, bool adaptive_search, Problems& problems) {
  read(document, podium_schema(), "", problems);
  auto& config = document.as_object();
  set_podium_defaults(config, adaptive_search);

  Podium out;
  out.adaptive_search = config.at("adaptiveSearch").as_bool();
  out.withhold_node_names = config.at("withholdNodeNames").as_bool();
  const auto& reports = config.at("reports").as_object();
  out.reports.enabled = reports.at("enabled").as_bool();
  out.reports.only_failures = reports.at("onlyFailures").as_bool();
  out.reports.sampling = reports.at("sampling").to_number<double>();
  if (!(out.reports.sampling >= 0 && out.reports.sampling <= 1)) {
    problems.invalid("reports.sampling", shown(reports.at("sampling")), "not in valid range [0, 1]");
  }
  out.reports.ttl = std::chrono::duration_cast<std::chrono::seconds>(
      read_duration(reports.at("ttl"), kMinTtl, kMaxTtl, "reports.ttl", problems));
  read_budget(reports, out.reports, problems);
  out.reports.exclude_namespaces = read_excluded(reports.at("excludeNamespaces").as_array(), problems);
  if (const auto* selector = reports.if_contains("namespaceSelector"))
    out.reports.namespace_selector = read_selector(*selector, "reports.namespaceSelector", problems);

  out.events.enabled = config.at("events").at("enabled").as_bool();
  out.events.best_nodes = config.at("events").at("bestNodes").as_bool();
  if (out.events.best_nodes && out.withhold_node_names)
    problems.invalid("events.bestNodes", shown(config.at("events").at("bestNodes")),
                     "names nodes, which withholdNodeNames forbids");
  read_what_if(config.at("whatIf").as_object(), out.what_if, problems);
  const auto& http_api = config.at("httpAPI").as_object();
  out.http_api.enabled = http_api.at("enabled").as_bool();
  check_bounds(http_api.at("memoryMiB"), 1, kMaxMemoryMib, "httpAPI.memoryMiB", problems);
  out.http_api.memory_mib = http_api.at("memoryMiB").as_int64();
  out.http_api.page = http_api.at("page").as_bool();
  document = sorted_keys(document);
  return out;
}

}  // namespace podium::config
