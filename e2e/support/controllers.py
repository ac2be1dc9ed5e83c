"""The controllers of a real kube-controller-manager, which create the pods of workloads."""
import subprocess

from .control_plane import BIN, ROOT, environment
from .ports import free_ports
from .processes import Process

WORKLOADS = ("deployment", "replicaset", "statefulset", "job", "daemonset", "garbage-collector")


def build():
    subprocess.run([ROOT / "tools/kube.sh", "kube-controller-manager"], cwd=ROOT, check=True)


def controllers(plane, names=WORKLOADS, flags=()):
    """Returns a kube-controller-manager with these controllers; `flags` override those here. The caller stops it."""
    return Process([BIN / "kube-controller-manager", "--kubeconfig", plane.kubeconfig, "--leader-elect=false",
                    "--controllers", ",".join(f"{name}-controller" for name in names), "--kube-api-qps", 500, "--kube-api-burst", 500,
                    "--cert-dir", plane.dir / "controllers", "--bind-address", "127.0.0.1", "--secure-port", free_ports(1)[0],
                    *flags],
                   plane.dir / "controllers.log", env=environment())
