"""What a process uses, as the kernel counts it."""
import os
import pathlib


def cpu_seconds(*pids):
    """User and system time so far, of all threads and all these processes."""
    stats = [pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid):
    return _mib(pid, "VmRSS:")


def peak_mib(pid):
    return _mib(pid, "VmHWM:")


def _mib(pid, field):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split(field)[1].split()[0]) / 1024
