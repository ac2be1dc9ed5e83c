// A binding that was answered as made and that no watch shows.
#include "scheduler/cycle/unseen_bindings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "unit/scheduler/cycle/scheduler_fixture.h"

namespace podium::cycle {
namespace {

class Unseen : public SchedulerTest {
 protected:
  void SetUp() override { see(machine("n1")); }
  static podium::test::PodBuilder web() { return pod("web").req("cpu", "3"); }
  // Binds the pod; the watch says nothing.
  void bind() {
    see(web());
    ASSERT_EQ(run(), 1);
    end("web", BindEnd::bound);
    run();
    take_log();
    binder_.asked.clear();
  }
  // The requests of the steps after this time.
  Log after(std::chrono::seconds time) {
    clock_.advance(time);
    run();
    return std::exchange(binder_.asked, {});
  }
};

TEST_F(Unseen, IsReadAfterAMinute) {
  bind();
  EXPECT_EQ(after(59s), Log{});
  EXPECT_EQ(scheduler_.next_wakeup(), clock_.now() + 1s);
  EXPECT_EQ(after(1s), Log{"read web on n1"});
  EXPECT_EQ(after(600s), Log{}) << "one read at a time";
}

TEST_F(Unseen, ThatWasNotMadeIsMadeAgain) {
  bind();
  see(pod("other").req("cpu", "2"));
  run();
  ASSERT_TRUE(waits("other"));
  after(60s);
  answer_read("web", web().label("seen", "now"));
  EXPECT_EQ(place_of("web"), "");
  EXPECT_EQ(used_cpu("n1"), 0);
  EXPECT_TRUE(waits("web"));
  EXPECT_TRUE((*scheduler_.queue().find("uid-web")->pod)->meta.labels.contains("seen"));
  EXPECT_EQ(take_log().back(),
            "event web SchedulerError: the API server confirmed the binding to n1, but the pod has no node");
  EXPECT_EQ(after(1s).size(), 1u) << "one of the two fits";
  EXPECT_EQ(after(0s), Log{});
}

// The pod of that name is another one now: the binding of the old one must not be made again.
TEST_F(Unseen, OfAPodThatIsGoneLeavesItsRoom) {
  for (const bool replaced : {false, true}) {
    SCOPED_TRACE(replaced);
    bind();
    after(60s);
    if (replaced) {
      answer_read("web", web().uid("another"));
    } else {
      answer_read("web", PodRead::End::gone);
    }
    EXPECT_EQ(place_of("web"), "");
    EXPECT_EQ(used_cpu("n1"), 0);
    EXPECT_FALSE(waits("web"));
    EXPECT_EQ(after(600s), Log{});
    scheduler_.pod_deleted("uid-web");
  }
}

TEST_F(Unseen, ThatWasMadeStaysAndWhatTheWatchShowsUntilThenIsOlder) {
  bind();
  after(60s);
  answer_read("web", web().node("n1").label("seen", "now"));
  EXPECT_EQ(used_cpu("n1"), 3000);
  see(web().label("older", "yes"));
  EXPECT_EQ(place_of("web"), "n1");
  EXPECT_FALSE(waits("web"));
  see(web().node("n1"));
  see(web());
  EXPECT_TRUE(waits("web")) << "the watch has shown it on the node: etcd was restored";
}

TEST_F(Unseen, ThatIsOnAnotherNodeCountsThere) {
  see(machine("n2"));
  bind();
  const auto other = place_of("web") == "n1" ? "n2" : "n1";
  after(60s);
  answer_read("web", web().node(other));
  EXPECT_EQ(place_of("web"), other);
  EXPECT_EQ(used_cpu("n1") + used_cpu("n2"), 3000);
}

TEST_F(Unseen, ThatHasTerminatedLeavesItsRoom) {
  bind();
  after(60s);
  answer_read("web", web().node("n1").phase("Succeeded"));
  EXPECT_EQ(used_cpu("n1"), 0);
  EXPECT_EQ(after(600s), Log{});
}

// The watch is behind the read: what it shows of the pod is older, until it shows it on a node or its end
// (304221).
TEST_F(Unseen, ThatIsOverIsNotBroughtBackByWhatTheWatchShowsLate) {
  const std::pair<const char*, std::function<void()>> reads[] = {
      {"terminated", [&] { answer_read("web", web().node("n1").phase("Succeeded")); }},
      {"gone", [&] { answer_read("web", PodRead::End::gone); }},
      {"replaced", [&] { answer_read("web", web().uid("another")); }},
  };
  for (const auto& [name, read] : reads) {
    SCOPED_TRACE(name);
    bind();
    after(60s);
    read();
    see(web().label("older", "yes"));
    EXPECT_FALSE(waits("web"));
    EXPECT_EQ(after(600s), Log{});
    see(web().node("n1").label("older", "yes"));
    EXPECT_EQ(place_of("web"), "n1");
    scheduler_.pod_deleted("uid-web");
    see(web());
    EXPECT_TRUE(waits("web")) << "nothing is remembered of it";
    scheduler_.pod_deleted("uid-web");
  }
}

TEST_F(Unseen, IsReadAgainAfterPausesThatGrow) {
  bind();
  EXPECT_EQ(after(60s), Log{"read web on n1"});
  for (const auto pause : {60s, 120s, 240s, 480s, 600s, 600s}) {
    SCOPED_TRACE(pause.count());
    answer_read("web", PodRead::End::failed);
    EXPECT_EQ(used_cpu("n1"), 3000);
    EXPECT_EQ(after(pause - 1s), Log{});
    EXPECT_EQ(after(1s), Log{"read web on n1"});
  }
}

TEST_F(Unseen, ThatTheWatchShowsIsNotRead) {
  bind();
  see(web().node("n1"));
  EXPECT_EQ(after(600s), Log{});
}

TEST_F(Unseen, ThatTheWatchShowsDuringTheReadIsLeftAlone) {
  bind();
  after(60s);
  see(web().node("n1"));
  answer_read("web", web());
  EXPECT_EQ(place_of("web"), "n1");
  EXPECT_FALSE(waits("web"));
}

TEST_F(Unseen, IsReadOnlyByTheProcessWhoseBindingEnded) {
  see(web());
  run();
  binder_.asked.clear();
  EXPECT_EQ(after(600s), Log{}) << "in doubt";
  end("web", BindEnd::rejected, "no");
  EXPECT_EQ(after(600s), Log{"web to n1"});
}

TEST_F(Unseen, FewAreReadAtATime) {
  const auto count = UnseenBindings::kMaxReads + 2;
  for (std::size_t i = 0; i < count; ++i) see(pod(fmt::format("p{}", i)));
  run();
  for (std::size_t i = 0; i < count; ++i) end(fmt::format("p{}", i), BindEnd::bound);
  binder_.asked.clear();
  EXPECT_EQ(after(60s).size(), UnseenBindings::kMaxReads);
  answer_read("p0", PodRead::End::failed);
  EXPECT_EQ(after(0s).size(), 1u);
}

}  // namespace
}  // namespace podium::cycle
