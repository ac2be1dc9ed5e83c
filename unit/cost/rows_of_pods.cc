#include "unit/cost/rows.h"

namespace podium::test::cost {
namespace {

Row of_waiting(std::string name, std::size_t n, std::string_view spec, std::string_view meta = "",
               std::string_view status = "") {
  return {"Pod " + std::move(name), n, {{node()}, {waiting(spec, meta, status)}}};
}
Row of_placed(std::string name, std::size_t n, std::string_view spec, std::string_view meta = "",
              std::string_view status = "") {
  return {"placed Pod " + std::move(name), n, {{node()}, {waiting()}, {placed(spec, meta, status)}}};
}

std::string affinity(std::string_view of, std::string_view terms) {
  return std::string(R"(,"affinity":{")").append(of).append("\":{").append(terms).append("}}");
}
std::string required(std::string_view terms) {
  return std::string(R"("requiredDuringSchedulingIgnoredDuringExecution":)").append(terms);
}
std::string preferred(std::string_view terms) {
  return std::string(R"("preferredDuringSchedulingIgnoredDuringExecution":)").append(terms);
}
std::string containers(std::string_view list) {
  return std::string(R"(,"containers":[)").append(list).append("]");
}

void add_affinities(std::vector<Row>& rows) {
  const auto node_terms =
      required(R"({"nodeSelectorTerms":[«{"matchExpressions":[{"key":"k#","operator":"Exists"}]}»]})");
  const auto expressions =
      required(R"({"nodeSelectorTerms":[{"matchExpressions":[«{"key":"k#","operator":"DoesNotExist"}»]}]})");
  const auto fields = required(
      R"({"nodeSelectorTerms":[«{"matchFields":[{"key":"metadata.name","operator":"In","values":["n#"]}]}»]})");
  const auto values = required(
      R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":[«"n#"»]}]}]})");
  const auto likes =
      preferred(R"([«{"weight":1,"preference":{"matchExpressions":[{"key":"k#","operator":"Exists"}]}}»])");
  rows.push_back(of_waiting("nodeAffinity required terms", 2000, affinity("nodeAffinity", node_terms)));
  rows.push_back(
      of_waiting("nodeAffinity required matchExpressions", 2000, affinity("nodeAffinity", expressions)));
  rows.push_back(of_waiting("nodeAffinity required matchFields", 2000, affinity("nodeAffinity", fields)));
  rows.push_back(of_waiting("nodeAffinity required values", 2000, affinity("nodeAffinity", values)));
  rows.push_back(of_waiting("nodeAffinity preferred", 2000, affinity("nodeAffinity", likes)));

  const struct {
    const char* name;
    const char* term;
  } terms[] = {
      {"terms with a key each", R"([«{"topologyKey":"k#","labelSelector":{"matchLabels":{"a":"b"}}}»])"},
      {"terms with one key",
       R"([«{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"a#":"b"}}}»])"},
      {"namespaces",
       R"([{"topologyKey":"kubernetes.io/hostname","labelSelector":{},"namespaces":[«"ns#"»]}])"},
      {"namespaceSelector values",
       R"([{"topologyKey":"kubernetes.io/hostname","labelSelector":{},"namespaceSelector":{"matchExpressions":[{"key":"a","operator":"In","values":[«"v#"»]}]}}])"},
      {"matchLabels",
       R"([{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{«"a#":"b"»}}}])"},
      {"matchExpressions",
       R"([{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchExpressions":[«{"key":"a#","operator":"DoesNotExist"}»]}}])"},
      {"values",
       R"([{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchExpressions":[{"key":"a","operator":"In","values":[«"b#"»]}]}}])"},
      {"matchLabelKeys",
       R"([{"topologyKey":"kubernetes.io/hostname","labelSelector":{},"matchLabelKeys":[«"a#"»]}])"},
  };
  for (const auto& [name, term] : terms) {
    rows.push_back(
        of_waiting(std::string("podAffinity ") + name, 1500, affinity("podAffinity", required(term))));
    rows.push_back(of_waiting(std::string("podAntiAffinity ") + name, 1500,
                              affinity("podAntiAffinity", required(term))));
    rows.push_back(
        of_placed(std::string("podAntiAffinity ") + name, 1500, affinity("podAntiAffinity", required(term))));
  }
  const auto weighted = preferred(
      R"([«{"weight":1,"podAffinityTerm":{"topologyKey":"k#","labelSelector":{"matchLabels":{"a":"b"}}}}»])");
  rows.push_back(of_waiting("podAffinity preferred", 1500, affinity("podAffinity", weighted)));
  rows.push_back(of_placed("podAffinity preferred", 1500, affinity("podAffinity", weighted)));
}

void add_containers(std::vector<Row>& rows) {
  rows.push_back(
      of_waiting("containers", 1500,
                 containers(R"(«{"name":"c#","image":"i#","resources":{"requests":{"cpu":"1"}}}»)")));
  rows.push_back(of_waiting(
      "initContainers", 1500,
      R"(,"initContainers":[«{"name":"i#","image":"i","restartPolicy":"Always","resources":{"requests":{"cpu":"1"}}}»])"));
  for (const auto* kind : {"requests", "limits"}) {
    const auto names = containers(std::string(R"({"name":"c","image":"i","resources":{")") + kind +
                                  R"(":{«"example.com/r#":"1"»}}})");
    rows.push_back(of_waiting(std::string("resources.") + kind, 1500, names));
    rows.push_back(of_placed(std::string("resources.") + kind, 1500, names));
  }
  rows.push_back(of_waiting("overhead", 1500, R"(,"overhead":{«"example.com/r#":"1"»})"));
  const auto ports = containers(
      R"({"name":"c","image":"i","ports":[«{"containerPort":80,"hostPort":#,"hostIP":"10.0.0.1","protocol":"TCP"}»]})");
  rows.push_back(of_waiting("hostPorts", 2000, ports));
  rows.push_back(of_placed("hostPorts", 2000, ports));
  const auto one_port = containers(
      R"({"name":"c","image":"i","ports":[«{"containerPort":80,"hostPort":80,"hostIP":"10.0.0.#","protocol":"TCP"}»]})");
  rows.push_back(of_waiting("hostIPs of one port", 2000, one_port));
  rows.push_back(of_placed(
      "status.containerStatuses", 1500, "", "",
      R"(,"containerStatuses":[«{"name":"c#","allocatedResources":{"cpu":"1"},"resources":{"requests":{"cpu":"1"}}}»])"));
}

void add_volumes(std::vector<Row>& rows) {
  const struct {
    const char* name;
    const char* volumes;
  } kinds[] = {
      {"volumes persistentVolumeClaim",
       R"(,"volumes":[«{"name":"v#","persistentVolumeClaim":{"claimName":"c#"}}»])"},
      {"volumes gcePersistentDisk", R"(,"volumes":[«{"name":"v#","gcePersistentDisk":{"pdName":"d#"}}»])"},
      {"volumes awsElasticBlockStore",
       R"(,"volumes":[«{"name":"v#","awsElasticBlockStore":{"volumeID":"d#"}}»])"},
      {"volumes rbd", R"(,"volumes":[«{"name":"v#","rbd":{"image":"d","pool":"p","monitors":["m#"]}}»])"},
      {"volumes rbd monitors",
       R"(,"volumes":[{"name":"v","rbd":{"image":"d","pool":"p","monitors":[«"m#"»]}}])"},
      {"volumes iscsi", R"(,"volumes":[«{"name":"v#","iscsi":{"iqn":"d#","targetPortal":"t"}}»])"},
      {"volumes ephemeral",
       R"(,"volumes":[«{"name":"v#","ephemeral":{"volumeClaimTemplate":{"spec":{}}}}»])"},
      {"volumes configMap", R"(,"volumes":[«{"name":"v#","configMap":{"name":"c#"}}»])"},
  };
  for (const auto& [name, volumes] : kinds) {
    rows.push_back(of_waiting(name, 1500, volumes));
    rows.push_back(of_placed(name, 1500, volumes));
  }
}

}  // namespace

std::vector<Row> rows_of_pods() {
  std::vector<Row> rows{
      of_waiting("metadata.labels", 2000, "", R"(,"labels":{«"l#":"v"»})"),
      of_placed("metadata.labels", 2000, "", R"(,"labels":{«"l#":"v"»})"),
      of_waiting("metadata.annotations", 2000, "", R"(,"annotations":{«"l#":"v"»})"),
      of_placed("metadata.annotations", 2000, "", R"(,"annotations":{«"l#":"v"»})"),
      of_waiting("metadata.finalizers", 2000, "", R"(,"finalizers":[«"example.com/f#"»])"),
      of_waiting("metadata.ownerReferences", 2000, "",
                 R"(,"ownerReferences":[«{"apiVersion":"v1","kind":"K","name":"o#","uid":"u#"}»])"),
      of_waiting("metadata.managedFields", 2000, "",
                 R"(,"managedFields":[«{"manager":"m#","operation":"Update"}»])"),
      of_waiting("nodeSelector", 2000, R"(,"nodeSelector":{«"l#":"v"»})"),
      of_waiting("tolerations", 2000, R"(,"tolerations":[«{"key":"k#","operator":"Exists"}»])"),
      of_placed("tolerations", 2000, R"(,"tolerations":[«{"key":"k#","operator":"Exists"}»])"),
      of_waiting("schedulingGates", 2000, R"(,"schedulingGates":[«{"name":"example.com/g#"}»])"),
      of_waiting("readinessGates", 2000, R"(,"readinessGates":[«{"conditionType":"example.com/g#"}»])"),
      of_waiting("imagePullSecrets", 2000, R"(,"imagePullSecrets":[«{"name":"s#"}»])"),
      of_waiting(
          "topologySpreadConstraints", 1000,
          R"(,"topologySpreadConstraints":[«{"maxSkew":1,"topologyKey":"k#","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"}}}»])"),
      of_waiting(
          "topologySpreadConstraints ScheduleAnyway", 1000,
          R"(,"topologySpreadConstraints":[«{"maxSkew":1,"topologyKey":"k#","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"a":"b"}}}»])"),
      of_waiting(
          "topologySpreadConstraints matchExpressions", 1500,
          R"(,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchExpressions":[«{"key":"a#","operator":"DoesNotExist"}»]}}])"),
      of_waiting(
          "topologySpreadConstraints matchLabelKeys", 1500,
          R"(,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"DoNotSchedule","labelSelector":{},"matchLabelKeys":[«"l#"»]}])",
          R"(,"labels":{«"l#":"v"»})"),
      of_waiting("resourceClaims", 1000,
                 R"(,"resourceClaims":[«{"name":"c#","resourceClaimName":"claim"}»])"),
      of_waiting("status.conditions", 2000, "", "",
                 R"(,"conditions":[«{"type":"example.com/c#","status":"True"}»])"),
  };
  add_affinities(rows);
  add_containers(rows);
  add_volumes(rows);
  return rows;
}

}  // namespace podium::test::cost
