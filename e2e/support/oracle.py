"""kube-scheduler as the reference: as a process on an API server, and as the oracle (e2e/oracle) that judges decisions."""
import json
import pathlib
import subprocess

from .control_plane import BIN, ROOT, Process, collection, environment, free_ports

PROGRAM = ROOT / "build/oracle/oracle"
STATE = {"v1": ("Node", "Pod", "Namespace", "Service", "PersistentVolume", "PersistentVolumeClaim"),
         "scheduling.k8s.io/v1": ("PriorityClass",), "policy/v1": ("PodDisruptionBudget",),
         "storage.k8s.io/v1": ("StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity"),
         "resource.k8s.io/v1": ("DeviceClass", "ResourceSlice", "ResourceClaim")}


def build():
    subprocess.run([ROOT / "tools/go-build.sh", "e2e/oracle", "build/oracle", "."], cwd=ROOT, check=True)


def kube_scheduler(plane, *flags, name="kube-scheduler", **configuration):
    """Returns kube-scheduler with its default profile on this API server, with open metrics on `.port`. The caller stops it."""
    directory = plane.dir / name
    directory.mkdir()
    config = directory / "config.json"
    config.write_text(json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {"kubeconfig": str(plane.write_kubeconfig(directory / "kubeconfig"))}, **configuration}))
    port = free_ports(1)[0]
    process = Process([BIN / "kube-scheduler", "--config", config, "--bind-address", "127.0.0.1", "--secure-port", port,
                       "--cert-dir", directory, "--authorization-always-allow-paths", "/healthz,/readyz,/livez,/metrics",
                       *flags], directory / "log", env=environment())
    process.port = port
    return process


def full_name(pod):
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def path_of(pod):
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


def filters_message(message):
    """Returns the filters' part of a PodScheduled message, without the messages of PostFilter plugins."""
    return message.partition(". ")[0].rstrip(".")


class State:
    """The objects of a cluster that affect scheduling, by kind, namespace and name."""

    def __init__(self, objects=()):
        self.objects = dict(objects)

    @classmethod
    def of(cls, plane):
        state = cls()
        for group, kinds in STATE.items():
            for kind in kinds:
                listed = plane.get(collection({"apiVersion": group, "kind": kind, "metadata": {}})
                                   .replace("/namespaces/default/", "/"))
                for item in listed["items"]:
                    state.put({"apiVersion": group, "kind": kind, **item})
        return state

    def put(self, obj):
        meta = {k: v for k, v in obj["metadata"].items() if k != "managedFields"}
        self.objects[obj["kind"], meta.get("namespace", ""), meta["name"]] = {**obj, "metadata": meta}

    def remove(self, obj):
        meta = obj["metadata"]
        self.objects.pop((obj["kind"], meta.get("namespace", ""), meta["name"]), None)

    def of_kind(self, kind):
        return [obj for key, obj in self.objects.items() if key[0] == kind]

    def placed(self, placements):
        """Returns a copy in which these pods, by full name, are on these nodes."""
        copy = State(self.objects)
        for name, node in placements.items():
            key = ("Pod", *name.split("/"))
            pod = copy.objects[key]
            copy.objects[key] = {**pod, "spec": {**pod["spec"], "nodeName": node}}
        return copy

    def without(self, kind):
        """Returns a copy without the objects of this kind."""
        return State({key: obj for key, obj in self.objects.items() if key[0] != kind})

    def write(self, path):
        pathlib.Path(path).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(self.objects.values())}))
        return path


def evaluate(state, pods, directory, *flags):
    """Returns {full name: result} of kube-scheduler's framework for each of these pods of the state."""
    if not pods:
        return {}
    path = state.write(directory / "state.json")
    done = subprocess.run([PROGRAM, "evaluate", "--cluster", path, "--pod", *pods, "-o", "json", *flags], text=True,
                          capture_output=True)
    if done.returncode:
        raise RuntimeError(f"oracle: {done.stderr}")
    return {result["pod"]: result for result in json.loads(done.stdout)["results"]}


def best_nodes(verdict):
    """Returns the nodes with the best total. kube-scheduler may choose any of them."""
    totals = {name: scores["total"] for name, scores in verdict["scores"].items()}
    return {name for name, total in totals.items() if total == max(totals.values())}
