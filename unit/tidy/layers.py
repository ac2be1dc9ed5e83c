#!/usr/bin/env python3
"""Checks includes. A room includes only the rooms that CMakeLists.txt links it with. A room's tests include these, the rooms of
its folders, the shared test code of all these, and unit/support. Also checks what the pure core must not use, that the
namespaces of headers follow the folders (docs/ARCHITECTURE.md), that no type, header or constant has the name of another one that
its room may include, and how many compilations a change of a header repeats."""
import itertools
import re
import sys

import rooms

CORE = ("cel", "explain", "scheduler/cluster", "scheduler/cycle", "scheduler/devices", "scheduler/framework", "scheduler/plugins",
        "scheduler/queue")  # with their folders
BANNED_IN_CORE = re.compile(r"boost/asio|boost/beast|<(random|thread|fstream|iostream)>|spdlog|system_clock\(\)|steady_clock::now")
NAMESPACE = re.compile(r"^namespace (podium[\w:]*) \{\n(?!(?:(?:class|struct) \w+;\n)+\})", re.MULTILINE)  # not of declarations only
# A type at the level of a namespace, with its body.
TYPE = re.compile(r"^(?:enum class|enum|class|struct) (\w+)(?: final)?(?: : [^{;]*)?\s*\{|^using (\w+) =|^concept (\w+)", re.MULTILINE)
TWINS = {  # names of two types of which one room may include the other, and why
    "Request": "client's is sent, server's is received; a file that uses both names the namespace",
}
# A constant at the level of a namespace, with those of the same declaration; and its other names.
CONSTANTS = re.compile(r"^(?:inline )?(?:constexpr|const) [^;{=(]*?\b(k[A-Z]\w*)(?=\s*[={\[])([^;]*);", re.MULTILINE)
NEXT_CONSTANT = re.compile(r",\s*(k[A-Z]\w*)\s*[={]")
INCLUDE = re.compile(r'#include "([^"]+)"')
# The most compilations of the program that a header may reach, and those that reach more: their types are held by value everywhere.
MOST_REACHED = 290
REACH_MORE = {"base/error.h", "base/finding.h", "base/instant.h", "base/result.h"}
NOT_OF_PROGRAM = ("unit", "bench", "e2e", "fuzz", "simulate")


def may_include(table, room):
    """The folders that this one may include; None if it is neither a room nor a room's tests."""
    if room in table:
        return table[room]
    if room.startswith(rooms.TESTS) and room[len(rooms.TESTS):] in table:
        name = room[len(rooms.TESTS):]
        tested = set().union(*(used for other, used in table.items() if other == name or other.startswith(name + "/")))
        return tested | {rooms.TESTS + other for other in tested} | table["unit/support"]
    return None


def namespace_of(room):
    """The namespace of the room's headers; None: any."""
    top, _, rest = room.partition("/")
    part = rest.partition("/")[0]
    if top == "base":
        return "podium"
    if top == "scheduler":
        return f"podium::{part}"
    if top == "app":
        if part in ("page", "report_api", "run"):
            return f"podium::app::{part}"
        return "podium::app" if part in ("config", "engine", "main") else f"podium::{part}"
    return f"podium::{top}" if top in ("api", "async", "cel", "client", "controller", "explain", "fuzz", "log", "metrics", "server",
                                       "simulate") else None


def namespaces(path, room, text):
    if str(path) == "log/limit.h":  # of podium: most call theirs `log`, which would hide the namespace
        return
    expected, found = namespace_of(room), NAMESPACE.findall(text)
    if path.suffix == ".h" and expected and found and not any(f"{name}::".startswith(f"{expected}::") for name in found):
        yield f"{path}: is in {found[0]}, not in {expected} (docs/ARCHITECTURE.md)"


def names_of(path, text):
    """The name of the header and those of its types. Those in a namespace `detail` are of their room only."""
    yield path.name
    if "::detail {" not in text:
        yield from ("".join(groups) for groups in TYPE.findall(text))


def twins(table):
    """Names that two rooms give to two things, if one of the rooms may include the other."""
    places = {}
    for path in rooms.sources():
        if path.suffix == ".h" and path.parts[0] not in ("unit", "e2e", "bench"):
            for name in set(names_of(path, (rooms.ROOT / path).read_text())):
                places.setdefault(name, []).append(path)
    for name, paths in sorted(places.items()):
        for one, other in itertools.combinations(paths, 2):
            first, second = rooms.room_of(one), rooms.room_of(other)
            if first == "app/render" and name.endswith(".h") and second.startswith("explain/"):  # the same as text for people
                continue
            if name not in TWINS and first != second and (second in table.get(first, ()) or first in table.get(second, ())):
                yield f"{other}: {name} is also in {one}, and one of the rooms may include the other"


def constants_of(text):
    for match in CONSTANTS.finditer(text):
        yield match[1]
        if '"' not in match[2]:
            yield from NEXT_CONSTANT.findall(match[2])


def other_constants(table):
    """Constants with the name of one in a header that their room may include. Copies with the same value are fine in simulate/, which
    must not take the rules that it checks from the program."""
    headers, places = {}, {}
    for path in rooms.sources():
        if path.parts[0] not in ("unit", "e2e", "bench"):
            for name in set(constants_of((rooms.ROOT / path).read_text())):
                places.setdefault(name, []).append(path)
                if path.suffix == ".h":
                    headers.setdefault(name, []).append(path)
    for name, paths in sorted(headers.items()):
        for header, path in itertools.product(paths, places[name]):
            room, other = rooms.room_of(header), rooms.room_of(path)
            if path != header and path.parts[0] != "simulate" and (room == other or room in table.get(other, ())):
                yield f"{path}: {name} is also in {header}, which it may include"


def reached():
    """{header: the compilations of the program that include it, also through other headers}."""
    texts = {str(path): (rooms.ROOT / path).read_text() for path in rooms.sources() if path.parts[0] not in NOT_OF_PROGRAM}
    included = {name: [other for other in INCLUDE.findall(text) if other in texts] for name, text in texts.items()}
    found = {}
    for name in texts:
        if name.endswith(".cc"):
            seen, left = set(), [name]
            while left:
                new = set(included[left.pop()]) - seen
                seen |= new
                left += new
            for header in seen:
                found[header] = found.get(header, 0) + 1
    return found


def findings():
    for header, count in sorted(reached().items()):
        if count > MOST_REACHED and header not in REACH_MORE:
            yield f"{header}: reaches {count} compilations, more than {MOST_REACHED}: declare its types where a reference is enough"
    table = rooms.closure(rooms.links())
    # The suite of cost includes the rooms that its target links, and those below them.
    linked = ("explain/answer", "scheduler/extender")
    table["unit/cost"] = table["unit/support"] | {"unit/support", "unit/cost"} | set(linked).union(*(table[x] for x in linked))
    yield from twins(table)
    yield from other_constants(table)
    for path in rooms.sources():
        room = rooms.room_of(path)
        allowed = may_include(table, room)
        if allowed is None:
            yield f"{path}: {room} is no podium_room of CMakeLists.txt"
            continue
        text = (rooms.ROOT / path).read_text()
        yield from namespaces(path, room, text)
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            if match and "/" in match[1] and match[1].rpartition("/")[0] not in allowed:
                yield f"{path}:{number}: {room} may not include {match[1]}"
            if (room in CORE or room.rpartition("/")[0] in CORE) and BANNED_IN_CORE.search(line.split("//")[0]):
                yield f"{path}:{number}: the pure core has no clock, I/O, randomness or Asio: {line.strip()}"


if __name__ == "__main__":
    wrong = list(findings())
    print("\n".join(wrong) or "every include is within its layer")
    sys.exit(1 if wrong else 0)
