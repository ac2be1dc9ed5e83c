#include <random>

#include "scheduler/plugins/shared/node_selector.h"
#include "unit/scheduler/plugins/ask.h"

namespace podium::plugins::test::node_affinity_test {
namespace {

using podium::test::does_not_exist;
using podium::test::exists;
using podium::test::gt;
using podium::test::in;
using podium::test::lt;
using podium::test::node_term;
using podium::test::not_in;

const std::string kNotMatched = "UU; node(s) didn't match Pod's node affinity/selector";
const std::string kNotEnforced = "UU; node(s) didn't match scheduler-enforced node affinity";

api::Requirement unknown_operator(std::string key) {
  return {std::move(key), api::Requirement::Op::unknown, {}};
}

TEST(NodeAffinity, Filter) {
  const auto by_name = [](const char* name) { return in("metadata.name", {name}); };
  const auto not_by_name = [](const char* name) { return not_in("metadata.name", {name}); };
  const Nodes nodes{node("a").label("disk", "ssd").label("cores", "16"), node("b").label("disk", "hdd"),
                    node("c")};
  // The nodes that are expected to fail.
  const auto failing = [](std::initializer_list<const char*> names) {
    Answers answers;
    for (const auto* name : names) answers[name] = kNotMatched;
    return answers;
  };
  const struct {
    const char* name;
    api::Pod pod;
    Answers want;
  } cases[] = {
      {"nothing asked for", pod("p"), {}},
      {"selector", pod("p").node_selector("disk", "ssd"), failing({"b", "c"})},
      {"selector with a key that no node has", pod("p").node_selector("gpu", "x"), failing({"a", "b", "c"})},
      {"selector with two labels", pod("p").node_selector("disk", "ssd").node_selector("cores", "8"),
       failing({"a", "b", "c"})},
      {"In", pod("p").require_node(node_term({in("disk", {"ssd", "hdd"})})), failing({"c"})},
      {"NotIn holds without the label", pod("p").require_node(node_term({not_in("disk", {"hdd"})})),
       failing({"b"})},
      {"NotIn with a key that no node has", pod("p").require_node(node_term({not_in("gpu", {"x"})})), {}},
      {"Exists", pod("p").require_node(node_term({exists("disk")})), failing({"c"})},
      {"DoesNotExist", pod("p").require_node(node_term({does_not_exist("disk")})), failing({"a", "b"})},
      {"DoesNotExist with a key that no node has",
       pod("p").require_node(node_term({does_not_exist("gpu")})),
       {}},
      {"Gt", pod("p").require_node(node_term({gt("cores", "015")})), failing({"b", "c"})},
      {"Gt is strict", pod("p").require_node(node_term({gt("cores", "16")})), failing({"a", "b", "c"})},
      {"Lt", pod("p").require_node(node_term({lt("cores", "17")})), failing({"b", "c"})},
      {"Gt with a label that is not a number", pod("p").require_node(node_term({gt("disk", "1")})),
       failing({"a", "b", "c"})},
      {"Gt with no number", pod("p").require_node(node_term({gt("cores", "few")})), failing({"a", "b", "c"})},
      {"In without values", pod("p").require_node(node_term({in("disk", {})})), failing({"a", "b", "c"})},
      {"NotIn with what can be no label value", pod("p").require_node(node_term({not_in("disk", {"-"})})),
       failing({"a", "b", "c"})},
      {"an unknown operator", pod("p").require_node(node_term({unknown_operator("disk")})),
       failing({"a", "b", "c"})},
      {"expressions are ANDed", pod("p").require_node(node_term({exists("disk"), exists("cores")})),
       failing({"b", "c"})},
      {"terms are ORed",
       pod("p").require_node(node_term({in("disk", {"ssd"})})).require_node(node_term({in("disk", {"hdd"})})),
       failing({"c"})},
      {"a term that cannot be parsed leaves the others",
       pod("p").require_node(node_term({unknown_operator("x")})).require_node(node_term({exists("disk")})),
       failing({"c"})},
      {"an empty term selects nothing", pod("p").require_node(node_term({})), failing({"a", "b", "c"})},
      {"no terms select nothing", pod("p").require_no_node(), failing({"a", "b", "c"})},
      {"selector and affinity",
       pod("p").node_selector("disk", "ssd").require_node(node_term({does_not_exist("cores")})),
       failing({"a", "b", "c"})},
      {"not that name", pod("p").require_node(node_term({}, {not_by_name("a")})), failing({"a"})},
      {"not an unknown name", pod("p").require_node(node_term({}, {not_by_name("x")})), {}},
      {"a field that nodes do not have",
       pod("p").require_node(node_term({}, {in("metadata.namespace", {"x"})})), failing({"a", "b", "c"})},
      {"names narrow the nodes",
       pod("p").require_node(node_term({}, {by_name("a")})).require_node(node_term({}, {by_name("b")})),
       {{"c", "left out"}}},
      {"a named node still has to match",
       pod("p").require_node(node_term({exists("cores")}, {by_name("b")})),
       {{"a", "left out"}, {"b", kNotMatched}, {"c", "left out"}}},
      {"unknown names leave all out",
       pod("p").require_node(node_term({}, {by_name("x")})),
       {{"a", "left out"}, {"b", "left out"}, {"c", "left out"}}},
      {"a term without a name keeps all in",
       pod("p").require_node(node_term({}, {by_name("a")})).require_node(node_term({exists("disk")})),
       failing({"c"})},
      {"conflicting names",
       pod("p").require_node(node_term({}, {by_name("a"), by_name("b")})),
       {{"*", "UU; pod affinity terms conflict"}}},
      {"one conflicting term of two",
       pod("p")
           .require_node(node_term({}, {by_name("a"), by_name("b")}))
           .require_node(node_term({}, {by_name("c")})),
       {{"a", "left out"}, {"b", "left out"}}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(filter(make(make_node_affinity), c.pod, snapshot_of(nodes)), c.want) << c.name;
  }
}

TEST(NodeAffinity, FilterWithAddedAffinity) {
  const auto plugin = make(make_node_affinity, R"({"addedAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}]}}})");
  const auto snapshot = snapshot_of({node("a").label("disk", "ssd"), node("b").label("pool", "x"),
                                     node("c").label("disk", "ssd").label("pool", "x")});
  EXPECT_EQ(filter(plugin, pod("p"), snapshot), (Answers{{"b", kNotEnforced}}));
  // addedAffinity is checked first.
  EXPECT_EQ(filter(plugin, pod("p").node_selector("pool", "x"), snapshot),
            (Answers{{"a", kNotMatched}, {"b", kNotEnforced}}));
}

TEST(NodeAffinity, Score) {
  const Nodes nodes{node("a").label("x", "1").label("y", "1"), node("b").label("x", "1"), node("c")};
  const auto wants = [](const char* key) { return node_term({exists(key)}); };
  const struct {
    const char* name;
    api::Pod pod;
    Scores want;
  } cases[] = {
      {"nothing preferred", pod("p"), {}},
      {"in proportion to the most",
       pod("p").prefer_node(2, wants("x")).prefer_node(5, wants("y")),
       {{"a", 100}, {"b", 28}, {"c", 0}}},
      {"nobody matches", pod("p").prefer_node(2, wants("z")), {{"a", 0}, {"b", 0}, {"c", 0}}},
      {"weight 0 and empty terms do not count",
       pod("p").prefer_node(0, wants("x")).prefer_node(5, node_term({})).prefer_node(1, wants("y")),
       {{"a", 100}, {"b", 0}, {"c", 0}}},
      {"by name",
       pod("p").prefer_node(1, node_term({}, {in("metadata.name", {"c"})})),
       {{"a", 0}, {"b", 0}, {"c", 100}}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(score(make(make_node_affinity), c.pod, snapshot_of(nodes)), c.want) << c.name;
  }
}

TEST(NodeAffinity, ScoreWithAddedAffinity) {
  const auto plugin = make(make_node_affinity, R"({"addedAffinity": {
      "preferredDuringSchedulingIgnoredDuringExecution": [
          {"weight": 10, "preference": {"matchExpressions": [{"key": "x", "operator": "Exists"}]}}]}})");
  const auto snapshot = snapshot_of({node("a").label("x", "1"), node("b").label("y", "1"), node("c")});
  EXPECT_EQ(score(plugin, pod("p"), snapshot), (Scores{{"a", 100}, {"b", 0}, {"c", 0}}));
  EXPECT_EQ(score(plugin, pod("p").prefer_node(5, node_term({exists("y")})), snapshot),
            (Scores{{"a", 100}, {"b", 50}, {"c", 0}}));
}

// The texts are those of kube-scheduler's PreScore; `make parity` compares them.
TEST(NodeAffinity, PreferredTermsThatCannotBeParsedAreAnError) {
  const std::string no_number = "for 'Gt', 'Lt' operators, the value must be an integer";
  const std::string no_label =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
      "must "
      "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
      "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const std::string at = ".matchExpressions[0].values[0]", few = ": Invalid value: \"few\": " + no_number;
  const auto term = node_term({gt("cores", "few")});
  const struct {
    const char* name;
    api::Pod pod;
    std::string want;
  } cases[] = {
      {"no number", pod("p").prefer_node(1, term), "[0]" + at + few},
      {"the second term", pod("p").prefer_node(1, node_term({exists("x")})).prefer_node(1, term),
       "[1]" + at + few},
      {"of two", pod("p").prefer_node(1, term).prefer_node(2, node_term({exists("x"), lt("cores", "")})),
       "[[0]" + at + few + ", [1].matchExpressions[1].values[0]: Invalid value: \"\": " + no_number + "]"},
      {"no label value", pod("p").prefer_node(1, node_term({not_in("disk", {"ssd", "-"})})),
       "[0].matchExpressions[0].values[1][disk]: Invalid value: \"-\": " + no_label},
      {"neither", pod("p").prefer_node(1, node_term({lt("x.io/cores", "a b")})),
       "[[0]" + at + ": Invalid value: \"a b\": " + no_number + ", [0]" + at +
           "[x.io/cores]: Invalid value: \"a b\": " + no_label + "]"},
      {"two signs", pod("p").prefer_node(1, node_term({gt("cores", "+-5")})),
       "[[0]" + at + ": Invalid value: \"+-5\": " + no_number + ", [0]" + at +
           "[cores]: Invalid value: \"+-5\": " + no_label + "]"},
      {"too long", pod("p").prefer_node(1, node_term({in("disk", {std::string(64, 'x')})})),
       "[0]" + at + "[disk]: Invalid value: \"" + std::string(64, 'x') + "\": must be no more than 63 bytes"},
      {"too long, and wrong", pod("p").prefer_node(1, node_term({in("disk", {std::string(64, '!')})})),
       "[0]" + at + "[disk]: Invalid value: \"" + std::string(64, '!') +
           "\": must be no more than 63 bytes; " + no_label},
      {"weight 0 is not looked at", pod("p").prefer_node(0, term), ""},
      {"nor is an empty term", pod("p").prefer_node(1, node_term({})), ""},
      {"a required term", pod("p").require_node(term), ""},
      {"numbers", pod("p").prefer_node(1, node_term({gt("cores", "12"), lt("cores", "007")})), ""},
  };
  const auto snapshot = snapshot_of({node("a"), node("b")});
  for (const auto& c : cases)
    EXPECT_EQ(score_error(make(make_node_affinity), c.pod, snapshot), c.want) << c.name;
}

TEST(NodeAffinity, OnlyFeasibleNodesSetTheScale) {
  const auto snapshot = snapshot_of({node("a").label("x", "1").label("y", "1"), node("b").label("x", "1")});
  EXPECT_EQ(score(make(make_node_affinity),
                  pod("p").prefer_node(1, node_term({exists("x")})).prefer_node(1, node_term({exists("y")})),
                  snapshot, {"a"}),
            (Scores{{"b", 100}}));
}

TEST(NodeAffinity, Hints) {
  const api::Pod rejected = pod("p").node_selector("disk", "ssd");
  const api::Node plain = node("n"), matching = node("n").label("disk", "ssd");
  const struct {
    const char* name;
    framework::ClusterEvent event;
    bool want;
  } cases[] = {
      {"a matching node was added", node_added(matching), true},
      {"another node was added", node_added(plain), false},
      {"the label came", node_updated(plain, matching), true},
      {"the label went", node_updated(matching, plain), false},
      {"another label came", node_updated(matching, node("n").label("disk", "ssd").label("x", "y")), false},
      {"a taint went", node_updated(node("n").label("disk", "ssd").taint("x", "", "NoSchedule"), matching),
       false},
  };
  for (const auto& c : cases) EXPECT_EQ(helps(make(make_node_affinity), rejected, c.event), c.want) << c.name;

  // A term that upstream cannot parse.
  api::Pod unparsable = pod("p").node_selector("disk", "ssd");
  unparsable.node_affinity.required = std::vector<api::NodeSelectorTerm>{
      {.match_expressions = {{.key = "x", .op = api::Requirement::Op::gt, .values = {"abc"}}},
       .match_fields = {}}};
  const auto made = make(make_node_affinity);
  EXPECT_TRUE(helps(made, unparsable, node_added(matching)));
  EXPECT_TRUE(
      helps(made, unparsable, node_updated(matching, node("n").label("disk", "ssd").label("x", "y"))));
  EXPECT_FALSE(helps(made, unparsable, node_added(plain))) << "the node selector keeps it away";

  // addedAffinity must match too.
  const auto enforced = make(make_node_affinity, R"({"addedAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["x"]}]}]}}})");
  EXPECT_FALSE(helps(enforced, rejected, node_added(matching)));
  EXPECT_FALSE(helps(enforced, rejected, node_added(node("n").label("pool", "x"))));
  EXPECT_TRUE(helps(enforced, rejected, node_added(node("n").label("pool", "x").label("disk", "ssd"))));
  EXPECT_TRUE(helps(enforced, pod("p"), node_added(node("n").label("pool", "x"))));
}

// --- columns against a check of each node ---

class RandomAffinity {
 public:
  explicit RandomAffinity(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  Nodes nodes(int count) {
    Nodes nodes;
    for (int i = 0; i < count; ++i) {
      auto builder = node("n" + std::to_string(i));
      for (int k = 0; k < 4; ++k) {
        if (below(3)) builder.label(key(k), value());
      }
      nodes.push_back(builder);
    }
    return nodes;
  }

  api::NodeSelectorTerm term() {
    std::vector<api::Requirement> expressions, fields;
    for (auto left = below(3); left > 0; --left) expressions.push_back(requirement());
    if (below(4) == 0) {
      api::Requirement field = in("metadata.name", {"n" + std::to_string(below(2000))});
      if (below(2)) field.op = api::Requirement::Op::not_in;
      fields.push_back(field);
    }
    return node_term(std::move(expressions), std::move(fields));
  }

 private:
  std::string key(std::uint64_t k) { return "k" + std::to_string(k); }
  std::string value() { return below(5) ? std::to_string(below(12)) : "v" + std::to_string(below(3)); }
  api::Requirement requirement() {
    const auto on = below(8) ? key(below(5)) : "kubernetes.io/hostname";
    switch (below(6)) {
      case 0:
        return in(on, {value()});
      case 1: {
        podium::test::Strings many;
        for (auto left = below(9); left > 0; --left) many.push_back(value());
        return below(2) ? in(on, many) : not_in(on, many);
      }
      case 2:
        return exists(on);
      case 3:
        return does_not_exist(on);
      case 4:
        return gt(on, value());
      default:
        return lt(on, value());
    }
  }

  std::mt19937_64 random_;
};

TEST(NodeAffinity, RandomTermsAgreeWithAskingEveryNode) {
  SCOPED_SEED(test_seed());
  RandomAffinity random(test_seed());
  const auto nodes = random.nodes(1500);
  const auto snapshot = snapshot_of(nodes);
  for (int round = 0; round < 60; ++round) {
    auto builder = pod("p");
    for (auto left = random.below(3) + 1; left > 0; --left) builder.require_node(random.term());
    for (auto left = random.below(4); left > 0; --left) {
      builder.prefer_node(static_cast<int>(random.below(100)), random.term());
    }
    const api::Pod incoming = builder;
    bool parsed = true;  // false: a value is not a number, or In or NotIn has none
    for (const auto& preferred : incoming.node_affinity.preferred) {
      for (const auto& r : preferred.preference.match_expressions) {
        const bool compares = r.op == api::Requirement::Op::gt || r.op == api::Requirement::Op::lt;
        const bool is_set_based = r.op == api::Requirement::Op::in || r.op == api::Requirement::Op::not_in;
        const bool is_error =
            (compares && r.values.front().starts_with('v')) || (is_set_based && r.values.empty());
        parsed &= preferred.weight == 0 || !is_error;
      }
    }
    std::set<std::string> want, got;
    Scores sums;
    std::int64_t max = 0;
    for (const auto& node : nodes) {
      if (required_affinity_selects(incoming, node)) want.insert(node.meta.name);
      std::int64_t sum = 0;
      for (const auto& preferred : incoming.node_affinity.preferred) {
        if (selects({&preferred.preference, 1}, node)) sum += preferred.weight;
      }
      sums[node.meta.name] = sum;
      max = std::max(max, sum);
    }
    for (auto& [name, sum] : sums) sum = max ? 100 * sum / max : 0;
    const auto rejected = filter(make(make_node_affinity), incoming, snapshot);
    for (const auto& node : nodes) {
      if (!rejected.contains(node.meta.name) && !rejected.contains("*")) got.insert(node.meta.name);
    }
    EXPECT_EQ(got, want);
    if (!incoming.node_affinity.preferred.empty()) {
      EXPECT_EQ(score_error(make(make_node_affinity), incoming, snapshot).empty(), parsed);
      EXPECT_EQ(score(make(make_node_affinity), incoming, snapshot), parsed ? sums : Scores());
    }
  }
}

}  // namespace
}  // namespace podium::plugins::test::node_affinity_test
