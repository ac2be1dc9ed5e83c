"""A node for machines that cannot run one: it reads its pods from the API server and reports that they run.

podium's own pods do run: from the image's root file system (chroot), as its user, with the container's command line and environment,
the ServiceAccount's token and the volumes that the pod names. There are no namespaces, limits, images or network policies. All pods
share the machine's loopback, so each gets a port of its own in place of the one that it asks for.
"""
import base64
import contextlib
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from e2e.node import image
from e2e.node.world import PODIUM, is_ready
from e2e.node.plane import NODE
from e2e.support.control_plane import BUSY, ControlPlane, environment
from e2e.support.podium import https_get
from e2e.support.ports import free_ports
from e2e.support.processes import Process, Service

PORT = re.compile(r"^--secure-port=\d+$")
ENTER = pathlib.Path(__file__).with_name("enter.py")


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def amount_of_node():
    return {"cpu": "8", "memory": "16Gi", "pods": "250", "ephemeral-storage": "100Gi"}


class Container:
    """podium's container of one pod, as a process."""

    def __init__(self, node, pod):
        self.node, self.pod = node, pod
        self.spec = pod["spec"]["containers"][0]
        self.dir = node.dir / pod["metadata"]["uid"]
        self.root = self.dir / "root"
        self.port = free_ports(1)[0]
        self.restarts = 0
        shutil.rmtree(self.dir, ignore_errors=True)  # the rest of an earlier try
        self.dir.mkdir()
        subprocess.run(["cp", "-al", node.root, self.root], check=True)  # links: the files are read only
        self._volumes()
        self.process = self._run()

    def _run(self):
        enter = [*self.node.enter(self.root), json.dumps(self.environment())]
        return Process([*enter, *self.command()], self.log, env=environment())

    @property
    def log(self):
        return self.dir / f"{self.restarts}.log"

    def command(self):
        spec, config = self.spec, self.node.config
        if spec.get("command"):
            line = spec["command"] + spec.get("args", [])
        else:
            line = (config.get("Entrypoint") or []) + (spec.get("args") or config.get("Cmd") or [])
        line = [f"--secure-port={self.port}" if PORT.match(word) else word for word in line]
        return line if any(PORT.match(word) for word in line) else [*line, f"--secure-port={self.port}"]

    def environment(self):
        given = dict(pair.split("=", 1) for pair in self.node.config.get("Env") or [])
        for variable in self.spec.get("env", []):
            if "value" in variable:
                given[variable["name"]] = variable["value"]
            elif path := variable.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath"):
                given[variable["name"]] = self.field(path)
        port = str(self.node.cluster.api_port)
        return {**given, "KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": port,
                "KUBERNETES_SERVICE_PORT_HTTPS": port}

    def field(self, path):
        meta = self.pod["metadata"]
        return {"metadata.name": meta["name"], "metadata.namespace": meta["namespace"],
                "metadata.uid": meta["uid"], "status.podIP": "127.0.0.1", "status.hostIP": "127.0.0.1",
                "spec.nodeName": NODE}[path]

    def _volumes(self):
        volumes = {volume["name"]: volume for volume in self.pod["spec"].get("volumes", [])}
        for mount in self.spec.get("volumeMounts", []):
            path = self.root / mount["mountPath"].lstrip("/")
            files = self._files(volumes[mount["name"]])
            if isinstance(files, bytes):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(files)
                continue
            path.mkdir(parents=True, exist_ok=True)
            path.chmod(0o777)
            for name, data in files.items():
                (path / name).write_bytes(data)

    def _files(self, volume):
        """Returns the files of a volume, {name: bytes}, or bytes for a file of the host."""
        namespace = self.pod["metadata"]["namespace"]
        data = lambda kind, name: self.node.cluster.get(f"/api/v1/namespaces/{namespace}/{kind}/{name}").get("data", {})
        if "configMap" in volume:
            return {k: v.encode() for k, v in data("configmaps", volume["configMap"]["name"]).items()}
        if "secret" in volume:
            return {k: base64.b64decode(v) for k, v in data("secrets", volume["secret"]["secretName"]).items()}
        if "hostPath" in volume:
            return pathlib.Path(volume["hostPath"]["path"]).read_bytes()
        if "projected" in volume:
            files = {}
            for source in volume["projected"]["sources"]:
                files.update(self._projected(source, data))
            return files
        if "emptyDir" in volume:
            return {}
        raise ValueError(f"a volume of a kind that this node does not know: {volume}")

    def _projected(self, source, data):
        if "configMap" in source:
            found = data("configmaps", source["configMap"]["name"])
            return {item["path"]: found[item["key"]].encode() for item in source["configMap"]["items"]}
        if "serviceAccountToken" in source:
            return {source["serviceAccountToken"]["path"]: self.node.token(self.pod).encode()}
        return {item["path"]: self.field(item["fieldRef"]["fieldPath"]).encode()
                for item in source["downwardAPI"]["items"]}

    def ready(self):
        if not self.process.alive():
            self.restarts += 1
            self.process = self._run()
            return False
        return https_get(self.port, "/readyz", timeout=10)[0] == 200

    def end(self):
        self.process.stop(self.pod["spec"].get("terminationGracePeriodSeconds", 30))
        shutil.rmtree(self.root, ignore_errors=True)


class Hollow(Service):
    """The node of a cluster. Threads: one that watches its pods, and one for each of podium's pods that ends."""

    runs_everything = False
    kind = "no node: its pods are said to run, and podium's run from the image's root file system"

    def __init__(self, cluster: ControlPlane, directory, archive):
        self.cluster, self.dir, self.archive = cluster, directory, archive
        self.containers, self.static, self.ending = {}, {}, set()
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run, name="hollow node", daemon=True)
        self.error = None

    def _start(self):
        self.dir.mkdir()
        self.root = self.dir / "image"
        self.config = image.unpack(self.archive, self.root)
        self.cluster.create({"apiVersion": "v1", "kind": "Node", "metadata": {
            "name": NODE, "labels": {"kubernetes.io/hostname": NODE, "kubernetes.io/os": "linux",
                                     "kubernetes.io/arch": image.architecture()}}})
        self._heartbeat()
        self.thread.start()

    def stop(self):
        self.stopping.set()
        if self.thread.is_alive():
            self.thread.join()
        for container in [*self.containers.values(), *self.static.values()]:
            container.process.stop()

    # --- what the steps use ---
    def put_manifest(self, pod):
        name = pod["metadata"]["name"]
        self.static[name] = Container(self, {**pod, "metadata": {**pod["metadata"], "uid": f"static-{name}"}})

    def remove_manifest(self, name):
        self.static.pop(name).end()

    def log_of(self, pod):
        container = self.containers.get(pod["metadata"]["uid"])
        return container.log.read_text(errors="replace") if container else ""

    def log_of_static(self, name):
        return self.static[name].log.read_text(errors="replace")

    def kill(self, pod):
        self.containers[pod["metadata"]["uid"]].process.signal(signal.SIGKILL)

    def show(self):
        shown = [f"--- {c.pod['metadata']['name']} ---\n{c.process.tail(12)}" for c in self.containers.values()]
        return "\n".join(shown + ([f"--- the hollow node, at last ---\n{self.error!r}"] if self.error else []))

    # --- its parts ---
    def enter(self, root):
        """Returns the command line that runs a program as the image's user in a root file system of its own."""
        user, _, group = (self.config.get("User") or "0").partition(":")
        if os.geteuid() == 0:
            return [sys.executable, ENTER, root, user, group or user]
        return ["unshare", "--user", "--map-root-user", sys.executable, ENTER, root, "0", "0"]

    def token(self, pod):
        account, meta = pod["spec"]["serviceAccountName"], pod["metadata"]
        path = f"/api/v1/namespaces/{meta['namespace']}/serviceaccounts/{account}/token"
        bound = {"kind": "Pod", "apiVersion": "v1", "name": meta["name"], "uid": meta["uid"]}
        status, request = self.cluster.request("POST", path, {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"audiences": [], "expirationSeconds": 3600, "boundObjectRef": bound}})
        if status != 201:
            raise RuntimeError(f"no token for {account}: {request}")
        return request["status"]["token"]

    def _run(self):
        beat = time.monotonic()
        while not self.stopping.wait(0.2):
            try:
                if time.monotonic() > beat + 10:
                    self._heartbeat()
                    beat = time.monotonic()
                for pod in self.cluster.get(f"/api/v1/pods?fieldSelector=spec.nodeName={NODE}")["items"]:
                    self._look_at_living(pod)
            except Exception as error:  # pylint: disable=broad-except
                # It looks again, as a kubelet does: a pod's volumes may be late. A permanent error makes a step wait in vain, which
                # shows it.
                self.error = error

    def _look_at_living(self, pod):
        """A pod that is deleted during this call may no longer have a token or a status."""
        try:
            self._look_at(pod)
        except RuntimeError:
            meta = pod["metadata"]
            status, there, _ = self.cluster.patiently("GET", f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}")
            if status == 200 and there["metadata"]["uid"] == meta["uid"] and not there["metadata"].get("deletionTimestamp"):
                raise

    def _heartbeat(self):
        condition = {"type": "Ready", "status": "True", "reason": "Hollow", "message": "",
                     "lastHeartbeatTime": now(), "lastTransitionTime": now()}
        self._patch(f"/api/v1/nodes/{NODE}", {"capacity": amount_of_node(), "allocatable": amount_of_node(),
                                              "conditions": [condition]})

    def _look_at(self, pod):
        uid = pod["metadata"]["uid"]
        if pod["metadata"].get("deletionTimestamp"):
            if uid not in self.ending:
                self.ending.add(uid)
                threading.Thread(target=self._end, args=(pod,), daemon=True).start()
            return
        of_podium = any(c["image"] == PODIUM for c in pod["spec"]["containers"])
        if of_podium and uid not in self.containers:
            self.containers[uid] = Container(self, pod)
        container = self.containers.get(uid)
        ready = container.ready() if container else True
        if not pod["status"].get("startTime") or is_ready(pod) != ready:
            self._report(pod, ready, container.restarts if container else 0)

    def _report(self, pod, ready, restarts):
        truth = "True" if ready else "False"
        started = pod["status"].get("startTime") or now()
        kept = [c for c in pod["status"].get("conditions", []) if c["type"] == "PodScheduled"]
        conditions = [{"type": kind, "status": truth, "lastTransitionTime": now()}
                      for kind in ("Initialized", "ContainersReady", "Ready")]
        self._patch(f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}", {
            "phase": "Running", "startTime": started, "hostIP": "127.0.0.1", "podIP": "127.0.0.1",
            "podIPs": [{"ip": "127.0.0.1"}], "conditions": kept + conditions,
            "containerStatuses": [
                {"name": c["name"], "image": c["image"], "imageID": c["image"], "ready": ready, "started": True,
                 "restartCount": restarts, "state": {"running": {"startedAt": started}}}
                for c in pod["spec"]["containers"]]})

    def _patch(self, path, status):
        code, reply = self.cluster.request("PATCH", path + "/status", {"status": status},
                                           content_type="application/merge-patch+json")
        if code not in (200, 404, 409, *BUSY):  # the pod was deleted or changed in the meantime, or the next look does it
            raise RuntimeError(f"PATCH {path}/status: {code}: {reply}")

    def _end(self, pod):
        meta = pod["metadata"]
        container = self.containers.pop(meta["uid"], None)
        if container:
            container.end()
        path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
        status = None
        while status not in (200, 404, 409) and not self.stopping.wait(0.2):  # 409: a new pod of this name
            with contextlib.suppress(OSError):
                status, _ = self.cluster.request("DELETE", path, {
                    "gracePeriodSeconds": 0, "preconditions": {"uid": meta["uid"]}})
