// A small cluster, pods and workloads as files, for the tests of `podium evaluate`.
#pragma once

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "app/evaluate/manifest_decisions.h"
#include "unit/support/temp_dir.h"

namespace podium::evaluate {

namespace json = boost::json;
using Names = std::vector<std::string>;

inline constexpr const char* kCluster = R"(
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {disk: ssd}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: n3}
spec: {taints: [{key: team, value: a, effect: NoSchedule}]}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: running, namespace: shop}
spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: waiting, namespace: shop}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "2"}}}]}
)";

inline std::string pod_of(const std::string& name, const std::string& cpu, const std::string& more = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: shop}\nspec: {" + more +
         "containers: [{name: c, image: i, resources: {requests: {cpu: \"" + cpu + "\"}}}]}\n";
}

inline std::string deployment(const std::string& resources) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, selector: "
         "{matchLabels: "
         "{app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i, " +
         resources + ": {requests: {cpu: 100m}}}]}}}\n";
}

inline std::string report(const std::string& spec) {
  return "apiVersion: podium.dev/v1alpha1\nkind: SchedulingReport\nmetadata: {name: ask, namespace: "
         "shop}\nspec: {" +
         spec + "}\n";
}

class Evaluate : public testing::Test {
 protected:
  Inputs inputs_for(std::vector<std::string> pods) {
    Inputs inputs;
    inputs.cluster = {files.write("cluster.yaml", kCluster)};
    inputs.pods = std::move(pods);
    inputs.config = config;
    inputs.allow_unknown_fields = lenient;
    return inputs;
  }
  Result<ManifestDecisions> run(std::vector<std::string> pods) {
    return evaluate_files(inputs_for(std::move(pods)));
  }
  std::string error(std::vector<std::string> pods) {
    const auto done = run(std::move(pods));
    if (done) return "";
    EXPECT_EQ(done.error().kind, Error::Kind::invalid);
    return done.error().message;
  }
  std::string empty_directory() {
    const auto path = std::filesystem::path(files.write("unused", "")).parent_path() / "empty";
    std::filesystem::create_directory(path);
    return path;
  }
  unit::TempDir files;
  std::string config;
  bool lenient = false;
};

}  // namespace podium::evaluate
