#include "controller/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"

namespace podium::controller {
namespace {

namespace json = boost::json;

constexpr std::size_t kTopNodes = 10, kStrategyNodes = 5, kRejections = 64, kExamples = 3, kVictims = 256;
constexpr std::size_t kMessageBytes = 8192, kReasonBytes = 1024;

// Cuts at a UTF-8 boundary: the API server refuses a broken character.
std::string cut(std::string text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  text.resize(bytes);
  return text;
}

std::vector<HostScore> hosts(const std::vector<framework::Ranked>& ranked, const cluster::Snapshot& snapshot) {
  std::vector<HostScore> out;
  out.reserve(ranked.size());
  for (const auto& [row, score] : ranked) out.push_back({std::string(snapshot.node_name(row)), score});
  return out;
}

json::array hosts_json(const std::vector<HostScore>& hosts) {
  json::array out;
  out.reserve(hosts.size());
  for (const auto& h : hosts) out.push_back(json::object{{"host", h.host}, {"score", h.score}});
  return out;
}

json::object strategy_json(const ReportStrategy& s) {
  return {{"strategy", s.strategy}, {"weight", s.weight}, {"topNodes", hosts_json(s.top_nodes)}};
}

json::object rejection_json(const ReportRejection& r) {
  json::array examples(r.examples.begin(), r.examples.end());
  json::object out{{"reason", r.reason}, {"nodes", r.nodes}, {"examples", std::move(examples)}};
  if (!r.plugin.empty()) out["plugin"] = r.plugin;
  return out;
}

json::object preemption_json(const ReportStatus::Preempted& p) {
  json::array victims;
  for (const auto& [ns, name] : p.victims) victims.push_back(json::object{{"namespace", ns}, {"name", name}});
  return {{"node", p.node}, {"victims", std::move(victims)}};
}

template <typename List, typename F>
json::array array_of(const List& list, F&& one) {
  json::array out;
  out.reserve(list.size());
  for (const auto& item : list) out.push_back(one(item));
  return out;
}

}  // namespace

std::string format_duration(std::chrono::nanoseconds d) {
  struct Unit {
    double nanoseconds;
    const char* name;
  };
  static constexpr Unit kUnits[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
  const auto ns = static_cast<double>(d.count());
  for (const auto& unit : kUnits) {
    // Rounded to three digits it would read 1000: that is one of the next unit.
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
    status.rejections.push_back(
        {std::move(group.plugin), cut(std::move(group.reason), kReasonBytes), group.nodes, std::move(group.examples)});
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

json::object to_json(const ReportStatus& s) {
  json::object out{{"attempts", s.attempts},
                   {"nodes",
                    {{"total", s.nodes_total}, {"evaluated", s.nodes_evaluated}, {"feasible", s.nodes_feasible}}},
                   {"topNodes", hosts_json(s.top_nodes)},
                   {"strategies", array_of(s.strategies, strategy_json)},
                   {"rejections", array_of(s.rejections, rejection_json)},
                   {"observedGeneration", s.observed_generation}};
  // A merge patch: what an earlier attempt has left behind is removed by null.
  const auto text_or_null = [](const std::string& text) { return text.empty() ? json::value(nullptr) : json::value(text); };
  out["outcome"] = text_or_null(s.outcome);
  out["profile"] = text_or_null(s.profile);
  out["node"] = text_or_null(s.node);
  out["message"] = text_or_null(s.message);
  out["decidedAt"] = s.decided_at ? json::value(format_time(*s.decided_at)) : json::value(nullptr);
  out["expiresAt"] = s.expires_at ? json::value(format_time(*s.expires_at)) : json::value(nullptr);
  out["preemption"] = s.preemption ? json::value(preemption_json(*s.preemption)) : json::value(nullptr);
  json::object durations{{"evaluate", format_duration(s.evaluate)}};
  if (s.queued.count() > 0) durations["queued"] = format_duration(s.queued);
  if (s.bind.count() > 0) durations["bind"] = format_duration(s.bind);
  out["durations"] = std::move(durations);
  out["placements"] = s.placements.empty() ? json::value(nullptr)
                                           : json::value(json::array(s.placements.begin(), s.placements.end()));
  out["conditions"] = array_of(s.conditions, [&](const ReportCondition& c) {
    return json::object{{"type", c.type},
                        {"status", c.is_true ? "True" : "False"},
                        {"reason", c.reason},
                        {"message", cut(c.message, kMessageBytes)},
                        {"observedGeneration", s.observed_generation},
                        {"lastTransitionTime", format_time(c.since)}};
  });
  return out;
}

}  // namespace podium::controller
