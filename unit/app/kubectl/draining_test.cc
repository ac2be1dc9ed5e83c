// Drains for users without the right to read all pods and budgets.
#include "app/kubectl/draining.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "unit/support/temp_dir.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

using testing::HasSubstr;
using testing::Not;

constexpr const char* kTwoNodes = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web, namespace: shop, uid: w, labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}
  spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: ledger, namespace: bank, uid: l, labels: {app: ledger}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}
  spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
- apiVersion: policy/v1
  kind: PodDisruptionBudget
  metadata: {name: web, namespace: shop}
  spec: {maxUnavailable: 0, selector: {matchLabels: {app: web}}}
  status: {disruptionsAllowed: 0}
- apiVersion: policy/v1
  kind: PodDisruptionBudget
  metadata: {name: ledger, namespace: bank}
  spec: {maxUnavailable: 0, selector: {matchLabels: {app: ledger}}}
  status: {disruptionsAllowed: 0}
)";

std::unexpected<Error> forbidden() {
  Error error{.kind = Error::Kind::status, .message = "forbidden"};
  error.status.code = 403;
  return std::unexpected(std::move(error));
}

// A dump for a user who lacks these rights: "list poddisruptionbudgets shop", "ask bank".
class Restricted final : public Cluster {
 public:
  Restricted(std::unique_ptr<Cluster> all, std::set<std::string> refused)
      : all_(std::move(all)), refused_(std::move(refused)) {}
  const std::string& ns() const override { return all_->ns(); }
  Result<json::value> get(const client::Resource& resource, const std::string& ns,
                          const std::string& name) override {
    return all_->get(resource, ns, name);
  }
  Result<std::vector<json::value>> list(const client::Resource& resource, const std::string& ns,
                                        const client::ListOptions& options) override {
    if (refused_.contains("list " + resource.plural + " " + ns)) return forbidden();
    return all_->list(resource, ns, options);
  }
  AdmittedPod dry_run_pod(const std::string& ns, const json::value& pod) override {
    return all_->dry_run_pod(ns, pod);
  }
  Result<bool> dry_run(const std::string& ns, const json::value& object) override {
    return all_->dry_run(ns, object);
  }
  Result<json::value> ask(const std::string& ns, json::object spec, bool keep) override {
    if (refused_.contains("ask " + ns)) return forbidden();
    return all_->ask(ns, std::move(spec), keep);
  }
  Result<std::optional<json::value>> decision(const std::string& ns, const std::string& pod,
                                              const std::string& uid) override {
    return all_->decision(ns, pod, uid);
  }
  Result<std::optional<json::value>> remembered(const std::string& ns, const std::string& pod,
                                                const std::string& uid) override {
    return all_->remembered(ns, pod, uid);
  }
  Result<std::vector<json::value>> unplaced_decisions(const std::string& ns) override {
    return all_->unplaced_decisions(ns);
  }

 private:
  const std::unique_ptr<Cluster> all_;
  const std::set<std::string> refused_;
};

class Draining : public testing::Test {
 protected:
  Restricted cluster(std::set<std::string> refused, const std::string& dump = kTwoNodes) {
    ConnectionFlags flags;
    flags.dump = {directory_.write("dump.yaml", dump)};
    flags.ns = "shop";
    return {open_cluster(flags).value(), std::move(refused)};
  }
  std::string together(std::set<std::string> refused, const std::string& dump = kTwoNodes) {
    auto of = cluster(std::move(refused), dump);
    const auto drain = drain_together({}, {"n1"}, of);
    return drain ? render::drain_table(*drain, {}) : drain.error().message;
  }
  std::string in_steps(std::set<std::string> refused) {
    auto of = cluster(std::move(refused));
    const auto rolling = drain_in_steps({.rolling = 1}, {"n1", "n2"}, of);
    return rolling ? render::rolling_table(*rolling, {}) : rolling.error().message;
  }

  unit::TempDir directory_;
};

constexpr const char* kNoBudgetsOfShop = "list poddisruptionbudgets shop";
constexpr const char* kNoBudgetsOfBank = "list poddisruptionbudgets bank";

// podium's answer names the budgets of the question's namespace, so none of them is one that the user may
// not see.
TEST_F(Draining, BudgetsThatTheUserMayNotListAreThoseOfTheAnswer) {
  const auto all = together({});
  EXPECT_THAT(all, HasSubstr("! budget web allows 0 disruptions\n"));
  EXPECT_THAT(all, HasSubstr("! budget ledger allows 0 disruptions\n"));
  EXPECT_EQ(together({kNoBudgetsOfShop, kNoBudgetsOfBank}), all);
  const auto without_bank = together({kNoBudgetsOfBank, "ask bank"});
  EXPECT_THAT(without_bank, HasSubstr("! budget web allows 0 disruptions\n"));
  EXPECT_THAT(without_bank, HasSubstr("You may not create schedulingreports in bank, so pods there are not "
                                      "evaluated.\n"
                                      "! 1 PodDisruptionBudget that you may not see does not allow all of "
                                      "these evictions now.\n"));
}

TEST_F(Draining, InStepsTheAnswerSaysWhichBudgetsWereNotRead) {
  const auto line = [](const std::string& of) {
    return "You may not list poddisruptionbudgets in " + of +
           ", so budgets there are counted and not named.\n";
  };
  EXPECT_THAT(in_steps({}), HasSubstr("! budget bank/ledger allows 0 disruptions; "
                                      "budget shop/web allows 0 disruptions\n"));
  EXPECT_THAT(in_steps({}), Not(HasSubstr("You may not")));
  const auto own = in_steps({kNoBudgetsOfShop});
  EXPECT_THAT(own, HasSubstr("budget shop/web allows 0 disruptions\n")) << "the answer has it";
  EXPECT_THAT(own, Not(HasSubstr("You may not")));
  const auto neither = in_steps({kNoBudgetsOfShop, kNoBudgetsOfBank});
  EXPECT_THAT(neither,
              HasSubstr("! budget shop/web allows 0 disruptions; 1 more budget does not allow it now\n"));
  EXPECT_THAT(neither, HasSubstr(line("bank")));
}

// hi leaves n1 and preempts low, whose namespace has no pod on n1.
constexpr const char* kPreempts = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: hi, namespace: shop, uid: h, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}
  spec: {nodeName: n1, priority: 9, containers: [{name: c, image: i, resources: {requests: {cpu: "4"}}}]}
- apiVersion: v1
  kind: Pod
  metadata: {name: low, namespace: batch, uid: l, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}
  spec: {nodeName: n2, priority: 0, containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
)";

TEST_F(Draining, PreemptedPodsOfOtherNamespacesAreNamed) {
  const auto all = together({}, kPreempts);
  EXPECT_THAT(all, HasSubstr("1 of 2 pods (1 to make room for the others) has a new place"));
  EXPECT_THAT(all, HasSubstr("\nbatch/low  -"));
  EXPECT_THAT(all, HasSubstr("! evicted to make room for a pod of another namespace\n"));
  EXPECT_THAT(all, Not(HasSubstr("not named")));
  const std::string counted = "1 pod of other namespaces, evicted to make room, is counted and not named.\n";
  const auto without_asking = together({"ask batch"}, kPreempts);
  EXPECT_THAT(without_asking, Not(HasSubstr("batch"))) << "only names are missing";
  EXPECT_THAT(without_asking, HasSubstr(counted));
  EXPECT_THAT(together({"list pods "}, kPreempts), Not(HasSubstr("batch")));
}

}  // namespace
}  // namespace podium::kubectl
