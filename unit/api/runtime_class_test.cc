// RuntimeClass: overhead, node selector and tolerations that it gives to a pod, and what the API server would
// refuse, in its words.
#include "api/admission/runtime_class.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "api/admission/admission.h"
#include "api/decode/decode.h"
#include "unit/support/builders.h"
#include "unit/support/cost.h"

namespace podium::api {
namespace {

using namespace test;

constexpr const char* kSandbox = R"({"metadata": {"name": "sandbox"}, "handler": "kata",
    "overhead": {"podFixed": {"cpu": "250m", "memory": "120Mi"}},
    "scheduling": {"nodeSelector": {"runtime": "kata"},
                   "tolerations": [{"key": "kata", "operator": "Exists", "effect": "NoSchedule"}]}})";

RuntimeClass decoded(const char* text) { return decode_runtime_class(boost::json::parse(text)).value(); }

PodBuilder contained() {
  auto builder = pod("p");
  builder.container("c").image("i");
  return builder;
}

TEST(RuntimeClass, GivesThePodWhatItNeeds) {
  const auto sandbox = decoded(kSandbox);
  auto given = contained().node_selector("disk", "ssd").tolerate_exists("kata", "NoSchedule").build();
  const auto want = contained()
                        .node_selector("disk", "ssd")
                        .node_selector("runtime", "kata")
                        .tolerate_exists("kata", "NoSchedule")
                        .overhead("cpu", "250m")
                        .overhead("memory", "120Mi")
                        .build();
  ASSERT_TRUE(apply_runtime_class(&sandbox, given));
  EXPECT_EQ(given, want);
  ASSERT_TRUE(apply_runtime_class(&sandbox, given)) << "as the API server has stored it";
  EXPECT_EQ(given, want);
}

TEST(RuntimeClass, SaysWhatTheApiServerWouldRefuse) {
  const auto sandbox = decoded(kSandbox),
             plain = decoded(R"({"metadata": {"name": "plain"}, "handler": "x"})");
  struct Case {
    const char* named;
    const RuntimeClass* found;
    PodBuilder pod;
    const char* refusal;
  };
  const Case cases[] = {
      {"", nullptr, contained(), ""},
      {"plain", &plain, contained(), ""},
      {"gone", nullptr, contained(), "pod rejected: RuntimeClass \"gone\" not found"},
      {"", nullptr, contained().overhead("cpu", "1"),
       "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"},
      {"plain", &plain, contained().overhead("cpu", "1"),
       "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"},
      {"sandbox", &sandbox, contained().overhead("cpu", "1"),
       "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"},
      {"sandbox", &sandbox, contained().node_selector("runtime", "runc"),
       "conflict: runtimeClass.scheduling.nodeSelector[runtime] = kata; pod.spec.nodeSelector[runtime] = "
       "runc"},
  };
  for (const auto& c : cases) {
    auto given = c.pod.build();
    given.runtime_class = c.named;
    const auto applied = apply_runtime_class(c.found, given);
    EXPECT_EQ(applied ? "" : applied.error().message, c.refusal) << c.named;
  }
}

TEST(RuntimeClass, CostsAsMuchAsIsWritten) {
  const auto prepare = [](std::size_t n) -> Work {
    RuntimeClass made;
    auto given = contained().build();
    std::vector<Labels::Entry> of_class, of_pod;
    std::vector<Toleration> tolerations;
    for (std::size_t i = 0; i < n; ++i) {
      of_class.emplace_back(fmt::format("a{:05}", i), "v");
      of_pod.emplace_back(fmt::format("b{:05}", i), "v");
      made.tolerations.push_back({.key = fmt::format("a{:05}", i), .value = {}});
      tolerations.push_back({.key = fmt::format("b{:05}", i), .value = {}});
    }
    made.node_selector = Labels(of_class);
    given.node_selector = Labels(of_pod);
    given.tolerations = tolerations;
    return [made = std::move(made), given = std::move(given), n]() mutable {
      EXPECT_TRUE(apply_runtime_class(&made, given));
      EXPECT_EQ(given.node_selector.size(), 2 * n);
      EXPECT_EQ(given.tolerations.size(), 2 * n);
    };
  };
  EXPECT_TRUE(is_linear(1000, prepare));
}

TEST(RuntimeClass, IsAppliedOnAdmission) {
  const PodAdmission admission({});
  AdmissionObjects objects;
  objects.runtime_classes[""] = decoded(kSandbox);
  auto given = contained().build();
  ASSERT_TRUE(admission.admit(given, objects));
  EXPECT_EQ(*given.node_selector.find("runtime"), "kata");
  objects.runtime_classes["sandbox"];
  auto refused = contained().build();
  refused.runtime_class = "sandbox";
  EXPECT_EQ(admission.admit(refused, objects).error().message,
            "pod rejected: RuntimeClass \"sandbox\" not found");
  auto stored = contained().created("2026-01-01T00:00:00Z").build();
  EXPECT_TRUE(admission.admit(stored, objects));
}

}  // namespace
}  // namespace podium::api
