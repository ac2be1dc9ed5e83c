#!/usr/bin/env python3
"""Checks the documents: links within the repository lead somewhere, tests and files that they name exist, types are in the folder that
they name, each fault of docs/faults.md has a test, docs/reports.md is what the CRD says, pictures are drawn from their texts, every
alert of the chart has a section in the runbook, every decision a row in their index, and figures are those of their sources
(figures.py)."""
import functools
import pathlib
import re
import subprocess
import sys

import figures
import rooms

LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+)\)|<img[^>]* src=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6} +(.*?)\s*$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# `unit/server/access_test.cc::Access.Name` and `e2e/tests/test_door.py::Access.test_name`.
TEST = re.compile(r"`([\w./-]+\.(?:cc|py))::(\w+)\.(\w+)`")
# A path in a code span that starts with one of these folders is a file or folder of the repository.
FOLDERS = {name.partition("/")[0] for name in
           subprocess.run(["git", "ls-files"], cwd=rooms.ROOT, check=True, capture_output=True, text=True).stdout.splitlines() if "/" in name}
PATH = re.compile(rf"`((?:{'|'.join(map(re.escape, sorted(FOLDERS)))})/[\w./*{{}},-]+)(?:::[\w.]+)?`")
# live/ApiAnnouncer: a type and the end of its folder.
TYPE = re.compile(r"(?<![\w/.-])([a-z_]+)/([A-Z][a-z]+[A-Z]\w+)\b")
ALERT = re.compile(r"^\s*-? *alert: *(\w+)", re.MULTILINE)
RUNBOOK = "docs/operations.md"
FAULTS = "docs/faults.md"
INDEX = "docs/decisions/README.md"


def documents():
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], cwd=rooms.ROOT,
                           check=True, capture_output=True, text=True).stdout
    return [pathlib.PurePath(name) for name in names.split("\0") if name and (rooms.ROOT / name).exists()]


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(text):
    seen, found = {}, set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        name = slug(heading)
        count = seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{count}" if count else name)
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def links(path, text):
    """Findings on links. Code blocks keep their lines, so that line numbers are right."""
    prose = FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)
    for match in LINK.finditer(prose):
        target = match[1] or match[2]
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        place = (rooms.ROOT / path.parent / file).resolve() if file else rooms.ROOT / path
        where = f"{path}:{line_of(prose, match.start())}"
        if not place.is_relative_to(rooms.ROOT) or not place.exists():
            yield f"{where}: no such file: {target}"
        elif anchor and place.suffix == ".md" and anchor not in anchors(place.read_text()):
            yield f"{where}: no such heading: {target}"


def has_test(path, suite, name):
    file = rooms.ROOT / path
    if not file.is_file():
        return False
    text = file.read_text()
    if path.endswith(".cc"):
        return bool(re.search(rf"\bTEST(?:_F|_P)?\({suite},\s*{name}\)", text))
    body = re.search(rf"^class {suite}\b.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    return bool(body and re.search(rf"^    (?:async )?def {name}\(", body[0], re.MULTILINE))


def names(path, text):
    for match in TEST.finditer(text):
        if not has_test(*match.groups()):
            yield f"{path}:{line_of(text, match.start())}: no such test: {match[0]}"
    for match in PATH.finditer(text):
        for file in braces(match[1]):
            if not any(rooms.ROOT.glob(file.rstrip("/."))):
                yield f"{path}:{line_of(text, match.start())}: no such file: {file}"


@functools.cache
def types(folder):
    """The types that the headers of all folders of this name define."""
    headers = [*rooms.ROOT.glob(f"{folder}/*.h"), *rooms.ROOT.glob(f"*/**/{folder}/*.h")]
    text = "".join(header.read_text() for header in headers if header.relative_to(rooms.ROOT).parts[0] != "build")
    return set(re.findall(r"\b(?:class|struct|using) (\w+)", text))


def places(path, text):
    for match in TYPE.finditer(text):
        if types(match[1]) and match[2] not in types(match[1]):
            yield f"{path}:{line_of(text, match.start())}: no such type in that folder: {match[0]}"


def braces(path):
    """a/{b,c}/d: a/b/d and a/c/d."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [whole for part in match[1].split(",") for whole in braces(path[:match.start()] + part + path[match.end():])]


def runbook():
    """Alerts without a section, and sections without an alert."""
    chart = rooms.ROOT / "charts" / "podium"
    alerts = {name for file in chart.rglob("*.yaml") for name in ALERT.findall(file.read_text())}
    sections = set(re.findall(r"^#+ (Podium\w+)$", (rooms.ROOT / RUNBOOK).read_text(), re.MULTILINE))
    if not alerts:  # the chart has no rules
        return
    for name in sorted(alerts - sections):
        yield f"{RUNBOOK}: no section for the alert {name}"
    for name in sorted(sections - alerts):
        yield f"{RUNBOOK}: the chart has no alert {name}"


def faults():
    """Rows that name no test. names() checks that the tests exist."""
    text, column = (rooms.ROOT / FAULTS).read_text(), None
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            column = None
        elif "Shown by" in cells:
            column = cells.index("Shown by")
        elif column is not None and not set(line) <= set("|- ") and cells[column] != "not shown" and not TEST.search(cells[column]):
            yield f"{FAULTS}:{number}: names no test; a fault that none shows says so: not shown"


def decisions():
    """Numbers of decisions without a row in the index, and rows whose title is not the decision's."""
    index, last = (rooms.ROOT / INDEX).read_text(), 0
    rows = {int(number): row for number, row in re.findall(r"^\| (\d+) \| (.*)", index, re.MULTILINE)}
    for path in sorted((rooms.ROOT / INDEX).parent.glob("0*.md")):
        last = int(path.name[:4])
        title = path.read_text().splitlines()[0].partition(". ")[2]
        if f"[{title}]({path.name})" not in rows.get(last, ""):
            yield f"{INDEX}: no row for decision {last}: | {last} | [{title}]({path.name}) | … |"
    yield from (f"{INDEX}: no row for decision {number}" for number in range(1, last) if number not in rows)


def reference():
    done = subprocess.run([sys.executable, "tools/report_reference.py", "--check"], cwd=rooms.ROOT, capture_output=True, text=True)
    if done.returncode:
        yield done.stderr.strip()


def pictures():
    texts = sorted(str(text.relative_to(rooms.ROOT)) for text in (rooms.ROOT / "docs" / "pictures").glob("*.txt"))
    done = subprocess.run([sys.executable, "tools/picture.py", "--check", *texts], cwd=rooms.ROOT, capture_output=True, text=True)
    if done.returncode:
        yield done.stderr.strip()


def findings():
    for path in documents():
        text = (rooms.ROOT / path).read_text()
        yield from links(path, text)
        yield from names(path, text)
        yield from places(path, text)
    yield from runbook()
    yield from faults()
    yield from decisions()
    yield from figures.findings()
    yield from reference()
    yield from pictures()


if __name__ == "__main__":
    wrong = list(findings())
    print("\n".join(wrong) or "links, names, types, the runbook, decisions, figures, the report reference and the pictures are in order")
    sys.exit(1 if wrong else 0)
