"""Which volume kube-scheduler binds to a claim. Source: pkg/scheduler/framework/plugins/volumebinding findMatchingVolumes and
volume.FindMatchingVolume: the smallest that fits and can be reached from the node, and a new one only if there is none. For the
classes and claims of world.py."""
from e2e.replay.storage import SELECTED_NODE
from e2e.replay.world import HOST, STORAGE

UNITS = {"Gi": 1 << 30}


def size(quantity):
    return int(quantity[:-2]) * UNITS[quantity[-2:]]


def host(volume):
    """Returns the node of a local volume; None for other volumes."""
    terms = volume["spec"].get("nodeAffinity", {}).get("required", {}).get("nodeSelectorTerms", [])
    return next((e["values"][0] for term in terms for e in term["matchExpressions"] if e["key"] == HOST), None)


def capacity(volume):
    return size(volume["spec"]["capacity"]["storage"])


def may_bind(state, claim, volume, node, taken, perhaps):
    """Whether this claim could get this volume when its pod was placed on this node. `taken` are volumes that claims got earlier in the
    step, `perhaps` those that claims got at an unknown time."""
    kind = STORAGE[claim["spec"]["storageClassName"]]
    if kind.mode == "Immediate":
        return False  # bound by the volume controller before their pods are tried
    if kind.provisioner != "kubernetes.io/no-provisioner":
        return claim["metadata"].get("annotations", {}).get(SELECTED_NODE) == node
    wanted = size(claim["spec"]["resources"]["requests"]["storage"])
    fitting = {v["metadata"]["name"]: capacity(v) for v in state.of_kind("PersistentVolume")
               if v["spec"]["storageClassName"] == claim["spec"]["storageClassName"] and not v["spec"].get("claimRef")
               and host(v) == node and capacity(v) >= wanted and v["metadata"]["name"] not in taken}
    certain = [gib for name, gib in fitting.items() if name not in perhaps]
    name = volume["metadata"]["name"]
    return name in fitting and fitting[name] <= min(certain, default=fitting[name])
