"""Steps on devices and claims: pods with claims come; claims come, go, and are served by the claim controller, which is sometimes late;
drivers change their slices with one write per step, so that pools are incomplete for a while; classes change. Part of Steps, which has
the random numbers.

kube-scheduler draws in some cases, which these steps avoid:
 - which of a pod's unavailable claims is deallocated: at most one of them exists before the pod;
 - two pods wait for one unallocated claim: no other pod gets the claim of a pending pod;
 - the remaining counters of a pool while two generations exist: such a pool is deleted before it is published again;
 - slices of one generation that disagree on their number: no slices do. The comparison of messages handles the choice among the fatal
 errors of several nodes.
"""
from e2e.replay.claims import OnClaims, done, names_of, on_claim, owner_of, used_by
from e2e.replay.devices_world import (CLAIMS, CLASSES, IMPORTANCE, LAB, OWN_CLAIMS, RULES, SELDOM, SLICES, WATCHED, changes, claim_spec,
                                      device_class, lab_pod, own_claim, pools, seldom, selectors, slices_of, taint, taint_rule)
from e2e.replay.writes import delete, merge_patch, post
from e2e.support.oracle import full_name, path_of

LAB_PODS = 34  # the number of pods with claims swings around this


def slice_path(name):
    return f"{SLICES}/{name}"


class DeviceSteps:
    def __init__(self):
        self.pools = list(pools())
        self.publishing = []     # (description, function of the state that returns writes): pending work of drivers
        self.without = set()     # deleted pools
        self.generations = {}    # of pools
        self.lab_pods = self.claims_made = self.watched = self.rules = 0

    def device_weights(self, state):
        pods = [pod for pod in state.of_kind("Pod") if pod["spec"].get("resourceClaims")]
        many = len(pods) / LAB_PODS
        return {self.lab_pod_comes: 80, self.lab_pod_goes: 45 * many * many, self.lab_pod_finishes: 8 * many,
                self.controller_works: 160, self.claim_published: 40, self.claim_removed: 4, self.claim_left_allocated: 150,
                self.driver_continues: 90, self.driver_begins: 25, self.device_tainted: 14, self.rule_comes: 8, self.rule_goes: 6,
                self.class_changes: 5}

    # --- pods ---
    def lab_pod_comes(self, state):
        if len([pod for pod in state.of_kind("Pod") if not pod["spec"].get("nodeName")]) >= self.pending_at_most:
            return None
        entries, own = [], self.a_claim_to_share(state)
        if own and self.random.random() < 0.6:
            entries.append(("own", own))
        for i in range(self.random.choice([0, 1, 1, 1, 2]) if entries else self.random.choice([1, 1, 1, 2])):
            entries.append((f"made-{i}", None))
        self.random.shuffle(entries)
        pod = lab_pod(self.lab_pods, entries, self.random)
        self.lab_pods += 1
        importance = self.random.choice(IMPORTANCE)
        if importance:
            pod["spec"]["priorityClassName"] = importance
        return f"{full_name(pod)} comes", post(pod, path_of(pod).rpartition("/")[0])

    def a_claim_to_share(self, state):
        """Returns a claim that no pending pod has. It may not exist yet. Claims with devices and without a user come first."""
        waiting = {name for pod in state.of_kind("Pod") if not pod["spec"].get("nodeName") for name in used_by(pod)}
        left = [claim["metadata"]["name"] for claim in self.resource_claims(state, self.is_left_allocated)
                    if full_name(claim) not in waiting]
        free = sorted(left) or [f"own-{i}" for i in range(OWN_CLAIMS) if f"{LAB}/own-{i}" not in waiting]
        return self.random.choice(free) if free else None

    @staticmethod
    def is_left_allocated(claim):
        status = claim.get("status", {})
        return not owner_of(claim)[0] and "allocation" in status and not status.get("reservedFor")

    def lab_pod_finishes(self, state):
        pod = self.one(self.pods(state, lambda p: p["spec"].get("resourceClaims") and p["spec"].get("nodeName") and not done(p)))
        return pod and (f"{full_name(pod)} finishes", merge_patch(path_of(pod) + "/status", {"status": {"phase": "Succeeded"}}))

    def lab_pod_goes(self, state):
        pod = self.one(self.pods(state, lambda p: p["spec"].get("resourceClaims") and p["spec"].get("nodeName")))
        return pod and self.delete(pod)

    # --- claims ---
    def resource_claims(self, state, which=lambda claim: True):
        return [claim for claim in state.of_kind("ResourceClaim") if which(claim)]

    def controller_works(self, state):
        """Does one task of the claim controller."""
        works = [*self.claims_to_make(state), *self.claims_to_name(state), *self.claims_to_drop(state)]
        return self.random.choice(works)() if works else None

    def claims_to_make(self, state):
        there = {(owner_of(claim)[1], self.entry_of(claim)) for claim in self.resource_claims(state)}
        for pod in sorted(state.of_kind("Pod"), key=full_name):
            uid = pod["metadata"]["uid"]
            missing = [entry for entry, name in names_of(pod).items() if not name and (uid, entry) not in there]
            if missing:
                yield lambda pod=pod, missing=missing: self.make_claims(pod, missing)

    @staticmethod
    def entry_of(claim):
        return next(iter(claim["metadata"].get("annotations", {}).values()), None)

    def make_claims(self, pod, entries):
        name, made = pod["metadata"]["name"], []
        for entry in entries:
            self.claims_made += 1
            made.append((entry, f"{name}-{entry}-{self.claims_made:05}"))
        writes = [on_claim_of(claim, name, entry, claim_spec(self.random)) for entry, claim in made]
        if self.random.random() < 0.6:
            writes.append(self.naming(pod, dict(made)))
        return f"{LAB}/{name} gets claims", writes

    def claims_to_name(self, state):
        """Returns pods whose claims are created, and whose status does not name them yet."""
        for pod in sorted(state.of_kind("Pod"), key=full_name):
            mine = {self.entry_of(c): c["metadata"]["name"] for c in self.resource_claims(state)
                    if owner_of(c)[1] == pod["metadata"]["uid"]}
            unnamed = [entry for entry, name in names_of(pod).items() if not name]
            if unnamed and all(entry in mine for entry in unnamed):
                made = {entry: mine[entry] for entry in unnamed}
                yield lambda pod=pod, made=made: (f"{full_name(pod)} knows its claims", self.naming(pod, made))

    @staticmethod
    def naming(pod, made):
        statuses = [{"name": entry, "resourceClaimName": claim} for entry, claim in sorted(made.items())]
        return merge_patch(path_of(pod) + "/status", {"status": {"resourceClaimStatuses": statuses}})

    def claims_to_drop(self, state):
        """Returns claims with deleted users, and claims that were created for deleted pods."""
        alive = self.alive(state)
        for claim in sorted(self.resource_claims(state), key=full_name):
            name, users = claim["metadata"]["name"], claim.get("status", {}).get("reservedFor", [])
            goes = "deletionTimestamp" in claim["metadata"]
            if any(user["uid"] not in alive for user in users) or (goes and not users):
                yield lambda name=name: (f"{name} loses users", on_claim("drop_users", name))
            if owner_of(claim)[1] not in (None, *alive) and not goes:
                yield lambda name=name: (f"{name} goes with its pod", on_claim("remove", name))

    @staticmethod
    def alive(state):
        return {pod["metadata"]["uid"] for pod in state.of_kind("Pod") if not done(pod)}

    def claim_published(self, state):
        """Creates a claim that pods name."""
        there = {claim["metadata"]["name"] for claim in self.resource_claims(state)}
        missing = [i for i in range(OWN_CLAIMS) if f"own-{i}" not in there]
        if not missing:
            return None
        made = own_claim(self.random.choice(missing), self.random)
        return f"{made['metadata']['name']} comes", post(made, CLAIMS)

    def claim_removed(self, state):
        """Deletes a claim. With a finalizer it stays until it has no user."""
        claim = self.one(self.resource_claims(state, lambda c: not owner_of(c)[0] and "deletionTimestamp" not in c["metadata"]))
        return claim and (f"{claim['metadata']['name']} is deleted", on_claim("remove", claim["metadata"]["name"]))

    def claim_left_allocated(self, state):
        """A claim that only deleted pods used keeps its allocation, as after a failed binding."""
        alive = self.alive(state)

        def users_are_gone(claim):
            users = claim.get("status", {}).get("reservedFor")
            return users and not owner_of(claim)[0] and not any(user["uid"] in alive for user in users)
        claim = self.one(self.resource_claims(state, users_are_gone))
        return claim and (f"{claim['metadata']['name']} is left allocated", on_claim("leave_allocated", claim["metadata"]["name"]))

    # --- drivers ---
    def driver_continues(self, _state):
        if not self.publishing:
            return None
        what, writes = self.publishing.pop(0)
        return what, writes()

    def driver_begins(self, state):
        """Publishes a pool again, deletes it or brings it back; each slice is a step."""
        if self.publishing:
            return None
        back = sorted(self.without) if self.random.random() < 0.5 else []
        pool = self.random.choice(back or self.pools)
        there = sorted(s["metadata"]["name"] for s in state.of_kind("ResourceSlice")
                       if s["spec"]["pool"]["name"] == pool.name and s["spec"]["driver"] == pool.driver)
        if pool in self.without:
            self.without.discard(pool)
            self.publish(pool, [])
        elif pool.form == "counters" or self.random.random() < 0.2:
            self.withdraw(pool, there)
        else:
            self.publish(pool, there)
        return self.driver_continues(state)

    def publish(self, pool, there):
        """Existing slices get the new generation."""
        self.generations[pool] = self.generations.get(pool, 1) + 1
        made = slices_of(pool, self.generations[pool], self.random)
        names = [each["metadata"]["name"] for each in made]
        for each in made:
            name = each["metadata"]["name"]
            if name in there:
                spec = {"pool": each["spec"]["pool"], "devices": each["spec"].get("devices")}
                self.later(f"{name} is renewed", lambda name=name, spec=spec: [merge_patch(slice_path(name), {"spec": spec})])
            else:
                self.later(f"{name} is published", lambda each=each: [post(each, SLICES)])
        for name in set(there) - set(names):
            self.take_away(name)

    def withdraw(self, pool, there):
        self.without.add(pool)
        for name in there:
            self.take_away(name)

    def take_away(self, name):
        self.later(f"{name} goes away", lambda: [delete(slice_path(name)), self.watched_slice()])

    def later(self, what, writes):
        self.publishing.append((what, writes))

    def watched_slice(self):
        """Makes a change that the metrics count: once they do, earlier changes of slices are handled. It wakes pods."""
        self.watched += 1
        return merge_patch(slice_path(WATCHED), {"spec": {"pool": {"name": WATCHED, "generation": 1 + self.watched,
                                                                   "resourceSliceCount": 1}}})

    def device_tainted(self, state):
        """Taints a device of a slice, or removes its taints."""
        slices = [s for s in state.of_kind("ResourceSlice") if s["spec"].get("devices") and s["metadata"]["name"] != WATCHED]
        where = self.one(slices)
        if not where:
            return None
        name, all_of_it = where["metadata"]["name"], [dict(device) for device in where["spec"]["devices"]]
        device = self.random.choice(all_of_it)
        if not device.pop("taints", None):
            device["taints"] = [taint(self.random)]
        how = "tainted" if "taints" in device else "untainted"
        return f"{name} has {device['name']} {how}", merge_patch(slice_path(name), {"spec": {"devices": all_of_it}})

    # --- taint rules ---
    def rule_comes(self, state):
        """A DeviceTaintRule taints a device. As a slice of another generation may have it too, the slices are counted."""
        slices = [s for s in state.of_kind("ResourceSlice") if s["spec"].get("devices") and s["metadata"]["name"] != WATCHED]
        where = self.one(slices)
        if not where:
            return None
        device = self.random.choice(where["spec"]["devices"])["name"]
        self.rules += 1
        rule = taint_rule(f"rule-{self.rules}", where["spec"]["driver"], where["spec"]["pool"]["name"], device, self.random)
        if not self.is_of_one_slice(rule, state):
            return None
        return f"{rule['metadata']['name']} taints {device} of {where['metadata']['name']}", post(rule, RULES)

    def rule_goes(self, state):
        rule = self.one([r for r in state.of_kind("DeviceTaintRule") if self.is_of_one_slice(r, state)])
        return rule and (f"{rule['metadata']['name']} goes", delete(f"{RULES}/{rule['metadata']['name']}"))

    @staticmethod
    def is_of_one_slice(rule, state):
        wanted = rule["spec"]["deviceSelector"]
        return 1 == sum((s["spec"]["driver"], s["spec"]["pool"]["name"]) == (wanted["driver"], wanted["pool"])
                        and any(device["name"] == wanted["device"] for device in s["spec"].get("devices", []))
                        for s in state.of_kind("ResourceSlice"))

    # --- classes ---
    def class_changes(self, state):
        """Creates, deletes or changes one class, which then selects other devices."""
        known = next((c for c in state.of_kind("DeviceClass") if c["metadata"]["name"] == SELDOM), None)
        if not known:
            return f"{SELDOM} comes", post(seldom(), CLASSES)
        if self.random.random() < 0.5:
            self.watched += 1
            return f"{SELDOM} goes", [delete(f"{CLASSES}/{SELDOM}"), merge_patch(
                f"{CLASSES}/{WATCHED}", {"spec": {"selectors": selectors(changes(self.watched))}})]
        wanted = self.random.choice([seldom(), device_class(SELDOM, 'device.driver.startsWith("nic")')])
        if wanted["spec"]["selectors"] == known["spec"]["selectors"]:
            return None
        return f"{SELDOM} selects others", merge_patch(f"{CLASSES}/{SELDOM}", {"spec": wanted["spec"]})


def on_claim_of(name, pod, entry, spec):
    return OnClaims("make", (name,), (pod, entry, name, spec))
