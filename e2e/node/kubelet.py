"""A node: containerd, kubelet and kube-proxy, in the namespaces that machine.py has prepared."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess

from e2e.node import image, machine, packages
from e2e.node.plane import NODE, NODE_TOKEN, PROXY_TOKEN
from e2e.node.world import APP, KUBECTL, PODIUM, SANDBOX, is_ready
from e2e.support.control_plane import BIN, environment, wait_until
from e2e.support.processes import Process, Service

SOCKET = "/run/containerd/containerd.sock"
POD_NETWORK = "10.244.0.0/24"

CONTAINERD = """version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{sandbox}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{plugins}"
    conf_dir = "{networks}"
"""
NETWORK = {"cniVersion": "0.4.0", "name": "pods", "plugins": [
    {"type": "bridge", "bridge": "pods0", "isGateway": True,
     "ipam": {"type": "host-local", "dataDir": "/run/networks", "ranges": [[{"subnet": POD_NETWORK}]],
              "routes": [{"dst": "0.0.0.0/0"}]}}]}


class Node(Service):
    """The node of a cluster. It imports the images that its pods use."""

    runs_everything = True
    kind = "a real node: containerd, kubelet and kube-proxy"

    def __init__(self, cluster, directory, images, cgroup):
        self.cluster, self.dir, self.images, self.cgroup = cluster, directory, images, cgroup
        self.manifests = directory / "manifests"
        self.logs = directory / "pods"
        self.containerd = self.kubelet = self.proxy = None

    def _start(self):
        for folder in (self.dir, self.manifests, self.logs, self.dir / "networks"):
            folder.mkdir(exist_ok=True)
        self._start_containerd()
        for archive in self.images:
            self._ctr("images", "import", archive)
        self._start_kubelet()
        self._start_proxy()
        wait_until(self._ready, "the node is ready", 180)

    def stop(self):
        for process in (self.proxy, self.kubelet, self.containerd):
            if process:
                process.stop()

    # --- what the steps use ---
    def put_manifest(self, pod):
        """Runs a static pod."""
        (self.manifests / f"{pod['metadata']['name']}.yaml").write_text(json.dumps(pod))

    def remove_manifest(self, name):
        (self.manifests / f"{name}.yaml").unlink()

    def log_of(self, pod):
        """Returns the output of the pod's container since its last start."""
        meta = pod["metadata"]
        return self._newest_log(f"{meta['namespace']}_{meta['name']}_{meta['uid']}")

    def log_of_static(self, name):
        return self._newest_log(f"*_{name}-{NODE}_*")

    def _newest_log(self, folder):
        files = self.logs.glob(f"{folder}/*/*.log")  # 0.log, 1.log, …
        newest = max(files, key=lambda file: int(file.stem), default=None)
        return newest.read_text(errors="replace") if newest else ""

    def kill(self, pod):
        """Kills the pod's program and keeps its sandbox."""
        uid = pod["metadata"]["uid"]
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                of_sandbox = (process / "comm").read_text() == "sleeper\n"
                if uid in (process / "cgroup").read_text() and not of_sandbox:
                    os.kill(int(process.name), signal.SIGKILL)

    def show(self):
        """Returns the last lines of its programs, for the message of a failure."""
        started = [process for process in (self.containerd, self.kubelet, self.proxy) if process]
        return "\n".join(f"--- {process.name} ---\n{process.tail(12)}" for process in started)

    # --- its parts ---
    def _start_containerd(self):
        config = self.dir / "containerd.toml"
        config.write_text(CONTAINERD.format(socket=SOCKET, sandbox=SANDBOX, plugins=packages.plugins(),
                                            networks=self.dir / "networks"))
        (self.dir / "networks/10-pods.conflist").write_text(json.dumps(NETWORK))
        self.containerd = self._process("containerd", "containerd", "--config", config)
        wait_until(lambda: self._ctr("version", check=False).returncode == 0, "containerd answers")

    def _ctr(self, *args, check=True):
        argv = ["ctr", "-a", SOCKET, "-n", "k8s.io", *map(str, args)]
        done = subprocess.run(argv, capture_output=True, text=True)
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(argv)}: {done.stderr.strip()}\n{self.containerd.tail()}")
        return done

    def _start_kubelet(self):
        config = self.dir / "kubelet.json"
        config.write_text(json.dumps({
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
            "authorization": {"mode": "AlwaysAllow"},
            "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{self.cgroup}",
            "failCgroupV1": False, "failSwapOn": False, "makeIPTablesUtilChains": False,
            "containerRuntimeEndpoint": f"unix://{SOCKET}",
            # The machine's disk is not the node's: the kubelet must not evict or collect anything because of it.
            "evictionHard": {"memory.available": "1Mi", "nodefs.available": "0%", "nodefs.inodesFree": "0%",
                             "imagefs.available": "0%", "imagefs.inodesFree": "0%"},
            "imageGCHighThresholdPercent": 100, "imageGCLowThresholdPercent": 99,
            "maxPods": 250, "fileCheckFrequency": "1s", "resolvConf": "",
            "podLogsDir": str(self.logs), "volumePluginDir": str(self.dir / "volume-plugins"),
            "staticPodPath": str(self.manifests)}))
        self.kubelet = self._process(
            "kubelet", BIN / "kubelet", "--config", config, "--kubeconfig", self._kubeconfig("kubelet", NODE_TOKEN),
            "--node-ip", machine.ADDRESS, "--hostname-override", NODE, "--root-dir", "/var/lib/kubelet",
            "--cert-dir", self.dir / "kubelet-certificates", "--v=2")

    def _start_proxy(self):
        self.proxy = self._process(
            "kube-proxy", BIN / "kube-proxy", "--kubeconfig", self._kubeconfig("kube-proxy", PROXY_TOKEN),
            "--proxy-mode=nftables", "--cluster-cidr", POD_NETWORK, "--hostname-override", NODE,
            "--conntrack-max-per-core=0", "--conntrack-min=0")

    def _process(self, name, *argv):
        return Process(argv, self.dir / f"{name}.log", env=environment())

    def _kubeconfig(self, name, token):
        return self.cluster.write_kubeconfig(self.dir / f"{name}.kubeconfig", token=token)

    def _ready(self):
        for process in (self.containerd, self.kubelet, self.proxy):
            if not process.alive():
                raise RuntimeError(f"{process.name} {process.how_it_ended()}:\n{process.tail()}")
        status, node = self.cluster.request("GET", f"/api/v1/nodes/{NODE}")
        return status == 200 and is_ready(node)


def prepare_images(directory, archive):
    """Makes archives of all images that the node needs, with the names that pods use."""
    sleeper = directory / "sleeper"
    source = pathlib.Path(__file__).with_name("sleeper.c")
    subprocess.run(["gcc", "-static", "-Os", "-s", "-o", sleeper, source], check=True)
    image.make(directory / "sandbox.tar", SANDBOX, {"/sleeper": sleeper})
    image.make(directory / "app.tar", APP, {"/sleeper": sleeper})
    image.make(directory / "kubectl.tar", KUBECTL, {"/kubectl": BIN / "kubectl"})
    image.rename(archive, directory / "podium.tar", PODIUM)
    return [directory / f"{name}.tar" for name in ("sandbox", "app", "kubectl", "podium")]
