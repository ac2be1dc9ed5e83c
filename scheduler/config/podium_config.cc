#include "scheduler/config/podium_config.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <set>

#include "scheduler/config/duration.h"
#include "scheduler/config/names.h"
#include "scheduler/config/schema.h"

namespace podium::config {
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kMinTtl = 1s, kMaxTtl = 720h;
constexpr std::int64_t kMaxReports = 1'000'000;
constexpr std::int64_t kMaxWorkers = 64;
constexpr std::size_t kMaxExcluded = 1000;

const Schema& podium_schema() {
  using enum Field::Presence;
  using enum Schema::Kind;
  static const Schema reports{object,
                              {{"enabled", &schema::boolean, pointer},
                               {"onlyFailures", &schema::boolean},
                               {"sampling", &schema::number, pointer},
                               {"ttl", &schema::duration, pointer},
                               {"maxReports", &schema::int64, pointer},
                               {"excludeNamespaces", &schema::texts}}};
  static const Schema events{object,
                             {{"enabled", &schema::boolean, pointer}, {"bestNodes", &schema::boolean}}};
  static const Schema what_if{object,
                              {{"enabled", &schema::boolean, pointer}, {"workers", &schema::int64, pointer}}};
  static const Schema all{object,
                          {{"apiVersion", &schema::text},
                           {"kind", &schema::text},
                           {"adaptiveSearch", &schema::boolean, pointer},
                           {"reports", &reports},
                           {"events", &events},
                           {"whatIf", &what_if}}};
  return all;
}

void if_absent(json::object& object, std::string_view name, json::value value) {
  if (!object.contains(name)) object[name] = std::move(value);
}

void set_podium_defaults(json::object& config, bool adaptive_search) {
  const Podium defaults;
  config["apiVersion"] = kPodiumApiVersion;
  config["kind"] = kPodiumKind;
  if_absent(config, "adaptiveSearch", adaptive_search);
  auto& reports = config.at("reports").as_object();
  if_absent(reports, "enabled", defaults.reports.enabled);
  if_absent(reports, "sampling", static_cast<std::int64_t>(defaults.reports.sampling));
  if_absent(reports, "ttl", json::string(format_duration(defaults.reports.ttl)));
  if_absent(reports, "maxReports", defaults.reports.max_reports);
  if_absent(config.at("events").as_object(), "enabled", defaults.events.enabled);
  auto& what_if = config.at("whatIf").as_object();
  if_absent(what_if, "enabled", defaults.what_if.enabled);
  if_absent(what_if, "workers", defaults.what_if.workers);
}

void check_bounds(const json::value& value, std::int64_t low, std::int64_t high, const std::string& path,
                  Findings& findings) {
  if (value.as_int64() < low || value.as_int64() > high) {
    findings.invalid(path, value, fmt::format("not in valid range [{}, {}]", low, high));
  }
}

std::vector<std::string> read_excluded(const json::array& list, Findings& findings) {
  const std::string path = "reports.excludeNamespaces";
  std::vector<std::string> out;
  std::set<std::string> seen;
  if (list.size() > kMaxExcluded) {
    findings.error(path, fmt::format("Too many: {}: must have at most {} items", list.size(), kMaxExcluded));
    return out;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string name(list[i].as_string());
    for (const auto& error : check_dns_label(name)) findings.invalid(item(path, i), list[i], error);
    if (!seen.insert(name).second) findings.duplicate(item(path, i), list[i]);
    out.push_back(std::move(name));
  }
  return out;
}

}  // namespace

Podium read_podium(json::value& document, bool adaptive_search, Findings& findings) {
  read(document, podium_schema(), "", findings);
  auto& config = document.as_object();
  set_podium_defaults(config, adaptive_search);

  Podium out;
  out.adaptive_search = config.at("adaptiveSearch").as_bool();
  const auto& reports = config.at("reports").as_object();
  out.reports.enabled = reports.at("enabled").as_bool();
  out.reports.only_failures = reports.at("onlyFailures").as_bool();
  out.reports.sampling = reports.at("sampling").to_number<double>();
  if (!(out.reports.sampling >= 0 && out.reports.sampling <= 1)) {
    findings.invalid("reports.sampling", reports.at("sampling"), "not in valid range [0, 1]");
  }
  const auto ttl = parse_duration(reports.at("ttl").as_string()).value_or(kMinTtl);
  if (ttl < kMinTtl || ttl > kMaxTtl) {
    findings.invalid(
        "reports.ttl", reports.at("ttl"),
        fmt::format("not in valid range [{}, {}]", format_duration(kMinTtl), format_duration(kMaxTtl)));
  }
  out.reports.ttl = std::chrono::duration_cast<std::chrono::seconds>(ttl);
  check_bounds(reports.at("maxReports"), 1, kMaxReports, "reports.maxReports", findings);
  out.reports.max_reports = reports.at("maxReports").as_int64();
  out.reports.exclude_namespaces = read_excluded(reports.at("excludeNamespaces").as_array(), findings);

  out.events.enabled = config.at("events").at("enabled").as_bool();
  out.events.best_nodes = config.at("events").at("bestNodes").as_bool();
  out.what_if.enabled = config.at("whatIf").at("enabled").as_bool();
  check_bounds(config.at("whatIf").at("workers"), 1, kMaxWorkers, "whatIf.workers", findings);
  out.what_if.workers = config.at("whatIf").at("workers").as_int64();
  document = sorted_keys(document);
  return out;
}

}  // namespace podium::config
