// Seams that a test does not use: any call fails the test.
#pragma once

#include <gtest/gtest.h>

#include "api/values/pod.h"
#include "scheduler/cycle/seams.h"

namespace podium::cycle {

class NoPreemptor : public Preemptor {
 public:
  void preempt(PreemptionOrder) override { ADD_FAILURE() << "nobody to evict"; }
};

class NoWriter : public ObjectWriter {
 public:
  void write(std::string, framework::ObjectWrite) override { ADD_FAILURE() << "nothing to write"; }
};

class NoNominator : public Nominator {
 public:
  void nominate(const cluster::PodInfo& pod, std::string) override {
    ADD_FAILURE() << "no node for " << pod->meta.name;
  }
  void forget(const std::string&) override {}
};

}  // namespace podium::cycle
