#include "app/render/report.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cctype>

#include "app/render/text.h"
#include "base/time.h"

namespace podium::render {
namespace {

namespace json = boost::json;

const json::value& at(const json::value& value, std::string_view key) {
  static const json::value kNothing;
  const auto* object = value.if_object();
  const auto* found = object ? object->if_contains(key) : nullptr;
  return found ? *found : kNothing;
}

std::string text(const json::value& value, std::string_view key) {
  const auto* found = at(value, key).if_string();
  return found ? printable(*found) : std::string();
}

std::optional<std::int64_t> number(const json::value& value, std::string_view key) {
  const auto& found = at(value, key);
  if (const auto* n = found.if_int64()) return *n;
  return std::nullopt;
}

// What podium writes is far below these. They keep sums of products in 64 bits, whoever wrote the report.
constexpr std::int64_t kMostWeight = 10'000'000'000, kMostPoints = 1'000'000,
                       kMostScore = 1'000'000'000'000'000;
constexpr std::size_t kMostStrategies = 32;  // as the CRD allows

std::int64_t within(std::int64_t number, std::int64_t most) { return std::clamp(number, -most, most); }

std::optional<std::int64_t> score_in(const json::value& value, std::string_view key) {
  return number(value, key).transform([](std::int64_t score) { return within(score, kMostScore); });
}

std::size_t count(const json::value& value, std::string_view key) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, number(value, key).value_or(0)));
}

bool flag(const json::value& value, std::string_view key) {
  const auto* found = at(value, key).if_bool();
  return found && *found;
}

std::optional<Wall> time(const json::value& value, std::string_view key) {
  return parse_time(text(value, key));
}

template <typename One>
auto each(const json::value& value, std::string_view key, One one) {
  std::vector<decltype(one(value))> out;
  if (const auto* list = at(value, key).if_array()) {
    for (const auto& item : *list) out.push_back(one(item));
  }
  return out;
}

std::vector<std::string> texts(const json::value& value, std::string_view key) {
  return each(value, key, [](const json::value& item) {
    return item.is_string() ? printable(item.get_string()) : flow(item);
  });
}

NodeScore node_score(const json::value& value) {
  return {.node = text(value, "nodeName"),
          .score = score_in(value, "score").value_or(0),
          .strategies = each(value, "strategyScores", [](const json::value& score) {
            const auto* n = score.if_int64();
            return n ? within(*n, kMostPoints) : std::int64_t{0};
          })};
}

DeviceCounts device_counts(const json::value& value) {
  return {.claim = text(value, "claimName"),
          .request = text(value, "request"),
          .matched = count(value, "matched"),
          .in_use = count(value, "inUse"),
          .tainted = count(value, "tainted"),
          .too_small = count(value, "tooSmall")};
}

Device device(const json::value& value) {
  return {.claim = text(value, "claimName"),
          .request = text(value, "request"),
          .driver = text(value, "driver"),
          .pool = text(value, "pool"),
          .name = text(value, "device")};
}

Rejection rejection(const json::value& value) {
  const auto& shortfall = at(value, "shortfall");
  auto taints = texts(value, "taints");
  const auto taints_total = std::max(taints.size(), count(value, "taintsTotal"));
  return {.plugin = text(value, "plugin"),
          .code = text(value, "code"),
          .reason = text(value, "reason"),
          .nodes = count(value, "nodeCount"),
          .preemption_may_help = flag(value, "preemptionMayHelp"),
          .resource = text(shortfall, "resource"),
          .least = text(shortfall, "least"),
          .nearest = text(shortfall, "nodeName"),
          .taints = std::move(taints),
          .taints_total = taints_total,
          .devices = each(value, "devices", device_counts),
          .examples = texts(value, "examples")};
}

// The toleration that was tried.
std::string toleration_snippet(const json::value& taint) {
  if (!taint.is_object()) return {};
  const json::object toleration{{"key", at(taint, "key")},
                                {"operator", "Equal"},
                                {"value", at(taint, "value").is_string() ? at(taint, "value") : ""},
                                {"effect", at(taint, "effect")}};
  return "tolerations:\n- " + flow(toleration) + "\n";
}

Step step(const json::value& value) {
  json::object rest;
  if (const auto* object = value.if_object()) {
    for (const auto& [key, field] : *object) {
      static constexpr std::array kCommon = {"type", "message", "nodeName", "score"};
      if (std::ranges::find(kCommon, std::string_view(key)) == kCommon.end()) rest.emplace(key, field);
    }
  }
  return {.type = text(value, "type"),
          .message = text(value, "message"),
          .node = text(value, "nodeName"),
          .score = score_in(value, "score"),
          .fields = rest.empty() ? std::string() : flow(rest),
          .snippet = text(value, "type") == "TolerateTaint" ? toleration_snippet(at(value, "taint"))
                                                            : std::string()};
}

std::optional<std::size_t> size(const json::value& value, std::string_view key) {
  const auto n = number(value, key);
  return n ? std::optional(static_cast<std::size_t>(std::max<std::int64_t>(0, *n))) : std::nullopt;
}

DrainAnswer drain_answer(const json::value& value) {
  DrainAnswer drain{.moved = count(value, "podsMoved"),
                    .pending = count(value, "podsPending"),
                    .budgets_broken = count(value, "budgetsBroken"),
                    .pods = each(value, "pods",
                                 [](const json::value& pod) {
                                   return DrainedPod{text(pod, "name"),      text(pod, "nodeName"),
                                                     score_in(pod, "score"), size(pod, "feasible"),
                                                     text(pod, "code"),      text(pod, "reason")};
                                 }),
                    .fullest = each(value, "fullest", [](const json::value& node) {
                      return FullNode{text(node, "nodeName"), text(node, "resource"), count(node, "percent")};
                    })};
  drain.evicted = std::max(drain.moved + drain.pending, count(value, "podsEvicted"));
  drain.pods_total = std::max(drain.pods.size(), count(value, "podsTotal"));
  return drain;
}

Step change(const json::value& value) {
  Step change{
      .type = text(value, "type"), .message = text(value, "message"), .node = text(value, "nodeName")};
  if (change.type == "DrainNode") change.drain = drain_answer(value);
  return change;
}

NodeVerdict node_verdict(const json::value& value) {
  NodeVerdict verdict{.node = text(value, "nodeName"),
                      .plugin = text(value, "plugin"),
                      .code = text(value, "code"),
                      .would_fit_with = text(value, "wouldFitWith"),
                      .fits = flag(value, "fits"),
                      .score = score_in(value, "score"),
                      .reasons = texts(value, "reasons"),
                      .checks = each(value, "checks",
                                     [](const json::value& check) {
                                       return Check{text(check, "plugin"), flag(check, "passes"),
                                                    texts(check, "reasons"), texts(check, "taints")};
                                     }),
                      .resources = each(value, "resources", [](const json::value& amount) {
                        return Amount{text(amount, "resource"), text(amount, "requested"),
                                      text(amount, "free")};
                      })};
  if (const auto rank = number(value, "rank"); rank && *rank > 0)
    verdict.rank = static_cast<std::size_t>(*rank);
  return verdict;
}

std::optional<Choice> choice(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  return Choice{.node = text(value, "nodeName"),
                .score = score_in(value, "score"),
                .tied = std::max<std::size_t>(1, count(value, "tiedNodes")),
                .margin = score_in(value, "margin")};
}

std::optional<Eviction> preemption(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  Eviction eviction{.node = text(value, "nodeName"),
                    .pods = each(value, "victims", [](const json::value& victim) {
                      return text(victim, "namespace") + "/" + text(victim, "name");
                    })};
  eviction.total = std::max(eviction.pods.size(), count(value, "victimsTotal"));
  return eviction;
}

std::optional<Group> group(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  Group group{.min_count = count(value, "minCount"),
              .topology_key = text(value, "topologyKey"),
              .domain = text(value, "domain"),
              .fits = flag(value, "fits"),
              .domains = each(value, "domains", [](const json::value& domain) {
                return Domain{text(domain, "name"), count(domain, "fitting"), count(domain, "missing")};
              })};
  group.domains_total = std::max(group.domains.size(), count(value, "domainsTotal"));
  return group;
}

std::optional<Failure> failure(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  auto reason = text(value, "message");
  if (reason.empty()) reason = text(value, "reason");
  auto rejections = each(value, "rejections", rejection);
  const auto total = std::max(rejections.size(), count(value, "rejectionsTotal"));
  return Failure{count(value, "replica"), std::move(reason), std::move(rejections), total};
}

std::optional<Room> room(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  return Room{count(value, "count"), flag(value, "mayBeMore"), failure(at(value, "firstFailure"))};
}

// Complete or Accepted of this generation.
void read_conditions(const json::value& status, std::int64_t generation, Report& report) {
  for (const auto& condition : each(status, "conditions", [](const json::value& c) { return c; })) {
    if (number(condition, "observedGeneration").value_or(generation) < generation) continue;
    const auto type = text(condition, "type");
    const bool is_true = text(condition, "status") == "True";
    if (type == "Complete" && is_true) report.complete = true;
    if (type == "Accepted" && !is_true) {
      report.refused = text(condition, "message");
      report.complete = true;
    }
  }
}

void read_question(const json::value& spec, const json::value& status, Report& report) {
  report.asked = std::max<std::size_t>(1, count(spec, "replicas"));
  report.fitting = report.outcome == "Fits" ? report.asked : 0;
  if (const auto& replicas = at(status, "replicas"); replicas.is_object()) {
    report.asked = count(replicas, "asked");
    report.fitting = count(replicas, "fitting");
  }
  report.placements = each(status, "placements", [](const json::value& placement) {
    return Placement{text(placement, "nodeName"), count(placement, "count")};
  });
  report.placements_total = std::max(report.placements.size(), count(status, "placementsTotal"));
  report.zones = each(status, "zones", [](const json::value& zone) {
    return Zone{text(zone, "name"), count(zone, "count"), count(zone, "now")};
  });
  report.zones_total = std::max(report.zones.size(), count(status, "zonesTotal"));
  report.failure = failure(at(status, "firstFailure"));
  report.room = room(at(status, "room"));
  report.verdicts = each(status, "verdicts", node_verdict);
  report.group = group(at(status, "group"));
  report.changes = each(status, "changes", change);
  report.fixes = each(status, "fixes", step);
  report.not_modelled = texts(status, "notModelled");
}

// Plain in YAML: no quotes are needed.
bool is_plain(std::string_view text) {
  static constexpr std::array kWords = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"};
  const auto is_word = [&](std::string_view word) {
    return std::ranges::equal(
        text, word, [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  };
  if (text.empty() || std::ranges::any_of(kWords, is_word)) return false;
  const bool starts = std::isalpha(static_cast<unsigned char>(text.front())) || text.front() == '/';
  return starts && std::ranges::all_of(text, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-_./").contains(c);
         });
}

}  // namespace

Report read_report(const json::value& object) {
  const auto &metadata = at(object, "metadata"), &spec = at(object, "spec"), &status = at(object, "status");
  Report report{.ns = text(metadata, "namespace"),
                .name = text(metadata, "name"),
                .pod = text(at(spec, "podRef"), "name"),
                .pod_uid = text(at(spec, "podRef"), "uid"),
                .is_question = flag(spec, "dryRun"),
                .outcome = text(status, "outcome"),
                .profile = text(status, "profile"),
                .message = text(status, "message"),
                .choice = choice(at(status, "choice")),
                .decided_at = time(status, "decidedAt"),
                .expires_at = time(status, "expiresAt"),
                .attempts = count(status, "attempts"),
                .strategies = each(status, "strategies",
                                   [](const json::value& strategy) {
                                     const auto weight = number(strategy, "weight").value_or(1);
                                     return Strategy{text(strategy, "name"), within(weight, kMostWeight)};
                                   }),
                .top = each(status, "topNodes", node_score),
                .rejections = each(status, "rejections", rejection),
                .devices = each(status, "devices", device),
                .preemption = preemption(at(status, "preemption")),
                .gates = texts(status, "schedulingGates"),
                .history = each(status, "history", [](const json::value& attempt) {
                  return Attempt{time(attempt, "at"), text(attempt, "outcome"), text(attempt, "reason"),
                                 count(attempt, "nodeCount")};
                })};
  if (report.strategies.size() > kMostStrategies) report.strategies.clear();
  const auto& counts = at(status, "nodeCounts");
  report.nodes = {count(counts, "total"), count(counts, "evaluated"), count(counts, "feasible")};
  report.rejections_total = std::max(report.rejections.size(), count(status, "rejectionsTotal"));
  report.devices_total = std::max(report.devices.size(), count(status, "devicesTotal"));
  read_conditions(status, number(metadata, "generation").value_or(0), report);
  if (report.is_question) read_question(spec, status, report);
  if (report.outcome == "Refused" && !report.refused) report.refused = report.message;
  return report;
}

std::string flow(const json::value& value) {
  if (const auto* object = value.if_object()) {
    std::string out;
    for (const auto& [key, field] : *object) {
      out += (out.empty() ? "" : ", ") + flow(json::value(key)) + ": " + flow(field);
    }
    return "{" + out + "}";
  }
  if (const auto* list = value.if_array()) {
    std::string out;
    for (const auto& item : *list) out += (out.empty() ? "" : ", ") + flow(item);
    return "[" + out + "]";
  }
  const auto* text = value.if_string();
  return text && is_plain(*text) ? std::string(*text) : printable(json::serialize(value));
}

}  // namespace podium::render
