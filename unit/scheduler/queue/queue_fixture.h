// A queue, a clock value, and helpers by pod name.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "scheduler/queue/queue.h"
#include "unit/scheduler/queue/fixture.h"

namespace podium::queue {

class Queue : public testing::Test {
 protected:
  void add(const api::Pod& pod) { queue_.upsert(test::info(pod), now_); }
  void update(const api::Pod& pod) { queue_.upsert(test::info(pod), now_); }
  void wait(std::chrono::milliseconds duration) { now_ += duration; }

  // The name of the next pod; "" if there is none.
  std::string pop() {
    const auto popped = queue_.pop(now_);
    if (!popped) return "";
    const auto& name = (*popped->pod)->meta.name;
    flights_[name] = *popped;
    return name;
  }
  std::string pop_all() {
    std::string out;
    for (auto name = pop(); !name.empty(); name = pop()) out += (out.empty() ? "" : " ") + name;
    return out;
  }
  void requeue(const std::string& name, std::set<std::string> rejected_by) {
    queue_.requeue(flights_.at(name), std::move(rejected_by), now_);
  }
  // Pops `name`, which must be next, and requeues it as rejected.
  void reject(const std::string& name, std::set<std::string> rejected_by) {
    ASSERT_EQ(pop(), name);
    requeue(name, std::move(rejected_by));
  }
  const QueuedPod& found(const std::string& name) {
    const auto* queued = queue_.find(uid(name));
    EXPECT_NE(queued, nullptr) << name;
    static const QueuedPod none;
    return queued ? *queued : none;
  }
  static std::string uid(const std::string& name) { return podium::test::pod(name).build().meta.uid; }

  const framework::Profile profile_ = test::make_profile();
  QueueOptions options_{.max_in_flight_events = 4};
  SchedulingQueue queue_{options_, [this](std::string_view) { return &profile_; }};
  Steady now_{std::chrono::hours(1)};
  std::map<std::string, QueuedPod> flights_;
};

}  // namespace podium::queue
