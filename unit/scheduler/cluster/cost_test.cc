// What one object costs follows from its bytes: twice the object costs about twice the steps and the memory.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <optional>
#include <string>

#include "api/decode/decode.h"
#include "scheduler/cluster/snapshot.h"
#include "unit/support/cost.h"

namespace podium::cluster::cost_test {
namespace {

using test::Cost;
using test::cost_of;

std::string name(std::size_t i) { return "vendor.example.com/item-" + std::to_string(100'000 + i); }

std::string list(std::size_t n, char begin, char end, const std::function<std::string(std::size_t)>& item) {
  std::string text(1, begin);
  for (std::size_t i = 0; i < n; ++i) text.append(i > 0 ? "," : "").append(item(i));
  return text + end;
}
std::string map_of(std::size_t n, const std::string& value) {
  return list(n, '{', '}', [&](std::size_t i) { return '"' + name(i) + "\":\"" + value + '"'; });
}
std::string array_of(std::size_t n, const std::function<std::string(std::size_t)>& item) {
  return list(n, '[', ']', item);
}
std::string text(std::size_t i) { return std::to_string(100'000 + i); }

std::string pod_json(const std::string& spec, const std::string& metadata = "",
                     const std::string& status = "{}") {
  return R"({"metadata":{"name":"p","namespace":"a","uid":"u")" + metadata + R"(},"spec":{"nodeName":"n",)" +
         spec + R"(},"status":)" + status + "}";
}
std::string node_json(const std::string& status, const std::string& metadata = "",
                      const std::string& spec = "{}") {
  return R"({"metadata":{"name":"n","uid":"u")" + metadata + R"(},"spec":)" + spec + R"(,"status":)" +
         status + "}";
}
std::string requests(std::size_t n) {
  const auto amounts = map_of(n, "1");
  return R"({"requests":)" + amounts + R"(,"limits":)" + amounts + "}";
}
// Containers that each ask for another resource.
std::string containers(std::size_t n, const std::string& more = "") {
  return array_of(n, [&](std::size_t i) {
    return R"({"name":"c)" + text(i) + R"(","resources":{"requests":{")" + name(i) + R"(":"1"}})" + more +
           "}";
  });
}

struct Case {
  const char* name;
  std::string (*json)(std::size_t n);
  bool is_node = false;
};

const Case kCases[] = {
    {"requests of one container",
     [](std::size_t n) {
       return pod_json(R"("containers":[{"name":"c","resources":)" + requests(n) + "}]");
     }},
    {"containers", [](std::size_t n) { return pod_json(R"("containers":)" + containers(n)); }},
    {"init containers next to a sidecar with many requests",
     [](std::size_t n) {
       return pod_json(R"("initContainers":[{"name":"s","restartPolicy":"Always","resources":)" +
                       requests(n) + "}," + containers(n).substr(1));
     }},
    {"sidecars between init containers",
     [](std::size_t n) {
       return pod_json(R"("initContainers":)" + array_of(n, [](std::size_t i) {
                         return R"({"name":"c)" + text(i) + '"' +
                                (i % 2 == 0 ? R"(,"restartPolicy":"Always")" : "") +
                                R"(,"resources":{"requests":{")" + name(i / 3) + R"(":"1"}}})";
                       }));
     }},
    {"containers with statuses",
     [](std::size_t n) {
       return pod_json(R"("containers":)" + containers(n), "",
                       R"({"containerStatuses":)" + array_of(n, [](std::size_t i) {
                         return R"({"name":"c)" + text(i) + R"(","resources":{"requests":{"cpu":"1"}}})";
                       }) + "}");
     }},
    {"pod-level requests and overhead",
     [](std::size_t n) {
       const auto pages =
           list(n, '{', '}', [](std::size_t i) { return "\"hugepages-" + text(i) + "000000Ki\":\"1\""; });
       return pod_json(R"("containers":[{"name":"c"}],"resources":{"requests":)" + pages +
                       R"(},"overhead":)" + pages);
     }},
    {"host ports",
     [](std::size_t n) {
       return pod_json(R"("containers":[{"name":"c","ports":)" +
                       array_of(n,
                                [](std::size_t i) {
                                  return R"({"containerPort":1,"hostPort":)" +
                                         std::to_string(i % 60'000 + 1) + "}";
                                }) +
                       "}]");
     }},
    {"labels of a pod",
     [](std::size_t n) { return pod_json(R"("containers":[])", R"(,"labels":)" + map_of(n, "yes")); }},
    {"annotations of a pod",
     [](std::size_t n) { return pod_json(R"("containers":[])", R"(,"annotations":)" + map_of(n, "yes")); }},
    {"owners of a pod",
     [](std::size_t n) {
       return pod_json(R"("containers":[])",
                       R"(,"ownerReferences":)" + array_of(n, [](std::size_t i) {
                         return R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":"the-owner","uid":")" +
                                text(i) + "\"}";
                       }));
     }},
    {"claims in the volumes of a pod",
     [](std::size_t n) {
       return pod_json(R"("containers":[],"volumes":)" + array_of(n, [](std::size_t i) {
                         return R"({"name":"v)" + text(i) +
                                R"(","persistentVolumeClaim":{"claimName":"claim-)" + text(i) + "\"}}";
                       }));
     }},
    {"anti-affinity terms",
     [](std::size_t n) {
       return pod_json(
           R"("containers":[],"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)" +
           array_of(
               n,
               [](std::size_t i) {
                 return R"({"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":")" +
                        text(i) + R"("}}})";
               }) +
           "}}");
     }},
    {"allocatable of a node",
     [](std::size_t n) {
       const auto amounts = map_of(n, "1");
       return node_json(R"({"capacity":)" + amounts + R"(,"allocatable":)" + amounts + "}");
     },
     true},
    {"labels of a node", [](std::size_t n) { return node_json("{}", R"(,"labels":)" + map_of(n, "yes")); },
     true},
    {"annotations of a node",
     [](std::size_t n) { return node_json("{}", R"(,"annotations":)" + map_of(n, "yes")); }, true},
    {"taints of a node",
     [](std::size_t n) {
       return node_json("{}", "", R"({"taints":)" + array_of(n, [](std::size_t i) {
                                    return R"({"key":")" + name(i) + R"(","effect":"NoSchedule"})";
                                  }) + "}");
     },
     true},
    {"images of a node",
     [](std::size_t n) {
       return node_json(R"({"images":)" +
                        array_of(n,
                                 [](std::size_t i) {
                                   return R"({"names":["registry.example.com/image@sha256:)" + text(i) +
                                          R"("],"sizeBytes":1})";
                                 }) +
                        "}");
     },
     true},
    {"conditions of a node",
     [](std::size_t n) {
       return node_json(
           R"({"conditions":)" +
           array_of(n, [](std::size_t i) { return R"({"type":")" + name(i) + R"(","status":"True"})"; }) +
           "}");
     },
     true},
};

// Reads the object and puts it into the snapshot.
void put(const boost::json::value& object, bool is_node, Snapshot& snapshot) {
  if (is_node) {
    snapshot.set_node(std::make_shared<const api::Node>(api::decode_node(object).value()));
  } else {
    snapshot.add_pod(make_pod_info(std::make_shared<const api::Pod>(api::decode_pod(object).value())));
  }
}

Snapshot with_node() {
  Snapshot snapshot;
  put(boost::json::parse(node_json("{}")), true, snapshot);
  return snapshot;
}

struct Measured {
  Cost put;
  std::int64_t left = 0;  // bytes that stay after the object is removed
  std::int64_t json = 0;
};

Measured measure(const Case& c, std::size_t n) {
  Measured out;
  const auto json = c.json(n);
  out.json = static_cast<std::int64_t>(json.size());
  const auto object = boost::json::parse(json);
  auto snapshot = with_node();
  const auto fork = snapshot;  // so that writes copy what they touch
  out.left = cost_of([&] {
               out.put = cost_of([&] { put(object, c.is_node, snapshot); });
               if (c.is_node) {
                 put(boost::json::parse(node_json("{}")), true, snapshot);
               } else {
                 snapshot.remove_pod("u");
               }
             }).kept;
  return out;
}

TEST(CostOfAnObject, FollowsFromItsBytes) {
  constexpr std::size_t kMany = 4000;
  for (const auto& c : kCases) {
    measure(c, 10);  // what is made once
    const auto one = measure(c, kMany), two = measure(c, 2 * kMany);
    EXPECT_TRUE(is_linear(kMany, one.put, two.put)) << c.name;
    EXPECT_LT(two.put.kept, 8 * two.json) << c.name;
    EXPECT_LT(two.left, two.json / 8 + 20'000) << c.name << ": given back";
  }
}

}  // namespace
}  // namespace podium::cluster::cost_test
