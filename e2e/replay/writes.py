"""The writes of a step, which both clusters get, and the events that the metrics of each scheduler count for them.

KINDS are the kinds whose objects the oracle gets. Threads: pure, except for the side that a write changes.
"""
import collections

KINDS = {"pods": "Pod", "nodes": "Node", "namespaces": "Namespace", "persistentvolumes": "PersistentVolume",
         "persistentvolumeclaims": "PersistentVolumeClaim", "poddisruptionbudgets": "PodDisruptionBudget",
         "csinodes": "CSINode", "csistoragecapacities": "CSIStorageCapacity", "resourceclaims": "ResourceClaim",
         "resourceslices": "ResourceSlice", "deviceclasses": "DeviceClass", "devicetaintrules": "DeviceTaintRule"}
GROUPS = {"CSINode": "storage.k8s.io/", "CSIStorageCapacity": "storage.k8s.io/", "ResourceClaim": "resource.k8s.io/",
          "ResourceSlice": "resource.k8s.io/", "DeviceClass": "resource.k8s.io/"}  # the names of their events start with this
CREATED = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
POD_CHANGES = (("labels", "UpdatePodLabel"), ("tolerations", "UpdatePodToleration"),
               ("resourceClaimStatuses", "UpdatePodGeneratedResourceClaim"))

Target = collections.namedtuple("Target", "kind namespace name subresource")


def target_of(path):
    """Returns the target of the path of an object, or of a collection, whose name is empty."""
    parts = path.strip("/").split("/")
    parts = parts[2 if parts[0] == "api" else 3:]
    namespace = ""
    if parts[0] == "namespaces" and len(parts) > 2:
        namespace, parts = parts[1], parts[2:]
    plural, name, subresource = (parts + ["", ""])[:3]
    return Target(KINDS[plural], namespace, name, subresource)


class Write(collections.namedtuple("Write", "method path body content_type")):
    """One request to the API server."""

    def on(self, side):
        """Returns the objects after the write."""
        made = side.apply(self)
        return [] if self.method == "DELETE" else [made]

    def gone(self):
        """Returns the keys of the deleted objects."""
        return [target_of(self.path)[:3]] if self.method == "DELETE" else []


class Provision(collections.namedtuple("Provision", "claim volume")):
    """Provisions a volume for the claim at this path and binds both."""

    def on(self, side):
        return side.storage.provision(self.claim, self.volume)

    def gone(self):
        return []


def post(obj, path):
    return Write("POST", path, obj, CREATED)


def merge_patch(path, body):
    return Write("PATCH", path, body, MERGE)


def delete(path, **options):
    return Write("DELETE", path, options, CREATED)


def events_of(write, made):
    """Returns what the scheduler's metrics count after it has handled the write: labels of scheduler_event_handling_duration_seconds.
    Not every write to a node is an event, but writes to its status are (see Steps.touch). Budgets and namespaces never are."""
    target = target_of(write.path)
    verb = {"POST": "Add", "PATCH": "Update", "DELETE": "Delete"}[write.method]
    if target.kind == "Node" and verb == "Update":
        return ["NodeUpdateNodeAllocatable"] if target.subresource == "status" else []
    if target.kind == "Node":
        return [f"Node{verb}"]
    if target.kind == "Pod" and verb == "Update":
        if write.body.get("status", {}).get("phase") == "Succeeded":
            return []  # see Side.count_moves
        if made["spec"].get("nodeName"):
            return ["AssignedPodUpdate"]
        changed = {**write.body.get("metadata", {}), **write.body.get("spec", {}), **write.body.get("status", {})}
        return [f"UnscheduledPod{event}" for field, event in POD_CHANGES if field in changed]
    if target.kind == "DeviceTaintRule":
        return ["resource.k8s.io/ResourceSliceUpdate"]  # its device is in one slice
    if target.kind == "ResourceClaim" and verb != "Add":
        return []  # see Claims.mark
    if target.kind in ("PersistentVolume", "PersistentVolumeClaim", *GROUPS) and verb != "Delete":
        return [GROUPS.get(target.kind, "") + target.kind + verb]
    return []
