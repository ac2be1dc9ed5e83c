"""A cluster's manifests, and the effect of a what-if's changes on them."""
import copy

CORDONED = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


def full_name(pod):
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def _is_of(pod, kind):
    return any(owner["kind"] == kind and owner.get("controller") for owner in pod["metadata"].get("ownerReferences", []))


def is_static(pod):
    return "kubernetes.io/config.mirror" in pod["metadata"].get("annotations", {})


def has_devices(pod):
    return bool(pod["spec"].get("resourceClaims") or pod.get("status", {}).get("extendedResourceClaimStatus"))


def successor(pod):
    """Returns the pod that the controller creates to replace the evicted one."""
    pod = copy.deepcopy(pod)
    del pod["spec"]["nodeName"]
    for field in ("deletionTimestamp", "deletionGracePeriodSeconds"):
        pod["metadata"].pop(field, None)
    pod.pop("status", None)
    return pod


class Cluster:
    def __init__(self, objects):
        self.objects = {}
        for obj in objects:
            self.put(obj)

    def put(self, obj):
        meta = obj["metadata"]
        self.objects[obj["kind"], meta.get("namespace", ""), meta["name"]] = obj

    def remove(self, obj):
        meta = obj["metadata"]
        del self.objects[obj["kind"], meta.get("namespace", ""), meta["name"]]

    def of_kind(self, kind):
        return [obj for key, obj in self.objects.items() if key[0] == kind]

    def pods_on(self, name):
        return [pod for pod in self.of_kind("Pod") if pod["spec"].get("nodeName") == name]

    def newest_slices(self, node):
        """The ResourceSlices of the node's own pool. In the scenarios the pool has the node's name."""
        slices = [s for s in self.of_kind("ResourceSlice") if s["spec"].get("nodeName") == node]
        newest = max((s["spec"]["pool"]["generation"] for s in slices), default=0)
        return [s for s in slices if s["spec"]["pool"]["generation"] == newest]

    def make(self, change, namespace):
        """Makes the change. Returns the pods that a drain evicts and that have a controller, {full name: unplaced pod}."""
        return getattr(self, change["type"])(change, namespace) or {}

    def _edit(self, change):
        """Replaces the node by a copy, which the caller edits."""
        node = copy.deepcopy(self.objects["Node", "", change["nodeName"]])
        node.setdefault("spec", {}).setdefault("taints", [])
        self.put(node)
        return node

    def AddNodes(self, change, _):  # pylint: disable=invalid-name; these are named after the changes
        like = self.objects["Node", "", change["like"]]
        number = 0
        for _ in range(change["count"]):
            number += 1
            while ("Node", "", f"{change['like']}-new-{number}") in self.objects:
                number += 1
            self._add_copy(like, f"{change['like']}-new-{number}")

    def _add_copy(self, like, name):
        node = copy.deepcopy(like)
        node["metadata"]["name"] = name
        node["metadata"].pop("uid", None)
        node["metadata"].setdefault("labels", {})["kubernetes.io/hostname"] = name
        node.setdefault("status", {})["images"] = []
        spec = node.setdefault("spec", {})
        spec["unschedulable"] = False
        spec["taints"] = [t for t in spec.get("taints", []) if not t["key"].startswith("node.kubernetes.io/")]
        self.put(node)
        drivers = self.objects.get(("CSINode", "", like["metadata"]["name"]))
        if drivers:
            drivers = copy.deepcopy(drivers)
            drivers["metadata"]["name"] = name
            self.put(drivers)
        for slice_ in self.newest_slices(like["metadata"]["name"]):
            slice_ = copy.deepcopy(slice_)
            slice_["metadata"]["name"] += f"-{name}"
            slice_["spec"].update(nodeName=name, pool={**slice_["spec"]["pool"], "name": name})
            self.put(slice_)
        for pod in self.pods_on(like["metadata"]["name"]):
            if _is_of(pod, "DaemonSet"):
                pod = copy.deepcopy(pod)
                pod["metadata"]["name"] += f"-{name}"
                pod["spec"]["nodeName"] = name
                self.put(pod)

    def RemoveNode(self, change, _):  # pylint: disable=invalid-name
        for pod in self.pods_on(change["nodeName"]):
            self.remove(pod)
        del self.objects["Node", "", change["nodeName"]]

    def CordonNode(self, change, _):  # pylint: disable=invalid-name
        spec = self._edit(change)["spec"]
        spec["unschedulable"] = True
        if not any(t["key"] == CORDONED["key"] and t["effect"] == CORDONED["effect"] for t in spec["taints"]):
            spec["taints"].append(CORDONED)

    def UncordonNode(self, change, _):  # pylint: disable=invalid-name
        spec = self._edit(change)["spec"]
        spec["unschedulable"] = False
        spec["taints"] = [t for t in spec["taints"] if t["key"] != CORDONED["key"]]

    def TaintNode(self, change, _):  # pylint: disable=invalid-name
        spec, taint = self._edit(change)["spec"], change["taint"]
        spec["taints"] = [t for t in spec["taints"] if (t["key"], t["effect"]) != (taint["key"], taint["effect"])] + [taint]

    def UntaintNode(self, change, _):  # pylint: disable=invalid-name
        spec = self._edit(change)["spec"]
        spec["taints"] = [t for t in spec["taints"] if t["key"] != change["key"] or change.get("effect", t["effect"]) != t["effect"]]

    def LabelNode(self, change, _):  # pylint: disable=invalid-name
        meta = self._edit(change)["metadata"]
        meta["labels"] = {k: v for k, v in {**meta.get("labels", {}), **change["labels"]}.items() if v is not None}

    def DeletePods(self, change, namespace):  # pylint: disable=invalid-name
        for pod in self.of_kind("Pod"):
            labels = pod["metadata"].get("labels", {}).items()
            if pod["metadata"]["namespace"] == namespace and change["selector"]["matchLabels"].items() <= labels:
                self.remove(pod)

    def DrainNode(self, change, namespace):  # pylint: disable=invalid-name
        self.CordonNode(change, namespace)
        evicted = {}
        for pod in self.pods_on(change["nodeName"]):
            if _is_of(pod, "DaemonSet") or is_static(pod):
                continue
            self.remove(pod)
            if "deletionTimestamp" in pod["metadata"] and not _is_of(pod, "StatefulSet"):
                continue  # its controller has made another already
            if pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
                continue
            evicted[full_name(pod)] = successor(pod)
        return {name: pod for name, pod in evicted.items() if any(o.get("controller") for o in pod["metadata"].get("ownerReferences", []))}
