"""podium's image: its archive, and a podium that runs only from its files, like a pod of the chart."""

import contextlib
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tarfile

from . import podium
from .processes import Process

IN_ROOT = pathlib.Path(__file__).with_name("in_root.py")
PROGRAM = "/usr/local/bin/podium"
PATH = "PATH=/usr/local/bin"
SERVICE_ACCOUNT = "var/run/secrets/kubernetes.io/serviceaccount"


def command(root, *argv, environment=()):
    """Returns the command line that runs this command inside of the root file system, as the image's user."""
    return [sys.executable, "-I", IN_ROOT, root, PATH, *environment, *argv]


def run(root, *argv, before=()):
    """Returns (exit code, output, errors) of podium with these arguments in the root file system; `before` runs
    it."""
    done = subprocess.run(
        list(map(str, command(root, *before, PROGRAM, *argv))), text=True, capture_output=True, timeout=180
    )
    return done.returncode, done.stdout, done.stderr


class Archive:
    """An image in an OCI archive or an OCI layout, and its referrers."""

    def __init__(self, path):
        path = pathlib.Path(path)
        if path.is_dir():
            self.files = {str(p.relative_to(path)): p.read_bytes() for p in path.rglob("*") if p.is_file()}
        else:
            with tarfile.open(path) as tar:
                self.files = {entry.name: tar.extractfile(entry).read() for entry in tar}
        self.index = json.loads(self.files["index.json"])
        manifests = [(entry, json.loads(self.blob(entry))) for entry in self.index["manifests"]]
        [(self.entry, self.manifest)] = [pair for pair in manifests if "artifactType" not in pair[0]]
        self.referrers = [manifest for entry, manifest in manifests if "artifactType" in entry]
        self.config = json.loads(self.blob(self.manifest["config"]))

    def blob(self, descriptor):
        content = self.files["blobs/" + descriptor["digest"].replace(":", "/")]
        if (f"sha256:{hashlib.sha256(content).hexdigest()}", len(content)) != (
            descriptor["digest"],
            descriptor["size"],
        ):
            raise AssertionError(f"the blob is not what its descriptor says: {descriptor}")
        return content

    @contextlib.contextmanager
    def layer(self):
        """Returns the only layer, as an open tar file."""
        [descriptor] = self.manifest["layers"]
        with tarfile.open(fileobj=io.BytesIO(self.blob(descriptor))) as tar:
            yield tar

    def unpack(self, directory):
        """Writes the image's files below the directory, which is then a root file system."""
        directory = pathlib.Path(directory)
        directory.mkdir(mode=0o755)
        with self.layer() as tar:
            tar.extractall(directory)
        return directory


class ImagePodium(podium.Podium):
    """Runs podium from the image's files, with the arguments, the environment and the files of a pod of the chart."""

    def __init__(self, plane, root, resolv_conf="", hosts="", name="podium"):
        super().__init__(plane, name=name)
        self.root = pathlib.Path(root)
        token = plane.kubectl("create", "token", "podium", "-n", podium.NAMESPACE, "--duration", "8h").strip()
        self.put("etc/podium/config.yaml", self.config.read_text())
        self.put("etc/resolv.conf", resolv_conf)
        self.put("etc/hosts", "127.0.0.1 localhost\n" + hosts)
        self.put(f"{SERVICE_ACCOUNT}/token", token)
        self.put(f"{SERVICE_ACCOUNT}/namespace", podium.NAMESPACE)
        self.put(f"{SERVICE_ACCOUNT}/ca.crt", (plane.dir / "ca.crt").read_text())

    def put(self, path, text):
        """Writes a file that a pod would have mounted."""
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o644)

    def arguments(self):
        return ["--config=/etc/podium/config.yaml", f"--secure-port={self.port}", "--bind-address=0.0.0.0"]

    def _start(self, wait=True):
        environment = ["KUBERNETES_SERVICE_HOST=127.0.0.1", f"KUBERNETES_SERVICE_PORT={self.plane.api_port}"]
        self.process = Process(
            command(self.root, PROGRAM, "run", *self.arguments(), *self.flags, environment=environment),
            self.dir / "log",
        )
        if wait:
            self.wait_ready()
