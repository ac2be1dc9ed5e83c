"""A DNS server for tests, and the network namespace that it needs if the caller is not root."""

import fcntl
import os
import random
import socket
import struct
import threading

from .in_root import NEW_NETWORK, unshare
from .processes import Service

A, NO_SUCH_NAME = 1, 3
SET_FLAGS, UP = 0x8914, 0x1  # SIOCSIFFLAGS and IFF_UP of netdevice(7)


def may_use_port_53():
    """Moves a program that is not root, and has one thread, into a network of its own with a loopback. A program of root stays where it
    is."""
    if os.geteuid() == 0:
        return
    unshare(NEW_NETWORK)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh", b"lo", UP))


class NameServer(Service):
    """Answers with these IPv4 addresses by name, on port 53 of a loopback address of its own. Keeps the names of the queries."""

    def __init__(self, addresses):
        self.addresses, self.asked = addresses, []
        self.socket = self.thread = None

    @property
    def address(self):
        return self.socket.getsockname()[0]

    def _start(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(
            (f"127.53.{random.SystemRandom().randrange(256)}.{random.SystemRandom().randrange(1, 255)}", 53)
        )
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def stop(self):
        if self.thread and self.thread.is_alive():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.sendto(b"", self.socket.getsockname())
            self.thread.join()
        if self.socket:
            self.socket.close()

    def _serve(self):
        while True:
            query, sender = self.socket.recvfrom(512)
            if not query:
                return
            self.socket.sendto(self._answer(query), sender)

    def _answer(self, query):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1 : at + 1 + query[at]].decode())
            at += 1 + query[at]
        name, kind = ".".join(labels), struct.unpack("!H", query[at + 1 : at + 3])[0]
        self.asked.append(name)
        found = self.addresses.get(name)
        records = (
            b"\xc0\x0c" + struct.pack("!HHIH4s", A, 1, 5, 4, socket.inet_aton(found))
            if found and kind == A
            else b""
        )
        code = 0 if found else NO_SUCH_NAME
        head = struct.pack("!2sHHHHH", query[:2], 0x8580 | code, 1, 1 if records else 0, 0, 0)
        return head + query[12 : at + 5] + records
