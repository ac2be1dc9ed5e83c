// The toleration that a report names next to the taints that the pod does not tolerate.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/values/toleration.h"
#include "explain/report/project.h"
#include "scheduler/cluster/snapshot.h"
#include "scheduler/config/load.h"
#include "scheduler/framework/decision.h"
#include "scheduler/framework/profile.h"
#include "unit/support/builders.h"

namespace podium::explain {
namespace {

using test::pod;
using Parts = std::vector<std::string>;

cluster::Snapshot tainted_nodes() {
  cluster::Snapshot snapshot;
  const auto add = [&](const char* name, const char* key, const char* value) {
    snapshot.set_node(test::node(name).cap("pods", "9").taint(key, value, "NoSchedule").ptr());
  };
  add("a", "gpu", "a100");
  add("b", "gpu", "h100");
  add("c", "example.com/team", "");
  add("d", "node.kubernetes.io/not-ready", "");
  return snapshot;
}

TEST(NearToleration, MissesATaintByOnePart) {
  const auto config = config::load("", "default").value();
  const auto snapshot = tainted_nodes();
  const auto seen = [&](const test::PodBuilder& asked) {
    const auto info = cluster::make_pod_info(asked.ptr());
    const auto status = project(*info, framework::evaluate(*info, snapshot, *config.profiles[0]), snapshot);
    const auto& near = status.rejections.at(0).near_toleration;
    return near ? Parts{near->part, near->key, near->has, near->taint_has} : Parts{};
  };
  EXPECT_EQ(seen(pod("web")), Parts{});
  EXPECT_EQ(seen(pod("web").tolerate("gpu", "a1000", "NoSchedule")),
            (Parts{"value", "gpu", "a1000", "a100"}));
  EXPECT_EQ(seen(pod("web").tolerate("gpu", "")), (Parts{"value", "gpu", "", "a100"}));
  EXPECT_EQ(seen(pod("web").tolerate("example.com/team", "true")),
            (Parts{"value", "example.com/team", "true", ""}));
  EXPECT_EQ(seen(pod("web").tolerate("gpu", "a100", "NoExecute")),
            (Parts{"effect", "gpu", "NoExecute", "NoSchedule"}));
  EXPECT_EQ(seen(pod("web").tolerate_exists("GPU", "NoSchedule")), (Parts{"key", "GPU", "GPU", "gpu"}));
  EXPECT_EQ(seen(pod("web").tolerate_exists("team")), (Parts{"key", "team", "team", "example.com/team"}));
  EXPECT_EQ(seen(pod("web").tolerate("gpu", "a100", "NoSchedule")), Parts{}) << "it is for the node a";
  EXPECT_EQ(seen(pod("web").tolerate_exists("disk")), Parts{});
  EXPECT_EQ(seen(pod("web").tolerate("gpu", "v100", "NoExecute")), Parts{}) << "two parts differ";
  EXPECT_EQ(seen(pod("web").tolerate_exists("node.kubernetes.io/not-ready", "NoExecute")), Parts{})
      << "the API server adds it";
}

}  // namespace
}  // namespace podium::explain
