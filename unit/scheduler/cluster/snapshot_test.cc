// Named cases of Snapshot; the random test covers combinations.
#include "scheduler/cluster/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "unit/support/builders.h"

namespace podium::cluster::snapshot_test {
namespace {

using podium::test::node;
using podium::test::pod;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Strings = std::vector<std::string>;

PodInfoPtr info(const podium::test::PodBuilder& builder) { return make_pod_info(builder.ptr()); }

Strings pods_on(const Snapshot& s, std::string_view name) {
  Strings uids;
  for (const auto& pod : s.entry(*s.find_row(name)).pods) uids.push_back((*pod)->meta.uid);
  return uids;
}

Strings names(const Snapshot& s) {
  Strings out;
  for (const Row row : s.rows_by_name()) out.emplace_back(s.node_name(row));
  return out;
}

// Pods and terminating pods of each class on one node, as "labels:pods/terminating".
Strings classes_on(const Snapshot& s, std::string_view name) {
  Strings out;
  const auto row = s.find_row(name);
  s.pod_classes().each([&](const PodClass& c) {
    std::string text;
    for (const auto& [key, value] : c.labels()) text += key + "=" + value + " ";
    for (const auto& p : c.postings()) {
      if (p.row == row) out.push_back(text + std::to_string(p.pods) + "/" + std::to_string(p.terminating));
    }
  });
  std::ranges::sort(out);
  return out;
}

std::int64_t cpu_on(const Snapshot& s, std::string_view name) {
  return s.requested_milli_cpu[*s.find_row(name)];
}

Strings by_importance(const Snapshot& s, std::string_view name) {
  const auto& entry = s.entry(*s.find_row(name));
  Strings uids;
  for (const auto& each : entry.by_importance().below(1'000))
    uids.push_back((*entry.pods.at(each.index))->meta.uid);
  return uids;
}

// What was asked before does not stay when the pods change.
TEST(Snapshot, ThePodsByImportanceFollowTheirNode) {
  Snapshot s;
  s.set_node(node("n").ptr());
  for (int i : {1, 3, 2}) {
    s.add_pod(info(pod("p" + std::to_string(i)).uid("p" + std::to_string(i)).priority(i).node("n")));
    by_importance(s, "n");
  }
  EXPECT_THAT(by_importance(s, "n"), ElementsAre("p3", "p2", "p1"));
  const auto fork = s;
  s.remove_pod("p3");
  EXPECT_THAT(by_importance(s, "n"), ElementsAre("p2", "p1"));
  s.remove_pod("p1");
  EXPECT_THAT(by_importance(s, "n"), ElementsAre("p2"));
  EXPECT_THAT(by_importance(fork, "n"), ElementsAre("p3", "p2", "p1"));
}

TEST(Snapshot, EmptyKnowsNothing) {
  Snapshot s;
  s.remove_node("n");
  s.remove_pod("uid");
  s.withdraw_nomination("uid");
  EXPECT_EQ(s.generation(), 0u);
  EXPECT_EQ(s.find_row("n"), std::nullopt);
  EXPECT_EQ(s.find_pod("uid"), nullptr);
  EXPECT_EQ(s.image("i"), nullptr);
  EXPECT_EQ(s.scalar("a.b/c"), nullptr);
  EXPECT_EQ(s.labels().find("zone"), nullptr);
  EXPECT_THAT(s.rows_by_name(), IsEmpty());
}

TEST(Snapshot, PodOrderIsKubeSchedulers) {
  Snapshot s;
  s.set_node(node("n").ptr());
  for (const auto* uid : {"a", "b", "c", "d"}) s.add_pod(info(pod("p").uid(uid).node("n")));
  s.remove_pod("a");
  EXPECT_THAT(pods_on(s, "n"), ElementsAre("d", "b", "c"));
  s.add_pod(info(pod("p").uid("d").node("n")));
  EXPECT_THAT(pods_on(s, "n"), ElementsAre("c", "b", "d"));
}

TEST(Snapshot, ReplacingAPodCountsItOnce) {
  Snapshot s;
  s.set_node(node("n").ptr());
  s.set_node(node("m").ptr());
  s.add_pod(info(pod("p").label("app", "web").req("cpu", "1").node("n")));
  s.add_pod(info(pod("p").label("app", "web").req("cpu", "2").node("n").terminating()));
  EXPECT_EQ(cpu_on(s, "n"), 2000);
  EXPECT_THAT(classes_on(s, "n"), ElementsAre("app=web 1/1"));
  s.add_pod(info(pod("p").label("app", "db").req("cpu", "3").node("m")));
  EXPECT_EQ(cpu_on(s, "n"), 0);
  EXPECT_EQ(cpu_on(s, "m"), 3000);
  EXPECT_THAT(classes_on(s, "n"), IsEmpty());
  EXPECT_THAT(classes_on(s, "m"), ElementsAre("app=db 1/0"));
  EXPECT_EQ(s.pod_total(), 1u);
}

TEST(Snapshot, APodWithoutANodeIsNotPlaced) {
  Snapshot s;
  s.set_node(node("n").ptr());
  s.add_pod(info(pod("p").node("n")));
  s.add_pod(info(pod("p")));
  EXPECT_EQ(s.pod_total(), 0u);
  EXPECT_THAT(pods_on(s, "n"), IsEmpty());
}

TEST(Snapshot, PodsWaitForTheirNode) {
  Snapshot s;
  s.add_pod(info(pod("p").uid("a").req("cpu", "1").req("x.y/z", "2").label("app", "web").node("n")));
  s.add_pod(info(pod("p").uid("b").req("cpu", "2").node("n")));
  EXPECT_EQ(s.pod_total(), 2u);
  EXPECT_NE(s.find_pod("a"), nullptr);
  EXPECT_EQ(s.scalar("x.y/z"), nullptr);
  s.set_node(node("n").ptr());
  EXPECT_THAT(pods_on(s, "n"), ElementsAre("a", "b"));
  EXPECT_EQ(cpu_on(s, "n"), 3000);
  EXPECT_EQ(s.scalar("x.y/z")->requested[*s.find_row("n")], 2);

  s.remove_node("n");
  EXPECT_EQ(s.node_count(), 0u);
  EXPECT_EQ(s.pod_total(), 2u);
  EXPECT_EQ(s.scalar("x.y/z"), nullptr);
  s.remove_pod("a");
  s.add_pod(info(pod("p").uid("c").req("cpu", "5").node("n")));
  s.set_node(node("m").ptr());  // reuses the row of n, without its data
  EXPECT_THAT(pods_on(s, "m"), IsEmpty());
  EXPECT_EQ(cpu_on(s, "m"), 0);
  s.set_node(node("n").ptr());
  EXPECT_THAT(pods_on(s, "n"), ElementsAre("b", "c"));
  EXPECT_EQ(cpu_on(s, "n"), 7000);
  EXPECT_EQ(s.rows(), 2u);
}

TEST(Snapshot, AllocatableWithoutPodsIsZero) {
  Snapshot s;
  s.set_node(node("n").cap("cpu", "4").ptr());
  const auto row = *s.find_row("n");
  EXPECT_EQ(s.allocatable_milli_cpu[row], 4000);
  EXPECT_EQ(s.allocatable_pods[row], 0);
  s.set_node(node("n").cap("pods", "110").ptr());
  EXPECT_EQ(s.allocatable_milli_cpu[row], 0);
  EXPECT_EQ(s.allocatable_pods[row], 110);
}

TEST(Snapshot, SumsThatSaturateComeBackExact) {
  Snapshot s;
  s.set_node(node("n").ptr());
  const auto row = *s.find_row("n");
  const auto most = std::numeric_limits<std::int64_t>::max();
  s.add_pod(info(
      pod("p").uid("a").req("memory", "9223372036854775807").req("x.y/z", "9223372036854775807").node("n")));
  s.add_pod(info(pod("p").uid("b").req("memory", "5").req("x.y/z", "7").node("n")));
  EXPECT_EQ(s.requested_memory[row], most);
  EXPECT_EQ(s.scalar("x.y/z")->requested[row], most);
  s.remove_pod("a");
  EXPECT_EQ(s.requested_memory[row], 5);
  EXPECT_EQ(s.scalar("x.y/z")->requested[row], 7);
}

// Two are beyond the largest number, also in a fork, and in any order of removals.
TEST(Snapshot, AForkKeepsTheExactSumsOfItsOwn) {
  Snapshot s;
  s.set_node(node("n").ptr());
  const auto row = *s.find_row("n");
  const auto most = std::numeric_limits<std::int64_t>::max();
  for (const auto* uid : {"a", "b", "c"})
    s.add_pod(info(pod(uid).uid(uid).req("cpu", "9E").req("memory", "7E").req("x.y/z", "7E").node("n")));
  auto fork = s;
  fork.remove_pod("b");
  fork.remove_pod("a");
  const std::int64_t seven = 7'000'000'000'000'000'000;
  EXPECT_EQ(fork.requested_memory[row], seven);
  EXPECT_EQ(fork.scalar("x.y/z")->requested[row], seven);
  EXPECT_EQ(s.requested_memory[row], most);
  EXPECT_EQ(s.scalar("x.y/z")->requested[row], most);
  s.remove_node("n");
  s.set_node(node("m").ptr());  // takes the row
  ASSERT_EQ(s.find_row("m"), row);
  EXPECT_EQ(s.requested_memory[row], 0);
  s.add_pod(info(pod("d").uid("d").req("memory", "5").node("m")));
  EXPECT_EQ(s.requested_memory[row], 5);
  s.set_node(node("n").ptr());
  EXPECT_EQ(s.scalar("x.y/z")->requested[*s.find_row("n")], most);
}

TEST(Snapshot, ImageSizeIsThatOfTheNodeThatCameFirst) {
  Snapshot s;
  s.set_node(node("a").image({"i", "i"}, 100).ptr());
  s.set_node(node("b").image({"i"}, 200).ptr());
  EXPECT_EQ(s.image("i")->size, 100);
  EXPECT_EQ(s.image("i")->nodes.size(), 2u);
  s.set_node(node("a").image({"i"}, 300).ptr());  // b has it: the size stays
  EXPECT_EQ(s.image("i")->size, 100);
  s.remove_node("a");
  EXPECT_EQ(s.image("i")->size, 100);
  s.set_node(node("b").image({"i"}, 400).ptr());  // no other node has it: counts as new
  EXPECT_EQ(s.image("i")->size, 400);
  s.set_node(node("b").ptr());
  EXPECT_EQ(s.image("i"), nullptr);
}

TEST(Snapshot, NodesWithEqualTaintsShareASet) {
  Snapshot s;
  for (const auto* name : {"a", "b", "c", "d"}) {
    auto b = node(name);
    if (*name != 'a') b.taint("k", "v", "NoSchedule");
    if (*name == 'd') b.unschedulable();
    s.set_node(b.ptr());
  }
  const auto set = [&](std::string_view name) { return s.taint_set[*s.find_row(name)]; };
  EXPECT_EQ(set("a"), 0u);
  EXPECT_EQ(set("b"), set("c"));
  EXPECT_NE(set("c"), set("d"));
  const auto freed = set("d");
  s.set_node(node("d").ptr());
  s.set_node(node("a").taint("other", "", "NoExecute").ptr());
  EXPECT_EQ(set("a"), freed);
  EXPECT_EQ(s.taint_sets().size(), 3u);
}

TEST(Snapshot, LabelValuesAreReused) {
  Snapshot s;
  for (int i = 0; i < 100; ++i) s.set_node(node("n").label("build", std::to_string(i)).ptr());
  const auto* column = s.labels().find("build");
  EXPECT_LE(column->id_limit(), 3u);
  EXPECT_EQ(column->name(column->value(*s.find_row("n"))), "99");
  EXPECT_EQ(column->find("98"), kNoValue);
  s.set_node(node("n").ptr());
  EXPECT_EQ(s.labels().find("build"), nullptr);
}

TEST(Snapshot, NamesStayInOrder) {
  Snapshot s;
  for (const auto* name : {"n10", "n2", "n1"}) s.set_node(node(name).ptr());
  EXPECT_THAT(names(s), ElementsAre("n1", "n10", "n2"));
  s.set_node(node("n11").ptr());
  s.remove_node("n1");
  EXPECT_THAT(names(s), ElementsAre("n10", "n11", "n2"));
  for (int i = 20; i < 60; ++i) s.set_node(node("n" + std::to_string(i)).ptr());  // more than kUnreadEdits
  EXPECT_TRUE(std::ranges::is_sorted(names(s)));
  EXPECT_EQ(names(s).size(), 43u);
}

TEST(Snapshot, NominationsEndWithPlacement) {
  Snapshot s;
  s.nominate(info(pod("p")), "n");
  s.nominate(info(pod("q")), "n");
  s.nominate(info(pod("p")), "m");
  ASSERT_EQ(s.nominations().size(), 2u);
  EXPECT_EQ((*std::next(s.nominations().begin())).node, "m");
  s.add_pod(info(pod("p").node("m")));
  ASSERT_EQ(s.nominations().size(), 1u);
  s.withdraw_nomination((*(*s.nominations().begin()).pod)->meta.uid);
  EXPECT_TRUE(s.nominations().empty());
}

TEST(PodClassTable, CountsAClassOnManyNodes) {
  Snapshot s;
  std::map<Row, std::uint32_t> expected;
  const auto add = [&](int number, int on) {
    s.add_pod(info(pod("p" + std::to_string(number)).node("n" + std::to_string(on))));
    ++expected[*s.find_row("n" + std::to_string(on))];
  };
  const auto remove = [&](int number, int on) {
    s.remove_pod("uid-p" + std::to_string(number));
    const auto it = expected.find(*s.find_row("n" + std::to_string(on)));
    if (--it->second == 0) expected.erase(it);
  };
  const auto seen = [&] {
    std::map<Row, std::uint32_t> out;
    s.pod_classes().each([&](const PodClass& c) {
      for (const auto& posting : c.postings()) out[posting.row] += posting.pods;
      EXPECT_EQ(out.size(), c.postings().size());
    });
    return out;
  };
  for (int i = 0; i < 60; ++i) s.set_node(node("n" + std::to_string(i)).ptr());
  for (int i = 0; i < 120; ++i) add(i, i * 7 % 60);
  EXPECT_EQ(seen(), expected);
  for (int i = 0; i < 120; ++i) {  // in another order than they were added
    const int number = i * 37 % 120;
    remove(number, number * 7 % 60);
    ASSERT_EQ(seen(), expected) << "after " << i;
    if (i >= 60 && i < 80) add(1000 + i, number * 7 % 60);  // on a node that the class has just left
    ASSERT_EQ(seen(), expected) << "after " << i;
  }
  for (int i = 0; i < 20; ++i) add(i, i);
  EXPECT_EQ(seen(), expected);
}

TEST(Snapshot, GenerationCountsWrites) {
  Snapshot s;
  const auto before = s.generation();
  s.set_node(node("n").ptr());
  const auto placed = s.generation();
  s.add_pod(info(pod("p").node("n")));
  EXPECT_LT(before, placed);
  EXPECT_LT(placed, s.generation());
  const auto fork = s;
  EXPECT_EQ(fork.generation(), s.generation());
}

TEST(Snapshot, AForkDoesNotFollow) {
  Snapshot live;
  live.set_node(node("n").zone("a").cap("x.y/z", "4").taint("k", "", "NoSchedule").image({"i"}, 1).ptr());
  live.add_pod(info(pod("p").label("app", "web").req("cpu", "1").host_port(80).node("n")));
  live.objects().set(podium::test::share(podium::test::make_namespace("shop")));

  Snapshot fork = live;
  fork.remove_pod((*info(pod("p")))->meta.uid);
  fork.set_node(node("n").zone("b").ptr());
  fork.set_node(node("m").ptr());
  fork.objects().remove<api::Namespace>("", "shop");

  const auto row = *live.find_row("n");
  EXPECT_EQ(names(live), (Strings{"n"}));
  EXPECT_EQ(names(fork), (Strings{"m", "n"}));
  EXPECT_EQ(cpu_on(live, "n"), 1000);
  EXPECT_EQ(cpu_on(fork, "n"), 0);
  EXPECT_TRUE(live.with_host_ports().test(row));
  EXPECT_FALSE(fork.with_host_ports().test(row));
  EXPECT_EQ(live.scalar("x.y/z")->allocatable[row], 4);
  EXPECT_EQ(fork.scalar("x.y/z"), nullptr);
  EXPECT_NE(live.image("i"), nullptr);
  EXPECT_EQ(fork.image("i"), nullptr);
  EXPECT_EQ(live.taint_sets()[live.taint_set[row]].taints.size(), 1u);
  EXPECT_EQ(fork.taint_set[row], 0u);
  EXPECT_EQ(live.labels().find("topology.kubernetes.io/zone")->find("b"), kNoValue);
  EXPECT_EQ(fork.labels().find("topology.kubernetes.io/zone")->find("a"), kNoValue);
  EXPECT_THAT(classes_on(live, "n"), ElementsAre("app=web 1/0"));
  EXPECT_THAT(classes_on(fork, "n"), IsEmpty());
  EXPECT_NE(live.objects().find<api::Namespace>("", "shop"), nullptr);
  EXPECT_EQ(fork.objects().find<api::Namespace>("", "shop"), nullptr);
}

TEST(Snapshot, AWriteCopiesOnlyItsChunk) {
  Snapshot live;
  for (int i = 0; i < 2050; ++i) live.set_node(node("n" + std::to_string(i)).cap("cpu", "1").ptr());
  Snapshot fork = live;
  fork.set_node(node("n0").cap("cpu", "2").ptr());
  const auto chunk = [](const Snapshot& s, std::size_t i) { return s.allocatable_milli_cpu.chunk(i).data(); };
  EXPECT_NE(chunk(live, 0), chunk(fork, 0));
  EXPECT_EQ(chunk(live, 1), chunk(fork, 1));
  EXPECT_EQ(live.allocatable_memory.chunk(0).data(), live.allocatable_memory.chunk(2).data());
  fork.set_node(node("n1500").cap("cpu", "1").label("new", "label").ptr());  // unchanged
  EXPECT_EQ(chunk(live, 1), chunk(fork, 1));
}

// For the thread sanitizer: readers hold and drop copies and sort by name while the writer writes.
TEST(Snapshot, CopiesMayBeReadAndDroppedOnOtherThreads) {
  Snapshot live;
  for (int i = 0; i < 200; ++i) live.set_node(node("n" + std::to_string(i)).zone("a").ptr());
  for (int round = 0; round < 50; ++round) {
    std::vector<std::jthread> readers;
    std::vector<std::int64_t> sums(3);
    const auto expected = static_cast<std::int64_t>(live.pod_total()) * 1000;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      readers.emplace_back([copy = live, &sum = sums[i]]() mutable {
        for (const Row row : copy.rows_by_name()) sum += copy.requested_milli_cpu[row];
        const auto second = copy;
        copy.remove_node("n0");
        sum += static_cast<std::int64_t>(second.node_count() - copy.node_count()) - 1;
      });
    }
    for (int i = 0; i < 5; ++i) {
      const auto number = std::to_string(round * 5 + i);
      live.add_pod(
          info(pod("p" + number).label("app", number).req("cpu", "1").node("n" + std::to_string(i))));
    }
    live.remove_node("n199");
    live.set_node(node("n199").zone("b").ptr());
    readers.clear();
    EXPECT_THAT(sums, testing::Each(expected));
  }
}

}  // namespace
}  // namespace podium::cluster::snapshot_test
