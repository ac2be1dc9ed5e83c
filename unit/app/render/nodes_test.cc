// The answers about nodes as text: joined from several namespaces.
#include "app/render/nodes.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>

#include "app/render/words_json.h"

namespace podium::render {
namespace {

namespace json = boost::json;

using explain::NodesSpare;
using explain::NodesWanted;

NodesAnswer wanted(const std::string& ns, const NodesWanted& nodes, std::size_t asked, std::size_t fitting) {
  NodesAnswer out{.ns = ns, .answer = {}};
  out.answer.asked = asked;
  out.answer.fitting = fitting;
  out.answer.nodes_wanted = nodes;
  return out;
}

NodesWanted of_shop() {
  return {.fit_now = 2,
          .is_fewest = true,
          .is_finished = true,
          .shapes_tried = 1,
          .shapes_total = 1,
          .added = {{.shape = "g.a100x8",
                     .allocatable = {{"cpu", "96"}, {"memory", "1099511627776"}, {"nvidia.com/gpu", "8"}},
                     .nodes = 2,
                     .pods = 9,
                     .workloads = {{.kind = "Deployment", .name = "web", .count = 2}, {.count = 7}},
                     .workloads_total = 2,
                     .left_over = {{"cpu", "1500m"}, {"memory", "0"}}}},
          .added_total = 1,
          .nodes_total = 2,
          .unplaced = {{.pods = {.count = 3}, .reason = "r"}},
          .unplaced_total = 1};
}

TEST(NodesTable, JoinsWhatEachNamespaceNames) {
  auto of_ml = of_shop();
  of_ml.added[0].workloads = {{.kind = "StatefulSet", .name = "big", .count = 6}, {.count = 3}};
  of_ml.unplaced = {
      {.pods = {.kind = "Pod", .name = "h100", .count = 3}, .reason = "no shape has gpu-model=h100"}};
  NodesAnswers answers{.asked = {wanted("shop", of_shop(), 14, 11), wanted("ml", of_ml, 14, 11)},
                       .unasked = {.forbidden = {"secret"}, .ending = {}}};
  const NodesSpare spare{
      .pods_moved = 7, .is_finished = true, .nodes = {{.node = "n1"}, {.node = "n2"}}, .nodes_total = 2};
  EXPECT_EQ(
      nodes_wanted_table(answers, {spare}, {}),
      "14 pods wait; 2 fit on the existing nodes. Fewest additions:\n"
      "  SHAPE                                     NODES  TAKES  OF                                       "
      "       LEFT OVER\n"
      "  g.a100x8 (96 cpu, 1Ti, 8 nvidia.com/gpu)      2      9  ml/big and shop/web, 1 pod of other "
      "namespaces  1.5 cpu\n"
      "  none fits                                     -      3  ml/h100                                  "
      "       no shape has gpu-model=h100\n"
      "You may not create schedulingreports in secret, so pods there are not named.\n"
      "Nothing was added. To do it: add 2 nodes of g.a100x8.\n"
      "Can be removed now: n1 and n2 (7 pods move, nothing waits).\n");
  EXPECT_EQ(nodes_wanted_exit_code(answers), 3);
}

TEST(NodesTable, SaysWhichCordonedNodesWouldDo) {
  auto nodes = of_shop();
  const NodesAnswers without{.asked = {wanted("shop", nodes, 14, 11)}, .unasked = {}};
  EXPECT_EQ(nodes_wanted_table(without, {}, {}).find("uncordon"), std::string::npos);
  nodes.uncordon = {"n4", "n7"};
  const NodesAnswers answers{.asked = {wanted("shop", nodes, 14, 11)}, .unasked = {}};
  EXPECT_TRUE(nodes_wanted_table(answers, {}, {})
                  .ends_with("Nothing was added. To do it: add 2 nodes of g.a100x8.\n"
                             "Instead, as many pods get a node after: kubectl uncordon n4 n7\n"));
}

TEST(NodesTable, SaysThatOnlyACordonedNodeHelps) {
  explain::NodesWanted nodes;
  nodes.is_finished = true;
  nodes.unplaced = {{{"", "Deployment", "db", 1}, "no shape has kubernetes.io/hostname=n4"}};
  nodes.unplaced_total = 1;
  nodes.uncordon = {"n4"};
  const NodesAnswers answers{.asked = {wanted("shop", nodes, 1, 0)}, .unasked = {}};
  EXPECT_EQ(nodes_wanted_table(answers, {}, {}),
            "1 pod waits. No new node of these shapes helps, a cordoned one does:\n"
            "  SHAPE      NODES  TAKES  OF       LEFT OVER\n"
            "  none fits      -      1  shop/db  no shape has kubernetes.io/hostname=n4\n"
            "Nothing was added. Pods get a node after: kubectl uncordon n4\n");
}

TEST(NodesTable, SaysHowGoodTheChoiceIs) {
  const auto verdict = [](bool is_fewest, bool is_finished, const char* price) {
    auto nodes = of_shop();
    nodes.fit_now = 0;
    nodes.is_fewest = is_fewest;
    nodes.is_finished = is_finished;
    nodes.price = price;
    const auto text = nodes_wanted_table({.asked = {wanted("shop", nodes, 1, 1)}}, {}, {});
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(verdict(true, true, ""), "1 pod waits. Fewest additions:");
  EXPECT_EQ(verdict(true, true, "2.5"), "1 pod waits. Cheapest additions, for 2.5:");
  EXPECT_EQ(verdict(false, true, ""), "1 pod waits. Additions, none superfluous:");
  EXPECT_EQ(verdict(false, false, ""), "1 pod waits. The best additions found before the deadline:");
  EXPECT_EQ(nodes_wanted_table({.asked = {wanted("shop", {}, 0, 0)}}, {}, {}), "No pod waits for room.\n");
  EXPECT_EQ(nodes_wanted_table({.asked = {wanted("shop", {.evicting = 2}, 0, 0)}}, {}, {}),
            "No pod waits for room.\nNot counted: 2 wait for evictions.\n");
}

TEST(NodesTable, StepsAndWhatBlocks) {
  NodesAnswer shop{.ns = "shop", .answer = {}}, ml{.ns = "ml", .answer = {}};
  shop.answer.asked = 6;
  shop.answer.nodes_spare = NodesSpare{
      .pods_moved = 3,
      .cordon_first = true,
      .is_finished = false,
      .nodes = {{.node = "n1", .pods_moved = 3, .pods = {{"web-1", "n3"}}, .pods_total = 1}, {.node = "n2"}},
      .nodes_total = 2,
      .blocked = {{.code = "Budget",
                   .reason = "budget db allows 0 disruptions, and 1 of its pods is there",
                   .nodes = 1,
                   .examples = {"n4"}},
                  {.code = "New", .reason = "r", .nodes = 2, .examples = {"n5"}}}};
  ml.answer.nodes_spare =
      NodesSpare{.nodes = {{.node = "n1", .pods_moved = 3, .pods = {{"big-0", "n4"}}, .pods_total = 1}}};
  Options options;
  options.program = "kubectl podium";
  const NodesAnswers answers{.asked = {shop, ml}};
  EXPECT_EQ(nodes_spare_table(answers, options),
            "2 of 6 nodes can be removed; 3 pods move, nothing waits.\n"
            "The deadline passed before each node was tried.\n"
            "  STEP  NODE  MOVE  WHERE\n"
            "     1  n1       3  shop/web-1 → n3, ml/big-0 → n4 and 1 more\n"
            "     2  n2       0\n"
            "What blocks the others:\n"
            "   1 node  runs pods that a budget protects  n4: budget db allows 0 disruptions, and 1 of its "
            "pods is there\n"
            "  2 nodes  cannot be removed                 n5: r\n"
            "Nothing was drained. First kubectl cordon n1 n2; then each with its command:\n"
            "  kubectl podium drain n1\n"
            "  kubectl podium drain n2\n");
  EXPECT_EQ(nodes_spare_exit_code(answers), 0);
}

TEST(NodesTable, LongCommandsAreFolded) {
  NodesAnswer shop{.ns = "shop", .answer = {}};
  shop.answer.asked = 40;
  auto& spare = shop.answer.nodes_spare.emplace(NodesSpare{.cordon_first = true, .is_finished = true});
  spare.is_largest = true;
  for (int i = 10; i < 39; ++i) spare.nodes.push_back({.node = "general-" + std::to_string(i)});
  spare.nodes_total = spare.nodes.size();
  Options options;
  options.program = "kubectl podium";
  const NodesAnswers answers{.asked = {shop}};
  EXPECT_NE(nodes_spare_table(answers, options).find(" general-38; then each with its command:\n"),
            std::string::npos);
  options.columns = 80;
  const auto text = nodes_spare_table(answers, options);
  const auto from = text.find("Nothing was drained.");
  EXPECT_EQ(text.substr(from, text.find("  kubectl podium drain", from) - from),
            "Nothing was drained. First:\n"
            "  kubectl cordon general-10 general-11 general-12 general-13 general-14 \\\n"
            "    general-15 general-16 general-17 general-18 general-19 general-20 \\\n"
            "    general-21 general-22 general-23 general-24 general-25 general-26 \\\n"
            "    general-27 general-28 general-29 general-30 general-31 general-32 \\\n"
            "    general-33 general-34 general-35 general-36 general-37 general-38\n"
            "Then each with its command:\n");
  auto nodes = of_shop();
  for (int i = 10; i < 20; ++i) nodes.uncordon.push_back("general-" + std::to_string(i));
  const NodesAnswers without{.asked = {wanted("shop", nodes, 14, 11)}, .unasked = {}};
  EXPECT_TRUE(nodes_wanted_table(without, {}, options)
                  .ends_with("Instead, as many pods get a node after:\n"
                             "  kubectl uncordon general-10 general-11 general-12 general-13 general-14 \\\n"
                             "    general-15 general-16 general-17 general-18 general-19\n"));
}

TEST(NodesTable, ALargerChoiceIsPossibleUnlessAllWereTried) {
  const auto said = [](bool is_finished, bool is_largest) {
    NodesAnswer answer{.ns = "shop", .answer = {}};
    answer.answer.asked = 20;
    answer.answer.nodes_spare = NodesSpare{.is_finished = is_finished, .is_largest = is_largest};
    return nodes_spare_table({.asked = {answer}}, {});
  };
  EXPECT_EQ(said(true, true), "0 of 20 nodes can be removed.\n");
  EXPECT_EQ(
      said(true, false),
      "0 of 20 nodes can be removed.\nNot every choice of nodes was tried: another one may be larger.\n");
  EXPECT_EQ(said(false, false),
            "0 of 20 nodes can be removed.\nThe deadline passed before each node was tried.\n");
}

json::value page_words(const NodesAnswer& answer) {
  explain::ReportStatus status;
  status.answer = answer.answer;
  return words_json(status, "shop", Asked()).at("nodes");
}

// The page says what the terminal says above and below the table.
TEST(NodesWords, OfThePageAreTheTerminals) {
  auto missing = of_shop();
  missing.gated = 1;
  missing.uncordon = {"n4"};
  missing.not_tried = 2;
  missing.unplaced_total = 4;
  EXPECT_EQ(page_words(wanted("shop", missing, 14, 11)),
            (json::value{{"verdict", "14 pods wait; 2 fit on the existing nodes. Fewest additions:"},
                         {"notes",
                          {"2 pods were not tried: the deadline passed.",
                           "3 more workloads without a place are not listed.", "Not counted: 1 is gated.",
                           "Nothing was added. To do it: add 2 nodes of g.a100x8.",
                           "Instead, as many pods get a node after: kubectl uncordon n4"}}}));
  NodesAnswer spare{.ns = "shop", .answer = {}};
  spare.answer.asked = 6;
  spare.answer.nodes_spare =
      NodesSpare{.pods_moved = 1,
                 .cordon_first = true,
                 .is_finished = true,
                 .nodes = {{.node = "n1", .pods_moved = 1}, {.node = "n2", .is_cordoned = true}},
                 .nodes_total = 3};
  EXPECT_EQ(
      page_words(spare),
      (json::value{{"verdict", "3 of 6 nodes can be removed; 1 pod moves, nothing waits."},
                   {"notes",
                    {"Not every choice of nodes was tried: another one may be larger.",
                     "1 more node can be removed after that.",
                     "Nothing was drained. First kubectl cordon n1; then drain them in this order."}}}));
  const auto terminal = nodes_spare_table({.asked = {spare}, .unasked = {}}, {});
  EXPECT_TRUE(
      terminal.starts_with("3 of 6 nodes can be removed; 1 pod moves, nothing waits.\n"
                           "Not every choice of nodes was tried: another one may be larger.\n"))
      << terminal;
}

}  // namespace
}  // namespace podium::render
