// Writes that follow one another in PreBind, and writes that nobody waits for.
#include "api/values/device.h"
#include "unit/scheduler/cycle/binding_fixture.h"

namespace podium::cycle::plugin_writes_test {
namespace {

using framework::NextStep;
using framework::WriteReply;

framework::ObjectWrite write_of(const std::string& name) { return {.resource = "things", .name = name}; }

framework::ClusterEvent volume_event() {
  return {.resource = framework::EventResource::persistent_volume,
          .actions = framework::kAdd,
          .before = {},
          .after = {}};
}

class PluginWrites : public Binding {
 protected:
  void SetUp() override {
    Binding::SetUp();
    a_.pre_binds = true;
    a_.writes = {"first", "never"};
  }
};

TEST_F(PluginWrites, AReplyDecidesWhatIsWrittenNext) {
  a_.on_reply = [step = 0](const WriteReply& reply) mutable -> std::optional<NextStep> {
    EXPECT_TRUE(reply.object);
    if (++step == 1) return NextStep{.writes = {write_of("second")}, .error = {}, .events = {}};
    return NextStep();
  };
  begin();
  wrote("web");
  EXPECT_EQ(take_log(), (Log{"A written 0 web on n1", "write second for uid-web"}));
  wrote("web");
  EXPECT_EQ(take_log(), (Log{"A written 0 web on n1", "bind web to n1"}));
}

TEST_F(PluginWrites, AFailedWriteMayBeFollowedByAnother) {
  a_.on_reply = [](const WriteReply& reply) -> std::optional<NextStep> {
    if (!reply.conflict) return std::nullopt;
    EXPECT_EQ(reply.error, "changed");
    return NextStep{.writes = {write_of("again")}, .error = {}, .events = {}};
  };
  begin();
  scheduler_.write_ended("uid-web", {.object = std::nullopt, .error = "changed", .conflict = true});
  EXPECT_EQ(take_log(), Log{"write again for uid-web"});
  refused("web", "no");
  const auto log = take_log();
  EXPECT_EQ(std::ranges::count(log, "SchedulerError web: running PreBind plugin \"A\": no"), 1)
      << fmt::format("{}", log);
}

TEST_F(PluginWrites, AStepMayFailThePod) {
  a_.on_reply = [](const WriteReply&) {
    return NextStep{.writes = {}, .error = "somebody else has it", .events = {}};
  };
  begin();
  wrote("web");
  const auto log = take_log();
  EXPECT_EQ(std::ranges::count(log, "SchedulerError web: running PreBind plugin \"A\": somebody else has it"),
            1)
      << fmt::format("{}", log);
}

TEST_F(PluginWrites, WhatAStepChangesIsAnEventForPodsThatWait) {
  b_.pre_binds = true;
  b_.ready_timeout = 1min;
  a_.on_reply = [](const WriteReply&) {
    return NextStep{.writes = {}, .error = {}, .events = {volume_event()}};
  };
  begin(pod("other").req("cpu", "1"));
  wrote("other");
  EXPECT_EQ(take_log(), (Log{"A written 0 other on n1", "B pre_bind other on n1"}));
  b_.progress = framework::Progress::ready();
  begin(pod("web").req("cpu", "1"));
  wrote("web");
  const auto log = take_log();
  EXPECT_EQ(std::ranges::count(log, "bind other to n1"), 1) << fmt::format("{}", log);
}

// The binding ends, and with it what the step would write.
TEST_F(PluginWrites, APodThatIsGoneWritesNothingMore) {
  bool is_informed = false;
  a_.on_reply = [&](const WriteReply&) {
    is_informed = true;
    return NextStep{.writes = {write_of("more")}, .error = {}, .events = {}};
  };
  begin();
  scheduler_.pod_deleted("uid-web");
  wrote("web");
  EXPECT_TRUE(is_informed) << "the plugin learns of what was written";
  EXPECT_EQ(take_log(), (Log{"A written 0 web on n1", "B unreserve web on n1", "A unreserve web on n1"}));
}

TEST_F(PluginWrites, UnreserveMaySendAWriteWithoutAWaiter) {
  a_.on_unreserve = [](framework::Handle& handle, const framework::AssumedPod&) {
    handle.send(write_of("back"));
  };
  begin();
  refused("web", "no");
  EXPECT_EQ(std::ranges::count(take_log(), "write back for "), 1);
  scheduler_.write_ended("", {.object = std::nullopt, .error = "no"});
  EXPECT_EQ(take_log(), Log{});
}

// What is gone is cleared by others; what is elsewhere may run with what it was given.
TEST_F(PluginWrites, NothingIsTakenBackFromAPodThatIsGone) {
  a_.on_unreserve = [](framework::Handle& handle, const framework::AssumedPod&) {
    handle.send(write_of("back"));
  };
  begin();
  scheduler_.pod_deleted("uid-web");
  wrote("web");
  EXPECT_EQ(std::ranges::count(take_log(), "write back for "), 0);
}

// Its allocation is on a node that is gone. Until the watch shows what comes of the write, the pod's next
// attempt has to know of it.
TEST_F(PluginWrites, AClaimThatIsTakenBackIsMarked) {
  api::ResourceClaim claim;
  claim.meta.namespace_ = "default";
  claim.meta.name = "c";
  claim.meta.uid = "uid-c";
  claim.meta.resource_version = "5";
  api::NodeSelectorTerm term;
  term.match_fields = {podium::test::in("metadata.name", {"gone"})};
  claim.status.allocation.emplace().node_selector = {term};
  claim.status.reserved_for = {{"", "pods", "web", "uid-web"}};
  auto& objects = scheduler_.snapshot().objects();
  objects.set(std::make_shared<const api::ResourceClaim>(claim));
  api::Pod web = pod("web");
  web.resource_claims.push_back({"own", "c", std::nullopt});
  const auto log = begin(web);
  EXPECT_EQ(std::ranges::count(log, "write c for "), 1) << fmt::format("{}", log);
  EXPECT_NE(objects.find<api::ResourceClaim>("default", "c")->status.reserved_for.at(0).resource, "pods");
}

}  // namespace
}  // namespace podium::cycle::plugin_writes_test
