// The request that a fix proposes: one that the API server takes, and not less than is needed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/explain/answer/asking.h"

namespace podium::explain {
namespace {

using test::node;
using test::pod;

std::string first_fix(const api::Pod& pod, const cluster::Snapshot& snapshot) {
  auto question = unit::about(pod, 1);
  question.fixes = true;
  const auto status = answer(question, snapshot, unit::default_config());
  return status.answer->fixes.empty() ? "" : status.answer->fixes.front().message;
}

TEST(RequestFixes, AreOfWholePagesAndOfTheLargestRequestThatFits) {
  struct Case {
    const char *resource, *free, *asked, *message;
  };
  const Case cases[] = {
      {"hugepages-2Mi", "51Mi", "64Mi", "request at most 50Mi of hugepages-2Mi in container c1, not 64Mi"},
      {"hugepages-1Gi", "2560Mi", "3Gi", "request at most 2Gi of hugepages-1Gi in container c1, not 3Gi"},
      {"memory", "8Gi", "8589934593", "request at most 8Gi of memory in container c1, not 8589934593"},
      {"memory", "8Gi", "8193Mi", "request at most 8Gi of memory in container c1, not 8193Mi"},
      {"memory", "100", "2Mi", ""},
      {"example.com/gpu", "2", "3", "request at most 2 of example.com/gpu in container c1, not 3"},
  };
  for (const auto& [resource, free, asked, message] : cases) {
    cluster::Snapshot snapshot;
    snapshot.set_node(node("n1").cap("cpu", "4").cap("pods", "110").cap(resource, free).ptr());
    EXPECT_EQ(first_fix(pod("web").req(resource, asked), snapshot), message) << resource << " " << asked;
  }
}

}  // namespace
}  // namespace podium::explain
