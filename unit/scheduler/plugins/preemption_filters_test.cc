// Filter verdicts on a node without its victims that are neither a fit nor a plain rejection.
#include "unit/scheduler/plugins/preemption_fixture.h"

namespace podium::plugins::test::preemption_filters_test {
namespace {

using framework::Code;
using framework::Verdict;

// Rejects every node in filter(), and returns another verdict from check() during preemption.
class Fickle final : public framework::Plugin, public framework::FilterPlugin {
 public:
  struct Second {
    std::optional<Verdict> without_victims;  // nullopt: the node is fine
    std::optional<Verdict> none_is_gone;
  };
  using Answers = std::map<std::string, Second>;  // by node
  explicit Fickle(Answers answers) : answers_(std::move(answers)) {}
  std::string_view name() const override { return "Fickle"; }
  bool has_pre_filter() const override { return false; }
  std::vector<framework::EventHint> hints() const override { return {}; }
  framework::PreparedFilter prepare_filter(const cluster::PodInfo&, const Snapshot& snapshot) const override {
    return {.filter = std::make_unique<Evaluator>(*this, snapshot)};
  }

 private:
  class Evaluator final : public framework::NodeFilter {
   public:
    Evaluator(const Fickle& plugin, const Snapshot& snapshot) : NodeFilter(snapshot), plugin_(plugin) {}
    void filter(cluster::NodeMask& nodes, framework::Rejections& out) const override {
      const auto id = out.add({"Fickle", Code::unschedulable, {"full"}});
      const auto asked = nodes;
      asked.each([&](cluster::Row row) { out.reject(nodes, row, id); });
    }
    std::optional<Verdict> check(cluster::Row row, const framework::PodDelta& delta) const override {
      const auto& answer = plugin_.answers_.at(std::string(snapshot_.node_name(row)));
      return delta.removed.empty() ? answer.none_is_gone : answer.without_victims;
    }

   private:
    const Fickle& plugin_;
  };
  Answers answers_;
};

TEST(DefaultPreemption, WhatAFilterSaysOfANodeWithoutItsPods) {
  const auto always = [](Code code, std::string why) {
    const Verdict verdict{"Fickle", code, {std::move(why)}};
    return Fickle::Second{verdict, verdict};
  };
  const auto fails = [&](std::string why) { return always(Code::error, std::move(why)); };
  const auto full = always(Code::unschedulable, "still full"),
             hopeless = always(Code::unschedulable_and_unresolvable, "never");
  const Fickle::Second fine{}, needs_room{std::nullopt, full.none_is_gone},
      fails_later{std::nullopt, fails("broken").none_is_gone};
  const struct {
    const char* name;
    Fickle::Answers answers;
    std::string want;
  } cases[] = {
      {"it fails", {{"a", fails("broken")}}, "preemption: running \"Fickle\" filter plugin: broken"},
      {"it fails the same way twice",
       {{"a", fails("broken")}, {"b", fails("broken")}},
       "preemption: running \"Fickle\" filter plugin: broken"},
      {"it fails in two ways",
       {{"a", fails("broken")}, {"b", fails("bent")}},
       "preemption: [running \"Fickle\" filter plugin: broken, running \"Fickle\" filter plugin: bent]"},
      {"it fails on one and has room on none",
       {{"a", fails("broken")}, {"b", full}},
       "preemption: running \"Fickle\" filter plugin: broken"},
      {"it fails on one, and another one can make room",
       {{"a", fails("broken")}, {"b", needs_room}},
       "b: on-b"},
      {"it fails when the pod is to stay after all", {{"a", fails_later}}, "a: on-a"},
      {"nobody has to go after all",
       {{"a", fine}},
       "preemption: expected at least one victim pod on node \"a\""},
      {"nobody has to go on one, and another one can make room", {{"a", fine}, {"b", needs_room}}, "b: on-b"},
      {"no room",
       {{"a", full}, {"b", hopeless}},
       "preemption: 0/2 nodes are available: 1 never, 1 still full."},
  };
  for (const auto& c : cases) {
    const Fickle fickle(c.answers);
    const auto preemption = in_tree_plugin("DefaultPreemption");
    framework::Profile profile;
    profile.filters.push_back({"Fickle", &fickle});
    profile.post_filters.push_back(
        {"DefaultPreemption", dynamic_cast<const framework::PostFilterPlugin*>(preemption.get())});
    Nodes nodes;
    Pods placed;
    for (const auto& [node, _] : c.answers) {
      nodes.push_back(machine(node));
      placed.push_back(runs("on-" + node, node, 0));
    }
    const auto decision = framework::evaluate(*info(wants("1")), snapshot_of(nodes, placed), profile);
    EXPECT_EQ(answer(decision), c.want) << c.name;
    EXPECT_EQ(decision.withdraw_nomination, c.want.find("nodes are available") != std::string::npos)
        << c.name << ": after a failure what the pod is nominated to still counts";
  }
}

}  // namespace
}  // namespace podium::plugins::test::preemption_filters_test
