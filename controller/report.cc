#include "controller/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container_hash/hash.hpp>

#include "base/time.h"

namespace podium::controller {
namespace {

namespace json = boost::json;

constexpr std::size_t kTopNodes = 10, kStrategyNodes = 5, kRejections = 64, kExamples = 3, kVictims = 256;
constexpr std::size_t kMessageBytes = 8192, kReasonBytes = 1024;

// Cuts at a UTF-8 boundary: the API server refuses invalid UTF-8.
std::string cut(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  text.resize(bytes);
  return text;
}

std::vector<HostScore> hosts(const std::vector<framework::Ranked>& ranked,
                             const cluster::Snapshot& snapshot) {
  std::vector<HostScore> out;
  out.reserve(ranked.size());
  for (const auto& [row, score] : ranked) out.push_back({std::string(snapshot.node_name(row)), score});
  return out;
}

// Builds a report's JSON values in one memory resource: hundreds of small values, freed together.
class Values {
 public:
  explicit Values(json::storage_ptr memory) : memory_(std::move(memory)) {}

  using Fields = std::initializer_list<std::pair<json::string_view, json::value_ref>>;
  json::object object(Fields fields) const { return json::object(fields, memory_); }
  template <typename List, typename One>
  json::array array(const List& list, One&& one) const {
    json::array out(memory_);
    out.reserve(list.size());
    for (const auto& item : list) out.push_back(one(item));
    return out;
  }
  json::array strings(const std::vector<std::string>& list) const {
    return json::array(list.begin(), list.end(), memory_);
  }
  json::array hosts(const std::vector<HostScore>& hosts) const {
    return array(hosts,
                 [this](const HostScore& h) { return object({{"host", h.host}, {"score", h.score}}); });
  }
  json::object strategy(const ReportStrategy& s) const {
    return object({{"strategy", s.strategy}, {"weight", s.weight}, {"topNodes", hosts(s.top_nodes)}});
  }
  json::object rejection(const ReportRejection& r) const {
    auto out = object({{"reason", r.reason}, {"nodes", r.nodes}, {"examples", strings(r.examples)}});
    if (!r.plugin.empty()) out["plugin"] = r.plugin;
    return out;
  }
  json::object preemption(const ReportStatus::Preempted& p) const {
    auto victims = array(p.victims, [this](const auto& victim) {
      return object({{"namespace", victim.first}, {"name", victim.second}});
    });
    auto out = object({{"node", p.node}, {"victims", std::move(victims)}});
    if (p.other_victims > 0) out["otherVictims"] = p.other_victims;
    return out;
  }
  json::object condition(const ReportCondition& c, std::int64_t observed_generation) const {
    return object({{"type", c.type},
                   {"status", c.is_true ? "True" : "False"},
                   {"reason", c.reason},
                   {"message", cut(c.message, kMessageBytes)},
                   {"observedGeneration", observed_generation},
                   {"lastTransitionTime", format_time(c.since)}});
  }

 private:
  json::storage_ptr memory_;
};

}  // namespace

std::string format_duration(std::chrono::nanoseconds d) {
  struct Unit {
    double nanoseconds;
    const char* name;
  };
  static constexpr Unit kUnits[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
  const auto ns = static_cast<double>(d.count());
  for (const auto& unit : kUnits) {
    // From 999.5 on, three digits would round to 1000: use the next unit.
    if (ns / unit.nanoseconds < 999.5) return fmt::format("{:.3g}{}", ns / unit.nanoseconds, unit.name);
  }
  return fmt::format("{:.0f}s", ns / 1e9);
}

ReportStatus project(const framework::Decision& decision, const cluster::Snapshot& snapshot) {
  ReportStatus status;
  status.nodes_total = decision.node_count;
  status.nodes_evaluated = decision.evaluated;
  status.nodes_feasible = decision.feasible.count();
  status.message = cut(decision.error.empty() ? decision.message : decision.error, kMessageBytes);
  if (decision.choice) status.node = std::string(snapshot.node_name(*decision.choice));
  if (decision.fits()) {
    status.top_nodes = hosts(framework::top_total(decision, snapshot, kTopNodes), snapshot);
    for (const auto& s : decision.strategies) {
      status.strategies.push_back(
          {s.name, s.weight, hosts(framework::top_of(s, decision, snapshot, kStrategyNodes), snapshot)});
    }
  }
  for (auto& group : framework::group_rejections(decision, snapshot, kExamples)) {
    if (status.rejections.size() == kRejections) break;
    status.rejections.push_back({std::move(group.plugin), cut(std::move(group.reason), kReasonBytes),
                                 group.nodes, std::move(group.examples)});
  }
  if (decision.preemption) {
    auto& preempted = status.preemption.emplace();
    preempted.node = decision.preemption->node;
    for (const auto& victim : decision.preemption->victims) {
      if (preempted.victims.size() == kVictims) break;
      preempted.victims.emplace_back(victim->pod->meta.namespace_, victim->pod->meta.name);
    }
  }
  return status;
}

std::uint64_t content_hash(const ReportStatus& s) {
  std::size_t seed = 0;
  const auto add = [&seed](const auto&... values) { (boost::hash_combine(seed, values), ...); };
  const auto add_hosts = [&add](const std::vector<HostScore>& hosts) {
    add(hosts.size());
    for (const auto& [host, score] : hosts) add(host, score);
  };
  add(s.outcome, s.profile, s.node, s.message, s.nodes_total, s.nodes_evaluated, s.nodes_feasible);
  add_hosts(s.top_nodes);
  for (const auto& strategy : s.strategies) {
    add(strategy.strategy, strategy.weight);
    add_hosts(strategy.top_nodes);
  }
  add(s.rejections.size());
  for (const auto& rejection : s.rejections)
    add(rejection.plugin, rejection.reason, rejection.nodes, rejection.examples);
  if (s.preemption) add(s.preemption->node, s.preemption->victims);
  for (const auto& condition : s.conditions)
    add(condition.type, condition.is_true, condition.reason, condition.message);
  return seed;
}

json::object to_json(const ReportStatus& s, json::storage_ptr memory) {
  const Values make(memory);
  const auto strategy = [&make](const ReportStrategy& each) { return make.strategy(each); };
  const auto rejection = [&make](const ReportRejection& each) { return make.rejection(each); };
  const auto condition = [&](const ReportCondition& each) {
    return make.condition(each, s.observed_generation);
  };
  auto out = make.object(
      {{"attempts", s.attempts},
       {"nodes",
        {{"total", s.nodes_total}, {"evaluated", s.nodes_evaluated}, {"feasible", s.nodes_feasible}}},
       {"topNodes", make.hosts(s.top_nodes)},
       {"strategies", make.array(s.strategies, strategy)},
       {"rejections", make.array(s.rejections, rejection)},
       {"conditions", make.array(s.conditions, condition)},
       {"observedGeneration", s.observed_generation}});
  auto durations = make.object({{"evaluate", format_duration(s.evaluate)}});
  if (s.queued.count() > 0) durations["queued"] = format_duration(s.queued);
  if (s.bind.count() > 0) durations["bind"] = format_duration(s.bind);
  out["durations"] = std::move(durations);

  // In a merge patch, null removes what an earlier attempt wrote.
  const auto unless = [&out](const char* field, bool absent, auto&& value) {
    if (absent)
      out[field] = nullptr;
    else
      out[field] = value();
  };
  const auto text = [&](const char* field, const std::string& of) {
    unless(field, of.empty(), [&] { return of; });
  };
  text("outcome", s.outcome);
  text("profile", s.profile);
  text("node", s.node);
  text("message", cut(s.message, kMessageBytes));
  unless("decidedAt", !s.decided_at, [&] { return format_time(*s.decided_at); });
  unless("expiresAt", !s.expires_at, [&] { return format_time(*s.expires_at); });
  unless("preemption", !s.preemption, [&] { return make.preemption(*s.preemption); });
  unless("placements", s.placements.empty(), [&] { return make.strings(s.placements); });
  return out;
}

}  // namespace podium::controller
