"""in_root.py ROOT [NAME=VALUE…] PROGRAM ARG…: becomes a program of this root file system, as the user of
podium's image and with this environment only. A caller without the rights for it gets a user namespace, in
which it is root."""

import ctypes
import os
import signal
import sys

USER = 65532
NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000  # clone(2)'s flags
SET_PARENT_DEATH_SIGNAL = 1  # prctl(2)

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags):
    """Moves this process into new namespaces, in which it is root. It must have one thread."""
    user, group = os.geteuid(), os.getegid()
    if _libc.unshare(flags | NEW_USER) != 0:
        raise OSError(
            ctypes.get_errno(), "neither root nor a user namespace: " + os.strerror(ctypes.get_errno())
        )
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def has_user(user):
    """Whether this user exists in this process's user namespace."""
    with open("/proc/self/uid_map") as file:
        return any(int(first) <= user < int(first) + int(count) for first, _, count in map(str.split, file))


def main(root, *rest):
    count = next(i for i, each in enumerate(rest) if "=" not in each)
    environment = dict(each.split("=", 1) for each in rest[:count])
    if os.geteuid() != 0:
        unshare(0)
    known = has_user(USER)
    os.chroot(root)
    os.chdir("/")
    if known:
        os.setgroups([])
        os.setgid(USER)
        os.setuid(USER)
    # The change of the user has cleared it.
    _libc.prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    os.execve(rest[count], rest[count:], environment)


if __name__ == "__main__":
    main(*sys.argv[1:])
