"""What a step does: writes that each of the two clusters gets, and what the metrics of its scheduler will say of each.

KINDS are those whose objects the oracle is told about. Threads: pure, but for the side that a write is made on.
"""
import collections

KINDS = {"pods": "Pod", "nodes": "Node", "namespaces": "Namespace", "persistentvolumes": "PersistentVolume",
         "persistentvolumeclaims": "PersistentVolumeClaim", "poddisruptionbudgets": "PodDisruptionBudget",
         "csinodes": "CSINode", "csistoragecapacities": "CSIStorageCapacity"}
STORAGE_GROUP = ("CSINode", "CSIStorageCapacity")  # their events' names have it
CREATED = "application/json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
POD_CHANGES = (("labels", "UpdatePodLabel"), ("tolerations", "UpdatePodToleration"))

Target = collections.namedtuple("Target", "kind namespace name subresource")


def target_of(path):
    """Of the path of an object or of a collection, whose name is empty."""
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
        """The objects as they are then."""
        made = side.apply(self)
        return [] if self.method == "DELETE" else [made]

    def gone(self):
        """The key of what is there no more."""
        return target_of(self.path)[:3] if self.method == "DELETE" else None


class Provision(collections.namedtuple("Provision", "claim volume")):
    """Provisions a volume for the claim at this path and binds both."""

    def on(self, side):
        return side.storage.provision(self.claim, self.volume)

    def gone(self):
        return None


def post(obj, path):
    return Write("POST", path, obj, CREATED)


def merge_patch(path, body):
    return Write("PATCH", path, body, MERGE)


def delete(path, **options):
    return Write("DELETE", path, options, CREATED)


def events_of(write, made):
    """What the scheduler's metrics count once it has taken this in: labels of scheduler_event_handling_duration_seconds. Not
    every write to a node is an event; those to its status are (see Steps.touch). Budgets and namespaces never are."""
    target = target_of(write.path)
    verb = {"POST": "Add", "PATCH": "Update", "DELETE": "Delete"}[write.method]
    if target.kind == "Node" and verb == "Update":
        return ["NodeUpdateNodeAllocatable"] if target.subresource == "status" else []
    if target.kind == "Node":
        return [f"Node{verb}"]
    if target.kind == "Pod" and verb == "Update":
        if made["spec"].get("nodeName"):
            return ["AssignedPodUpdate"]
        changed = {**write.body.get("metadata", {}), **write.body.get("spec", {})}
        return [f"UnschedulablePod{event}" for field, event in POD_CHANGES if field in changed]
    if target.kind in ("PersistentVolume", "PersistentVolumeClaim", *STORAGE_GROUP) and verb != "Delete":
        return [("storage.k8s.io/" if target.kind in STORAGE_GROUP else "") + target.kind + verb]
    return []
