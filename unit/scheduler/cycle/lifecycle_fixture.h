// Fixture: a Scheduler with fake seams and fake plugins from Reserve to PostBind; all calls go
// into one log.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/config/load.h"
#include "scheduler/cycle/scheduler.h"
#include "scheduler/framework/decision.h"
#include "unit/support/builders.h"
#include "unit/support/manual_clock.h"

namespace podium::cycle::lifecycle_test {

using namespace std::chrono_literals;
using Log = std::vector<std::string>;

// Fakes of the seams of the cycle; they log every call.
class FakeWorld final : public Binder,
                        public Preemptor,
                        public ObjectWriter,
                        public Nominator,
                        public Announcer,
                        public framework::Recorder {
 public:
  explicit FakeWorld(Log& log) : log_(log) {}
  void bind(cluster::PodInfoPtr pod, std::string node) override {
    say("bind {} to {}", (*pod)->meta.name, node);
  }
  void read(cluster::PodInfoPtr pod) override { say("read {}", (*pod)->meta.name); }
  void write(std::string uid, framework::ObjectWrite write) override {
    say("write {} for {}", write.name, uid);
    writes.push_back(std::move(write));
  }
  void nominate(const cluster::PodInfo& pod, std::string node) override {
    say("nominate {} to {}", pod->meta.name, node);
  }
  void forget(const std::string& uid) override { forgotten_nominations.push_back(uid); }
  void scheduled(const cluster::PodInfo& pod, std::string_view node) override {
    say("scheduled {} on {}", pod->meta.name, node);
  }
  void preempted(const cluster::PodInfo& victim, const cluster::PodInfo& preemptor, std::string_view node,
                 bool deleted) override {
    say("preempted {} by {} on {}{}", victim->meta.name, preemptor->meta.name, node,
        deleted ? "" : " in memory");
  }
  void preempt(PreemptionOrder order) override {
    std::string who;
    for (const auto& victim : order.victims) who += " " + (*victim)->meta.name;
    for (const auto& pod : order.to_withdraw) who += " -" + (*pod)->meta.name;
    say("make room for {} on {}:{}", (*order.preemptor)->meta.name, order.node, who);
    orders.push_back(std::move(order));
  }
  void noted(const cluster::PodInfo& pod, std::string_view reason, std::string_view note) override {
    say("{} {}: {}", reason, pod->meta.name, note);
  }
  void skipped(const cluster::PodInfo& pod) override { skips.push_back(pod->meta.name); }
  void failed(const cluster::PodInfo& pod, std::string_view reason, std::string_view message,
              const std::optional<std::string>&) override {
    say("{} {}: {}", reason, pod->meta.name, message);
  }
  void decided(const framework::Attempt& attempt, const framework::Decision& decision,
               const cluster::Snapshot& snapshot) override {
    decided_pods_.insert((*attempt.pod)->meta.uid);
    decisions.push_back(fmt::format("{} {}: {}", (*attempt.pod)->meta.name, attempt.number,
                                    decision.choice ? snapshot.node_name(*decision.choice) : "no node"));
  }
  void binding_waits(const cluster::PodInfo& pod, const framework::Reason& wait) override {
    EXPECT_TRUE(decided_pods_.contains(pod->meta.uid)) << "its decision is recorded first";
    waits.push_back(fmt::format("{}: {}", pod->meta.name, wait.text));
  }
  void binding_ended(const cluster::PodInfo& pod, const framework::BindResult& result) override {
    EXPECT_TRUE(decided_pods_.erase(pod->meta.uid)) << "its decision is recorded first";
    ends.push_back(fmt::format("{} {}", pod->meta.name, result.bound ? "bound" : result.error));
  }
  void forgotten(std::string_view uid) override { forgotten_pods.emplace_back(uid); }

  std::vector<framework::ObjectWrite> writes;
  std::vector<PreemptionOrder> orders;
  // Calls that only some tests check, in addition to the log.
  Log decisions, waits, ends, forgotten_pods;  // as the recorder
  Log forgotten_nominations;                   // as the nominator
  Log skips;                                   // as the announcer

 private:
  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    log_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  Log& log_;
  std::set<std::string> decided_pods_;  // UIDs; until their bindings end
};

// A plugin at every extension point from Reserve on, scripted by the test.
class FakePlugin final : public framework::Plugin,
                         public framework::ReservePlugin,
                         public framework::PermitPlugin,
                         public framework::PreBindPlugin,
                         public framework::PostBindPlugin {
 public:
  FakePlugin(std::string name, Log& log) : name_(std::move(name)), log_(log) {}

  std::optional<framework::Verdict> reserve_fails, denies, pre_flight_fails, pre_bind_fails;
  std::optional<std::chrono::milliseconds> waits;
  std::function<void(framework::Handle&, const framework::AssumedPod&)> on_permit, on_unreserve;
  bool pre_binds = false;
  Log writes;                                              // names of objects
  std::optional<std::chrono::milliseconds> ready_timeout;  // set: ready() is asked
  std::chrono::milliseconds poll{0};
  std::string event_reason, event_note;           // of the event when the wait begins
  std::vector<framework::AwaitedDevice> devices;  // that are waited for
  mutable std::vector<Wall> asked_at;             // when ready() was asked
  mutable int pre_bounds = 0;                     // calls of pre_bound()
  framework::Progress progress = framework::Progress::not_yet();
  bool has_state = false;
  std::vector<framework::EventHint> given_hints;
  // What follows a reply; empty: the default.
  std::function<std::optional<framework::NextStep>(const framework::WriteReply&)> on_reply;

  std::string_view name() const override { return name_; }
  std::vector<framework::EventHint> hints() const override { return given_hints; }
  framework::ReserveResult reserve(const framework::AssumedPod& pod,
                                   cluster::Snapshot& snapshot) const override {
    EXPECT_NE(snapshot.find_pod((*pod.pod)->meta.uid), nullptr) << "assumed before it is reserved";
    note("reserve", pod);
    if (reserve_fails) return {reserve_fails, nullptr};
    return {std::nullopt, has_state ? std::make_unique<State>() : nullptr};
  }
  void unreserve(const framework::AssumedPod& pod, framework::PluginState* state, cluster::Snapshot&,
                 framework::Handle& handle) const override {
    note(state ? "unreserve with state" : "unreserve", pod);
    if (on_unreserve) on_unreserve(handle, pod);
  }
  framework::PermitResult permit(const framework::AssumedPod& pod, const cluster::Snapshot&,
                                 framework::Handle& handle) const override {
    note("permit", pod);
    if (on_permit) on_permit(handle, pod);
    if (denies) return framework::PermitResult::deny(*denies);
    return waits ? framework::PermitResult::wait_for(*waits) : framework::PermitResult::approve();
  }
  std::expected<bool, framework::Verdict> needs_pre_bind(const framework::AssumedPod&,
                                                         const framework::PluginState*) const override {
    if (pre_flight_fails) return std::unexpected(*pre_flight_fails);
    return pre_binds;
  }
  framework::PreBindPlan pre_bind(const framework::AssumedPod& pod, framework::PluginState*,
                                  const cluster::Snapshot&) const override {
    note("pre_bind", pod);
    framework::PreBindPlan plan{.failed = pre_bind_fails,
                                .timeout = ready_timeout,
                                .timed_out = "took too long",
                                .poll = poll,
                                .reason = event_reason,
                                .note = event_note};
    for (const auto& name : writes) plan.writes.push_back({.resource = "things", .name = name});
    return plan;
  }
  std::optional<framework::NextStep> replied(const framework::AssumedPod& pod, framework::PluginState*,
                                             std::size_t index, const framework::WriteReply& reply,
                                             cluster::Snapshot&) const override {
    if (reply.object) note(fmt::format("written {}", index), pod);
    return on_reply ? on_reply(reply) : std::nullopt;
  }
  framework::Progress ready(const framework::AssumedPod&, const framework::PluginState*,
                            const cluster::Snapshot& snapshot) const override {
    asked_at.push_back(snapshot.moment().time);
    return progress;
  }
  void pre_bound(const framework::AssumedPod&, framework::PluginState*, cluster::Snapshot&) const override {
    ++pre_bounds;
  }
  std::vector<framework::AwaitedDevice> awaited(const framework::AssumedPod&, const framework::PluginState*,
                                                const cluster::Snapshot&) const override {
    return devices;
  }
  bool concerns(const framework::AssumedPod&, const framework::PluginState*,
                const framework::ClusterEvent& event) const override {
    return event.resource == framework::EventResource::persistent_volume;
  }
  void post_bind(const framework::AssumedPod& pod, framework::PluginState*,
                 framework::Handle&) const override {
    note("post_bind", pod);
  }

 private:
  struct State final : framework::PluginState {};
  void note(std::string_view what, const framework::AssumedPod& pod) const {
    log_.push_back(fmt::format("{} {} {} on {}", name_, what, (*pod.pod)->meta.name, pod.node));
  }

  std::string name_;
  Log& log_;
};

class LifecycleTest : public ::testing::Test {
 protected:
  // The default profile, with these two plugins appended at every extension point.
  static config::Config with(const FakePlugin& a, const FakePlugin& b) {
    auto config = config::load("", "default").value();
    auto profile = std::make_shared<framework::Profile>(*config.profiles[0]);
    for (const auto* plugin : {&a, &b}) {
      const std::string name(plugin->name());
      profile->reserves.push_back({name, plugin});
      profile->permits.push_back({name, plugin});
      profile->pre_binds.push_back({name, plugin});
      profile->post_binds.push_back({name, plugin});
    }
    config.profiles[0] = std::move(profile);
    return config;
  }

  // Keeps a reference to the configuration.
  Scheduler::Parts parts(const config::Config& config) {
    return {.config = config,
            .clock = clock_,
            .binder = world_,
            .preemptor = world_,
            .writer = world_,
            .nominator = world_,
            .announcer = world_,
            .recorder = world_,
            .metrics = metrics_};
  }

  static cluster::PodInfoPtr info(const api::Pod& pod) {
    return cluster::make_pod_info(std::make_shared<const api::Pod>(pod));
  }
  static podium::test::NodeBuilder machine(const std::string& name, std::string_view cpu = "4") {
    return podium::test::node(name).cap("cpu", cpu).cap("memory", "8Gi").cap("pods", "1000");
  }
  void see(const api::Pod& pod) { scheduler_.pod_added_or_updated(info(pod)); }
  void see(const podium::test::NodeBuilder& node) { scheduler_.node_added_or_updated(node.ptr()); }
  void something_happens() {
    scheduler_.object_changed({.resource = framework::EventResource::persistent_volume,
                               .actions = framework::kAdd,
                               .before = {},
                               .after = {}});
  }
  int run() {
    int steps = 0;
    while (scheduler_.step()) ++steps;
    return steps;
  }
  void pass(std::chrono::milliseconds time) {
    clock_.advance(time);
    scheduler_.step();
  }
  void bound(const std::string& name) { scheduler_.binding_ended("uid-" + name, {BindEnd::bound, {}}); }
  void wrote(const std::string& name) {
    scheduler_.write_ended("uid-" + name, {boost::json::object{{"metadata", {{"name", "thing"}}}}, {}});
  }
  void refused(const std::string& name, std::string error) {
    scheduler_.write_ended("uid-" + name, {std::nullopt, std::move(error)});
  }
  bool is_placed(const std::string& name) { return scheduler_.snapshot().find_pod("uid-" + name) != nullptr; }
  // The plugins that rejected the pod; "-" if it is not in the queue.
  std::string rejected_by(const std::string& name) const {
    const auto* queued = scheduler_.queue().find("uid-" + name);
    return queued ? fmt::format("{}", fmt::join(queued->rejected_by, " ")) : "-";
  }
  Log take_log() { return std::exchange(log_, {}); }

  unit::ManualClock clock_;
  Log log_;
  FakeWorld world_{log_};
  FakePlugin a_{"A", log_}, b_{"B", log_};
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  config::Config config_ = with(a_, b_);
  Scheduler scheduler_{parts(config_)};
};

}  // namespace podium::cycle::lifecycle_test
