#include "unit/cost/questions.h"
#include "unit/cost/rows.h"

namespace podium::test::cost {
namespace {

using std::string;

const string kTemplate =
    R"("template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}})";

string node_of(std::string_view name, std::string_view labels = "", std::string_view cpu = "1000000") {
  return string(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")")
      .append(name)
      .append(R"(","uid":")")
      .append(name)
      .append(R"(","labels":{"kubernetes.io/hostname":")")
      .append(name)
      .append("\"")
      .append(labels)
      .append(R"(}},"status":{"allocatable":{"cpu":")")
      .append(cpu)
      .append(R"(","memory":"1Ti","pods":"1000000"}}})");
}
const string kEightCores = node_of("n$", "", "8");

struct Made {
  std::string_view name, node = {}, owner_kind = "ReplicaSet", owner = "r", priority = "1", app = "b",
                         labels = {}, spec = {}, cpu = "1";
};
string pod_of(const Made& made) {
  string out = R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","resourceVersion":"1",)";
  out.append(R"("name":")").append(made.name).append(R"(","uid":")").append(made.name);
  out.append(R"(","labels":{"app":")").append(made.app).append("\"").append(made.labels);
  out.append(R"(},"ownerReferences":[{"apiVersion":"apps/v1","controller":true,"uid":"o","kind":")");
  out.append(made.owner_kind).append(R"(","name":")").append(made.owner).append(R"("}]},"spec":{)");
  out.append(R"("schedulerName":"default-scheduler","priority":)").append(made.priority);
  if (!made.node.empty()) out.append(R"(,"nodeName":")").append(made.node).append("\"");
  out.append(made.spec);
  if (made.spec.find("\"containers\"") == std::string_view::npos)
    out.append(R"(,"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":")")
        .append(made.cpu)
        .append(R"("}}}])");
  return out.append(R"(},"status":{"phase":"Running"}})");
}

const string kBudgetEach =
    R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"namespace":"shop","name":"b$","uid":"b$","resourceVersion":"1"},"spec":{"selector":{"matchLabels":{"pod":"p$"}}},"status":{"disruptionsAllowed":0}})";

string quota(std::string_view hard, std::string_view used) {
  return string(
             R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"namespace":"shop","name":"q","uid":"q"},"status":{"hard":{)")
      .append(hard)
      .append(R"(},"used":{)")
      .append(used)
      .append("}}}");
}
const string kQuotaOfNames = quota(R"("pods":"100000",«"requests.example.com/r#":"1000"»)",
                                   R"("pods":"1",«"requests.example.com/r#":"1"»)");
const string kManyRequests =
    R"("containers":[{"name":"c","image":"i","resources":{"requests":{«"example.com/r#":"1"»},"limits":{«"example.com/r#":"1"»}}}])";
const string kDeployment =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"shop","name":"web","uid":"w"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},"spec":{)";
const string kRef = R"({"workloadRef":{"kind":"Deployment","name":"web"}})";

string changes(std::string_view list, std::string_view more = "") {
  return "{" + kTemplate + R"(,"changes":[)" + string(list) + "]" + string(more) + "}";
}
string searching(std::string_view shapes) {
  return string(R"({"search":{"forPending":{)").append(shapes).append("}}}");
}
const string kShape =
    searching(R"("shapes":[{"name":"m","allocatable":{"cpu":"16","memory":"1Ti","pods":"110"}}])");
const string kDrain = R"({"type":"DrainNode","nodeName":"full"})";

const string kCouldGo = R"({"search":{"couldGo":{}}})";

// Each requires the one before it, which has a lower priority.
const Doc kLink{
    pod_of(
        {.name = "w$",
         .priority = "$",
         .labels = R"(,"link":"l$+")",
         .spec =
             R"(,"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchLabels":{"link":"l$"}}}]}})"}),
    true};
const Doc kFirstLink{pod_of({.name = "first", .node = "n0", .labels = R"(,"link":"l0")"})};

// n pods on a node that is drained, and a node that takes them.
QuestionRow draining(string name, std::size_t n, const Made& made, std::vector<Doc> more = {},
                     const string& change = kDrain) {
  std::vector<Doc> docs{{node_of("full")}, {node_of("free")}, {pod_of(made), true}};
  for (auto& doc : more) docs.push_back(std::move(doc));
  return {"question " + std::move(name), n, std::move(docs), changes(change)};
}

void add_daemon_sets(std::vector<QuestionRow>& rows) {
  // A tenant names owners at will.
  const Doc daemon{pod_of({.name = "d$", .node = "n$", .owner_kind = "DaemonSet", .owner = "set-$"}), true};
  const Doc waits{pod_of({.name = "waits", .cpu = "10"})};
  const string added =
      R"({"type":"AddNodes","template":{"metadata":{"name":"m"},"status":{"allocatable":{"cpu":"16","memory":"1Ti","pods":"110"}}}})";
  rows.push_back({"question forPending, owners of kind DaemonSet × nodes",
                  200,
                  {{kEightCores, true}, daemon, waits},
                  kShape});
  rows.push_back({"question AddNodes, owners of kind DaemonSet × nodes",
                  200,
                  {{kEightCores, true}, daemon},
                  changes(added)});
  const Doc on_one{pod_of({.name = "d$", .node = "n0", .owner_kind = "DaemonSet", .owner = "set-$"}), true};
  rows.push_back({"question AddNodes like a node with many DaemonSets",
                  300,
                  {{node()}, on_one},
                  changes(R"({"type":"AddNodes","like":"n0"})")});
  const Doc pinned{
      pod_of(
          {.name = "d$",
           .owner_kind = "DaemonSet",
           .owner = "set-$",
           .spec =
               R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n0"]}]}]}}})"}),
      true};
  rows.push_back({"question AddNodes like a node that many DaemonSets wait for",
                  300,
                  {{node()}, pinned},
                  changes(R"({"type":"AddNodes","like":"n0"})")});
}

// What a question adds meets what is there, and what it asks about.
void add_added_objects(std::vector<QuestionRow>& rows) {
  const Doc owned{pod_of({.name = "p$", .node = "n0", .owner = "r$"}), true};
  rows.push_back(
      {"question AddObjects PodDisruptionBudget, pods × their owners",
       300,
       {{node_of("n0")}, owned},
       changes(
           R"({"type":"AddObjects","objects":[{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b","namespace":"shop"},"spec":{"selector":{},"maxUnavailable":1}}]})")});
  rows.push_back(
      {"question AddObjects RuntimeClass, its tolerations and labels × the pod's",
       200,
       {{node_of("n0")}},
       R"({"template":{"spec":{"runtimeClassName":"r","nodeSelector":{«"a#":"v"»},"tolerations":[«{"key":"a#"}»],"containers":[{"name":"c","image":"i"}]}},"changes":[{"type":"AddObjects","objects":[{"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"r"},"handler":"h","scheduling":{"nodeSelector":{«"b#":"v"»},"tolerations":[«{"key":"b#"}»]}}]}]})"});
}

void add_drains(std::vector<QuestionRow>& rows) {
  const Made evicted{.name = "p$", .node = "full", .labels = R"(,"pod":"p$")"};
  const Doc waits_below{pod_of({.name = "w$", .priority = "0", .spec = R"(,"nodeSelector":{"no":"v$"})"}),
                        true};
  const Doc waits_above{pod_of({.name = "w$", .priority = "5", .spec = R"(,"nodeSelector":{"no":"v$"})"}),
                        true};
  const Doc waits_and_fits{pod_of({.name = "w$", .priority = "5"}), true};
  rows.push_back(draining("drain, pods", 300, evicted));
  rows.push_back(draining("drain, pods × pods that wait, of lower priority", 150, evicted, {waits_below}));
  rows.push_back(draining("drain, pods × pods that wait, of higher priority", 150, evicted, {waits_above}));
  rows.push_back(draining("drain, pods × pods that wait and fit", 150, evicted, {waits_and_fits}));
  rows.push_back(
      {"question drain, a chain of pod affinities that waits",
       40,
       {{node_of("full")}, {pod_of({.name = "p", .node = "full"})}, {node_of("n0")}, kLink, kFirstLink},
       changes(kDrain)});
  rows.push_back(draining("drain, pods × PodDisruptionBudgets", 150, evicted, {{kBudgetEach, true}}));
  rows.push_back(draining("fail, pods × PodDisruptionBudgets", 200, evicted, {{kBudgetEach, true}},
                          R"({"type":"FailNodes","nodeNames":["full"]})"));
  // Without another node: each is left pending, and waits in the line.
  rows.push_back(
      {"question drain, pods without another place",
       100,
       {{node_of("full")}, {pod_of({.name = "p$", .node = "full", .labels = R"(,"pod":"p$")"}), true}},
       changes(kDrain)});
  // Each preempts one on the other node.
  rows.push_back({"question drain, pods that preempt × their victims",
                  100,
                  {{node_of("full", "", "1000")},
                   {node_of("taken$", "", "1"), true},
                   {pod_of({.name = "p$", .node = "full", .priority = "9"}), true},
                   {pod_of({.name = "v$", .node = "taken$", .priority = "1"}), true}},
                  changes(kDrain)});
  rows.push_back(
      {"question fail by selector, nodes",
       150,
       {{kEightCores, true}, {pod_of({.name = "p$", .node = "n$"}), true}},
       changes(
           R"({"type":"FailNodes","selector":{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"Exists"}]}})")});
  rows.push_back(
      {"question DeletePods NotIn values × pods",
       60,
       {{node()}, {pod_of({.name = "p$", .node = "n0", .labels = R"(,"pod":"p$")"}), true}},
       changes(
           R"({"type":"DeletePods","selector":{"matchExpressions":[{"key":"pod","operator":"NotIn","values":[«"v#"»]}]}})")});
}

void add_quotas(std::vector<QuestionRow>& rows) {
  const Doc names{kQuotaOfNames};
  rows.push_back({"question requests × ResourceQuota hard",
                  400,
                  {{node()}, names},
                  kRef,
                  kDeployment + kManyRequests + "}}}}"});
  rows.push_back(
      {"question ResourceQuota hard", 1500, {{node()}, names}, "{" + kTemplate + R"(,"replicas":3})"});
  rows.push_back(
      {"question ResourceQuotas",
       300,
       {{node()},
        {R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"namespace":"shop","name":"q$","uid":"q$"},"status":{"hard":{"pods":"5"},"used":{"pods":"1"}}})",
         true}},
       "{" + kTemplate + R"(,"replicas":3})"});
  rows.push_back(
      {"question DeletePods, pods × ResourceQuotas",
       100,
       {{node()},
        {R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"namespace":"shop","name":"q$","uid":"q$"},"status":{"hard":{"count/services":"5"},"used":{"count/services":"1"}}})",
         true},
        {pod_of({.name = "p$", .node = "n0"}), true}},
       changes(R"({"type":"DeletePods","selector":{"matchLabels":{"app":"b"}}})")});
  rows.push_back({"question DeletePods, pods × ResourceQuota hard",
                  200,
                  {{node()}, names, {pod_of({.name = "p$", .node = "n0"}), true}},
                  changes(R"({"type":"DeletePods","selector":{"matchLabels":{"app":"b"}}})")});
  rows.push_back({"question DeletePods, requests of a pod × ResourceQuota hard",
                  400,
                  {{node()}, names, {pod_of({.name = "p", .node = "n0", .spec = "," + kManyRequests})}},
                  changes(R"({"type":"DeletePods","selector":{"matchLabels":{"app":"b"}}})")});
  rows.push_back({"question DeletePods, requests × overhead of a pod",
                  400,
                  {{node()},
                   names,
                   {pod_of({.name = "p",
                            .node = "n0",
                            .spec = "," + kManyRequests + R"(,"overhead":{«"example.com/o#":"1"»})"})}},
                  changes(R"({"type":"DeletePods","selector":{"matchLabels":{"app":"b"}}})")});
  rows.push_back(
      {"question DeletePods, requests × requests of the pod itself",
       400,
       {{node()},
        names,
        {pod_of({.name = "p",
                 .node = "n0",
                 .spec = "," + kManyRequests + R"(,"resources":{"requests":{«"hugepages-#":"1"»}})"})}},
       changes(R"({"type":"DeletePods","selector":{"matchLabels":{"app":"b"}}})")});
  rows.push_back({"question DeletePods, pods × containers",
                  60,
                  {{node()}, names, {pod_of({.name = "p$", .node = "n0"}), true}},
                  changes(R"({"type":"DeletePods","selector":{"matchLabels":{"app":"b"}}})")});
}

void add_workloads(std::vector<QuestionRow>& rows) {
  const struct {
    const char* name;
    std::string_view spec;
  } parts[] = {
      {"containers", R"("containers":[«{"name":"c#","image":"i"}»])"},
      {"initContainers",
       R"("containers":[{"name":"c","image":"i"}],"initContainers":[«{"name":"i#","image":"i"}»])"},
      {"env", R"("containers":[{"name":"c","image":"i","env":[«{"name":"E#","value":"v"}»]}])"},
      {"ports", R"("containers":[{"name":"c","image":"i","ports":[«{"name":"p#","containerPort":80}»]}])"},
      {"hostPorts",
       R"("containers":[{"name":"c","image":"i","ports":[«{"name":"p#","containerPort":80,"hostPort":1#}»]}])"},
      {"volumes", R"("containers":[{"name":"c","image":"i"}],"volumes":[«{"name":"v#","emptyDir":{}}»])"},
      {"volumes and their mounts",
       R"("containers":[{"name":"c","image":"i","volumeMounts":[«{"name":"v#","mountPath":"/v#"}»]}],"volumes":[«{"name":"v#","emptyDir":{}}»])"},
      {"ephemeral volumes",
       R"("containers":[{"name":"c","image":"i"}],"volumes":[«{"name":"v#","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}}»])"},
      {"claims",
       R"("containers":[{"name":"c","image":"i"}],"volumes":[«{"name":"v#","persistentVolumeClaim":{"claimName":"c#"}}»])"},
      {"tolerations",
       R"("containers":[{"name":"c","image":"i"}],"tolerations":[«{"key":"k#","operator":"Exists"}»])"},
      {"nodeSelector", R"("containers":[{"name":"c","image":"i"}],"nodeSelector":{«"l#":"v"»})"},
      {"requests", kManyRequests},
      {"spread constraints",
       R"("containers":[{"name":"c","image":"i"}],"topologySpreadConstraints":[«{"maxSkew":1,"topologyKey":"k#","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"}}}»])"},
      {"anti-affinity terms",
       R"("containers":[{"name":"c","image":"i"}],"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[«{"topologyKey":"k#","labelSelector":{"matchLabels":{"a":"b"}}}»]}})"},
      {"node affinity terms",
       R"("containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[«{"matchExpressions":[{"key":"k#","operator":"Exists"}]}»]}}})"},
      {"node affinity values",
       R"("containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"In","values":[«"v#"»]}]}]}}})"},
      {"hostAliases",
       R"("containers":[{"name":"c","image":"i"}],"hostAliases":[«{"ip":"10.0.0.1","hostnames":["h#"]}»])"},
      {"imagePullSecrets", R"("containers":[{"name":"c","image":"i"}],"imagePullSecrets":[«{"name":"s#"}»])"},
      {"readinessGates",
       R"("containers":[{"name":"c","image":"i"}],"readinessGates":[«{"conditionType":"example.com/g#"}»])"},
      {"schedulingGates",
       R"("containers":[{"name":"c","image":"i"}],"schedulingGates":[«{"name":"example.com/g#"}»])"},
      {"resourceClaims",
       R"("containers":[{"name":"c","image":"i","resources":{"claims":[«{"name":"c#"}»]}}],"resourceClaims":[«{"name":"c#","resourceClaimName":"x"}»])"},
  };
  for (const auto& [name, spec] : parts) {
    const auto workload = kDeployment + string(spec) + "}}}}";
    rows.push_back({string("question workload's ") + name, 300, {{node()}}, kRef, workload});
    const Doc own{pod_of({.name = "web-x-1",
                          .node = "n0",
                          .owner = "web-x",
                          .app = "a",
                          .labels = R"(,"pod-template-hash":"x")",
                          .spec = "," + string(spec)})};
    rows.push_back(
        {string("question own pod's × workload's ") + name, 1000, {{node()}, own}, kRef, workload});
  }
  // The fixes of what they lack.
  const auto fixing = [&](const char* name, std::size_t n, std::string_view spec, std::vector<Doc> docs) {
    rows.push_back({string("question fixes of ") + name, n, std::move(docs),
                    R"({"workloadRef":{"kind":"Deployment","name":"web"},"fixes":true,"nodes":["n0"]})",
                    kDeployment + string(spec) + "}}}}"});
  };
  const std::vector<Doc> one{{node()}}, many{{kEightCores, true}};
  fixing("nodeSelector", 40, R"("containers":[{"name":"c","image":"i"}],"nodeSelector":{«"l#":"v"»})", one);
  fixing(
      "spread constraints", 40,
      R"("containers":[{"name":"c","image":"i"}],"topologySpreadConstraints":[«{"maxSkew":1,"topologyKey":"k#","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"}}}»])",
      one);
  fixing("requests", 40, kManyRequests, one);
  fixing(
      "node affinity terms", 40,
      R"("containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[«{"matchExpressions":[{"key":"k#","operator":"Exists"}]}»]}}})",
      one);
  fixing("a pod that is too large for all nodes", 40,
         R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"100"}}}])", many);
  rows.push_back(
      {"question fixes, pods on a node",
       100,
       {{node_of("n0", "", "100")}, {pod_of({.name = "p$", .node = "n0", .priority = "$"}), true}},
       R"({"workloadRef":{"kind":"Deployment","name":"web"},"fixes":true})",
       kDeployment +
           R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"100"}}}]}}}})"});
  rows.push_back(
      {"question a workload's own pods",
       200,
       {{node()},
        {pod_of({.name = "web-x-$", .node = "n0", .owner = "web-x", .labels = R"(,"pod-template-hash":"x")"}),
         true}},
       kRef,
       kDeployment + R"("containers":[{"name":"c","image":"i"}]}}}})"});
  rows.push_back({
      "question anti-affinity terms over one label × labels of a node",
      150,
      {{node("", R"(,«"label#":"v"»)")}},
      kRef,
      kDeployment +
          R"("containers":[{"name":"c","image":"i"}],"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[«{"topologyKey":"none","labelSelector":{"matchLabels":{"a#":"b"}}}»]}}}}}})",
  });
  rows.push_back({"question a group in nodes as domains",
                  60,
                  {{kEightCores, true}},
                  "{" + kTemplate + R"(,"replicas":2,"minCount":2,"topologyKey":"kubernetes.io/hostname"})"});
}

// n pods with an old template, next to n with the new one.
void add_updates(std::vector<QuestionRow>& rows) {
  const auto workload = [](std::string_view kind, std::string_view strategy) {
    return string(R"({"apiVersion":"apps/v1","kind":")")
        .append(kind)
        .append(R"(","metadata":{"namespace":"shop","name":"web","uid":"w"},"spec":{"replicas":{n},)")
        .append(strategy)
        .append(R"(,"selector":{"matchLabels":{"app":"a"}},)")
        .append(kTemplate)
        .append("}}");
  };
  const auto ref = [](std::string_view kind) {
    return string(R"({"workloadRef":{"kind":")").append(kind).append(R"(","name":"web"}})");
  };
  rows.push_back(
      {"question rolling update of a Deployment",
       60,
       {{node()},
        {pod_of({.name = "web-x-$",
                 .node = "n0",
                 .owner = "web-x",
                 .app = "a",
                 .labels = R"(,"pod-template-hash":"x")",
                 .cpu = "2"}),
         true}},
       ref("Deployment"),
       workload("Deployment", R"("strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":0}})")});
  rows.push_back({"question rolling update of a DaemonSet",
                  60,
                  {{kEightCores, true},
                   {pod_of({.name = "web-$",
                            .node = "n$",
                            .owner_kind = "DaemonSet",
                            .owner = "web",
                            .app = "a",
                            .cpu = "2"}),
                    true}},
                  ref("DaemonSet"),
                  workload("DaemonSet",
                           R"("updateStrategy":{"rollingUpdate":{"maxSurge":"100%","maxUnavailable":0}})")});
  rows.push_back({"question rolling update of a StatefulSet",
                  60,
                  {{node()},
                   {pod_of({.name = "web-$",
                            .node = "n0",
                            .owner_kind = "StatefulSet",
                            .owner = "web",
                            .app = "a",
                            .cpu = "2"}),
                    true}},
                  ref("StatefulSet"),
                  workload("StatefulSet", R"("podManagementPolicy":"Parallel")")});
}

void add_searches(std::vector<QuestionRow>& rows) {
  const Doc alike{pod_of({.name = "w$", .cpu = "10"}), true};
  const Doc unlike{pod_of({.name = "w$", .labels = R"(,"pod":"p$")", .cpu = "10"}), true};
  const Doc nowhere{pod_of({.name = "w$", .spec = R"(,"nodeSelector":{"no":"v$"})"}), true};
  const Doc unlike_owners{pod_of({.name = "w$", .owner = "r$", .cpu = "100"}), true};
  rows.push_back(
      {"question forPending, pods that are alike", 100, {{node_of("n0", "", "8")}, alike}, kShape});
  rows.push_back({"question forPending, pods of many kinds", 24, {{node_of("n0", "", "8")}, unlike}, kShape});
  rows.push_back(
      {"question forPending, pods that no shape takes", 100, {{node_of("n0", "", "8")}, nowhere}, kShape});
  rows.push_back({"question forPending, workloads that no shape takes",
                  100,
                  {{node_of("n0", "", "8")}, unlike_owners},
                  kShape});
  const auto member = [](std::string_view name) {
    return Doc{pod_of({.name = name, .labels = R"(,"scheduling.x-k8s.io/pod-group":"g$")", .cpu = "10"}),
               true};
  };
  rows.push_back(
      {"question forPending, groups of pods",
       20,
       {{node_of("n0", "", "8")}, member("a$"), member("b$")},
       searching(
           R"("shapes":[{"name":"m","allocatable":{"cpu":"16","memory":"1Ti","pods":"110"},"max":1}])")});
  rows.push_back(
      {"question forPending, nodeSelector of a pod × shapes",
       30,
       {{node_of("n0", "", "8")},
        {pod_of({.name = "w", .spec = R"(,"nodeSelector":{«"l#":"v"»,"z":"none"})"})}},
       searching(
           R"("shapes":[«{"name":"s#","allocatable":{"cpu":"16","memory":"1Ti","pods":"110"}}»,{"name":"last","labels":{«"l#":"v"»},"allocatable":{"cpu":"16","memory":"1Ti","pods":"110"}}])")});
  rows.push_back({"question forPending, nodes",
                  150,
                  {{kEightCores, true}, {pod_of({.name = "w", .cpu = "10"})}},
                  searching("")});
  rows.push_back({"question forPending, nodes of many shapes",
                  150,
                  {{node_of("n$", R"(,"shape":"s$")", "8"), true},
                   {pod_of({.name = "w", .spec = R"(,"nodeSelector":{"shape":"s1"})", .cpu = "10"})}},
                  searching("")});
  rows.push_back({"question forPending, labels of a node",
                  1000,
                  {{node("", R"(,«"l#":"v"»)")}, {pod_of({.name = "w", .cpu = "10000000"})}},
                  searching("")});
  rows.push_back(
      {"question forPending, a chain of pod affinities", 40, {{node_of("n0")}, kLink, kFirstLink}, kShape});
  rows.push_back(
      {"question couldGo, a chain of pod affinities", 40, {{node_of("n0")}, kLink, kFirstLink}, kCouldGo});
  rows.push_back({"question couldGo, empty nodes", 60, {{kEightCores, true}}, kCouldGo});
  rows.push_back({"question couldGo, nodes with a pod",
                  16,
                  {{kEightCores, true}, {pod_of({.name = "p$", .node = "n$"}), true}},
                  kCouldGo});
  rows.push_back({"question couldGo, pods of one node",
                  100,
                  {{node_of("full")}, {node_of("free")}, {pod_of({.name = "p$", .node = "full"}), true}},
                  kCouldGo});
  rows.push_back({"question couldGo, pods × PodDisruptionBudgets",
                  100,
                  {{node_of("full")},
                   {node_of("free")},
                   {pod_of({.name = "p$", .node = "full", .labels = R"(,"pod":"p$")"}), true},
                   {kBudgetEach, true}},
                  kCouldGo});
  rows.push_back(
      {"question couldGo, pods that wait", 100, {{node_of("n0")}, {node_of("n1")}, nowhere}, kCouldGo});
}

}  // namespace

std::vector<QuestionRow> rows_of_questions() {
  std::vector<QuestionRow> rows;
  add_daemon_sets(rows);
  add_added_objects(rows);
  add_drains(rows);
  add_quotas(rows);
  add_workloads(rows);
  add_updates(rows);
  add_searches(rows);
  return rows;
}

}  // namespace podium::test::cost
