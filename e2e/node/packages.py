"""Programs of Debian packages, unpacked into .cache without installing them."""
import hashlib
import os
import pathlib
import shutil
import subprocess

from e2e.support.control_plane import ROOT

LIST = pathlib.Path(__file__).with_name("packages.txt")
CACHE = ROOT / ".cache/node"
UNPACKED = CACHE / "root"
PROGRAMS = ("containerd", "containerd-shim-runc-v2", "ctr", "runc", "nft", "ip")
PLUGINS = ("bridge", "host-local", "loopback")  # of the container network interface


class Missing(Exception):
    """What this machine lacks to run a node, in words."""


def names():
    return [line for line in LIST.read_text().splitlines() if line and not line.startswith("#")]


def fetch():
    """Downloads and unpacks what is not installed; once. Raises Missing."""
    stamp = hashlib.sha256(LIST.read_bytes()).hexdigest()
    if (CACHE / "stamp").exists() and (CACHE / "stamp").read_text() == stamp and not absent():
        return
    if not shutil.which("apt-get"):
        if absent():
            raise Missing(f"no apt-get for the packages {', '.join(names())}, and no {', '.join(absent())}")
        return
    shutil.rmtree(CACHE, ignore_errors=True)
    archives = CACHE / "archives"
    (archives / "partial").mkdir(parents=True)
    download = ["apt-get", "-qq", "-y", "--no-install-recommends", "--download-only", "-o",
                f"Dir::Cache::Archives={archives}", "-o", "APT::Sandbox::User=root", "install", *names()]
    done = subprocess.run(download, capture_output=True, text=True)
    if done.returncode:  # a machine whose package lists have not been read
        subprocess.run(["apt-get", "-qq", "update"], capture_output=True)
        done = subprocess.run(download, capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"the packages {', '.join(names())}: {done.stderr.strip()}")
    for archive in sorted(archives.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", archive, UNPACKED], check=True)
    shutil.rmtree(archives)
    if absent():
        raise Missing(f"the packages {', '.join(names())} have no {', '.join(absent())}")
    (CACHE / "stamp").write_text(stamp)


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
