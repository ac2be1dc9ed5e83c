"""Resource claims of one cluster: the claim controller's writes, and the compared parts.

Names, annotations and owners are as kube-controller-manager's resourceclaim controller writes them, except the end of a generated name,
which the harness draws, so that it is the same in both clusters.
"""
import collections

from e2e.replay.devices_world import API, CLAIMS, FINALIZER, GROUP, LAB, POD_CLAIM
from e2e.replay.writes import merge_patch, post
from e2e.support.oracle import full_name, path_of

SENTINELS = f"{API}/namespaces/default/resourceclaims"
CONFLICT = 409
DEALLOCATED = "deallocation of ResourceClaim completed"  # a message that never stays: it wakes the pod
DONE = ("Succeeded", "Failed")  # phases
SOME = "some"  # in place of values that each cluster draws: times and share IDs


def claim_path(name):
    return f"{CLAIMS}/{name}"


# --- references between pods and claims ---
def names_of(pod):
    """Returns {entry: the claim's name, or None if it is not created yet} of the pod's claims."""
    made = {status["name"]: status.get("resourceClaimName") for status in pod.get("status", {}).get("resourceClaimStatuses", [])}
    return {entry["name"]: entry.get("resourceClaimName") or made.get(entry["name"])
            for entry in pod["spec"].get("resourceClaims", [])}


def used_by(pod):
    """Returns the full names of the pod's claims."""
    return {f"{pod['metadata']['namespace']}/{name}" for name in names_of(pod).values() if name}


def owner_of(claim):
    """Returns (name, UID) of the pod for which the claim was created; both may be None."""
    owner = next(iter(claim["metadata"].get("ownerReferences", [])), {})
    return owner.get("name"), owner.get("uid")


def lacks_claims(pod, claims):
    """Whether kube-scheduler does not try the pod, because a claim does not exist, is being deleted, or belongs to another pod."""
    for entry in pod["spec"].get("resourceClaims", []):
        name = names_of(pod)[entry["name"]]
        claim = claims.get(f"{pod['metadata']['namespace']}/{name}")
        if not claim or claim["metadata"].get("deletionTimestamp"):
            return True
        if "resourceClaimName" not in entry and owner_of(claim)[1] != pod["metadata"]["uid"]:
            return True
    return False


def allocation_of(claim):
    """Returns the claim's allocation without drawn values; None if it has no allocation."""
    allocation = claim.get("status", {}).get("allocation")
    if not allocation:
        return None
    devices = allocation.get("devices", {})
    results = [{**result, **({"shareID": SOME} if "shareID" in result else {})} for result in devices.get("results", [])]
    rest = {key: value for key, value in allocation.items() if key != "allocationTimestamp"}
    return {**rest, "devices": {**devices, "results": results}}


def unallocated(claim):
    """Returns the claim as PostFilter leaves it."""
    status = {key: value for key, value in claim.get("status", {}).items() if key not in ("allocation", "reservedFor", "devices")}
    return {**claim, "status": status}


def done(pod):
    return pod.get("status", {}).get("phase") in DONE


def lives(pods, namespace, name, uid):
    """Whether the pod itself still exists, and not another pod with its name."""
    pod = pods.get(f"{namespace}/{name}")
    return bool(pod) and pod["metadata"]["uid"] == uid


def comparable_claims(claims, pods):
    """Returns {full name: claim} without the values that clusters draw: versions, times, share IDs, and UIDs. Of a UID it only keeps
    whether it is the UID of an existing pod."""
    return {name: comparable_claim(claim, pods) for name, claim in claims.items()}


def comparable_claim(claim, pods):
    meta, status = claim["metadata"], claim.get("status", {})
    namespace = meta["namespace"]
    kept = {key: meta[key] for key in ("name", "namespace", "generateName", "labels", "annotations") if key in meta}
    owners = [(owner["kind"], owner["name"], owner.get("controller"), lives(pods, namespace, owner["name"], owner["uid"]))
              for owner in meta.get("ownerReferences", [])]
    users = [(user.get("resource"), user["name"], lives(pods, namespace, user["name"], user["uid"]))
             for user in status.get("reservedFor", [])]
    rest = {key: value for key, value in status.items() if key not in ("allocation", "reservedFor")}
    allocation = allocation_of(claim)
    return {"metadata": kept, "finalizers": meta.get("finalizers", []), "goes": "deletionTimestamp" in meta, "owners": owners,
            "users": users, "spec": claim["spec"], "allocation": allocation, "status": rest,
            "since": bool(allocation and "allocationTimestamp" in status["allocation"])}


class OnClaims(collections.namedtuple("OnClaims", "work names arguments")):
    """Work of Claims, by name, that changes these claims in each cluster. It may write other pods than the given ones: each cluster has
    UIDs of its own."""

    def on(self, side):
        side.claims.work(self.work, *self.arguments)
        there = side.claims.all()
        return [there[f"{LAB}/{name}"] for name in self.names if f"{LAB}/{name}" in there]

    def gone(self):
        return [("ResourceClaim", LAB, name) for name in self.names]


def on_claim(work, name, *more):
    return OnClaims(work, (name,), (name, *more))


class Claims:
    """The claims of one cluster. Writes through its Side, which counts the events."""

    def __init__(self, side):
        self.side = side
        self.marked = {}  # versions of the claims when the scheduler is known to have handled all events of claims
        self.sentinels = 0

    def all(self):
        listed = self.side.get(CLAIMS)["items"]
        return {full_name(claim): {"apiVersion": GROUP, "kind": "ResourceClaim", **claim} for claim in listed}

    def work(self, what, *arguments):
        getattr(self, what)(*arguments)

    # --- the claim controller ---
    def make(self, pod, entry, name, spec):
        """Creates a claim for the pod. Source: pkg/controller/resourceclaim handleClaim."""
        made = self.side.get(f"/api/v1/namespaces/{LAB}/pods/{pod}")
        owner = {"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": made["metadata"]["uid"], "controller": True}
        self.side.apply(post({"apiVersion": GROUP, "kind": "ResourceClaim", "metadata": {
            "name": name, "generateName": f"{pod}-{entry}-", "namespace": LAB, "annotations": {POD_CLAIM: entry},
            "ownerReferences": [owner]}, "spec": spec}, CLAIMS))

    def drop_users(self, name):
        """Drops pods that are deleted or done. With the last pod it drops the allocation and the finalizer. Source: syncClaim."""
        while not self.synced(name):
            pass  # a conflict: the scheduler was faster

    def synced(self, name):
        claim = self.one(name)
        if not claim:
            return True
        users = claim.get("status", {}).get("reservedFor", [])
        left = [user for user in users if self.runs(user)]
        goes = "deletionTimestamp" in claim["metadata"]
        if len(left) == len(users) and not (goes and not left):
            return True
        if len(left) < len(users) or claim.get("status", {}).get("allocation"):
            status = {"reservedFor": left or None, **({} if left else {"allocation": None})}
            claim = self.patch(claim, "/status", {"status": status})
        return bool(claim) and (bool(left) or self.freed(claim))

    def freed(self, claim):
        """Removes the finalizer of a claim without an allocation. False: a conflict."""
        if FINALIZER not in claim["metadata"].get("finalizers", []):
            return True
        kept = [each for each in claim["metadata"]["finalizers"] if each != FINALIZER]
        return bool(self.patch(claim, "", {"metadata": {"finalizers": kept or None}}))

    def patch(self, claim, subresource, body):
        """Returns None if another client changed the claim."""
        version = {"resourceVersion": claim["metadata"]["resourceVersion"]}
        write = merge_patch(claim_path(claim["metadata"]["name"]) + subresource,
                            {**body, "metadata": {**body.get("metadata", {}), **version}})
        return self.side.apply(write, fine=(200, CONFLICT))

    def runs(self, user):
        pod = self.side.find(f"/api/v1/namespaces/{LAB}/pods/{user['name']}")
        return bool(pod) and pod["metadata"]["uid"] == user["uid"] and not done(pod)

    # --- actions of others ---
    def remove(self, name):
        self.side.ask("DELETE", claim_path(name), {}, fine=(200, 404))

    def leave_allocated(self, name):
        """Drops the users of the claim and keeps its allocation, as after a failed binding."""
        self.side.apply(merge_patch(claim_path(name) + "/status", {"status": {"reservedFor": None}}))

    def one(self, name):
        return self.side.find(claim_path(name))

    # --- settling ---
    def mark(self, claims):
        """Whether the scheduler has handled all events of these claims. If not, creates a claim that no pod uses: the scheduler handles
        that event after all others. Other events of claims must not be counted: a race between a watch and a reply decides whether a
        scheduler's own write is one event or two."""
        versions = {name: claim["metadata"]["resourceVersion"] for name, claim in claims.items()}
        if versions == self.marked:
            return True
        self.marked = versions
        if self.sentinels:
            self.side.ask("DELETE", f"{SENTINELS}/sentinel-{self.sentinels}")
        self.sentinels += 1
        self.side.apply(post({"apiVersion": GROUP, "kind": "ResourceClaim", "metadata": {
            "name": f"sentinel-{self.sentinels}", "namespace": "default"}, "spec": {"devices": {"requests": [
                {"name": "none", "exactly": {"deviceClassName": "none"}}]}}}, SENTINELS))
        return False

    # --- becoming like another cluster ---
    def become(self, other):
        """Recreates differing claims as they are in the other cluster (a Claims). The placed pods are already the same in both."""
        pods = self.side.pods()
        wanted, theirs = other.all(), other.side.pods()
        there, here = comparable_claims(wanted, theirs), comparable_claims(self.all(), pods)
        for name in sorted(there.keys() | here.keys()):
            if there.get(name) != here.get(name):
                self.erase(name.partition("/")[2])
                if name in wanted:
                    self.recreate(wanted[name], theirs, pods)
        for name, pod in sorted(theirs.items()):
            made = pod.get("status", {}).get("resourceClaimStatuses")
            if made and name in pods and made != pods[name]["status"].get("resourceClaimStatuses"):
                self.side.patch(path_of(pods[name]) + "/status", {"status": {"resourceClaimStatuses": made}})

    def erase(self, name):
        claim = self.one(name)
        if not claim:
            return
        if claim["metadata"].get("finalizers"):
            self.side.apply(merge_patch(claim_path(name), {"metadata": {"finalizers": None}}))
        self.remove(name)

    def erase_made_for(self, pods):
        """Erases claims that were created for pods with these full names, which are deleted."""
        for name, claim in sorted(self.all().items()):
            if f"{LAB}/{owner_of(claim)[0]}" in pods:
                self.erase(name.partition("/")[2])

    def recreate(self, claim, theirs, pods):
        def here(reference):
            """Returns the reference with this cluster's UID of the pod. A UID without a pod stays."""
            full = f"{LAB}/{reference['name']}"
            alive = lives(theirs, LAB, reference["name"], reference["uid"])
            return {**reference, "uid": pods[full]["metadata"]["uid"]} if alive and full in pods else reference
        kept = ("name", "namespace", "generateName", "labels", "annotations", "finalizers")
        meta = {key: value for key, value in claim["metadata"].items() if key in kept}
        meta["ownerReferences"] = [here(owner) for owner in claim["metadata"].get("ownerReferences", [])]
        self.side.apply(post({"apiVersion": GROUP, "kind": "ResourceClaim", "metadata": meta, "spec": claim["spec"]}, CLAIMS))
        if claim.get("status"):
            status = {**claim["status"], "reservedFor": [here(user) for user in claim["status"].get("reservedFor", [])]}
            self.side.apply(merge_patch(claim_path(meta["name"]) + "/status", {"status": status}))
        if "deletionTimestamp" in claim["metadata"]:
            self.remove(meta["name"])
