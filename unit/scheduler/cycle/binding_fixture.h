// Fixture: a pod in the binding cycle, with plugins that the test scripts.
#pragma once

#include <string>
#include <utility>

#include "unit/scheduler/cycle/lifecycle_fixture.h"

namespace podium::cycle {

using framework::Code;
using framework::Verdict;
using lifecycle_test::Log;
using podium::test::pod;
using namespace std::chrono_literals;

inline Verdict no(std::string reason, Code code = Code::unschedulable) {
  return {"", code, {std::move(reason)}};
}

class Binding : public lifecycle_test::LifecycleTest {
 protected:
  void SetUp() override { see(machine("n1")); }
  // Starts the pod's binding cycle and returns the log so far.
  Log begin(const api::Pod& pod = podium::test::pod("web").req("cpu", "3")) {
    see(pod);
    EXPECT_EQ(run(), 1);
    return take_log();
  }
  Log begun() {
    return {"A reserve web on n1", "B reserve web on n1", "A permit web on n1", "B permit web on n1"};
  }
};

inline Log operator+(Log a, const Log& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace podium::cycle
