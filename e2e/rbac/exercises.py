"""Exercises of podium's rights: each makes podium use some rights, and returns once podium has had the opportunity."""
import contextlib
import itertools
import time

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import node, pod, what_if
from e2e.tests.test_volumes import claim, user_of, volume

MERGE = "application/merge-patch+json"
PRIORITY = "important"
TEMPLATE = {"spec": {"containers": [{"name": "main", "image": "app"}]}}


def shared_objects():
    """Creates the objects that all exercises need, once per cluster."""
    yield {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": PRIORITY}, "value": 1000}
    for name, provisioner in (("static", "kubernetes.io/no-provisioner"), ("dynamic", "disks.example.com")):
        yield {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}, "provisioner": provisioner,
               "volumeBindingMode": "WaitForFirstConsumer"}
    yield {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "any"}, "spec": {}}


class World:
    """One podium with a scheduler name, a node and a proxy of its own."""

    def __init__(self, plane, name, proxy, running, token):
        self.plane, self.name, self.proxy, self.podium, self.token = plane, name, proxy, running, token

    def node(self):
        return node(f"node-{self.name}", cpu="4", labels={"world": self.name})

    def pod(self, name, **more):
        return self.its(pod(f"{self.name}-{name}", **more))

    def its(self, made):
        spec = made["spec"]
        made["spec"] = {**spec, "schedulerName": self.name, "nodeSelector": {"world": self.name, **spec.get("nodeSelector", {})}}
        return made

    def create(self, made):
        return self.plane.create(made)

    def live(self, name):
        return self.plane.get(f"/api/v1/namespaces/default/pods/{self.name}-{name}")

    def bound(self, name):
        return wait_until(lambda: self.live(name)["spec"].get("nodeName"), f"{self.name}-{name} bound")

    def report(self, name):
        return podium.report_of(self.plane, "default", f"{self.name}-{name}")

    def seen(self, rule):
        """Waits until the proxy has seen a request of this rule."""
        wait_until(lambda: rule.seen, "the request")

    def soon(self, rule, seconds):
        with contextlib.suppress(TimeoutError):
            return wait_until(lambda: rule.seen, "the request", seconds)

    def patch(self, path, body):
        status, reply = self.plane.request("PATCH", path, body, content_type=MERGE)
        assert status == 200, reply


def start(_):
    """Covers lists and watches of the cluster, and the lease."""


def place(w):
    w.create(w.pod("placed"))
    rule = w.proxy.watch("POST", f"/pods/{w.name}-placed/binding$")
    wait_until(lambda: rule.seen or w.live("placed")["spec"].get("nodeName"), "the binding")


def report(w):
    rule = w.proxy.watch("POST", "/schedulingreports")
    w.create(w.pod("reported"))
    w.seen(rule)


def relabel(w):
    """Makes a pod whose outcome changes: at first it is gated. Repeats this if its report expires before it can be changed."""
    rule = w.proxy.watch("PATCH", f"/schedulingreports/{w.name}-held-\\d+(\\?|$)")
    for number in range(6):
        reported = w.proxy.watch("PATCH", f"/schedulingreports/{w.name}-held-{number}/status")
        w.create(w.pod(f"held-{number}", schedulingGates=[{"name": "example.com/wait"}]))
        w.seen(reported)
        w.patch(f"/api/v1/namespaces/default/pods/{w.name}-held-{number}", {"spec": {"schedulingGates": None}})
        if w.soon(rule, 15):
            return
    w.seen(rule)


def pend(w):
    """Makes two attempts with one reason: the second event continues the series of the first. A node that another world creates between
    the attempts changes the reason, so there are more attempts."""
    condition = w.proxy.watch("PATCH", f"/pods/{w.name}-pending/status")
    series = w.proxy.watch("PATCH", "/events/")
    w.create(w.pod("pending", cpu="100"))
    w.seen(condition)
    deadline = time.monotonic() + 180
    for number in itertools.count():
        w.create(w.pod(f"leaving-{number}", cpu="1"))
        w.bound(f"leaving-{number}")
        w.plane.kubectl("delete", "pod", f"{w.name}-leaving-{number}", "--grace-period=0", "--force")
        if w.soon(series, 3) or time.monotonic() > deadline:
            return w.seen(series)


def pend_once(w):
    condition = w.proxy.watch("PATCH", f"/pods/{w.name}-waiting/status")
    w.create(w.pod("waiting", cpu="100"))
    w.seen(condition)


def preempt(w):
    rule = w.proxy.watch("DELETE", f"/pods/{w.name}-victim$")
    w.create(w.pod("victim", cpu="3", terminationGracePeriodSeconds=300))
    w.bound("victim")
    w.create(w.pod("urgent", cpu="3", priorityClassName=PRIORITY))
    w.seen(rule)
    w.plane.kubectl("delete", "pod", f"{w.name}-victim", f"{w.name}-urgent", "--grace-period=0", "--force")


def use_volume(w, name, rule):
    w.create(volume(f"{w.name}-{name}", f"node-{w.name}", "static"))
    w.patch(f"/api/v1/persistentvolumes/{w.name}-{name}/status", {"status": {"phase": "Available"}})
    w.create(claim(f"{w.name}-{name}", "static"))
    w.create(w.its(user_of(f"{w.name}-{name}", f"{w.name}-{name}")))
    w.seen(rule)


def volume_there(w):
    use_volume(w, "there", w.proxy.watch("PATCH", f"/persistentvolumes/{w.name}-there"))


def volume_in_doubt(w):
    w.proxy.lose_reply("PATCH", f"/persistentvolumes/{w.name}-doubt")
    use_volume(w, "doubt", w.proxy.watch("GET", f"/persistentvolumes/{w.name}-doubt"))


def use_claim(w, name, rule):
    w.create(claim(f"{w.name}-{name}", "dynamic"))
    w.create(w.its(user_of(f"{w.name}-{name}", f"{w.name}-{name}")))
    w.seen(rule)


def volume_to_come(w):
    use_claim(w, "to-come", w.proxy.watch("PATCH", f"/persistentvolumeclaims/{w.name}-to-come"))


def claim_in_doubt(w):
    w.proxy.lose_reply("PATCH", f"/persistentvolumeclaims/{w.name}-unsure")
    use_claim(w, "unsure", w.proxy.watch("GET", f"/persistentvolumeclaims/{w.name}-unsure"))


def offer_device(w, named):
    w.create({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": named}, "spec": {
        "driver": "devices.example.com", "nodeName": f"node-{w.name}", "devices": [{"name": "device"}],
        "pool": {"name": named, "generation": 1, "resourceSliceCount": 1}}})


def use_device(w, name, rule):
    """Creates a device of its own, a claim and its pod."""
    named = f"{w.name}-{name}"
    offer_device(w, named)
    w.create({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": named, "namespace": "default"},
              "spec": {"devices": {"requests": [{"name": "any", "exactly": {"deviceClassName": "any"}}]}}})
    w.create(w.pod(name, resourceClaims=[{"name": "device", "resourceClaimName": named}]))
    w.seen(rule)


def device_kept(w):
    use_device(w, "kept", w.proxy.watch("PATCH", f"/resourceclaims/{w.name}-kept(\\?|$)"))


def device_given(w):
    use_device(w, "given", w.proxy.watch("PATCH", f"/resourceclaims/{w.name}-given/status"))


def device_in_doubt(w):
    w.proxy.lose_reply("PATCH", f"/resourceclaims/{w.name}-unclear/status")
    use_device(w, "unclear", w.proxy.watch("GET", f"/resourceclaims/{w.name}-unclear"))


def use_extended_resource(w, name, rule):
    """Creates a device of its own, and a pod that requests it by the name of its class."""
    named = f"{w.name}-{name}"
    offer_device(w, named)
    made = w.pod(name)
    resource = {"deviceclass.resource.kubernetes.io/any": "1"}
    made["spec"]["containers"][0]["resources"] = {"limits": resource, "requests": resource}
    w.create(made)
    w.seen(rule)


def claim_made(w):
    use_extended_resource(w, "by-class", w.proxy.watch("POST", "/namespaces/default/resourceclaims(\\?|$)"))


def claim_taken_back(w):
    claim_of = f"/resourceclaims/{w.name}-back-extended-resources-[a-z0-9]+"
    w.proxy.answer("PATCH", claim_of + "/status", 403)
    use_extended_resource(w, "back", w.proxy.watch("DELETE", claim_of))


def report_whose_name_is_taken(w):
    rule = w.proxy.watch("GET", "/schedulingreports/")
    w.create(what_if(f"{w.name}-taken", TEMPLATE, ttlSeconds=3600))  # longer than the TTL of decisions
    w.create(w.pod("taken"))
    w.seen(rule)


def expire(w):
    """Needs a TTL of seconds."""
    rule = w.proxy.watch("DELETE", "/schedulingreports/")
    w.create(w.pod("brief"))
    w.seen(rule)


def leave_expired_reports(plane, name, token):
    """Leaves reports that expired in the same minute, which podium finds at its start."""
    for i in range(40):
        status, body = plane.request("POST", "/apis/podium.dev/v1alpha1/namespaces/default/schedulingreports", {
            "apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
            "metadata": {"name": f"{name}-old-{i}",
                         "labels": {"podium.dev/report": "decision", "podium.dev/expires": "202601020304"}},
            "spec": {"podRef": {"name": f"{name}-old-{i}", "uid": "0b0c1d2e-3f40-5162-7384-95a6b7c8d9e0"}, "dryRun": False}}, token)
        if status != 201:
            raise RuntimeError(body)


def expire_together(w):
    """Needs leave_expired_reports() from before the start."""
    gone = lambda: not [r for r in w.plane.get("/apis/podium.dev/v1alpha1/schedulingreports")["items"]
                        if r["metadata"]["name"].startswith(f"{w.name}-old-")]
    wait_until(gone, "the expired reports deleted")


def ask(w):
    rule = w.proxy.watch("PATCH", "/status")
    w.create(what_if(f"ask-{w.name}", TEMPLATE, profile=w.name))
    w.seen(rule)


def ask_about_a_pod(w):
    w.create(w.pod("asked", cpu="100"))
    rule = w.proxy.watch("GET", f"/pods/{w.name}-asked")
    w.create(what_if(f"ask-pod-{w.name}", podRef={"name": f"{w.name}-asked"}))
    w.seen(rule)


def ask_about_a(w, kind, plural):
    """Asks about a workload of any kind. podium has to read it to know that it does not exist."""
    rule = w.proxy.watch("GET", f"/{plural}/{w.name}-asked")
    w.create(what_if(f"ask-{plural}-{w.name}", workloadRef={"kind": kind, "name": f"{w.name}-asked"}))
    w.seen(rule)


def ask_about_a_deployment(w):
    ask_about_a(w, "Deployment", "deployments")


def ask_about_a_stateful_set(w):
    ask_about_a(w, "StatefulSet", "statefulsets")


def ask_about_a_replica_set(w):
    ask_about_a(w, "ReplicaSet", "replicasets")


def ask_about_a_daemon_set(w):
    ask_about_a(w, "DaemonSet", "daemonsets")


def ask_about_a_job(w):
    ask_about_a(w, "Job", "jobs")


def ask_under_limits(w):
    rule = w.proxy.watch("GET", "/namespaces/default/limitranges")
    w.create(what_if(f"ask-limits-{w.name}", TEMPLATE, profile=w.name))
    w.seen(rule)


def ask_under_quotas(w):
    rule = w.proxy.watch("GET", "/namespaces/default/resourcequotas")
    w.create(what_if(f"ask-quotas-{w.name}", TEMPLATE, profile=w.name))
    w.seen(rule)


def ask_with_a_runtime_class(w):
    rule = w.proxy.watch("GET", "/runtimeclasses/none")
    template = {"spec": {**TEMPLATE["spec"], "runtimeClassName": "none"}}
    w.create(what_if(f"ask-runtime-{w.name}", template, profile=w.name))
    w.seen(rule)


def ask_with_a_claim(w):
    rule = w.proxy.watch("GET", "/resourceclaimtemplates/none")
    claims = [{"name": "devices", "resourceClaimTemplateName": "none"}]
    w.create(what_if(f"ask-claim-{w.name}", {"spec": {**TEMPLATE["spec"], "resourceClaims": claims}}, profile=w.name))
    w.seen(rule)


def ask_with_a_group(w):
    rule = w.proxy.watch("GET", "/podgroups/none")
    w.create(what_if(f"ask-group-{w.name}", {"spec": {**TEMPLATE["spec"], "schedulingGroup": {"podGroupName": "none"}}}, profile=w.name))
    w.seen(rule)


def ask_with_a_coscheduling_group(w):
    rule = w.proxy.watch("GET", "/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups/none")
    template = {"metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "none"}}, **TEMPLATE}
    w.create(what_if(f"ask-members-{w.name}", template, profile=w.name))
    w.seen(rule)


def metrics(w):
    """Reads the metrics as a client that the API server must review, unlike one of system:masters."""
    podium.https_get(w.podium.port, "/metrics", token=w.token)
