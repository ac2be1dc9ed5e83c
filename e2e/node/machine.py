"""Checks whether this machine can run a node, and prepares the namespaces and the control group of the node."""
import contextlib
import os
import pathlib
import subprocess
import sys
import time

from e2e.node import packages

ADDRESS = "10.10.0.2"
CGROUPS = pathlib.Path("/sys/fs/cgroup")
UNIFIED = CGROUPS / "cgroup.controllers"  # with cgroup v2 only
CONTROLLERS = {"cpu", "cpuset", "memory", "pids"}
UNSHARE = ("unshare", "--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child=KILL",
           "--propagation", "private", "--mount-proc")
# The kubelet would set these for the whole machine, since they do not belong to a namespace. It finds them set.
KERNEL_SETTINGS = {"vm/overcommit_memory": "1", "kernel/panic": "10", "kernel/panic_on_oops": "1"}
# The actions of a node, in the namespaces in which it does them: (description, a shell command that tries the action).
TRIALS = (
    ("a file system in memory (mount -t tmpfs)", "mount -t tmpfs tmpfs /run"),
    ("a fresh sysfs (mount -t sysfs)", "mount -t sysfs sysfs /mnt"),
    ("files bound over /proc/sys (mount --bind)", "mount --bind /dev/null /proc/sys/kernel/panic"),
    ("overlayfs", "cd /run && mkdir l u w m && mount -t overlay overlay -o lowerdir=l,upperdir=u,workdir=w m"),
    ("network links of type veth", "ip link add probe0 type veth peer name probe1"),
    ("network links of type bridge", "ip link add probe2 type bridge"),
    ("nftables", "nft add table ip probe"),
    ("forwarding (net.ipv4.ip_forward)", "echo 1 > /proc/sys/net/ipv4/ip_forward"),
)


def hierarchies():
    """Returns the roots of all control groups: one with cgroup v2, one for each controller with v1."""
    if UNIFIED.exists():
        return [CGROUPS]
    return sorted({folder.resolve() for folder in CGROUPS.iterdir() if folder.is_dir()})


def controllers():
    if UNIFIED.exists():
        return set(UNIFIED.read_text().split())
    return {folder.name for folder in CGROUPS.iterdir()}


def missing():
    """Describes what this machine lacks to run a node; empty if it can."""
    if os.geteuid() != 0:
        return ["root: namespaces and control groups belong to it"]
    try:
        packages.fetch()
    except packages.Missing as absent:
        return [str(absent)]
    lacks = []
    if subprocess.run([*UNSHARE, "true"], capture_output=True).returncode:
        lacks.append("namespaces for mounts, network, processes, host name and IPC (unshare)")
    else:
        script = "\n".join(f"why=$( ({command}) 2>&1) || echo \"{words}: $why\"" for words, command in TRIALS)
        tried = subprocess.run([*UNSHARE, "sh", "-c", script], capture_output=True, text=True)
        lacks += tried.stdout.splitlines()
    return lacks + cgroups_missing()


def cgroups_missing():
    if absent := CONTROLLERS - (controllers() if CGROUPS.is_dir() else set()):
        return [f"control groups in {CGROUPS}: {', '.join(sorted(absent))}"]
    for folder in hierarchies():
        probe = folder / f"podium-probe-{os.getpid()}"
        try:
            probe.mkdir()
            probe.rmdir()
        except OSError as error:
            return [f"control groups that may be made in {folder}: {error.strerror}"]
    return []


# --- outside of the namespaces ---
@contextlib.contextmanager
def control_group():
    """Yields the name of a control group for the node's pods. Removes it and all groups below it afterwards."""
    name = f"podium-node-{os.getpid()}"
    groups = [folder / name for folder in hierarchies()]
    try:
        for group in groups:
            group.mkdir()
            give(group)
        yield name
    finally:
        for group in groups:
            remove(group)


def give(group):
    """Gives a new group and the groups below it the controllers of the root."""
    if UNIFIED.exists():
        (group / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in sorted(CONTROLLERS)))
    for setting in ("cpuset.cpus", "cpuset.mems"):  # empty in a new group of v1
        if (group.parent / setting).exists():
            (group / setting).write_text((group.parent / setting).read_text())


def remove(group, seconds=10):
    """Removes a control group whose processes have been killed, with all below it."""
    deadline = time.monotonic() + seconds
    while group.is_dir():
        for below, _, _ in os.walk(group, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(below)
        if time.monotonic() > deadline:
            print(f"{group} could not be removed: processes are left in it", file=sys.stderr)
            return
        time.sleep(0.05)  # killed processes leave their groups when they have ended


# --- inside of the namespaces ---
def furnish(directory, host):
    """Gives this process's new namespaces everything that a node expects of a machine."""
    run = lambda *argv: subprocess.run(argv, check=True)
    aside = directory / "cgroup"
    aside.mkdir()
    run("mount", "--rbind", CGROUPS, aside)
    run("mount", "-t", "sysfs", "sysfs", "/sys")  # of this network namespace
    run("mount", "--rbind", aside, CGROUPS)
    for folder in ("/run", "/var/lib", "/var/log"):
        run("mount", "-t", "tmpfs", "tmpfs", folder)
    run("mount", "--make-rshared", "/")
    for setting, value in KERNEL_SETTINGS.items():
        file = directory / setting.replace("/", "-")
        file.write_text(value + "\n")
        run("mount", "--bind", file, f"/proc/sys/{setting}")
    run("hostname", host)
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "node0", "type", "veth", "peer", "name", "outside0")
    run("ip", "address", "add", f"{ADDRESS}/24", "dev", "node0")
    for link in ("node0", "outside0"):
        run("ip", "link", "set", link, "up")
    run("ip", "route", "add", "default", "via", "10.10.0.1", "dev", "node0")
    pathlib.Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
