"""kube-scheduler's own framework (../oracle) judges the answers about generated workloads.

This file makes the pods of a workload, their owner and their claims on its own, as the controllers and admission would. The oracle places
them one after the other on a dump of the cluster. As nothing is drawn (workloads.py), as many pods must fit on each node as podium says;
the first decision and the message of the first pod that fits nowhere must be those of the answer.
"""
import collections
import copy
import json
import re
import subprocess

from e2e.support import oracle
from e2e.faces import workloads

NAMESPACE = workloads.shapes.NAMESPACE
TOLERATED = {"node.kubernetes.io/not-ready": "NoExecute", "node.kubernetes.io/unreachable": "NoExecute"}
DAEMONS = {**TOLERATED, **{f"node.kubernetes.io/{key}": "NoSchedule" for key in
                           ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")}}
CONFIG = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "percentageOfNodesToScore": 100,
          "profiles": [{"schedulerName": "default-scheduler", "plugins": {"multiPoint": {"enabled": [
              {"name": name, "weight": weight} for name, weight in workloads.WEIGHTS.items()]}}}]}


def tolerate(spec, tolerations):
    there = spec.setdefault("tolerations", [])
    for key, effect in tolerations.items():
        if not any(t.get("key", "") in ("", key) and t.get("effect", "") in ("", effect) for t in there):
            there.append({"key": key, "operator": "Exists", "effect": effect})


def selects(terms, node):
    """Whether the required node affinity selects the node. The controller asks that itself, before it pins the pod to a node."""
    labels = node["metadata"].get("labels", {})

    def meets(wanted):
        value, values = labels.get(wanted["key"]), wanted.get("values", [])
        if wanted["operator"] in ("Gt", "Lt"):
            return value is not None and (int(value) > int(values[0])) == (wanted["operator"] == "Gt") and int(value) != int(values[0])
        return {"In": value in values, "NotIn": value not in values, "Exists": value is not None, "DoesNotExist": value is None}[wanted["operator"]]
    return not terms or any(all(map(meets, term["matchExpressions"])) for term in terms)


class Objects:
    """What the controllers would create for a workload."""

    def __init__(self, made):
        self.made, self.others, self.pods = made, [], []
        self.owner = self.own()

    def own(self):
        """The object that owns the pods; None for a pod."""
        made = self.made
        if made.kind == "Pod":
            return None
        kind, name = made.kind, made.name
        version, labels = made.manifest["apiVersion"], made.template["metadata"]["labels"]
        selector = {"shape": made.name}
        if made.kind == "Deployment":
            kind, name = "ReplicaSet", f"{made.name}-hash"
            selector["pod-template-hash"] = labels["pod-template-hash"] = "hash"
        if made.kind == "CronJob":
            kind = "Job"
        owner = {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE, "uid": f"{name}-uid"},
                 "spec": {"selector": selector if kind == "ReplicationController" else {"matchLabels": selector}}}
        if kind in ("ReplicaSet", "StatefulSet", "ReplicationController"):  # others do not matter to the scheduler
            self.others.append(owner)
        return owner

    def add_pod(self, number, node=None):
        """`node`: of a DaemonSet's pod."""
        made, name = self.made, f"{self.made.name}-{number}"
        pod = {"apiVersion": "v1", "kind": "Pod", **copy.deepcopy(made.template)}
        meta, spec = pod["metadata"], pod["spec"]
        meta.update(name=name, namespace=NAMESPACE, uid=f"{name}-uid")
        if self.owner:
            meta["ownerReferences"] = [{"apiVersion": self.owner["apiVersion"], "kind": self.owner["kind"], "controller": True,
                                        "name": self.owner["metadata"]["name"], "uid": self.owner["metadata"]["uid"]}]
        if made.kind == "StatefulSet":
            meta["labels"].update({"statefulset.kubernetes.io/pod-name": name, "apps.kubernetes.io/pod-index": str(number)})
        if made.kind in ("Job", "CronJob"):
            meta["labels"].update({f"{prefix}{key}": value for prefix in ("", "batch.kubernetes.io/")
                                   for key, value in (("job-name", made.name), ("controller-uid", "uid"))})
        if made.kind == "DaemonSet":
            tolerate(spec, DAEMONS)
            spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]}
        tolerate(spec, TOLERATED)
        for container in [*spec["containers"], *spec.get("initContainers", [])]:  # the namespace's LimitRange
            container["resources"].setdefault("requests", {}).setdefault("ephemeral-storage", "1Mi")
        self.add_claims(pod)
        self.pods.append(pod)

    def add_claims(self, pod):
        name, spec = pod["metadata"]["name"], pod["spec"]
        is_its = [{"apiVersion": "v1", "kind": "Pod", "name": name, "uid": pod["metadata"]["uid"], "controller": True}]
        for volume in spec.get("volumes", []):
            if "ephemeral" in volume:
                self.add_claim(f"{name}-{volume['name']}", volume["ephemeral"]["volumeClaimTemplate"]["spec"], ownerReferences=is_its)
        for template in self.made.manifest["spec"].get("volumeClaimTemplates", []) if self.made.kind == "StatefulSet" else []:
            self.add_claim(f"{template['metadata']['name']}-{name}", template["spec"])
            spec.setdefault("volumes", []).append({"name": template["metadata"]["name"], "persistentVolumeClaim": {
                "claimName": f"{template['metadata']['name']}-{name}"}})
        statuses = []
        for claim in spec.get("resourceClaims", []):
            template = workloads.CLAIM_TEMPLATES.get(claim.get("resourceClaimTemplateName"))
            if template is None:
                continue
            its = f"{name}-{claim['name']}"
            self.others.append({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": copy.deepcopy(template), "metadata": {
                "name": its, "namespace": NAMESPACE, "uid": f"{its}-uid", "ownerReferences": is_its,
                "annotations": {"resource.kubernetes.io/pod-claim-name": claim["name"]}}})
            statuses.append({"name": claim["name"], "resourceClaimName": its})
        if statuses:
            pod["status"] = {"resourceClaimStatuses": statuses}

    def add_claim(self, name, spec, **meta):
        spec = {"storageClassName": "usual", "volumeMode": "Filesystem", **copy.deepcopy(spec)}
        self.others.append({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": spec, "status": {"phase": "Pending"},
                            "metadata": {"name": name, "namespace": NAMESPACE, "uid": f"{name}-uid", **meta}})


class Judge:
    """Collects questions with podium's answers, and lets the oracle judge them all."""

    def __init__(self, directory, cluster, program=oracle.PROGRAM):
        """`cluster`: the objects of a dump."""
        self.directory, self.cluster, self.program = directory, cluster, program
        self.nodes = sorted((each for each in cluster if each["kind"] == "Node"), key=lambda node: node["metadata"]["name"])
        self.asked = {}  # by directory: (workload, answer)
        directory.mkdir()

    def add(self, made, status):
        objects = Objects(copy.deepcopy(made))
        if made.kind == "DaemonSet":
            required = made.template["spec"]["affinity"]["nodeAffinity"].get("requiredDuringSchedulingIgnoredDuringExecution", {})
            for node in self.nodes:
                if selects(required.get("nodeSelectorTerms"), node):
                    objects.add_pod(node["metadata"]["name"], node["metadata"]["name"])
        else:
            # Those that fit, and the first that does not.
            for number in range(min(status["replicas"]["fitting"] + 1, status["replicas"]["asked"])):
                objects.add_pod(number)
        where = self.directory / made.name
        where.mkdir()
        (where / "config.yaml").write_text(json.dumps(CONFIG))
        for name, items in (("cluster", self.cluster + objects.others), ("pods", objects.pods)):
            (where / f"{name}.yaml").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        (where / "placed.json").write_text(json.dumps({"kubernetesVersion": "", "placements": []}))
        self.asked[made.name] = (made, status)

    def differences(self):
        """Returns {workload: what differs}."""
        subprocess.run([self.program, "batch", "--place", "-j", "2", self.directory], check=True, capture_output=True, timeout=3600)
        found = {}
        for name, (made, status) in self.asked.items():
            placed = json.loads((self.directory / name / "expected-placed.json").read_text())["placements"]
            lines = list(compared(made, status, placed))
            if lines:
                found[name] = lines
        return found


def without_names(message):
    """The pods have other names in a question."""
    return re.sub(r'"shop/[^"]*"', '"POD"', message or "")


def compared(made, status, placed):
    """The oracle's placements of the pods, against the answer."""
    theirs = collections.Counter(p["node"] for p in placed if "node" in p)
    ours = {each["nodeName"]: each["count"] for each in status.get("placements", [])}
    if theirs != ours:
        yield f"placements: podium {ours}, kube-scheduler {dict(theirs)}"
    if made.kind == "DaemonSet":  # the oracle also has a pod for each node that should run none
        return
    first = placed[0]
    if "node" in first and (first["feasible"] != status["nodeCounts"]["feasible"] or first["score"] != status["choice"]["score"]):
        yield f"the first: podium {status['nodeCounts']} {status['choice']}, kube-scheduler {first}"
    failed = next((p for p in placed if "node" not in p), None)
    said = status.get("firstFailure", {}).get("message") if status["replicas"]["fitting"] else status.get("message")
    if failed and without_names(failed.get("message")) != without_names(said):
        yield f"message: podium {said!r}, kube-scheduler {failed.get('message')!r}"
