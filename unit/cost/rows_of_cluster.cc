#include "api/values/device.h"
#include "unit/cost/rows.h"

namespace podium::test::cost {
namespace {

std::string object(std::string_view api_version, std::string_view kind, std::string_view members,
                   std::string_view meta = "") {
  std::string out = R"({"apiVersion":")";
  out.append(api_version)
      .append(R"(","kind":")")
      .append(kind)
      .append(R"(","metadata":{"name":"x","uid":"x","resourceVersion":"1")");
  return out.append(meta).append("}").append(members).append("}");
}

constexpr std::string_view kInShop = R"(,"namespace":"shop")";
constexpr std::string_view kDra = "resource.k8s.io/v1";
constexpr std::string_view kTerms =
    R"({"nodeSelectorTerms":[«{"matchExpressions":[{"key":"k#","operator":"Exists"}]}»]})";

Row of_node(std::string name, std::size_t n, std::string node) {
  return {"Node " + std::move(name), n, {{std::move(node)}, {waiting()}}};
}
Row of(std::string name, std::size_t n, std::string object) {
  return {
      std::move(name),
      n,
      {{node()},
       {std::move(object)},
       {waiting(
           R"(,"resourceClaims":[{"name":"c","resourceClaimName":"x"}],"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"x"}}])")}}};
}
Row budget(std::string name, std::size_t n, std::string_view members) {
  return {"PodDisruptionBudget " + std::move(name),
          n,
          {{node(R"(,"unschedulable":false)")},
           {placed()},
           {waiting()},
           {object("policy/v1", "PodDisruptionBudget", members, kInShop)}}};
}

}  // namespace

std::vector<Row> rows_of_cluster() {
  const auto labels =
      R"(,"spec":{"selector":{"matchLabels":{«"l#":"v"»}}},"status":{"disruptionsAllowed":1})";
  const auto disrupted =
      R"(,"spec":{"selector":{"matchLabels":{"a":"b"}}},"status":{"disruptionsAllowed":1,"disruptedPods":{«"p#":"2026-01-01T00:00:00Z"»}})";
  return {
      of_node("metadata.labels", 2000, node("", R"(,«"l#":"v"»)")),
      of_node("spec.taints", 2000, node(R"(,"taints":[«{"key":"t#","value":"v","effect":"NoSchedule"}»])")),
      of_node("status.images", 2000, node("", "", R"(,"images":[«{"names":["i#"],"sizeBytes":1000}»])")),
      of_node("status.images names", 2000,
              node("", "", R"(,"images":[{"names":[«"i#"»],"sizeBytes":1000}])")),
      of_node("status.allocatable", 2000, node("", "", "", R"(,«"example.com/r#":"1"»)")),
      of_node("status.capacity", 2000, node("", "", R"(,"capacity":{«"example.com/r#":"1"»})")),
      of_node("status.conditions", 2000, node("", "", R"(,"conditions":[«{"type":"c#","status":"True"}»])")),
      of_node("status.declaredFeatures", 2000, node("", "", R"(,"declaredFeatures":[«"F#"»])")),
      budget("selector.matchLabels", 2000, labels),
      budget("disruptedPods", 2000, disrupted),
      of("Namespace metadata.labels", 2000, object("v1", "Namespace", "", R"(,"labels":{«"l#":"v"»})")),
      of("StorageClass allowedTopologies", 2000,
         object(
             "storage.k8s.io/v1", "StorageClass",
             R"(,"provisioner":"p","volumeBindingMode":"WaitForFirstConsumer","allowedTopologies":[«{"matchLabelExpressions":[{"key":"k#","values":["v"]}]}»])")),
      of("StorageClass parameters", 2000,
         object("storage.k8s.io/v1", "StorageClass", R"(,"provisioner":"p","parameters":{«"k#":"v"»})")),
      of("PersistentVolume nodeAffinity terms", 2000,
         object(
             "v1", "PersistentVolume",
             R"(,"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"nodeAffinity":{"required":)" +
                 std::string(kTerms) + "}}")),
      of("PersistentVolumeClaim accessModes", 2000,
         object(
             "v1", "PersistentVolumeClaim",
             R"(,"spec":{"accessModes":[«"ReadWriteOnce"»],"resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"})",
             kInShop)),
      of("PersistentVolumeClaim selector", 2000,
         object(
             "v1", "PersistentVolumeClaim",
             R"(,"spec":{"accessModes":["ReadWriteOnce"],"selector":{"matchLabels":{«"l#":"v"»}},"resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"})",
             kInShop)),
      of("CSINode drivers", 2000,
         object(
             "storage.k8s.io/v1", "CSINode",
             R"(,"spec":{"drivers":[«{"name":"d#","nodeID":"n","topologyKeys":["k"],"allocatable":{"count":5}}»]})")),
      of("DeviceClass selectors", 16,
         object(kDra, "DeviceClass",
                R"(,"spec":{"selectors":[«{"cel":{"expression":"device.driver == 'd#'"}}»]})")),
      of("ResourceClaim requests", 16,
         object(
             kDra, "ResourceClaim",
             R"(,"spec":{"devices":{"requests":[«{"name":"r#","exactly":{"deviceClassName":"x","allocationMode":"ExactCount","count":1}}»]}})",
             kInShop)),
      of("ResourceClaim status.reservedFor", 128,
         object(
             kDra, "ResourceClaim",
             R"(,"spec":{"devices":{}},"status":{"allocation":{"devices":{}},"reservedFor":[«{"resource":"pods","name":"p#","uid":"u#"}»]})",
             kInShop)),
      of("ResourceSlice devices", 64,
         object(
             kDra, "ResourceSlice",
             R"(,"spec":{"driver":"d","pool":{"name":"p","generation":1,"resourceSliceCount":1},"nodeName":"n0","devices":[«{"name":"d#"}»]})")),
      of("ResourceSlice attributes", 16,
         object(
             kDra, "ResourceSlice",
             R"(,"spec":{"driver":"d","pool":{"name":"p","generation":1,"resourceSliceCount":1},"nodeName":"n0","devices":[{"name":"d","attributes":{«"a#":{"string":"v"}»}}]})")),
  };
}

}  // namespace podium::test::cost
