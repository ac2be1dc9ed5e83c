"""Steps on storage: local volumes and claims of all classes come, claims with immediate binding are bound, claims are created again,
zones have more or less capacity. Claims that wait for their pod are bound as a scheduler requests (storage.py). Part of Steps, which
has the random numbers."""
from e2e.demo import cluster
from e2e.replay.world import STORAGE, claim, claim_names, class_of, made_for, users_of, volume
from e2e.replay.storage import VOLUMES, claim_path, volume_path
from e2e.replay.writes import Provision, delete, merge_patch, post

LOCAL_VOLUMES = 16
CLAIMS = "/api/v1/namespaces/shop/persistentvolumeclaims"


class StorageSteps:
    def __init__(self):
        self.volumes_made = 0

    @staticmethod
    def claims(state, *modes, bound):
        return [c for c in state.of_kind("PersistentVolumeClaim") if bool(c["spec"].get("volumeName")) == bound
                and (not modes or STORAGE[c["spec"]["storageClassName"]].mode in modes)]

    def give_claim(self, pod, state):
        """Returns a claim that no pod uses, or one that is bound. It may not exist yet. Two pods that wait for the binding of the same
        claim cannot be judged by one state: the second is tried while only its scheduler knows the choice for the first."""
        there = {c["metadata"]["name"]: c for c in state.of_kind("PersistentVolumeClaim")}
        names = []
        for name in claim_names():
            known = there.get(name, claim(name))
            used = users_of(known, state.of_kind("Pod"))
            if not used or known["spec"].get("volumeName"):
                names += [name] * (1 if known["spec"].get("volumeName") or name not in there else 8)
        if not names:
            return False
        pod["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": self.random.choice(names)}}]
        return True

    def volume_comes(self, state):
        if len([v for v in state.of_kind("PersistentVolume") if v["spec"]["storageClassName"] == "local"]) >= LOCAL_VOLUMES:
            return None
        self.volumes_made += 1
        host = self.one(self.nodes(state))["metadata"]["name"]
        made = volume(f"disk-{self.volumes_made}", host, self.random.choice([1, 2, 4]))
        name = made["metadata"]["name"]
        return f"{name} arrives on {host}", [
            post(made, VOLUMES), merge_patch(volume_path(name) + "/status", {"status": {"phase": "Available"}})]

    def claim_comes(self, state):
        there = {c["metadata"]["name"] for c in state.of_kind("PersistentVolumeClaim")}
        missing = [name for name in claim_names() if name not in there]
        if not missing:
            return None
        made = claim(self.random.choice(missing))
        return f"{made['metadata']['name']} arrives", post(made, CLAIMS)

    def claim_provided(self, state):
        """Provisions a volume for a claim with immediate binding."""
        unbound = self.one(self.claims(state, "Immediate", bound=False))
        zone = self.random.choice(cluster.ZONES)
        return unbound and (f"{unbound['metadata']['name']} is provided", Provision(claim_path(unbound), made_for(unbound, zone)))

    def recreated_claim(self, state):
        """Removes the pods of a bound claim, the claim and its volume, and creates the claim again."""
        bound = self.claims(state, bound=True)
        old = self.one([c for c in bound if not users_of(c, state.of_kind("Pod"))] or bound)
        if not old:
            return None
        user = self.one(users_of(old, state.of_kind("Pod")))
        if user:
            return self.delete(user)
        name, bound_to = old["metadata"]["name"], old["spec"]["volumeName"]
        gone = [step for target in (f"{CLAIMS}/{name}", volume_path(bound_to))
                for step in (merge_patch(target, {"metadata": {"finalizers": None}}), delete(target))]
        _, comes = (class_of(name) == "local" and self.volume_comes(state)) or ("", [])
        return f"{name} is made anew", [*gone, post(claim(name), CLAIMS), *comes]

    def capacity_changes(self, state):
        """Changes the capacity of a class in a zone."""
        known = self.one(state.of_kind("CSIStorageCapacity"))
        name = known["metadata"]["name"]
        room = self.random.choice([n for n in ("0", "1Gi", "2Gi", "8Gi") if n != known.get("capacity")])
        return f"{name} has room for {room}", merge_patch(
            f"/apis/storage.k8s.io/v1/namespaces/shop/csistoragecapacities/{name}", {"capacity": room})
