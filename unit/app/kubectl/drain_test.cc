// `drain` and `drain --rolling` from the command line to what they print.
#include <gmock/gmock.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "unit/app/kubectl/verbs_fixture.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

using testing::HasSubstr;

class Drains : public OnADump {
 protected:
  // kShopDump with these objects.
  std::string dump_with(const std::string& objects) {
    return directory_.write("more.yaml", kShopDump + objects);
  }
  json::value document(const std::string& dump, std::vector<std::string> words) {
    words.insert(words.end(), {"-o", "json"});
    const auto ran = run_on(dump, words);
    boost::system::error_code error;
    auto parsed = json::parse(ran.out, error);
    EXPECT_FALSE(error) << ran.out << ran.err;
    return parsed;
  }
};

constexpr const char* kTwoBudgetsOfWeb = R"(
- apiVersion: policy/v1
  kind: PodDisruptionBudget
  metadata: {name: first, namespace: shop}
  spec: {maxUnavailable: 2, selector: {matchLabels: {app: web}}}
  status: {disruptionsAllowed: 2}
- apiVersion: policy/v1
  kind: PodDisruptionBudget
  metadata: {name: second, namespace: shop}
  spec: {maxUnavailable: 2, selector: {matchLabels: {app: web}}}
  status: {disruptionsAllowed: 2}
)";

// The eviction API refuses such a pod with the status 500, even if each budget allows the eviction.
TEST_F(Drains, PodsOfSeveralBudgetsAreNamed) {
  const auto dump = dump_with(kTwoBudgetsOfWeb);
  EXPECT_THAT(run_on(dump, {"drain", "n-1", "-n", "shop"}).out,
              HasSubstr("! 2 budgets match it, so its eviction is not allowed: first, second\n"));
  const auto rolling = run_on(dump, {"drain", "n-1", "n-2", "--rolling", "1", "-n", "ml"}).out;
  EXPECT_THAT(rolling, HasSubstr("! several budgets match shop/web-a-1, so its eviction is not allowed\n"));
  const auto steps = document(dump, {"drain", "n-1", "n-2", "--rolling", "1", "-n", "ml"}).at("steps");
  EXPECT_EQ(
      steps.at(0).at("obstacles"),
      json::parse(R"(["2 budgets match shop/web-a-1, so its eviction is not allowed: first, second"])"));
  EXPECT_EQ(steps.at(0).at("podsWithSeveralBudgets"), 1);
}

// A budget from a manifest has no status: the disruption controller has not seen it.
TEST_F(Drains, ABudgetWithoutAStatusAllowsWhatItsControllerWould) {
  const auto dump = dump_with(R"(
- apiVersion: policy/v1
  kind: PodDisruptionBudget
  metadata: {name: one, namespace: shop}
  spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
)");
  EXPECT_THAT(run_on(dump, {"drain", "n-1", "-n", "shop"}).out, testing::Not(HasSubstr("budget")));
  EXPECT_THAT(run_on(dump, {"drain", "n-1", "n-2", "-n", "shop"}).out,
              HasSubstr("! budget one allows 1 disruption, and 2 of its pods are here"));
}

}  // namespace
}  // namespace podium::kubectl
