"""Pods with delayed volume binding, on a real API server. The test plays volume controller and provisioner."""
import itertools
import unittest

from e2e.support.control_plane import wait_until
from e2e.tests.base import Live, node, pod, what_if

BIND_COMPLETED, BY_CONTROLLER = "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
MERGE = "application/merge-patch+json"


def storage_class(name, provisioner, mode="WaitForFirstConsumer"):
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
            "provisioner": provisioner, "volumeBindingMode": mode}


def claim(name, storage_class="local", size="1Gi"):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "default"},
            "spec": {"storageClassName": storage_class, "accessModes": ["ReadWriteOnce"],
                     "resources": {"requests": {"storage": size}}}}


def volume(name, host, storage_class="local", size="1Gi"):
    affinity = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [host]}]}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"storageClassName": storage_class, "capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"],
                     "persistentVolumeReclaimPolicy": "Retain", "local": {"path": "/data"},
                     "nodeAffinity": {"required": {"nodeSelectorTerms": [affinity]}}}}


def user_of(name, *claims, **spec):
    return pod(name, volumes=[{"name": c, "persistentVolumeClaim": {"claimName": c}} for c in claims], **spec)


class WithStorage(Live):
    nodes = [node("n1"), node("n2")]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.create(storage_class("local", "kubernetes.io/no-provisioner"))
        cls.plane.create(storage_class("fast", "disks.example.com"))
        cls.plane.create(storage_class("now", "disks.example.com", "Immediate"))

    def patch(self, path, body):
        status, reply = self.plane.request("PATCH", path, body, content_type=MERGE)
        self.assertEqual(status, 200, reply)
        return reply

    def live_claim(self, name):
        return self.plane.get(f"/api/v1/namespaces/default/persistentvolumeclaims/{name}")

    def live_volume(self, name):
        return self.plane.get(f"/api/v1/persistentvolumes/{name}")

    def delete_pod(self, name):
        self.plane.kubectl("delete", "pod", name, "--wait=false", "--grace-period=0", "--force")

    # --- the volume controller ---
    def offer(self, name, host, **kind):
        self.plane.create(volume(name, host, **kind))
        self.patch(f"/api/v1/persistentvolumes/{name}/status", {"status": {"phase": "Available"}})

    def bind(self, claim_name, volume_name):
        self.patch(f"/api/v1/persistentvolumes/{volume_name}/status", {"status": {"phase": "Bound"}})
        path = f"/api/v1/namespaces/default/persistentvolumeclaims/{claim_name}"
        self.patch(path, {"metadata": {"annotations": {BIND_COMPLETED: "yes", BY_CONTROLLER: "yes"}},
                          "spec": {"volumeName": volume_name}})
        self.patch(path + "/status", {"status": {"phase": "Bound"}})

    # --- the provisioner ---
    def provision(self, claim_name, host):
        made = volume(f"made-for-{claim_name}", host, "fast")
        meta = self.live_claim(claim_name)["metadata"]
        made["spec"]["claimRef"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default",
                                    "name": claim_name, "uid": meta["uid"]}
        self.plane.create(made)
        self.bind(claim_name, made["metadata"]["name"])

    # --- podium's actions ---
    def promised(self, volume_name):
        """Returns the volume's claimRef, once podium has written it."""
        return wait_until(lambda: self.live_volume(volume_name)["spec"].get("claimRef"), f"the claim of {volume_name}")

    def selected(self, claim_name):
        annotation = lambda: self.live_claim(claim_name)["metadata"].get("annotations", {}).get(SELECTED_NODE)
        return wait_until(annotation, f"the node of {claim_name}")

    def nominated(self, name):
        return wait_until(lambda: self.live_pod(name)["status"].get("nominatedNodeName"), f"{name} nominated")


class Volumes(WithStorage):
    def test_volume_that_is_there(self):
        self.offer("disk", "n2")
        made = self.plane.create(claim("data"))
        self.plane.create(user_of("static", "data"))
        self.assertEqual(self.promised("disk"),
                         {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": "data",
                          "uid": made["metadata"]["uid"], "resourceVersion": made["metadata"]["resourceVersion"]})
        self.assertEqual(self.live_volume("disk")["metadata"]["annotations"], {BY_CONTROLLER: "yes"})
        self.assertEqual(self.nominated("static"), "n2")
        self.assertNotIn("nodeName", self.live_pod("static")["spec"])
        self.bind("data", "disk")
        self.assertEqual(self.bound("static"), "n2")
        self.assertEqual(self.report("static", "Scheduled")["status"]["choice"]["nodeName"], "n2")

    def test_a_volume_is_promised_once(self):
        for i in range(2):
            self.offer(f"pair-{i}", "n1", size="3Gi")
            self.plane.create(claim(f"want-{i}", size="3Gi"))
        for i in range(2):
            self.plane.create(user_of(f"of-pair-{i}", f"want-{i}"))
        given = {self.promised(f"pair-{i}")["name"]: f"pair-{i}" for i in range(2)}
        self.assertEqual(set(given), {"want-0", "want-1"})
        for claim_name, volume_name in given.items():
            self.bind(claim_name, volume_name)
        self.assertEqual([self.bound(f"of-pair-{i}") for i in range(2)], ["n1", "n1"])

    def test_volume_that_comes_later(self):
        self.plane.create(claim("late", size="7Gi"))
        self.plane.create(user_of("patient", "late"))
        self.report("patient", "Unschedulable", " node(s) didn't find available persistent volumes to bind")
        self.offer("late-disk", "n1", size="7Gi")
        self.promised("late-disk")
        self.bind("late", "late-disk")
        self.assertEqual(self.bound("patient"), "n1")

    def test_volume_that_is_made(self):
        self.plane.create(claim("made", "fast"))
        self.plane.create(user_of("dynamic", "made", nodeSelector={"kubernetes.io/hostname": "n2"}))
        self.assertEqual(self.selected("made"), "n2")
        self.assertNotIn("nodeName", self.live_pod("dynamic")["spec"])
        waits = self.report("dynamic", "Binding", "its claim made has not been bound to a volume yet")["status"]
        self.assertEqual(waits["choice"]["nodeName"], "n2")
        self.provision("made", "n2")
        self.assertEqual(self.bound("dynamic"), "n2")
        self.report("dynamic", "Scheduled")

    def test_provisioner_that_gives_up_and_tries_again(self):
        self.plane.create(claim("hard", "fast"))
        self.plane.create(user_of("retried", "hard"))
        self.selected("hard")
        self.patch("/api/v1/namespaces/default/persistentvolumeclaims/hard", {"metadata": {"annotations": {SELECTED_NODE: None}}})
        words = 'running PreBind plugin "VolumeBinding": binding volumes: selectedNode annotation reset for PVC "hard"'
        wait_until(lambda: words in [e["note"] for e in self.events("retried", "FailedScheduling")], "the event")
        where = self.selected("hard")  # once more, after a backoff
        self.provision("hard", where)
        self.assertEqual(self.bound("retried"), where)
        self.assertGreaterEqual(self.report("retried", "Scheduled")["status"]["attempts"], 2)

    def test_claim_that_is_bound_immediately(self):
        self.plane.create(claim("early", "now", size="9Gi"))
        self.plane.create(user_of("punctual", "early"))
        self.report("punctual", "Unschedulable", "pod has unbound immediate PersistentVolumeClaims")
        self.offer("early-disk", "n2", storage_class="now", size="9Gi")
        meta = self.live_claim("early")["metadata"]
        self.patch("/api/v1/persistentvolumes/early-disk", {"spec": {"claimRef": {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": "early", "uid": meta["uid"]}}})
        self.bind("early", "early-disk")
        self.assertEqual(self.bound("punctual"), "n2")

    def test_pod_that_is_deleted_while_it_waits_frees_its_capacity(self):
        self.plane.create(node("n3", labels={"lonely": "yes"}))
        self.plane.create(claim("unused", "fast"))
        self.plane.create(user_of("gone", "unused", cpu="3", nodeSelector={"lonely": "yes"}))
        self.assertEqual(self.selected("unused"), "n3")
        self.plane.create(pod("next", cpu="3", nodeSelector={"lonely": "yes"}))
        self.report("next", "Unschedulable")
        self.delete_pod("gone")
        self.assertEqual(self.bound("next"), "n3")

    def test_what_if_with_ephemeral_volumes(self):
        self.offer("spare-a", "n1", size="3Gi")
        self.offer("spare-b", "n2", size="3Gi")
        self.addCleanup(self.plane.kubectl, "delete", "pv", "spare-a", "spare-b", "--wait=false")
        wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "3Gi"}}}

        def ask(name, storage_class, replicas):
            disk = {"name": "disk", "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": storage_class, **wanted}}}}
            self.plane.create(what_if(name, {"spec": pod(name, volumes=[disk])["spec"]}, replicas=replicas))
            return self.answer(name)
        tries = itertools.count()
        wait_until(lambda: ask(f"spares-{next(tries)}", "local", 2)["replicas"]["fitting"] == 2, "podium knows both volumes", interval=1)
        for name, storage_class, replicas, placed, why in (("on-demand", "fast", 3, 3, ""), ("there", "local", 2, 2, ""),
                                                           ("too-many", "local", 3, 2, "persistent volumes to bind"),
                                                           ("at-once", "now", 2, 2, "")):
            with self.subTest(name):
                status = ask(name, storage_class, replicas)
                self.assertEqual(status["replicas"]["fitting"], placed, status)
                self.assertIn(why, status.get("firstFailure", {}).get("message", ""))
        claims = self.plane.get("/api/v1/namespaces/default/persistentvolumeclaims")["items"]
        self.assertEqual([c for c in claims if c["metadata"]["name"].endswith("-disk")], [])
        self.assertFalse(any("claimRef" in self.live_volume(v)["spec"] for v in ("spare-a", "spare-b")))

    def test_nothing_was_forbidden(self):
        self.offer("allowed", "n1", size="11Gi")
        self.plane.create(claim("allowing", size="11Gi"))
        self.plane.create(user_of("last", "allowing"))
        self.promised("allowed")
        self.nominated("last")
        self.assertNotIn("forbidden", self.podium.log())


class Stopping(WithStorage):
    def test_a_wait_does_not_delay_a_stop_and_the_next_podium_continues(self):
        self.plane.create(claim("slow", "fast"))
        self.plane.create(user_of("kept-waiting", "slow"))
        where = self.selected("slow")
        self.assertEqual(self.podium.stop(), 0)
        self.assertNotIn("task did not end in time", self.podium.log())
        self.podium.start()
        self.provision("slow", where)
        self.assertEqual(self.bound("kept-waiting"), where)


if __name__ == "__main__":
    unittest.main()
