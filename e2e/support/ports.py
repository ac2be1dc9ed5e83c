"""Loopback ports for the servers that tests start."""
import fcntl
import os
import pathlib
import random
import socket

_LOCKS = pathlib.Path(f"/tmp/podium-ports-{os.getuid()}")  # shared by all test processes, whatever TMPDIR says
_held = []  # lock files of the ports that this process owns


def _candidates():
    """Yields ports below the kernel's range for outgoing connections, which therefore do not take them."""
    ephemeral = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports = list(range(10240, ephemeral if ephemeral > 12288 else 61000))
    random.SystemRandom().shuffle(ports)  # independent of a test's seed
    return ports


def _take(port):
    """Takes the port until this process ends. False if another test process owns the port or a process listens on it."""
    lock = open(_LOCKS / str(port), "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
    except OSError:
        lock.close()
        return False
    _held.append(lock)
    return True


def free_ports(count):
    """Returns ports on which no process listens. They belong to this process until it ends; no other caller gets them."""
    _LOCKS.mkdir(exist_ok=True)
    found = []
    for port in _candidates():
        if len(found) == count:
            return found
        if _take(port):
            found.append(port)
    raise RuntimeError("no free port is left")
