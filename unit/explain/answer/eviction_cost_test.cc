// What speaks against an eviction: the rules of cluster-autoscaler for local storage, and annotations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "api/decode/decode.h"
#include "explain/workload/eviction_cost.h"
#include "unit/support/builders.h"
#include "unit/support/cost.h"

namespace podium::explain {
namespace {

api::Pod with_volumes(const std::string& volumes, const std::string& annotations = "{}") {
  auto pod = api::decode_pod(
      boost::json::parse(R"({"metadata": {"name": "p", "annotations": )" + annotations +
                         R"(}, "spec": {"containers": [{"name": "c"}], "volumes": [)" + volumes + "]}}"));
  return pod ? *pod : api::Pod{};
}

TEST(EvictionCost, LocalDataIsAsClusterAutoscalerSeesIt) {
  const std::string scratch = R"({"name": "scratch", "emptyDir": {}})",
                    memory = R"({"name": "cache", "emptyDir": {"medium": "Memory"}})",
                    pages = R"({"name": "pages", "emptyDir": {"medium": "HugePages"}})",
                    host = R"({"name": "logs", "hostPath": {"path": "/var/log"}})",
                    token = R"({"name": "token", "projected": {"sources": []}})",
                    claim = R"({"name": "data", "persistentVolumeClaim": {"claimName": "c"}})",
                    key = R"("cluster-autoscaler.kubernetes.io/safe-to-evict)";
  const auto names = [&](const std::string& list) {
    return "{" + key + R"(-local-volumes": ")" + list + "\"}";
  };
  struct Case {
    const char* name;
    std::string volumes, annotations;
    std::optional<std::string> expected;
  };
  const Case cases[] = {
      {"none", "", "{}", std::nullopt},
      {"others", token + "," + claim, "{}", std::nullopt},
      {"emptyDir", token + "," + scratch, "{}", "emptyDir scratch"},
      {"in memory", memory, "{}", std::nullopt},
      {"of huge pages", pages, "{}", "emptyDir pages"},
      {"hostPath", host, "{}", "hostPath logs"},
      {"safe", scratch, "{" + key + R"(": "true"})", std::nullopt},
      {"not safe", scratch, "{" + key + R"(": "yes"})", "emptyDir scratch"},
      {"named", scratch, names("scratch"), std::nullopt},
      {"all named", scratch + "," + host, names("logs,scratch"), std::nullopt},
      {"one named", scratch + "," + host, names("a,scratch,b"), "hostPath logs"},
      {"a space is part of the name", scratch, names("logs, scratch"), "emptyDir scratch"},
      {"a part of the name", scratch, names("scratch-2"), "emptyDir scratch"},
      {"no name", scratch, names(""), "emptyDir scratch"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(local_data_of(with_volumes(c.volumes, c.annotations)), c.expected) << c.name;
}

TEST(EvictionCost, ManyVolumesThatAreAllSafeAreLookedUp) {
  EXPECT_TRUE(test::is_linear(500, [](std::size_t n) -> test::Work {
    std::string volumes, names;
    for (std::size_t i = 0; i < n; ++i) {
      volumes += fmt::format(R"({}{{"name": "v{}", "emptyDir": {{}}}})", i > 0 ? ", " : "", i);
      names += fmt::format("v{},", i);
    }
    auto pod = with_volumes(
        volumes, R"({"cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes": ")" + names + R"("})");
    return [pod] { EXPECT_EQ(local_data_of(pod), std::nullopt); };
  }));
}

TEST(EvictionCost, AnnotationsProtectAPod) {
  const auto code = [](const std::string& annotations) {
    const auto found = protection_of(with_volumes("", annotations));
    return found ? found->code : std::string();
  };
  EXPECT_EQ(code("{}"), "");
  EXPECT_EQ(code(R"({"karpenter.sh/do-not-disrupt": "true"})"), "DoNotDisrupt");
  EXPECT_EQ(code(R"({"karpenter.sh/do-not-disrupt": "false"})"), "");
  EXPECT_EQ(code(R"({"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"})"), "NotSafeToEvict");
  EXPECT_EQ(code(R"({"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"})"), "");
}

}  // namespace
}  // namespace podium::explain
