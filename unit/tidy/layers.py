#!/usr/bin/env python3
"""Who may include whom: every room's includes against the design's layers, and what the pure core must not touch."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORE = ("scheduler/cluster", "scheduler/framework", "scheduler/plugins")
MAY_INCLUDE = {
    "base": (),
    "async": ("base",),
    "api": ("base",),
    "client": ("base", "async", "api"),
    "scheduler/cluster": ("base", "api"),
    "scheduler/framework": ("base", "api", "scheduler/cluster"),
    "scheduler/plugins": ("base", "api", "scheduler/cluster", "scheduler/framework"),
    "scheduler/config": ("base", "api", *CORE),
    "scheduler/queue": ("base", "api", *CORE),
    "scheduler/cycle": ("base", "async", "api", "client", *CORE, "scheduler/config", "scheduler/queue"),
    "scheduler/extender": ("base", "async", "api", "client", *CORE, "scheduler/config"),
    "controller": ("base", "async", "api", "client", *CORE, "scheduler/config"),
    "server": ("base", "async", "api", "client", *CORE),
}
BANNED_IN_CORE = re.compile(r"boost/asio|boost/beast|<(random|thread|fstream|iostream)>|spdlog|system_clock\(\)|steady_clock::now")


def room_of(path):
    parts = path.parts
    return "/".join(parts[:2]) if parts[0] == "scheduler" else parts[0]


def findings():
    rooms = (*MAY_INCLUDE, "app")
    for room in MAY_INCLUDE:
        for file in sorted((ROOT / room).glob("*.[hc]*")):
            name = file.relative_to(ROOT)
            for number, line in enumerate(file.read_text().splitlines(), 1):
                match = re.match(r'#include "([^"]+)"', line)
                if match:
                    target = room_of(pathlib.PurePath(match[1]))
                    if target in rooms and target != room and target not in MAY_INCLUDE[room]:
                        yield f"{name}:{number}: {room} may not include {target}"
                if room in CORE and BANNED_IN_CORE.search(line.split("//")[0]):
                    yield f"{name}:{number}: the pure core has no clock, I/O, randomness or Asio: {line.strip()}"


if __name__ == "__main__":
    wrong = list(findings())
    print("\n".join(wrong) or "every include is within its layer")
    sys.exit(1 if wrong else 0)
