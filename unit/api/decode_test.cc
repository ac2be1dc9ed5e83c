#include "api/decode/decode.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "api/values/device.h"
#include "base/time.h"
#include "unit/support/builders.h"

namespace podium::api {
namespace {

using namespace test;
using boost::json::parse;

constexpr std::string_view kRichPod = R"({
  "apiVersion": "v1", "kind": "Pod",
  "metadata": {
    "name": "web-0", "namespace": "shop", "uid": "u-1", "resourceVersion": "42", "generation": 3,
    "labels": {"tier": "front", "app": "web"}, "annotations": {"example.com/note": "x"},
    "creationTimestamp": "2026-01-02T03:04:05Z", "deletionTimestamp": "2026-01-02T04:04:05Z",
    "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "uid-web",
                         "controller": true, "blockOwnerDeletion": true}],
    "managedFields": [{"manager": "x", "fieldsV1": {"f:metadata": {}}}]
  },
  "spec": {
    "nodeName": "n1", "schedulerName": "podium", "priorityClassName": "high", "priority": 1000,
    "preemptionPolicy": "Never", "hostNetwork": true, "hostUsers": false, "schedulingGates": [{"name": "example.com/wait"}],
    "nodeSelector": {"disk": "ssd"}, "overhead": {"cpu": "10m"},
    "affinity": {
      "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["4"]}],
           "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]},
        "preferredDuringSchedulingIgnoredDuringExecution": [
          {"weight": 7, "preference": {"matchExpressions": [{"key": "old", "operator": "DoesNotExist"}]}}]},
      "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "db"}}, "namespaces": ["a", "b"],
         "namespaceSelector": {}, "matchLabelKeys": ["v"], "mismatchLabelKeys": ["w"]}]},
      "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 3, "podAffinityTerm": {"topologyKey": "host", "labelSelector":
          {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["x"]},
                                {"key": "app", "operator": "Gt", "values": ["1"]}]}}}]}},
    "tolerations": [{"key": "k", "value": "v", "effect": "NoSchedule"}, {"operator": "Exists"},
                    {"key": "k", "operator": "Gt", "value": "1", "effect": "Sometimes"}],
    "topologySpreadConstraints": [
      {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
       "labelSelector": {"matchLabels": {"app": "web"}}, "minDomains": 3, "nodeAffinityPolicy": "Ignore",
       "nodeTaintsPolicy": "Honor", "matchLabelKeys": ["v"]},
      {"maxSkew": 1, "topologyKey": "host", "whenUnsatisfiable": "ScheduleAnyway"}],
    "containers": [
      {"name": "main", "image": "web:1", "command": ["run"], "env": [{"name": "A", "value": "b"}],
       "resources": {"requests": {"memory": "1Gi", "cpu": 0.25}, "limits": {"cpu": 1}},
       "ports": [{"containerPort": 80, "hostPort": 8080, "hostIP": "10.0.0.1", "protocol": "UDP"},
                 {"containerPort": 81}],
       "restartPolicyRules": [{"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [1]}}]}],
    "initContainers": [{"name": "proxy", "image": "proxy", "restartPolicy": "Always"}],
    "resources": {"requests": {"cpu": "2"}, "limits": {"memory": "4Gi"}},
    "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0", "readOnly": true}},
                {"name": "tmp", "emptyDir": {}}],
    "resourceClaims": [{"name": "claim", "resourceClaimName": "claim"}]
  },
  "status": {
    "phase": "Running", "nominatedNodeName": "n2", "startTime": "2026-01-02T03:04:06Z",
    "conditions": [{"type": "PodScheduled", "status": "True", "reason": "R", "message": "M",
                    "lastTransitionTime": null}],
    "containerStatuses": [{"name": "main", "resources": {"requests": {"cpu": "300m"}},
                           "allocatedResources": {"cpu": "200m"}},
                          {"name": "other", "ready": true}],
    "resources": {"requests": {"cpu": "1"}}, "allocatedResources": {"cpu": "3"}
  }
})";

TEST(DecodePod, ReadsEveryField) {
  auto constraint = spread("zone").max_skew(2).label("app", "web").min_domains(3).ignore_node_affinity();
  constraint.honor_node_taints().match_label_keys({"v"});
  auto builder =
      pod("web-0").ns("shop").uid("u-1").resource_version("42").label("app", "web").label("tier", "front");
  builder.annotation("example.com/note", "x");
  builder.created("2026-01-02T03:04:05Z").owner("StatefulSet", "web");
  builder.node("n1")
      .scheduler("podium")
      .priority_class("high")
      .priority(1000)
      .preempt_never()
      .host_network()
      .host_users(false);
  builder.gate("example.com/wait").node_selector("disk", "ssd").overhead("cpu", "10m");
  builder.require_node(node_term({gt("cores", "4")}, {in("metadata.name", {"n1"})}));
  builder.prefer_node(7, node_term({does_not_exist("old")}));
  builder.affinity(term("zone")
                       .label("app", "db")
                       .namespaces({"a", "b"})
                       .namespace_selector(select_all())
                       .match_label_keys({"v"})
                       .mismatch_label_keys({"w"}));
  builder.prefer_anti_affinity(
      3,
      term("host").selector(select_where({not_in("app", {"x"}), {"app", Requirement::Op::unknown, {"1"}}})));
  builder.tolerate("k", "v", "NoSchedule").tolerate_exists("");
  builder.spread(constraint).spread(spread("host").schedule_anyway());
  builder.container("main").image("web:1").req("cpu", "250m").req("memory", "1Gi").limit("cpu", "1");
  builder.restart_rule("RestartAllContainers");
  builder.sidecar("proxy").image("proxy");
  builder.pod_req("cpu", "2").pod_limit("memory", "4Gi").claim("data-web-0", true).resource_claims();
  builder.phase("Running").nominated("n2").started("2026-01-02T03:04:06Z");
  builder.condition("PodScheduled", "True", "R", "M");
  builder.status_resources("main", "cpu", "300m").status_allocated("main", "cpu", "200m");

  auto want = builder.build();
  want.meta.generation = 3;
  want.meta.deleted = *parse_time("2026-01-02T04:04:05Z");
  want.tolerations.push_back({"k", "1", Toleration::Op::gt, TaintEffect::unknown});
  want.containers.write()[0].ports = {{8080, "10.0.0.1", "UDP", 80}, {0, "", "TCP", 81}};
  want.volumes.write()[0].name = "data";
  want.volumes.push_back({.name = "tmp", .id = "emptyDir"});
  want.container_statuses.emplace_back().name = "other";
  want.status_pod_requests.emplace();
  set_resource(*want.status_pod_requests, "cpu", "1");
  set_resource(want.status_pod_allocated, "cpu", "3");

  const auto got = decode_pod(parse(kRichPod));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->meta, want.meta);
  EXPECT_EQ(got->containers, want.containers);
  EXPECT_EQ(got->volumes, want.volumes);
  EXPECT_EQ(*got, want);
}

TEST(DecodePod, DefaultsWhatIsAbsent) {
  const auto got = decode_pod(parse(R"({"metadata": {"name": "a", "labels": null}, "spec": {"priority": null,
      "schedulerName": "", "affinity": {}, "containers": [null, {"name": "c"}]}})"));
  ASSERT_TRUE(got) << got.error().message;
  Pod want;
  want.meta.name = "a";
  want.containers = {{}, {.name = "c"}};
  EXPECT_EQ(*got, want);
}

TEST(DecodePod, ReadsVolumesOfEveryKind) {
  using Kind = Volume::Kind;
  struct Case {
    std::string_view source;
    Volume want;
  };
  const Case cases[] = {
      {R"("configMap": {"name": "c"})", {"v", Kind::other}},
      {R"("emptyDir": {"sizeLimit": "1Gi"})", {.name = "v", .id = "emptyDir"}},
      {R"("emptyDir": {"medium": "Memory"})", {.name = "v"}},
      {R"("hostPath": {"path": "/var"})", {.name = "v", .id = "hostPath"}},
      {R"("persistentVolumeClaim": {"claimName": "c"})", {"v", Kind::claim, false, "c"}},
      {R"("ephemeral": {"volumeClaimTemplate": {}})", {"v", Kind::ephemeral}},
      {R"("gcePersistentDisk": {"pdName": "d", "readOnly": true})", {"v", Kind::gce_disk, true, "d"}},
      {R"("awsElasticBlockStore": {"volumeID": "d"})", {"v", Kind::aws_disk, false, "d"}},
      {R"("rbd": {"image": "i", "monitors": ["m1", "m2"]})",
       {"v", Kind::rbd, false, "i", "rbd", {"m1", "m2"}}},
      {R"("rbd": {"image": "i", "pool": "p", "readOnly": true})", {"v", Kind::rbd, true, "i", "p"}},
      {R"("iscsi": {"iqn": "q", "lun": 1})", {"v", Kind::iscsi, false, "q"}},
      {R"("azureDisk": {"diskName": "n", "diskURI": "u"})", {"v", Kind::azure_disk, false, "u", "Shared"}},
      {R"("azureDisk": {"diskName": "n", "diskURI": "u", "kind": "Managed"})",
       {"v", Kind::azure_disk, false, "u", "Managed"}},
      {R"("azureFile": {"shareName": "s", "secretName": "t"})", {"v", Kind::azure_file, false, "s", "t"}},
      {R"("cinder": {"volumeID": "d"})", {"v", Kind::cinder, false, "d"}},
      {R"("vsphereVolume": {"volumePath": "p"})", {"v", Kind::vsphere, false, "p"}},
      {R"("portworxVolume": {"volumeID": "d"})", {"v", Kind::portworx, false, "d"}},
      {R"("csi": {"driver": "d"})", {"v", Kind::csi_inline, false, "d"}},
      {R"("image": {"reference": "r"})", {"v", Kind::image, false, "r"}},
  };
  for (const auto& test : cases) {
    const auto text = R"({"spec": {"volumes": [{"name": "v", )" + std::string(test.source) + "}]}}";
    const auto got = decode_pod(parse(text));
    ASSERT_TRUE(got) << text << got.error().message;
    EXPECT_EQ(got->volumes, std::vector<Volume>{test.want}) << text;
  }
}

TEST(DecodePod, NamesThePathOfWrongTypes) {
  struct Case {
    std::string_view text, want;
  };
  const Case cases[] = {
      {"[]", "expected an object, got a list"},
      {R"({"spec": 1})", "spec: expected an object, got a number"},
      {R"({"metadata": {"name": 1}})", "metadata.name: expected a string, got a number"},
      {R"({"metadata": {"labels": {"a/b": true}}})", "metadata.labels.a/b: expected a string, got a boolean"},
      {R"({"metadata": {"creationTimestamp": "today"}})",
       "metadata.creationTimestamp: expected an RFC 3339 time"},
      {R"({"spec": {"containers": {}}})", "spec.containers: expected a list, got an object"},
      {R"({"spec": {"containers": [{}, {"image": []}]}})",
       "spec.containers[1].image: expected a string, got a list"},
      {R"({"spec": {"containers": [{"resources": {"requests": {"cpu": "x"}}}]}})",
       "spec.containers[0].resources.requests.cpu: \"x\" is not a quantity, such as \"4\", \"500m\" or "
       "\"2Gi\""},
      {R"({"spec": {"overhead": {"cpu": []}}})", "spec.overhead.cpu: expected a quantity, got a list"},
      {R"({"spec": {"overhead": {"cpu": 1E400}}})",
       "spec.overhead.cpu: a number over 1.8e308 is not a quantity"},
      {R"({"spec": {"priority": -1e400}})", "spec.priority: a number over 1.8e308 is not a 32-bit integer"},
      {R"({"spec": {"hostNetwork": "true"}})", "spec.hostNetwork: expected a boolean, got a string"},
      {R"({"spec": {"priority": 3000000000}})", "spec.priority: 3000000000 is not a 32-bit integer"},
      {R"({"spec": {"priority": 1.5}})", "spec.priority: 1.5 is not a 32-bit integer"},
      {R"({"spec": {"priority": "1"}})", "spec.priority: expected an integer, got a string"},
      {R"({"spec": {"priority": "1", "nodeName": 2}})",
       "spec.nodeName: expected a string, got a number\nspec.priority: expected an integer, got a string"},
  };
  for (const auto& test : cases) {
    const auto got = decode_pod(parse(test.text));
    ASSERT_FALSE(got) << test.text;
    EXPECT_EQ(got.error().message, test.want) << test.text;
    EXPECT_EQ(got.error().kind, Error::Kind::invalid);
  }
}

TEST(DecodeNode, ReadsEveryField) {
  const auto got = decode_node(parse(R"({
    "metadata": {"name": "n1", "uid": "uid-n1", "labels": {"kubernetes.io/hostname": "n1"}, "annotations": {"a": "b"}},
    "spec": {"unschedulable": true, "taints": [{"key": "k", "value": "v", "effect": "NoExecute", "timeAdded": null}]},
    "status": {"capacity": {"cpu": "4", "pods": 110}, "allocatable": {"cpu": 3.5, "pods": "110"},
               "images": [{"names": ["a", "b"], "sizeBytes": 5000000000}], "declaredFeatures": ["F"],
               "conditions": [{"type": "Ready", "status": "True", "reason": "R", "lastHeartbeatTime": "2026-01-01T00:00:00Z"},
                              {"type": "DiskPressure", "status": "False"}]}})"));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, node("n1")
                      .taint("k", "v", "NoExecute")
                      .unschedulable()
                      .cap("cpu", "4")
                      .cap("pods", "110")
                      .allocatable("cpu", "3500m")
                      .image({"a", "b"}, 5000000000)
                      .feature("F")
                      .annotation("a", "b")
                      .condition("Ready", "True")
                      .condition("DiskPressure", "False")
                      .build());
}

TEST(DecodeObject, ReadsByGroupAndKind) {
  const auto kept = [](std::string_view text) {
    const auto object = decode_object(parse(text));
    return object && !std::holds_alternative<std::monostate>(*object);
  };
  EXPECT_TRUE(kept(R"({"apiVersion": "v1", "kind": "Pod"})"));
  EXPECT_TRUE(kept(R"({"apiVersion": "apps/v1", "kind": "ReplicaSet"})"));
  EXPECT_TRUE(kept(R"({"apiVersion": "storage.k8s.io/v1beta1", "kind": "CSIStorageCapacity"})"));
  EXPECT_FALSE(kept(R"({"apiVersion": "metrics.k8s.io/v1", "kind": "Node"})"));
  EXPECT_FALSE(kept(R"({"apiVersion": "v1", "kind": "ConfigMap"})"));
  EXPECT_FALSE(kept("{}"));
}

template <typename T>
T decoded(std::string_view text) {
  const auto object = decode_object(parse(text));
  if (!object) ADD_FAILURE() << object.error().message;
  return *std::get<std::shared_ptr<const T>>(*object);
}

TEST(DecodeObject, ReadsStorage) {
  auto volume = persistent_volume("pv", "10Gi", "fast");
  volume.meta.uid = "";
  volume.phase = "Bound";
  volume.claim = {"shop", "data", "u"};
  volume.node_affinity = std::vector<NodeSelectorTerm>{node_term({in("zone", {"a"})})};
  volume.csi_driver = "csi.example.com";
  volume.csi_handle = "h";
  volume.source.kind = Volume::Kind::csi_inline;
  volume.source.id = "csi.example.com";
  volume.meta.annotations = Labels{{"pv.kubernetes.io/provisioned-by", "p"}, {"other", "x"}};
  EXPECT_EQ(decoded<PersistentVolume>(R"({"apiVersion": "v1", "kind": "PersistentVolume",
    "metadata": {"name": "pv", "annotations": {"pv.kubernetes.io/provisioned-by": "p", "other": "x"}},
    "spec": {"capacity": {"storage": "10Gi"}, "storageClassName": "fast", "accessModes": ["ReadWriteOnce"],
             "claimRef": {"namespace": "shop", "name": "data", "uid": "u"},
             "csi": {"driver": "csi.example.com", "volumeHandle": "h"},
             "nodeAffinity": {"required": {"nodeSelectorTerms": [
               {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}}},
    "status": {"phase": "Bound"}})"),
            volume);

  auto claim = persistent_volume_claim("shop", "data", "5Gi", "fast");
  claim.meta.uid = "";
  claim.phase = "Bound";
  claim.volume_name = "pv";
  claim.selector = select_labels({{"a", "b"}});
  claim.meta.annotations = Labels{{"kubectl.kubernetes.io/last-applied-configuration", ""},
                                  {"pv.kubernetes.io/bind-completed", "yes"},
                                  {"volume.beta.kubernetes.io/storage-class", "fast"},
                                  {"volume.kubernetes.io/selected-node", "n1"}};
  EXPECT_EQ(decoded<PersistentVolumeClaim>(R"({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data", "namespace": "shop", "annotations": {
      "pv.kubernetes.io/bind-completed": "yes", "volume.kubernetes.io/selected-node": "n1",
      "volume.beta.kubernetes.io/storage-class": "fast", "kubectl.kubernetes.io/last-applied-configuration": "{}"}},
    "spec": {"resources": {"requests": {"storage": "5Gi"}}, "storageClassName": "slow", "volumeName": "pv",
             "accessModes": ["ReadWriteOnce"], "selector": {"matchLabels": {"a": "b"}}},
    "status": {"phase": "Bound"}})"),
            claim);

  auto kind = storage_class("fast", "csi.example.com", true);
  kind.meta.uid = "";
  kind.allowed_topologies = {node_term({in("zone", {"a", "b"})})};
  EXPECT_EQ(decoded<StorageClass>(R"({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
    "metadata": {"name": "fast"}, "provisioner": "csi.example.com", "volumeBindingMode": "WaitForFirstConsumer",
    "allowedTopologies": [{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}]})"),
            kind);

  auto csi = csi_node("n1", {{"csi.example.com", 0}});
  csi.meta.uid = "";
  csi.meta.annotations.set("storage.alpha.kubernetes.io/migrated-plugins", "kubernetes.io/gce-pd");
  csi.drivers.push_back({"other", std::nullopt});
  EXPECT_EQ(
      decoded<CsiNode>(R"({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n1",
    "annotations": {"storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/gce-pd"}},
    "spec": {"drivers": [{"name": "csi.example.com", "allocatable": {"count": 0}}, {"name": "other"}]}})"),
      csi);

  CsiStorageCapacity capacity;
  capacity.meta.name = "c";
  capacity.storage_class = "fast";
  capacity.node_topology = select_all();
  capacity.capacity = quantity("1Ti");
  EXPECT_EQ(decoded<CsiStorageCapacity>(R"({"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
    "metadata": {"name": "c"}, "storageClassName": "fast", "nodeTopology": {}, "capacity": "1Ti"})"),
            capacity);
}

TEST(DecodeObject, ReadsWorkloadsAndPolicies) {
  const auto selector = [](std::string_view api_version, std::string_view kind, std::string_view spec) {
    const boost::json::value object = {{"apiVersion", api_version}, {"kind", kind}, {"spec", parse(spec)}};
    return decoded<Workload>(boost::json::serialize(object)).selector;
  };
  EXPECT_EQ(selector("v1", "Service", R"({"selector": {"app": "web"}})"), select_labels({{"app", "web"}}));
  EXPECT_EQ(selector("v1", "Service", R"({"selector": {}})"), select_all());
  EXPECT_EQ(selector("v1", "Service", "{}"), std::nullopt);
  EXPECT_EQ(
      selector("v1", "ReplicationController", R"({"template": {"metadata": {"labels": {"app": "web"}}}})"),
      select_labels({{"app", "web"}}));
  EXPECT_EQ(selector("apps/v1", "ReplicaSet",
                     R"({"selector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}})"),
            select_where({exists("a")}));

  auto budget = disruption_budget("shop", "web", select_labels({{"app", "web"}}), 2);
  budget.meta.uid = "";
  budget.disrupted_pods = {"web-1"};
  budget.current_healthy = 5;
  budget.desired_healthy = 3;
  budget.evicts_unhealthy = true;
  budget.min_available = {.value = 50, .is_percent = true};
  budget.is_counted = true;
  EXPECT_EQ(decoded<PodDisruptionBudget>(R"({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
    "metadata": {"name": "web", "namespace": "shop"}, "spec": {"selector": {"matchLabels": {"app": "web"}},
    "minAvailable": "50%", "unhealthyPodEvictionPolicy": "AlwaysAllow"},
    "status": {"currentHealthy": 5, "desiredHealthy": 3, "disruptionsAllowed": 2, "disruptedPods": {"web-1": "2026-01-01T00:00:00Z"}}})"),
            budget);

  auto priority = priority_class("high", 1000);
  priority.meta.uid = "";
  priority.global_default = true;
  priority.preempt_never = true;
  EXPECT_EQ(decoded<PriorityClass>(R"({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
    "metadata": {"name": "high"}, "value": 1000, "globalDefault": true, "preemptionPolicy": "Never"})"),
            priority);
}

TEST(DecodeMeta, KeepsAllAnnotations) {
  const auto meta = decode_meta(parse(R"({"metadata": {"name": "a", "annotations": {"x": "y"}}})"));
  ASSERT_TRUE(meta);
  EXPECT_EQ(meta->annotations, (Labels{{"x", "y"}}));
}

TEST(DecodeParts, StartTheirPathsWhereTheyStand) {
  const auto constraint =
      decode_topology_spread_constraint(parse(R"({"maxSkew": "1"})"), "defaultConstraints[0]");
  ASSERT_FALSE(constraint);
  EXPECT_EQ(constraint.error().message, "defaultConstraints[0].maxSkew: expected an integer, got a string");
}

TEST(DecodePod, TakesAThousandContainersAndTenThousandTolerations) {
  boost::json::array containers, tolerations;
  for (int i = 0; i < 1000; ++i) containers.push_back(boost::json::object{{"name", "c" + std::to_string(i)}});
  for (int i = 0; i < 10'000; ++i) tolerations.push_back(boost::json::object{{"key", std::to_string(i)}});
  const boost::json::value value = {{"spec", boost::json::object{{"containers", std::move(containers)},
                                                                 {"tolerations", std::move(tolerations)}}}};
  const auto got = decode_pod(value);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->containers.size(), 1000u);
  EXPECT_EQ(got->containers[999].name, "c999");
  EXPECT_EQ(got->tolerations.size(), 10'000u);
}

}  // namespace
}  // namespace podium::api
