#!/usr/bin/env python3
"""Checks every C++ file: at most 500 lines, no line over 110 columns, no paragraph of a comment that ends in a line of one word,
no unused header, no task without an owner, no table of texts with a hash that can be guessed, no sentence that two files have, and
no header comment that names something that does not exist."""
import re
import sys

import rooms

LINES, COLUMNS = 500, 110
# One word of a sentence: not a brace of an example, and not a path or URL, which is longer.
LONELY = re.compile(r"^\W*[A-Za-z][\w'-]{,11}\W*$")
# What this code does not use, and why.
BANNED_FOR = {"asio::detached": "a task has an owner (async/gate.h)", "_Exit": "the program ends in order",
              "steady_timer": "a wait uses async::Timer, which tests can move",
              "tcp_stream": "a deadline uses async::Timer, which tests can move", "sleep_for": "nothing blocks a thread"}
BANNED = re.compile(r"\b(?:" + "|".join(BANNED_FOR) + r")\b")
TABLE = re.compile(r"\bunordered_(?:flat_|node_)?(?:map|set)<(?=std::(?:string|pair<std::string)(?:_view)?\b)")
GUESSABLE = {"api/decode/known_fields.cc"}  # its texts are podium's own
BANNED_IN_TESTS = re.compile(r"\bsleep_for\b")
# `name`, `name()` and name() in a comment.
QUOTED, CALLED = re.compile(r"`([A-Za-z_]\w*(?:::\w+)*)(?:\(\))?`"), re.compile(r"\b([a-z_]\w*(?:::\w+)*)\(\)")
HEADER = re.compile(r"(?<![\w./-])[\w./-]*\w\.h\b")
WORD = re.compile(r"[A-Za-z_]\w*")
# Literals next to each other are one text. A sentence has at least four words.
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
TEXT = re.compile(rf"{LITERAL}(?:\s*{LITERAL})*")
SENTENCE = re.compile(r"(?=.{25})(?:\S+ ){3}\S")
NOT_SHIPPED = (rooms.TESTS, "bench/", "e2e/", "examples/", "fuzz/", "simulate/")
# Names in comments that this tree does not define: standard library, metavariables.
ELSEWHERE = {"brief", "use_count"}


def columns(path, text):
    """Skips raw strings and code with a literal, which the formatter does not break."""
    raw, found = False, []
    for number, line in enumerate(text.splitlines(), 1):
        was_raw, raw = raw, raw != (line.count('R"') % 2 != line.count(')"') % 2 and ('R"' in line or raw))
        has_literal = '"' in line and not line.lstrip().startswith("//")
        if len(line) > COLUMNS and not was_raw and not raw and not has_literal:
            found.append(f"{path}:{number}: {len(line)} columns, more than {COLUMNS}")
    return found


def lonely_words(path, text):
    """Last lines of a comment's paragraph that have one word: the line before them has room if it is said in fewer words."""
    lines = [re.match(r"\s*//\s*(\S.*)?$", line) for line in text.splitlines()] + [None]
    for number, (before, line, after) in enumerate(zip(lines, lines[1:], lines[2:]), 2):
        words = [match[1] if match else None for match in (before, line, after)]
        if words[0] and words[1] and not words[2] and LONELY.search(words[1]):
            yield f"{path}:{number}: a line of one word ends the comment: {words[1]}"


def banned(path, text):
    words = BANNED_IN_TESTS if str(path).startswith(rooms.TESTS) else BANNED
    for number, line in enumerate(text.splitlines(), 1):
        if match := words.search(line.split("//")[0]):
            yield f"{path}:{number}: {match[0]}: {BANNED_FOR[match[0]]}"


def guessable(path, text):
    """Users choose texts that share a place in a table whose hash has no seed."""
    code = without_comments(text)
    for match in TABLE.finditer(code):
        depth, end = 1, match.end()
        while depth > 0:
            depth += {"<": 1, ">": -1}.get(code[end], 0)
            end += 1
        if not re.search(r"TextHash|TextPairHash|, \w*Hash>", table := " ".join(code[match.start():end].split())):
            yield f"{path}: {table}: a table of texts takes TextHash (base/text_hash.h)"


def comments(text):
    """(line number, comment) of each line with a comment."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"^(?:[^\"]|\"[^\"]*\")*?//(.*)", line)
        if match:
            yield number, match[1]


def without_comments(text):
    return re.sub(r"//.*", "", text)


def is_header(path, text, name, paths):
    """A bare name is a header of the same folder or one that this one includes; a longer one is the end of a path."""
    if "/" in name:
        return any(f"/{other}".endswith(f"/{name}") for other in paths)
    return (rooms.ROOT / path.parent / name).exists() or re.search(rf'#include [<"](?:[^">]*/)?{re.escape(name)}[>"]', text)


def contracts(path, text, known, paths):
    for number, comment in comments(text):
        for name in HEADER.findall(comment):
            if not is_header(path, text, name, paths):
                yield f"{path}:{number}: {name} is neither of this folder nor included: write its path"
    for number, comment in comments(text):
        for name in [*QUOTED.findall(comment), *CALLED.findall(comment)]:
            if name.rpartition("::")[2] not in known:
                yield f"{path}:{number}: unknown name {name}"


def dead_headers(texts):
    included = {match for text in texts.values() for match in re.findall(r'#include "([^"]+)"', text)}
    for path in texts:
        if path.suffix == ".h" and str(path) not in included:
            yield f"{path}: no file includes it"


def repeated(texts):
    """Sentences of the product that are literals in two files: a change of one would leave the other."""
    places = {}
    for path, text in texts.items():
        if not str(path).startswith(NOT_SHIPPED):
            for match in TEXT.finditer(without_comments(text)):
                sentence = "".join(part[1:-1] for part in re.findall(LITERAL, match[0]))
                if SENTENCE.match(sentence):
                    places.setdefault(sentence, set()).add(str(path))
    for sentence, paths in places.items():
        if len(paths) > 1:
            yield f"{' and '.join(sorted(paths))} have the same text, which has one place: {sentence}"


def findings():
    texts = {path: (rooms.ROOT / path).read_text() for path in rooms.sources()}
    known = ELSEWHERE | {word for text in texts.values() for word in WORD.findall(without_comments(text))}
    yield from dead_headers(texts)
    yield from repeated(texts)
    for path, text in texts.items():
        if (lines := text.count("\n")) > LINES:
            yield f"{path}: {lines} lines, more than {LINES}: it holds two ideas"
        yield from columns(path, text)
        yield from lonely_words(path, text)
        yield from banned(path, text)
        if not str(path).startswith(rooms.TESTS) and str(path) not in GUESSABLE:
            yield from guessable(path, text)
        if path.suffix == ".h" and not str(path).startswith(rooms.TESTS):
            yield from contracts(path, text, known, texts)


if __name__ == "__main__":
    wrong = list(findings())
    print("\n".join(wrong) or "columns, headers, tasks and contracts are in order")
    sys.exit(1 if wrong else 0)
