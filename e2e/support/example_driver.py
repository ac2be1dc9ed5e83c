"""Kubernetes' public example driver for devices: its own manifests, and the slices that it would publish.

The Go module proxy has its releases; e2e/devices/example_driver/go.mod names the release. No kubelet prepares a device.
"""
import json
import pathlib
import subprocess

from .control_plane import BIN, ROOT

MODULE = ROOT / "e2e/devices/example_driver"
DRIVER = "gpu.example.com"
EXTENDED = "example.com/gpu"  # the resource that its class provides


def release():
    """Returns the directory with the release's files."""
    version = next(line.split()[-1] for line in (MODULE / "go.mod").read_text().splitlines() if line.startswith("require"))
    script = 'root=$1; . "$root/tools/go-env.sh"; go mod download -json "$2"'
    done = subprocess.run(["bash", "-c", script, "download", ROOT, f"sigs.k8s.io/dra-example-driver@{version}"], cwd=MODULE,
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"go mod download: {done.stdout}{done.stderr}")
    return pathlib.Path(json.loads(done.stdout)["Dir"])


def device_class():
    """Returns the class as the chart renders it."""
    chart = release() / "deployments/helm/dra-example-driver"
    return subprocess.run([BIN / "helm", "template", "driver", chart, "--namespace", "dra-example-driver", "--show-only",
                           "templates/deviceclass.yaml", "--set", f"deviceClass.extendedResourceName={EXTENDED}"],
                          capture_output=True, text=True, check=True).stdout


def demo(name):
    return (release() / "demo" / f"{name}.yaml").read_text()


def _slice(node, number, of, **spec):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": f"{node}-{DRIVER}-{number}"},
            "spec": {"driver": DRIVER, "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": of}, **spec}}


def _gpu(name, index, memory="80Gi", attributes=None, **more):
    return {"name": name, "attributes": {
        "index": {"int": index}, "uuid": {"string": f"gpu-{index:08}"}, "model": {"string": "LATEST-GPU-MODEL"},
        "driverVersion": {"version": "1.0.0"}, **(attributes or {})}, "capacity": {"memory": {"value": memory}}, **more}


def slices(node, gpus):
    """Returns the slices that the driver publishes for a node with this number of GPUs."""
    return [_slice(node, 0, 1, devices=[_gpu(f"gpu-{i}", i) for i in range(gpus)])]


def partitioned_slices(node, gpus, partitions):
    """The same with gpuPartitions set: each GPU as partitions and as a whole, which share its counters."""
    def counters(share):
        return {"memory": {"value": f"{80 // share}Gi"}, "compute": {"value": str(100 // share)}}

    def consumes(index, share):
        return [{"counterSet": f"gpu-{index}-counters", "counters": counters(share)}]

    devices = []
    for i in range(gpus):
        can_be = {"partitionable": {"bool": True}}
        devices += [_gpu(f"gpu-{i}-partition-{j}", i, f"{80 // partitions}Gi", {**can_be, "partition": {"int": j}},
                         consumesCounters=consumes(i, partitions)) for j in range(partitions)]
        devices.append(_gpu(f"gpu-{i}-full", i, attributes={**can_be, "full": {"bool": True}}, consumesCounters=consumes(i, 1)))
    shared = [{"name": f"gpu-{i}-counters", "counters": counters(1)} for i in range(gpus)]
    return [_slice(node, 0, 2, sharedCounters=shared), _slice(node, 1, 2, devices=devices)]
