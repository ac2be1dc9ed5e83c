// Several workloads in one question.
#include "app/render/together.h"

#include <gtest/gtest.h>

namespace podium::render {
namespace {

Together asked(const std::string& subject, std::size_t count, std::size_t fitting) {
  Together out{subject, {}};
  out.report.ns = "shop";
  auto& status = out.report.status;
  status.outcome = fitting == count ? "Fits" : fitting > 0 ? "PartlyFits" : "DoesNotFit";
  auto& answer = status.answer.emplace();
  answer.asked = count;
  answer.fitting = fitting;
  if (fitting > 0) answer.placements = {{.node = "n1", .count = fitting}};
  answer.placements_total = answer.placements.size();
  return out;
}

TEST(TogetherTest, SaysHowManyFitAndWhatLimitsTheOthers) {
  auto cart = asked("shop/cart", 4, 4);
  cart.report.status.answer->zones = {{.name = "eu-1b", .count = 1}, {.name = "eu-1a", .count = 3}};
  auto cart2 = asked("shop/cart2", 100, 39);
  explain::ReportRejection full;
  full.plugin = "NodeResourcesFit";
  full.code = "InsufficientResource";
  full.about = {{framework::Topic::resource, "cpu"}};
  full.nodes = 54;
  full.shortfall = explain::MissingAmount{"cpu", "250m", "n7", 0};
  auto& failure = cart2.report.status.answer->first_failure.emplace();
  failure.replica = 40;
  failure.rejections = {full};
  EXPECT_EQ(together({cart, cart2, asked("shop/pay", 1, 1)}, {}),
            "2 of 3 workloads fit together; shop/cart2 does not.\n"
            "  WORKLOAD    ASKED  FIT  WHERE                LIMITED BY\n"
            "  shop/cart       4    4  eu-1a 3 and eu-1b 1\n"
            "  shop/cart2    100   39  n1 39                54 nodes do not have enough free cpu; closest: "
            "250m cpu short\n"
            "  shop/pay        1    1  n1\n");
  cart2.report.status.preemption = explain::Preempted{"n9", {{"batch", "a"}}, 2};
  EXPECT_NE(together({cart2}, {}).find("closest: 250m cpu short; would evict 2 pods on n9\n"),
            std::string::npos);
  cart2.report.status.preemption->violated_budgets = {{"batch", "db"}};
  EXPECT_NE(together({cart2}, {}).find(" pods on n9, violating the PodDisruptionBudget batch/db\n"),
            std::string::npos);
  EXPECT_EQ(together({cart, asked("shop/pay", 1, 1)}, {}).substr(0, 30), "All 2 workloads fit together.\n");
}

// For the workloads after it, another of the equal nodes may be drawn.
TEST(TogetherTest, APodMayBeOnAnEqualNode) {
  auto pay = asked("shop/pay", 1, 1);
  pay.report.status.choice = explain::ReportChoice{.node = "n1", .tied_nodes = 2};
  EXPECT_NE(together({pay, asked("shop/web", 2, 2)}, {}).find("1    1  n1 or an equal node\n"),
            std::string::npos);
}

// The nodes would have room without the pods that are nominated to them.
TEST(TogetherTest, RoomMayBeKeptForNominatedPods) {
  auto cart = asked("shop/cart", 2, 1);
  cart.report.status.answer->first_failure.emplace().rejections = {
      {.code = "InsufficientResource", .nodes = 1, .about = {{framework::Topic::resource, "cpu"}}}};
  EXPECT_NE(
      together({cart}, {}).find("1 node does not have enough free cpu; it is kept for nominated pods\n"),
      std::string::npos);
}

TEST(TogetherTest, AQuotaLimitsAWorkload) {
  auto cart = asked("shop/cart", 100, 100);
  cart.report.status.outcome = "PartlyFits";
  explain::set_quotas(*cart.report.status.answer,
                      {{.name = "q", .allowed = 53, .resources = {{"pods", "90", "190", "143", true}}}});
  EXPECT_EQ(together({cart, asked("shop/pay", 1, 1)}, {}),
            "1 of 2 workloads fit together; shop/cart does not.\n"
            "  WORKLOAD   ASKED  FIT  WHERE  LIMITED BY\n"
            "  shop/cart    100   53  n1 53  quota q\n"
            "  shop/pay       1    1  n1\n"
            "shop/cart: Quota q (namespace shop): pods 190/143: exceeded from replica 54 on.\n");
  auto& answer = *cart.report.status.answer;
  answer.placements = {{.node = "n1", .count = 60}, {.node = "n2", .count = 40}};
  answer.placements_total = 2;
  EXPECT_NE(together({cart}, {}).find("  53  among n1 and n2  quota q\n"), std::string::npos)
      << "which of the pods are admitted is not known";
  answer.zones = {{.name = "eu-1a", .count = 100}, {.name = "eu-1b", .count = 0}};
  EXPECT_NE(together({cart}, {}).find("  53  eu-1a 53  quota q\n"), std::string::npos);
  answer.zones.clear();
  explain::set_quotas(answer,
                      {{.name = "q", .allowed = 0, .resources = {{"pods", "143", "243", "143", true}}}});
  EXPECT_NE(together({cart}, {}).find("  0  -      quota q\n"), std::string::npos) << together({cart}, {});
}

TEST(TogetherTest, NamespacesAreNotSaidToFitTogether) {
  auto cart = asked("shop/cart", 1, 1), log = asked("ops/log", 1, 1);
  log.report.ns = "ops";
  EXPECT_TRUE(together({cart, log}, {}).starts_with("All 2 workloads fit, each namespace alone.\n"));
  log.report.status.outcome = "DoesNotFit";
  EXPECT_TRUE(together({cart, log}, {})
                  .starts_with("1 of 2 workloads fit, each namespace alone; ops/log does not.\n"));
}

TEST(TogetherTest, WhatIsNotModelledOfAllIsSaidOnce) {
  auto cart = asked("shop/cart", 1, 1), pay = asked("shop/pay", 1, 1), bad = asked("shop/bad", 1, 0);
  cart.report.status.answer->not_modelled = {"the kubelet of n1", "LimitRange"};
  pay.report.status.answer->not_modelled = {"LimitRange"};
  bad.report.status.outcome = explain::kRefused;
  const auto said = together({cart, pay, bad}, {});
  EXPECT_TRUE(
      said.ends_with("shop/cart: podium does not model: the kubelet of n1.\n"
                     "podium does not model: LimitRange.\n"))
      << said;
}

}  // namespace
}  // namespace podium::render
