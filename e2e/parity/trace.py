"""A trace of a GPU cluster as Kubernetes objects: nodes, and pods in the order in which they came.

The rows are those of Alibaba's openb trace (github.com/alibaba/clusterdata, cluster-trace-gpu-v2023, the CSV files
openb_node_list_all_node and openb_pod_list_default). Its files do not have a licence that allows them in this repository. To run the
trace, download them. This module also generates rows of the same form from a seed."""
import csv
import pathlib
import random

NAMESPACE = "openb"
ZONES = ("zone-a", "zone-b", "zone-c")

# (share, CPUs, memory in GiB, GPUs, model) of the nodes in clusters of this kind.
NODES = ((25, 64, 256, 0, ""), (35, 64, 256, 2, "t4"), (20, 96, 384, 8, "v100"), (15, 128, 768, 8, "a10"),
         (5, 32, 128, 1, "t4"))
# (share, CPUs, memory in GiB, GPUs)
PODS = ((30, 4, 16, 0), (15, 16, 64, 0), (30, 8, 24, 1), (12, 12, 48, 2), (8, 40, 160, 4), (5, 80, 300, 8))


def read(directory):
    """(node rows, pod rows) of the trace's files, which are in this directory."""
    def rows(name):
        with (pathlib.Path(directory) / name).open() as file:
            return list(csv.DictReader(file))
    return rows("openb_node_list_all_node.csv"), rows("openb_pod_list_default.csv")


def generate_rows(nodes, pods, seed):
    """Generates rows of the same form; the same for the same arguments."""
    rng = random.Random(seed)

    def some(kinds, count):
        return rng.choices([kind[1:] for kind in kinds], [kind[0] for kind in kinds], k=count)
    node_rows = [{"sn": f"node-{i:04}", "cpu_milli": cpus * 1000, "memory_mib": gib * 1024, "gpu": gpus, "model": model}
                 for i, (cpus, gib, gpus, model) in enumerate(some(NODES, nodes))]
    pod_rows = [{"name": f"pod-{i:04}", "cpu_milli": cpus * 1000 - rng.choice((0, 0, 500)), "memory_mib": gib * 1024,
                 "num_gpu": gpus, "gpu_spec": rng.choice(("", "", "", "t4", "v100|a10")) if gpus else "",
                 "qos": rng.choice(("LS", "BE"))}
                for i, (cpus, gib, gpus) in enumerate(some(PODS, pods))]
    return node_rows, pod_rows


def node(row, i):
    amount = {"cpu": f"{row['cpu_milli']}m", "memory": f"{row['memory_mib']}Mi", "pods": "110"}
    labels = {"kubernetes.io/hostname": row["sn"], "topology.kubernetes.io/region": "r1",
              "topology.kubernetes.io/zone": ZONES[i % len(ZONES)]}
    if int(row["gpu"] or 0):
        amount["nvidia.com/gpu"] = str(row["gpu"])
        labels["gpu-model"] = row["model"]
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": row["sn"], "labels": labels},
            "status": {"capacity": amount, "allocatable": amount}}


def pod(row):
    requests = {"cpu": f"{row['cpu_milli']}m", "memory": f"{row['memory_mib']}Mi"}
    limits = {"nvidia.com/gpu": str(row["num_gpu"])} if int(row["num_gpu"] or 0) else {}
    spec = {"containers": [{"name": "main", "image": "registry.example/openb:1",
                            "resources": {"requests": {**requests, **limits}, "limits": limits}}]}
    if row["gpu_spec"]:
        wanted = {"key": "gpu-model", "operator": "In", "values": row["gpu_spec"].split("|")}
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [wanted]}]}}}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": row["name"], "namespace": NAMESPACE, "labels": {"qos": row["qos"] or "none"}}, "spec": spec}


def objects(rows):
    """(nodes, pods) of (node rows, pod rows)."""
    node_rows, pod_rows = rows
    return [node(row, i) for i, row in enumerate(node_rows)], [pod(row) for row in pod_rows]
