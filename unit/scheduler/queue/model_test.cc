// The queue against a model that scans a list, on random histories. PODIUM_TEST_SEED repeats one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "scheduler/cluster/snapshot.h"
#include "unit/scheduler/queue/fixture.h"
#include "unit/support/seed.h"

namespace podium::queue {
namespace {

using namespace std::chrono_literals;
using podium::test::pod;
using test::ClusterEvent;
using test::info;

struct ModelPod {
  cluster::PodInfoPtr pod;
  std::string state;  // active, backoff, unschedulable, gated, in flight; "" is gone
  Steady queued_at, flushed_at = Steady::min();
  std::uint64_t arrival = 0;
  std::set<std::string> rejected_by;
  std::uint32_t attempts = 0, unschedulable_count = 0, errors = 0;
  std::vector<ClusterEvent> seen;  // in flight
  bool removed = false;
};

// The rules without any index.
class Model {
 public:
  Model(const framework::Profile& profile, QueueOptions options) : profile_(profile), options_(options) {}

  void update(const cluster::PodInfoPtr& pod, Steady now) {
    auto& known = pods_[pod->pod->meta.uid];
    const auto before = std::exchange(known.pod, pod);
    if (known.state.empty()) {
      known = ModelPod{.pod = pod, .queued_at = now, .arrival = ++arrivals_};
      return enqueue(known, now);
    }
    if (known.state == "gated") return enqueue(known, now);
    const auto changes = framework::pod_changes(*before->pod, *pod->pod);
    const ClusterEvent event{framework::EventResource::target_pod,
                             changes ? changes : framework::kUpdateOther, before->pod, pod->pod};
    if (known.state == "in flight") {
      known.removed = false;
      for (auto& [_, other] : pods_) {
        if (other.state == "in flight") other.seen.push_back(event);
      }
    } else if (known.state == "unschedulable" && helps(known, event)) {
      enqueue(known, now);
    }
  }

  void remove(const std::string& uid) {
    auto& known = pods_[uid];
    if (known.state == "in flight") {
      known.removed = true;
    } else {
      known = {};
    }
  }

  std::string pop(Steady now) {
    advance(now);
    ModelPod* best = nullptr;
    for (auto& [_, one] : pods_) {
      if (one.state == "active" && (!best || urgent(one, *best))) best = &one;
    }
    for (auto& [_, one] : pods_) {
      if (best && best->state == "active") break;
      if (one.state != "backoff" || one.rejected_by.empty()) continue;
      if (!best || backoff_end(one) < backoff_end(*best) ||
          (backoff_end(one) == backoff_end(*best) && urgent(one, *best)))
        best = &one;
    }
    if (!best) return "";
    best->state = "in flight";
    ++best->attempts;
    best->seen.clear();
    return best->pod->pod->meta.uid;
  }

  void done(const std::string& uid) { pods_[uid] = {}; }

  void requeue(const std::string& uid, const std::set<std::string>& rejected_by, Steady now) {
    auto& one = pods_[uid];
    if (one.removed) {
      one = {};
      return;
    }
    one.rejected_by = rejected_by;
    one.queued_at = now;
    one.flushed_at = Steady::min();
    one.arrival = ++arrivals_;
    one.errors = rejected_by.empty() ? one.errors + 1 : 0;
    one.unschedulable_count += rejected_by.empty() ? 0 : 1;
    const bool helped = std::ranges::any_of(one.seen, [&](const auto& event) { return helps(one, event); });
    if (rejected_by.empty() || helped) {
      enqueue(one, now);
    } else {
      one.state = "unschedulable";
    }
  }

  void on_event(const ClusterEvent& event, Steady now) {
    for (auto& [_, one] : pods_) {
      if (one.state == "unschedulable" && helps(one, event)) enqueue(one, now);
      if (one.state == "in flight") one.seen.push_back(event);
    }
  }

  void advance(Steady now) {
    for (auto& [_, one] : pods_) {
      if (one.state == "backoff" && backoff_end(one) <= now) one.state = "active";
      if (const auto at = flush_at(one); at && *at <= now) {
        one.flushed_at = now;
        enqueue(one, now);
      }
    }
  }

  std::optional<Steady> next_wakeup() const {
    std::optional<Steady> next;
    for (const auto& [_, one] : pods_) {
      std::optional<Steady> at;
      if (one.state == "backoff") at = backoff_end(one);
      if (const auto flush = flush_at(one)) at = flush;
      if (at && (!next || *at < *next)) next = at;
    }
    return next;
  }

  QueueCounts counts() const {
    const auto in = [&](std::string_view state) -> std::size_t {
      return std::ranges::count_if(pods_, [&](const auto& entry) { return entry.second.state == state; });
    };
    return {in("active"), in("backoff"), in("unschedulable"), in("gated"), in("in flight")};
  }

  const ModelPod* find(const std::string& uid) const {
    const auto it = pods_.find(uid);
    return it == pods_.end() || it->second.state.empty() || it->second.removed ? nullptr : &it->second;
  }

 private:
  static bool urgent(const ModelPod& a, const ModelPod& b) {
    return std::tuple(-a.pod->priority, a.queued_at, a.arrival) <
           std::tuple(-b.pod->priority, b.queued_at, b.arrival);
  }

  bool helps(const ModelPod& one, const ClusterEvent& event) const {
    if (event.resource == framework::EventResource::wild_card) return true;
    for (const auto& entry : profile_.filters) {
      if (!one.rejected_by.contains(entry.name)) continue;
      for (const auto& hint : entry.plugin->hints()) {
        if (hint.matches(event) && hint.helps(*one.pod, event, cluster::Snapshot())) return true;
      }
    }
    return false;
  }

  std::optional<Steady> flush_at(const ModelPod& one) const {
    if (one.state != "unschedulable" && one.state != "gated") return std::nullopt;
    return std::max(one.queued_at, one.flushed_at) + options_.flush_after;
  }

  Steady backoff_end(const ModelPod& one) const {
    const auto failures = one.errors ? one.errors : one.unschedulable_count;
    if (failures == 0) return Steady::min();
    auto backoff = options_.initial_backoff;
    for (std::uint32_t i = 1; i < failures; ++i) backoff = std::min(backoff * 2, options_.max_backoff);
    return std::chrono::floor<std::chrono::seconds>(one.queued_at + backoff) + 1s;
  }

  void enqueue(ModelPod& one, Steady now) {
    if (!one.pod->pod->scheduling_gates.empty()) {
      one.state = "gated";
      one.rejected_by.insert("Gates");
    } else {
      one.state = backoff_end(one) > now ? "backoff" : "active";
    }
  }

  const framework::Profile& profile_;
  QueueOptions options_;
  std::map<std::string, ModelPod> pods_;  // by UID
  std::uint64_t arrivals_ = 0;
};

class History {
 public:
  explicit History(std::uint64_t seed) : random_(seed) {}

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(fmt::format("step {}", i));
      step();
      compare();
    }
    drain();
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  std::string any_name() { return fmt::format("p{}", below(12)); }
  static std::string uid(const std::string& name) { return pod(name).build().meta.uid; }

  cluster::PodInfoPtr any_pod() {
    auto builder = pod(any_name());
    builder.priority(below(3));
    if (below(6) == 0) builder.gate("g");
    if (below(3) == 0) builder.tolerate_exists("k");
    return info(builder);
  }

  std::set<std::string> any_plugins() {
    std::set<std::string> out;
    for (const auto* name : {"Fit", "Affinity", "Taints", "Deaf"}) {
      if (below(3) == 0) out.insert(name);
    }
    return out;
  }

  void step() {
    switch (below(10)) {
      case 0:
      case 1:
      case 2: {
        const auto pod = any_pod();
        queue_.upsert(pod, now_);
        model_.update(pod, now_);
        return;
      }
      case 3: {
        const auto name = any_name();
        queue_.remove(uid(name));
        model_.remove(uid(name));
        return;
      }
      case 4:
      case 5:
        return pop();
      case 6:
      case 7:
        return end_a_flight();
      case 8: {
        const ClusterEvent events[] = {test::node_added(), test::node_added(any_name()), test::pod_placed(),
                                       ClusterEvent{}};
        const auto& event = events[below(4)];
        queue_.on_event(event, now_);
        model_.on_event(event, now_);
        return;
      }
      default:
        now_ += std::chrono::milliseconds(below(2) ? below(1500) : below(6000));
    }
  }

  void pop() {
    const auto popped = queue_.pop(now_);
    const auto expected = model_.pop(now_);
    EXPECT_EQ(popped ? (*popped->pod)->meta.uid : "", expected);
    if (popped) flights_.push_back(*popped);
  }

  void end_a_flight() {
    if (flights_.empty()) return;
    const auto at = flights_.begin() + below(static_cast<int>(flights_.size()));
    const auto pod = std::move(*at);
    flights_.erase(at);
    const auto uid = (*pod.pod)->meta.uid;
    if (below(4) == 0) {
      queue_.done(uid);
      model_.done(uid);
    } else {
      const auto plugins = any_plugins();
      queue_.requeue(pod, plugins, now_);
      model_.requeue(uid, plugins, now_);
    }
  }

  void compare() {
    auto counts = queue_.counts();
    EXPECT_TRUE(counts.in_flight > 0 || counts.in_flight_events == 0);
    counts.in_flight_events = 0;
    EXPECT_EQ(counts, model_.counts());
    EXPECT_EQ(queue_.next_wakeup(), model_.next_wakeup());
    for (int i = 0; i < 12; ++i) {
      const auto id = uid(fmt::format("p{}", i));
      const auto* queued = queue_.find(id);
      const auto* expected = model_.find(id);
      ASSERT_EQ(queued != nullptr, expected != nullptr) << id;
      if (!queued) continue;
      EXPECT_EQ(queued->pod, expected->pod);
      EXPECT_EQ(queued->attempts, expected->attempts);
      EXPECT_EQ(queued->rejected_by, expected->rejected_by);
    }
  }

  // No pod is lost or duplicated: in the end each pod without gates is popped exactly once.
  void drain() {
    while (!flights_.empty()) end_a_flight();
    now_ += 1h;
    std::set<std::string> expected, popped;
    for (int i = 0; i < 12; ++i) {
      const auto* known = model_.find(uid(fmt::format("p{}", i)));
      if (!known) continue;
      // An unschedulable pod that got gates by an update becomes gated by the flush.
      const bool is_queued = known->state == "active" || known->state == "backoff";
      if (is_queued || known->pod->pod->scheduling_gates.empty()) expected.insert(known->pod->pod->meta.uid);
    }
    while (const auto one = queue_.pop(now_)) EXPECT_TRUE(popped.insert((*one->pod)->meta.uid).second);
    EXPECT_EQ(popped, expected);
  }

  std::mt19937_64 random_;
  const framework::Profile profile_ = test::make_profile();
  const QueueOptions options_{.flush_after = 20s};
  SchedulingQueue queue_{options_, [this](std::string_view) { return &profile_; }};
  Model model_{profile_, options_};
  std::vector<QueuedPod> flights_;
  Steady now_{1h};
};

TEST(QueueModel, RandomHistories) {
  const auto given = podium::test::given_seed();
  const auto first = given.value_or(1);
  for (auto seed = first; seed < first + (given ? 1 : 300) && !HasFailure(); ++seed) {
    SCOPED_SEED(seed);
    History(seed).run(400);
  }
}

}  // namespace
}  // namespace podium::queue
