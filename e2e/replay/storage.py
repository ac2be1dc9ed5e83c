"""The volume controller and the external provisioner of one cluster."""
from e2e.replay.world import STORAGE, ZONE, made_for
from e2e.replay.writes import delete, merge_patch, post
from e2e.support.oracle import full_name

BIND_COMPLETED, BY_CONTROLLER = "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
VOLUMES = "/api/v1/persistentvolumes"


def volume_path(name):
    return f"{VOLUMES}/{name}"


def claim_path(claim):
    return f"/api/v1/namespaces/{claim['metadata']['namespace']}/persistentvolumeclaims/{claim['metadata']['name']}"


def bare(obj):
    """Returns the object as it was created."""
    meta = {k: v for k, v in obj["metadata"].items() if k in ("name", "namespace", "labels")}
    return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": meta, "spec": dict(obj["spec"])}


def reference(claim):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim["metadata"]["namespace"],
            "name": claim["metadata"]["name"], "uid": claim["metadata"]["uid"]}


class Storage:
    """Writes through its Side, which counts the events."""

    def __init__(self, side, counts):
        self.side, self.counts = side, counts

    def claims(self):
        return {full_name(c): c for c in self.side.listed("/api/v1/persistentvolumeclaims", "PersistentVolumeClaim")}

    def volumes(self):
        return {v["metadata"]["name"]: v for v in self.side.listed(VOLUMES, "PersistentVolume")}

    # --- requests of the scheduler ---
    def run_controllers(self):
        """Binds the volumes that the scheduler has bound to claims, and provisions those that it wants on a node. A provisioner that
        has to fail removes the selected node, so that the pod is tried again. The scheduler's own write is also an event."""
        for name, volume in self.volumes().items():
            ref = volume["spec"].get("claimRef")
            if ref and volume.get("status", {}).get("phase") != "Bound":
                self.side.expect("PersistentVolumeUpdate")
                self.bind(claim_path({"metadata": ref}), name)
        for claim in self.claims().values():
            meta = claim["metadata"]
            node = meta.get("annotations", {}).get(SELECTED_NODE)
            if not node or claim["spec"].get("volumeName") or STORAGE[claim["spec"]["storageClassName"]].mode == "Immediate":
                continue
            self.side.expect("PersistentVolumeClaimUpdate")
            fails = int(meta["labels"]["fails"])
            if fails:
                self.counts[f"provisioning failed for {self.side.name}"] += 1
                less = {"annotations": {SELECTED_NODE: None}, "labels": {"fails": str(fails - 1)}}
                self.patch(claim_path(claim), {"metadata": less})
            else:
                self.counts[f"volumes provisioned for {self.side.name}"] += 1
                zone = self.side.get(f"/api/v1/nodes/{node}")["metadata"]["labels"][ZONE]
                self.provision(claim_path(claim), made_for(claim, zone))

    def provision(self, path, volume):
        """Provisions the volume for the claim. Returns both."""
        claim = self.side.get(path)
        self.side.apply(post({**volume, "spec": {**volume["spec"], "claimRef": reference(claim)}}, VOLUMES))
        return self.bind(path, volume["metadata"]["name"])

    def bind(self, path, name):
        """Binds as the volume controller does, once the volume has a claimRef. Returns both."""
        volume = self.patch(volume_path(name) + "/status", {"status": {"phase": "Bound"}})
        self.side.pause()
        self.patch(path, {"metadata": {"annotations": {BIND_COMPLETED: "yes", BY_CONTROLLER: "yes"}}, "spec": {"volumeName": name}})
        return [volume, self.patch(path + "/status", {"status": {"phase": "Bound"}})]

    def patch(self, path, body):
        return self.side.apply(merge_patch(path, body))

    # --- becoming like another cluster ---
    def recreate(self, claims, volumes):
        """Recreates claims and volumes as they are bound in another cluster. No pod may use them in the meantime."""
        mine, my_volumes = self.claims(), self.volumes()
        target = lambda name: claims[name]["spec"].get("volumeName")
        odd = {name for name in claims if mine[name]["spec"].get("volumeName") != target(name)}
        touched = {c[name]["spec"].get("volumeName") for c in (claims, mine) for name in odd} - {None}
        for path in [claim_path(claims[name]) for name in odd] + [volume_path(name) for name in touched & my_volumes.keys()]:
            self.patch(path, {"metadata": {"finalizers": None}})
            self.side.apply(delete(path))
        made = {}
        for name in sorted(odd):
            fresh = bare(claims[name])
            if target(name):
                fresh["metadata"]["annotations"] = {BIND_COMPLETED: "yes", BY_CONTROLLER: "yes"}
            made[name] = self.side.apply(post(fresh, claim_path(claims[name]).rpartition("/")[0]))
        for name in sorted(touched & volumes.keys()):
            fresh = bare(volumes[name])
            ref = fresh["spec"].get("claimRef")
            if ref:
                fresh["spec"]["claimRef"] = reference(made[f"{ref['namespace']}/{ref['name']}"])
            self.side.apply(post(fresh, VOLUMES))
            self.patch(volume_path(name) + "/status", {"status": {"phase": "Bound" if ref else "Available"}})
        for name in odd:
            if target(name):
                self.patch(claim_path(claims[name]) + "/status", {"status": {"phase": "Bound"}})
