"""enter.py ROOT UID GID ENVIRONMENT PROGRAM…: runs a program in a root file system of its own, as this user, with this
environment (JSON). The program dies with the process that started this one. The kernel clears this setting whenever the user changes,
so enter.py sets it last."""
import ctypes
import json
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    root, uid, gid, environment, *argv = sys.argv[1:]
    environment = json.loads(environment)
    libc = ctypes.CDLL(None, use_errno=True)
    os.chroot(root)
    os.chdir("/")
    if uid != "0":
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    if libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0):
        sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")
    os.execvpe(argv[0], argv, environment)
