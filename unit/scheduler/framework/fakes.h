// Plugins with scripted answers by node name, and a profile made of them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/cluster/snapshot.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/filters.h"
#include "unit/support/builders.h"

namespace podium::framework::test {

using Reasons = std::vector<Reason>;

inline PodInfoPtr info(const api::Pod& pod) {
  return cluster::make_pod_info(std::make_shared<const api::Pod>(pod));
}

// A filter that rejects nodes by name, with a PreFilter that runs `prepare`.
class FakeFilter : public Plugin, public FilterPlugin {
 public:
  explicit FakeFilter(std::string name) : name_(std::move(name)) {}

  std::map<std::string, Verdict> verdicts;  // by node
  std::optional<Verdict> pre_filter_rejects;
  std::optional<std::vector<std::string>> only_nodes;
  std::size_t capacity = 100;  // of each node in check(), in added pods
  bool skips = false, with_pre_filter = true;
  std::string unprepared_error;

  FakeFilter& reject(const std::string& node, Reasons reasons, Code code = Code::unschedulable) {
    verdicts[node] = {name_, code, std::move(reasons)};
    return *this;
  }

  std::string_view name() const override { return name_; }
  bool has_pre_filter() const override { return with_pre_filter; }
  std::string error_without_pre_filter() const override { return unprepared_error; }
  std::vector<EventHint> hints() const override { return {}; }
  PreparedFilter prepare_filter(const PodInfo&, const Snapshot& snapshot) const override {
    PreparedFilter out{.rejected = pre_filter_rejects};
    if (only_nodes) out.only.emplace(only_nodes->begin(), only_nodes->end());
    if (!skips) out.filter = std::make_unique<Evaluator>(*this, snapshot);
    return out;
  }

 private:
  class Evaluator : public NodeFilter {
   public:
    Evaluator(const FakeFilter& plugin, const Snapshot& snapshot) : NodeFilter(snapshot), plugin_(plugin) {}
    void filter(NodeMask& nodes, Rejections& out) const override {
      const NodeMask asked = nodes;
      asked.each([&](Row row) {
        if (auto verdict = check(row, {})) out.reject(nodes, row, out.add(*verdict));
      });
    }
    std::optional<Verdict> check(Row row, const PodDelta& delta) const override {
      const auto it = plugin_.verdicts.find(std::string(snapshot_.node_name(row)));
      if (it != plugin_.verdicts.end()) return it->second;
      if (delta.added.size() > plugin_.capacity + delta.removed.size()) {
        return Verdict{plugin_.name_, Code::unschedulable, {"no room"}};
      }
      return std::nullopt;
    }

   private:
    const FakeFilter& plugin_;
  };

  std::string name_;
};

class FakeScore : public Plugin, public ScorePlugin {
 public:
  FakeScore(std::string name, std::map<std::string, std::uint8_t> scores)
      : scores(std::move(scores)), name_(std::move(name)) {}

  std::map<std::string, std::uint8_t> scores;  // by node; 0 for the others
  bool skips = false, with_pre_score = true;
  std::string unprepared_error, error;
  std::uint8_t unprepared_score = 0;

  std::string_view name() const override { return name_; }
  bool has_pre_score() const override { return with_pre_score; }
  std::string error_without_pre_score() const override { return unprepared_error; }
  std::uint8_t score_if_skipped() const override { return unprepared_score; }
  PreparedScore prepare_score(const PodInfo&, const Snapshot& snapshot, const NodeMask&) const override {
    if (!error.empty()) return {nullptr, error};
    return {skips ? nullptr : std::make_unique<Evaluator>(*this, snapshot)};
  }

 private:
  class Evaluator : public NodeScorer {
   public:
    Evaluator(const FakeScore& plugin, const Snapshot& snapshot) : plugin_(plugin), snapshot_(snapshot) {}
    void score(const NodeMask& feasible, std::span<std::uint8_t> out) const override {
      std::fill(out.begin(), out.end(), 0xEE);  // values of infeasible rows must not matter
      feasible.each([&](Row row) {
        const auto it = plugin_.scores.find(std::string(snapshot_.node_name(row)));
        out[row] = it == plugin_.scores.end() ? 0 : it->second;
      });
    }

   private:
    const FakeScore& plugin_;
    const Snapshot& snapshot_;
  };

  std::string name_;
};

class FakePostFilter : public Plugin, public PostFilterPlugin {
 public:
  FakePostFilter(std::string name, PostFilterResult result)
      : result(std::move(result)), name_(std::move(name)) {}
  PostFilterResult result;
  std::string_view name() const override { return name_; }
  PostFilterResult post_filter(const PodInfo&, const Snapshot&, const Filters&,
                               const Decision&) const override {
    return result;
  }
  // Takes the first.
  PostFilterResult choose(const Snapshot& snapshot,
                          Result<std::vector<PreemptionCandidate>> candidates) const override {
    if (!candidates)
      return {.failed = Verdict{name_, Code::error, {name_ + ": " + candidates.error().message}}};
    if (candidates->empty()) return {.failed = Verdict{name_, Code::unschedulable, {name_ + ": none left"}}};
    const auto& first = candidates->front();
    return {.preemption =
                Preemption{std::string(snapshot.node_name(first.row)), first.victims, first.violated}};
  }

 private:
  std::string name_;
};

// A cluster of empty nodes, added in the order of the list.
inline Snapshot cluster_of(const std::vector<std::string>& nodes) {
  Snapshot snapshot;
  for (const auto& name : nodes) snapshot.set_node(podium::test::node(name).ptr());
  return snapshot;
}

// Records an observer's calls, one line each: "PreScore Affinity 1 Skip", "PreScore Success".
class EvaluationLog final : public EvaluationObserver {
 public:
  explicit EvaluationLog(const Profile& profile) : profile_(profile) {}
  void phase_ended(Phase phase, std::string_view status) override { add(phase, std::string(status)); }
  void plugin_called(Phase phase, std::size_t index, std::size_t nodes, std::string_view status) override {
    add(phase, name(phase, index) + " " + std::to_string(nodes) + " " + std::string(status));
  }
  std::vector<std::string> lines;

 private:
  void add(Phase phase, const std::string& text) {
    static constexpr const char* kNames[kPhases] = {"PreFilter", "Filter", "PostFilter", "PreScore", "Score"};
    lines.push_back(std::string(kNames[static_cast<std::size_t>(phase)]) + " " + text);
  }
  const std::string& name(Phase phase, std::size_t index) const {
    if (phase == Phase::pre_filter) return profile_.pre_filters.at(index).name;
    if (phase == Phase::filter) return profile_.filters.at(index).name;
    return phase == Phase::pre_score ? profile_.pre_scores.at(index).name : profile_.scores.at(index).name;
  }
  const Profile& profile_;
};

// Filters run at PreFilter and Filter, in the order given.
struct ProfileOf {
  Profile profile;
  ProfileOf& filter(const FakeFilter& plugin, bool pre_filter = true) {
    const Profile::FilterEntry entry{std::string(plugin.name()), &plugin, pre_filter, true};
    if (pre_filter && plugin.with_pre_filter) profile.pre_filters.push_back(entry);
    profile.filters.push_back(entry);
    return *this;
  }
  ProfileOf& score(const FakeScore& plugin, std::int64_t weight = 1, bool pre_score = true) {
    pre_score &= plugin.with_pre_score;
    if (pre_score) profile.pre_scores.push_back({std::string(plugin.name()), &plugin});
    profile.scores.push_back({std::string(plugin.name()), &plugin, weight, pre_score});
    return *this;
  }
  ProfileOf& post_filter(const FakePostFilter& plugin) {
    profile.post_filters.push_back({std::string(plugin.name()), &plugin});
    return *this;
  }
  operator const Profile&() const { return profile; }
};

// Verdicts by node name, as text: "Plugin/Code: reason, reason".
inline std::map<std::string, std::string> rejected(const Decision& decision, const Snapshot& snapshot) {
  std::map<std::string, std::string> out;
  snapshot.present().each([&](Row row) {
    if (const auto id = decision.rejections.id(row); id != kFits) {
      const auto& verdict = decision.rejections.verdict(id);
      out[std::string(snapshot.node_name(row))] =
          verdict.plugin + "/" + std::string(to_string(verdict.code)) + ": " + message(verdict);
    }
  });
  return out;
}

inline std::vector<std::string> feasible(const Decision& decision, const Snapshot& snapshot) {
  std::vector<std::string> out;
  for (const Row row : snapshot.rows_by_name()) {
    if (decision.feasible.test(row)) out.emplace_back(snapshot.node_name(row));
  }
  return out;
}

}  // namespace podium::framework::test
