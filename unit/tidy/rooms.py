"""Reads the rooms, and which may include which, from the CMakeLists.txt files that link them."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Targets made without podium_room(), with their folders.
OTHERS = {"podium_app_main": "app/main", "podium_tables": "e2e/tables", "podium_questions": "e2e/questions",
          "podium_cel_answers": "e2e/cel", "podium_device_answers": "e2e/devices", "podium_unit_support_objects": "unit/support",
          "core_bench": "bench", "devices_bench": "bench", "memory_bench": "bench", "scale_bench": "bench",
          "podium_fuzzers": "fuzz", "podium_fuzz_driver": "fuzz/driver", "podium_fuzz_entry": "fuzz/afl", "simulate": "simulate/main"}
TESTS = "unit/"


def commands(text):
    """(name, words) of each command of a CMake file."""
    text = re.sub(r"#.*", "", text)
    for name, inner in re.findall(r"^\s*(\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text, re.MULTILINE):
        yield name, inner.split()


def links():
    """{room: the rooms that it links directly}."""
    found, of_target = {}, {**OTHERS}
    for file in ("CMakeLists.txt", "unit/CMakeLists.txt", "e2e/CMakeLists.txt", "bench/CMakeLists.txt", "fuzz/CMakeLists.txt",
                 "simulate/CMakeLists.txt"):
        for name, words in commands((ROOT / file).read_text()):
            if name == "podium_room" and not words[0].startswith("$"):
                of_target["podium_" + words[0].replace("/", "_")] = words[0]
                found[words[0]] = {of_target[word] for word in words[1:] if word in of_target}
            elif name == "target_link_libraries" and words[0] in OTHERS:
                used = {of_target[word] for word in words[1:] if word in of_target}
                found.setdefault(of_target[words[0]], set()).update(used)
    return found


def closure(direct):
    """{room: the rooms that it may include, itself among them}."""
    def all_of(room, seen):
        for used in direct.get(room, ()):
            if used not in seen:
                seen.add(used)
                all_of(used, seen)
        return seen
    return {room: all_of(room, {room}) for room in direct}


def sources():
    """The tracked C++ files, without the examples, which are a build of their own."""
    names = subprocess.run(["git", "ls-files", "-z", "*.cc", "*.h"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [pathlib.PurePath(name) for name in names.split("\0")
            if name and not name.startswith("examples/") and (ROOT / name).exists()]


def room_of(path):
    return str(path.parent)
