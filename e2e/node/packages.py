"""Programs of Debian packages, unpacked into .cache without installing them."""
import os
import pathlib
import shutil
import subprocess

from e2e.support.control_plane import ROOT

LIST = pathlib.Path(__file__).with_name("packages.txt")
UNPACKED = ROOT / ".cache/node"
PROGRAMS = ("containerd", "containerd-shim-runc-v2", "ctr", "runc", "nft", "ip")
PLUGINS = ("bridge", "host-local", "loopback")  # of the container network interface


class Missing(Exception):
    """Describes what this machine lacks to run a node."""


def names():
    return [line for line in LIST.read_text().splitlines() if line and not line.startswith("#")]


def fetch():
    """Downloads and unpacks missing packages, once. Raises Missing."""
    why = "no apt-get"
    if shutil.which("apt-get"):
        done = subprocess.run([ROOT / "tools/unpack.sh", UNPACKED, *names()], capture_output=True, text=True)
        why = done.stderr.strip() or "not in these packages"
    if absent():
        raise Missing(f"the packages {', '.join(names())}; no {', '.join(absent())}: {why}")


def use():
    """Lets this process and its children find the programs and their libraries."""
    folders = [UNPACKED / name for name in ("usr/sbin", "usr/bin", "sbin", "bin")]
    ours = [str(folder) for folder in folders if folder.is_dir()]
    os.environ["PATH"] = os.pathsep.join([*ours, os.environ["PATH"], "/usr/sbin", "/sbin"])
    libraries = [*UNPACKED.glob("usr/lib/*-linux-gnu"), *UNPACKED.glob("lib/*-linux-gnu")]
    if libraries:
        os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(map(str, libraries))


def plugins():
    """The folder with the network plugins, or None."""
    for folder in (UNPACKED / "usr/lib/cni", pathlib.Path("/usr/lib/cni"), pathlib.Path("/opt/cni/bin")):
        if all((folder / plugin).exists() for plugin in PLUGINS):
            return folder
    return None


def absent():
    use()
    gone = [program for program in PROGRAMS if not shutil.which(program)]
    return gone + ([] if plugins() else [f"network plugins {', '.join(PLUGINS)}"])
