#include "unit/cost/rows.h"

namespace podium::test::cost {
namespace {

std::string anti_affinity(std::string_view terms) {
  return std::string(R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)")
      .append(terms)
      .append("]}}");
}
std::string spread(std::string_view selector) {
  return std::string(
             R"(,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"DoNotSchedule","minDomains":2,"labelSelector":)")
      .append(selector)
      .append("}]");
}
std::string ports(std::string_view list) {
  return std::string(R"(,"containers":[{"name":"c","image":"i","ports":[)")
      .append(list)
      .append(R"(],"resources":{"requests":{"cpu":"1"}}}])");
}

// Each alone is near the largest number; two are beyond it.
std::string largest_requests(int resources) {
  std::string amounts;
  for (int i = 0; i < resources; ++i) {
    if (i > 0) amounts += ',';
    amounts += R"("example.com/r)" + std::to_string(i) + R"(":"9E")";
  }
  return R"(,"containers":[{"name":"c","image":"i","resources":{"requests":{)" + amounts + "}}}]";
}

// A pod that waits, and n lower-priority pods on the only node: possible victims.
Row victims(std::string name, std::size_t n, std::string waits, std::string victim,
            std::vector<Doc> more = {}) {
  std::vector<Doc> docs{{node()}, {std::move(waits)}, {std::move(victim), true}};
  for (auto& doc : more) docs.push_back(std::move(doc));
  return {std::move(name), n, std::move(docs)};
}

constexpr std::string_view kTermEach =
    R"(«{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"l#":"v"}}}»)";
constexpr std::string_view kAppTerm =
    R"({"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"app":"a"}}})";
constexpr std::string_view kNamespaceTermEach =
    R"(«{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"l#":"v"}},"namespaceSelector":{"matchLabels":{"a":"b#"}}}»)";
const std::string kConstraintEach =
    R"(,"topologySpreadConstraints":[«{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"DoNotSchedule","nodeTaintsPolicy":"Honor","labelSelector":{"matchLabels":{"a#":"b"}}}»])";
const std::string kAnywayEach =
    R"(,"topologySpreadConstraints":[«{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"ScheduleAnyway","nodeTaintsPolicy":"Honor","labelSelector":{"matchLabels":{"a#":"b"}}}»])";
constexpr std::string_view kNodeTermEach =
    R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[«{"matchExpressions":[{"key":"k#","operator":"Exists"}]}»,{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"Exists"}]}]}}})";
constexpr std::string_view kApp = R"(,"labels":{"app":"a","pod":"p$"})";
constexpr std::string_view kDisk = R"(,"volumes":[{"name":"v","gcePersistentDisk":{"pdName":"d"}}])";

// Claims that wait for their first consumer, and what may hold their volumes.
constexpr std::string_view kVolumeEach =
    R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v$","uid":"v$","resourceVersion":"1"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"storageClassName":"s"},"status":{"phase":"Available"}})";
constexpr std::string_view kCapacityEach =
    R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIStorageCapacity","metadata":{"namespace":"kube-system","name":"c$","uid":"c$","resourceVersion":"1"},"storageClassName":"s","capacity":"1Ti","nodeTopology":{"matchLabels":{"kubernetes.io/hostname":"n0"}}})";
constexpr std::string_view kReportsCapacity =
    R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"p","uid":"p","resourceVersion":"1"},"spec":{"storageCapacity":true}})";

// `more`: an object more; may be empty.
Row of_claims(std::string name, std::string_view size, std::string_view each, std::string_view more = "") {
  Row row{
      std::move(name),
      128,
      {{node()},
       {waiting(R"(,"volumes":[«{"name":"v#","persistentVolumeClaim":{"claimName":"c#"}}»])")},
       {R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"s","uid":"s","resourceVersion":"1"},"provisioner":"p","volumeBindingMode":"WaitForFirstConsumer"})"},
       {std::string(
            R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"namespace":"shop","name":"c$","uid":"c$","resourceVersion":"1"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"s","resources":{"requests":{"storage":")")
            .append(size)
            .append(R"("}}},"status":{"phase":"Pending"}})"),
        true},
       {std::string(each), true}}};
  if (!more.empty()) row.docs.push_back({std::string(more)});
  return row;
}

const std::string kNodeEach =
    R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n$","uid":"n$","labels":{"kubernetes.io/hostname":"n$"}},"spec":{"taints":[{"key":"t$","value":"v","effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"8","memory":"1Ti","pods":"110"}}})";

// One that selects all pods, by 50 requirements.
std::string not_in_budget() {
  std::string requirements;
  for (int i = 0; i < 50; ++i) {
    if (i > 0) requirements += ',';
    requirements += R"({"key":"k)" + std::to_string(i) + R"(","operator":"NotIn","values":["v"]})";
  }
  return R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"namespace":"shop","name":"b$","uid":"b$","resourceVersion":"1"},"spec":{"selector":{"matchExpressions":[)" +
         requirements + R"(]}},"status":{"disruptionsAllowed":0}})";
}

const std::string kDeviceClass =
    R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"x","uid":"x","resourceVersion":"1"},"spec":{}})";

std::string claim(std::string_view name, std::string_view status) {
  return std::string(
             R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"namespace":"shop","resourceVersion":"1","name":")")
      .append(name)
      .append(R"(","uid":")")
      .append(name)
      .append(
          R"("},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"x","allocationMode":"ExactCount","count":1}}]}})")
      .append(status)
      .append("}");
}
// n claims, each of one of n pods.
std::string claim_on(std::string_view device, std::string_view share) {
  return claim(
      "c$",
      std::string(
          R"(,"status":{"reservedFor":[{"resource":"pods","name":"placed-$","uid":"placed-$"}],"allocation":{"devices":{"results":[{"request":"r","driver":"d","pool":"p","device":")")
          .append(device)
          .append("\"")
          .append(share)
          .append("}]}}}"));
}

}  // namespace

std::vector<Row> rows_of_pairs() {
  const Doc full{
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n0","uid":"n0","labels":{"kubernetes.io/hostname":"n0"}},"status":{"allocatable":{"cpu":"1","memory":"1Ti","pods":"1000000"}}})"};
  const std::string budgets =
      R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"namespace":"shop","name":"b$","uid":"b$","resourceVersion":"1"},"spec":{"selector":{"matchLabels":{"pod":"p$"}}},"status":{"disruptionsAllowed":0}})";
  return {
      victims("podAntiAffinity terms × victims", 300, waiting(anti_affinity(kTermEach)),
              placed("", R"(,"labels":{"l$":"v"})")),
      victims("podAntiAffinity of victims × victims", 400, waiting("", R"(,"labels":{"app":"a"})"),
              placed(anti_affinity(kAppTerm))),
      victims("podAntiAffinity × victims of one class", 400, waiting(anti_affinity(kAppTerm)),
              placed("", R"(,"labels":{"app":"a"})")),
      victims("podAntiAffinity × victims of many classes", 400, waiting(anti_affinity(kAppTerm)),
              placed("", kApp)),
      victims("topologySpreadConstraints × victims", 400,
              waiting(spread(R"({"matchLabels":{"app":"a"}})"), R"(,"labels":{"app":"a"})"),
              placed("", kApp)),
      victims("PodDisruptionBudgets × victims", 400, waiting(anti_affinity(kAppTerm)), placed("", kApp),
              {{budgets, true}}),
      victims("hostPorts × victims", 400, waiting(ports(R"({"containerPort":80,"hostPort":80})")),
              placed(ports(R"({"containerPort":80,"hostPort":80})"))),
      victims("volumes × victims", 400, waiting(kDisk), placed(kDisk)),
      {"resources × victims", 400, {full, {waiting()}, {placed(), true}}},
      // An event is held against each pod that waits.
      {"requests of a pod × pods that wait",
       300,
       {{node()},
        {placed(
            R"(,"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1",«"example.com/r#":"1"»}}}])")},
        {waiting(), true}}},
      {"hostPorts of a pod × pods that wait",
       300,
       {{node()}, {placed(ports(R"(«{"containerPort":80,"hostPort":#}»)"))}, {waiting(), true}}},
      {"volumes of a pod × pods that wait",
       300,
       {{node()},
        {placed(R"(,"volumes":[«{"name":"v#","gcePersistentDisk":{"pdName":"e#"}}»])")},
        {waiting(), true}}},
      {"node allocatable × pods that wait",
       300,
       {{node("", "", "", R"(,«"example.com/r#":"1"»)")}, {waiting(), true}}},
      {"node taints × pods that wait",
       300,
       {{node(R"(,"taints":[«{"key":"t#","value":"v","effect":"PreferNoSchedule"}»])")}, {waiting(), true}}},
      {"requests of the largest number × pods of a node",
       200,
       {{node()}, {waiting()}, {placed(largest_requests(100)), true}}},
      {"hostPorts × hostPorts",
       1000,
       {{node()},
        {waiting(ports(R"(«{"containerPort":80,"hostPort":#}»)"))},
        {placed(ports(R"(«{"containerPort":80,"hostPort":3#}»)"))}}},
      {"volumes × volumes",
       1000,
       {{node()},
        {waiting(R"(,"volumes":[«{"name":"v#","gcePersistentDisk":{"pdName":"d#"}}»])")},
        {placed(R"(,"volumes":[«{"name":"v#","gcePersistentDisk":{"pdName":"e#"}}»])")}}},
      {"rbd monitors × rbd monitors",
       1000,
       {{node()},
        {waiting(R"(,"volumes":[{"name":"v","rbd":{"image":"d","pool":"p","monitors":[«"m#"»]}}])")},
        {placed(R"(,"volumes":[{"name":"v","rbd":{"image":"d","pool":"p","monitors":[«"n#"»]}}])")}}},
      {"tolerations × taints",
       1000,
       {{node(R"(,"taints":[«{"key":"t#","value":"v","effect":"NoSchedule"}»])")},
        {waiting(R"(,"tolerations":[«{"key":"t#","operator":"Exists"}»])")}}},
      {"nodeSelector × node labels",
       1000,
       {{node("", R"(,«"l#":"v"»)")}, {waiting(R"(,"nodeSelector":{«"l#":"v"»})")}}},
      {"containers' images × node images",
       1000,
       {{node("", "", R"(,"images":[«{"names":["i#:latest"],"sizeBytes":1000}»])")},
        {waiting(R"(,"containers":[«{"name":"c#","image":"i#","resources":{"requests":{"cpu":"1"}}}»])")}}},
      {"podAntiAffinity terms × labels of a pod",
       1000,
       {{node()}, {waiting(anti_affinity(kTermEach))}, {placed("", R"(,"labels":{«"m#":"v"»})")}}},
      {"podAntiAffinity terms of a pod × labels of the pod",
       1000,
       {{node()}, {waiting("", R"(,"labels":{«"m#":"v"»})")}, {placed(anti_affinity(kTermEach))}}},
      {"requests × node allocatable",
       1000,
       {{node("", "", "", R"(,«"example.com/r#":"1"»)")},
        {waiting(
            R"(,"containers":[{"name":"c","image":"i","resources":{"requests":{«"example.com/r#":"1"»}}}])")}}},
      {"resourceClaims × resourceClaimStatuses",
       500,
       {{node()},
        {waiting(R"(,"resourceClaims":[«{"name":"c#","resourceClaimTemplateName":"t"}»])", "",
                 R"(,"resourceClaimStatuses":[«{"name":"c#","resourceClaimName":"made-#"}»])")}}},
      {"containers × containerStatuses",
       1000,
       {{node()},
        {waiting()},
        {placed(R"(,"containers":[«{"name":"c#","image":"i","resources":{"requests":{"cpu":"1"}}}»])", "",
                R"(,"containerStatuses":[«{"name":"c#","resources":{"requests":{"cpu":"2"}}}»])")}}},
      {"topologySpreadConstraints × nodeAffinity terms",
       300,
       {{node()}, {waiting(kConstraintEach + std::string(kNodeTermEach))}}},
      {"topologySpreadConstraints × tolerations",
       300,
       {{node(R"(,"taints":[{"key":"t","value":"v","effect":"NoSchedule"}])")},
        {waiting(kConstraintEach + std::string(R"(,"tolerations":[«{"key":"t#","operator":"Exists"}»])"))}}},
      {"topologySpreadConstraints ScheduleAnyway × nodeAffinity terms",
       300,
       {{node()}, {waiting(kAnywayEach + std::string(kNodeTermEach))}}},
      {"disruptedPods × victims",
       400,
       {{node()},
        {waiting(anti_affinity(kAppTerm))},
        {placed("", kApp), true},
        {R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"namespace":"shop","name":"b","uid":"b","resourceVersion":"1"},"spec":{"selector":{"matchLabels":{"app":"a"}}},"status":{"disruptionsAllowed":1,"disruptedPods":{«"placed-#":"2026-01-01T00:00:00Z"»}}})"}}},
      {"namespaceSelector terms × Namespaces",
       300,
       {{node()},
        {waiting(anti_affinity(kNamespaceTermEach))},
        {R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns$","uid":"ns$","resourceVersion":"1","labels":{"a":"b$"}}})",
         true}}},
      of_claims("unbound claims × PersistentVolumes", "1Gi", kVolumeEach),
      of_claims("unbound claims of many sizes × PersistentVolumes", "$Mi", kVolumeEach),
      of_claims("unbound claims × CSIStorageCapacities", "1Gi", kCapacityEach, kReportsCapacity),
      {"selector of an unbound claim × PersistentVolumes",
       300,
       {{node()},
        {waiting(R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}])")},
        {R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"namespace":"shop","name":"c","uid":"c","resourceVersion":"1"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"s","resources":{"requests":{"storage":"1Gi"}},"selector":{"matchExpressions":[«{"key":"k#","operator":"DoesNotExist"}»,{"key":"no","operator":"Exists"}]}},"status":{"phase":"Pending"}})"},
        {std::string(kVolumeEach), true}}},
      {"volumes of one claim",
       1000,
       {{node()},
        {waiting(R"(,"volumes":[«{"name":"v#","persistentVolumeClaim":{"claimName":"c"}}»])")},
        {R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"namespace":"shop","name":"c","uid":"c","resourceVersion":"1"},"spec":{"accessModes":["ReadWriteOnce"],"volumeName":"v"},"status":{"phase":"Bound"}})"},
        {R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v","uid":"v","resourceVersion":"1"},"spec":{"capacity":{"storage":"1Gi"},"csi":{"driver":"d","volumeHandle":"h"},"claimRef":{"namespace":"shop","name":"c","uid":"c"},"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"Exists"}]}]}}},"status":{"phase":"Bound"}})"}}},
      {"podAntiAffinity NotIn values × pods",
       1000,
       {{node()},
        {waiting(anti_affinity(
            R"({"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchExpressions":[{"key":"pod","operator":"NotIn","values":[«"v#"»]}]}})"))},
        {placed("", kApp), true}}},
      {"topologySpreadConstraints NotIn values × pods",
       1000,
       {{node()},
        {waiting(spread(R"({"matchExpressions":[{"key":"pod","operator":"NotIn","values":[«"v#"»]}]})"))},
        {placed("", kApp), true}}},
      {"namespaceSelector NotIn values × Namespaces",
       1000,
       {{node()},
        {waiting(anti_affinity(
            R"({"topologyKey":"kubernetes.io/hostname","labelSelector":{},"namespaceSelector":{"matchExpressions":[{"key":"a","operator":"NotIn","values":[«"v#"»]}]}})"))},
        {R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns$","uid":"ns$","resourceVersion":"1","labels":{"a":"b$"}}})",
         true}}},
      victims("PodDisruptionBudgets NotIn × victims", 400, waiting(anti_affinity(kAppTerm)), placed("", kApp),
              {{not_in_budget(), true}}),
      {"nodeAffinity NotIn values × nodes",
       1000,
       {{kNodeEach, true},
        {waiting(
            R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"NotIn","values":[«"v#"»]}]}]}}})")}}},
      {"nodeAffinity terms × cordoned nodes",
       400,
       {{node()},
        {R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"c$","uid":"c$","labels":{"kubernetes.io/hostname":"c$"}},"spec":{"unschedulable":true},"status":{"allocatable":{"cpu":"8","memory":"1Ti","pods":"110"}}})",
         true},
        {waiting(
            R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[«{"matchExpressions":[{"key":"k#","operator":"Exists"}]}»]}}})")}}},
      {"tolerations × nodes",
       1000,
       {{kNodeEach, true}, {waiting(R"(,"tolerations":[«{"key":"t#","operator":"Exists"}»])")}}},
      {"topologySpreadConstraints matchLabelKeys × labels",
       1000,
       {{node()},
        {waiting(
            R"(,"topologySpreadConstraints":[«{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"}},"matchLabelKeys":["l#"]}»])",
            R"(,"labels":{«"l#":"v"»})")}}},
      {"claims that share a device",
       300,
       {{node()},
        {kDeviceClass},
        {R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s","uid":"s","resourceVersion":"1"},"spec":{"driver":"d","pool":{"name":"p","generation":1,"resourceSliceCount":1},"nodeName":"n0","devices":[{"name":"d0","allowMultipleAllocations":true,"capacity":{"memory":{"value":"1Ti"}}}]}})"},
        {claim_on("d0", R"(,"shareID":"share-$","consumedCapacity":{"memory":"1Gi"})"), true},
        {claim("w", "")},
        {waiting(R"(,"resourceClaims":[{"name":"c","resourceClaimName":"w"}])")}}},
      victims(
          "claims of victims × victims", 100,
          waiting(R"(,"resourceClaims":[{"name":"c","resourceClaimName":"w"}])"),
          placed(R"(,"resourceClaims":[{"name":"c","resourceClaimName":"c$"}])"),
          {{kDeviceClass},
           {R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s","uid":"s","resourceVersion":"1"},"spec":{"driver":"d","pool":{"name":"p","generation":1,"resourceSliceCount":1},"nodeName":"n0","devices":[«{"name":"d#"}»]}})"},
           {claim_on("d$", ""), true},
           {claim("w", "")}}),
      {"claims × claims",
       300,
       {{node()},
        {waiting(R"(,"volumes":[«{"name":"v#","persistentVolumeClaim":{"claimName":"c#"}}»])")},
        {placed(R"(,"volumes":[«{"name":"v#","persistentVolumeClaim":{"claimName":"c#"}}»])")},
        {R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"namespace":"shop","name":"c$","uid":"c$","resourceVersion":"1"},"spec":{"accessModes":["ReadWriteOncePod"],"volumeName":"v$"},"status":{"phase":"Bound"}})",
         true}}},
  };
}

}  // namespace podium::test::cost
