#!/usr/bin/env python3
"""Checks comments and documents for the idioms of docs/STYLE.md that a pattern can find."""
import pathlib
import re
import subprocess
import sys

import rooms
import text

# Folders and files that are not checked yet. This list only gets shorter. The tables of docs/configuration.md and docs/flags.md
# come from strings of the program.
NOT_YET = ("app/", "explain/",
           "unit/app/", "unit/explain/")
# Pattern and what to write instead.
IDIOMS = [(re.compile(rf"\b{pattern}\b", re.IGNORECASE), better) for pattern, better in (
    (r"(?<!there )is no (?!longer\b|more than\b|less than\b|older than\b|one\b)[a-z]+", "is not a …"),
    (r"has not(?= (?:a|all|an|any|enough|it|its|one|the|them)\b|[.,;:)]| \()", "does not have …"),
    (r"whoever", "a client that …, anyone who …"),
    (r"told", "says, reports, returns"),
    (r"at once", "immediately, at the same time"),
    (r"meanwhile", "in the meantime"),
    (r"goes on", "continues"),
    (r"stands? (?:for|behind)", "represents, replaces, backs"),
    (r"bereft", "lost, without"),
    (r"turn(?:s|ed)? down", "reject"),
    (r"under way", "in flight, in progress"),
    (r"beside", "next to, besides, with"),
    (r"anew", "again"),
    (r"for want of", "because … is missing"),
    (r"g(?:ives?|ave) way", "yield, is evicted, is closed"),
    (r"is carried out", "takes effect"),
)]
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]*`")
# The rows of docs/reports.md about fields come from the CRD.
GENERATED = re.compile(r"^\| `(?:spec|status)\b.*$", re.MULTILINE)


def documents():
    names = subprocess.run(["git", "ls-files", "-z", "docs/*.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"], cwd=rooms.ROOT,
                           check=True, capture_output=True, text=True).stdout
    return [pathlib.PurePath(name) for name in names.split("\0")
            if name and name != "docs/STYLE.md" and (rooms.ROOT / name).exists()]


def prose(path):
    """(line number, words) of each line of a document or of each line with a comment."""
    content = (rooms.ROOT / path).read_text()
    if path.suffix != ".md":
        return text.comments(content)
    plain = content
    for skipped in (FENCE, GENERATED, CODE):
        plain = skipped.sub(lambda block: "\n" * block[0].count("\n"), plain)
    return enumerate(plain.splitlines(), 1)


def findings():
    for path in [*rooms.sources(), *documents()]:
        if str(path).startswith(NOT_YET):
            continue
        for number, words in prose(path):
            for idiom, better in IDIOMS:
                for match in idiom.finditer(words):
                    yield f"{path}:{number}: \"{match[0]}\": write: {better} (docs/STYLE.md)"


if __name__ == "__main__":
    wrong = list(findings())
    print("\n".join(wrong) or "the prose is in order")
    sys.exit(1 if wrong else 0)
