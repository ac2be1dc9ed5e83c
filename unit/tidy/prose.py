#!/usr/bin/env python3
"""Checks comments, docstrings, names, string literals of C++ and of the page, the chart with its CRD, shell scripts and documents for
the idioms of docs/STYLE.md that a pattern can find."""
import ast
import io
import pathlib
import re
import subprocess
import sys
import tokenize

import rooms
import text

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
# A comment that is only a genitive: the start of a line.
GENITIVE = re.compile(r"^[/# ]*Of (?!course\b)")
# Those that the tests, and the tools in other languages, are allowed: names of cases, and Go's comments.
OF_PROGRAM = [(re.compile(pattern, re.IGNORECASE), better) for pattern, better in (
    (r", too\b(?! (?:few|high|large|late|long|low|many|much|short|small)\b)", "also"),
    (r"\bnobody\b", "nothing does X, X is not done"),
    (r"\bso (?:many|much)\b", "the number, or a comparison with it"),
    (r"\btells?\b", "says, reports, returns"),
    (r"\bthat are no (?!longer\b)[a-z]+|\bare no (?=faults|events|headers?|HTTP)", "are not …"),
    (r"\b(?:not|nothing|no)\b[^.;]{0,40}\bany more\b", "no longer"),
    (r"(?<!\bany )(?<!\ball )(?<!\bone )(?<!\beach )(?<!\bsome )(?<!\bnone )(?<!\bmost )\bof which\b", "a second sentence"),
    (r"(?:(?<=\d )of (?:it|them)\b|(?<!\bany )(?<!\ball )(?<!\bone )of these(?=[.,;)]))", "name the thing"),
    (r"\bthat (?:is|are) there\b|\bas it is there\b|\bis there(?: already)?[.,;)]", "exists, as stored"),
)]
# Idioms that names of C++ avoid besides, also those of tests.
OF_NAMES = [(re.compile(pattern, re.IGNORECASE), better) for pattern, better in (
    (r"\bnobody", "no pod, none, no other"),
    (r"\bso (?:many|much)\b", "the number"),
    (r"\btells?\b", "says, reports, returns"),
)]
# Strings and comments of C++, Go and JavaScript; of Python.
NOT_NAMES = re.compile(r'"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\'|`[^`\n]*`|//[^\n]*')
NOT_NAMES_OF_PYTHON = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*')
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]*`")
# A string literal of C++; the other alternatives skip comments and characters, but not the ' of 10'000.
LITERAL = re.compile(r'R"(?P<end>\w*)\((?P<raw>.*?)\)(?P=end)"|"(?P<text>(?:\\.|[^"\\\n])*)"|//[^\n]*|(?<!\w)\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
# A string literal of JavaScript, in any quotes; the other alternative skips comments.
PAGE_LITERAL = re.compile(r'"(?P<double>(?:\\.|[^"\\\n])*)"|\'(?P<single>(?:\\.|[^\'\\\n])*)\'|`(?P<template>(?:\\.|[^`\\])*)`'
                          r'|(?<![:\\])//[^\n]*')


def tracked(*patterns):
    names = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=rooms.ROOT, check=True, capture_output=True, text=True).stdout
    return [pathlib.PurePath(name) for name in names.split("\0") if name and (rooms.ROOT / name).exists()]


def documents():
    files = tracked("*.md")
    return [path for path in files if str(path) != "docs/STYLE.md"]


def is_python(path):
    file = rooms.ROOT / path
    return path.suffix == ".py" or (not path.suffix and file.is_file() and file.read_bytes().startswith(b"#!/usr/bin/env python"))


def pages():
    return [path for path in tracked("*.js") if "vendor" not in path.parts]


def plain_files():
    """Files of which every line is read."""
    return [path for path in tracked("charts/*", "Makefile", "*.sh", "app/page/assets/*.html") if path.suffix != ".md"]


def scripts():
    """The Python and Go files of the tests and tools, without this file, which names the idioms."""
    files = tracked("*.go", "*.py", "e2e/*", "bench/*", "tools/*")
    return [path for path in files if (path.suffix == ".go" or is_python(path)) and path.name != "prose.py"]


def python_prose(content):
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (text_of := ast.get_docstring(node, clean=False)):
            yield from enumerate(text_of.splitlines(), node.body[0].lineno)


def literals(content):
    for match in LITERAL.finditer(content):
        words = match["raw"] or match["text"]
        if words:
            yield content.count("\n", 0, match.start()) + 1, words


def page_literals(content):
    """(line number, words) of each line of a string literal: a template may have several."""
    for match in PAGE_LITERAL.finditer(content):
        words = match["double"] or match["single"] or match["template"] or ""
        yield from enumerate(words.splitlines(), content.count("\n", 0, match.start()) + 1)


def identifiers(content, is_python):
    """(line number, words) of each name, split at `_` and where a capital begins a word: kAtOnce is "At Once"."""
    skipped = NOT_NAMES_OF_PYTHON if is_python else NOT_NAMES
    code = skipped.sub(lambda match: "\n" * match[0].count("\n"), content)
    for number, line in enumerate(code.splitlines(), 1):
        for name in re.findall(r"[A-Za-z_]\w*", line):
            yield number, name, " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name))


def prose(path):
    """(line number, words) of each line of a document, of each line with a comment, and of each string literal."""
    content = (rooms.ROOT / path).read_text()
    if path in PLAIN:
        return enumerate(content.splitlines(), 1)
    if is_python(path):
        return python_prose(content)
    if path.suffix in (".h", ".cc"):
        return [*text.comments(content), *literals(content)]
    if path.suffix == ".js":
        return [*text.comments(content), *page_literals(content)]
    if path.suffix != ".md":
        return text.comments(content)
    plain = content
    for skipped in (FENCE, CODE):
        plain = skipped.sub(lambda block: "\n" * block[0].count("\n"), plain)
    return enumerate(plain.splitlines(), 1)


PLAIN = plain_files()


def names(path):
    idioms = IDIOMS + OF_NAMES if path.suffix in (".h", ".cc") else IDIOMS
    for number, name, words in identifiers((rooms.ROOT / path).read_text(), is_python(path)):
        for idiom, better in idioms:
            if match := idiom.search(words):
                yield f"{path}:{number}: the name {name} has \"{match[0]}\": write: {better} (docs/STYLE.md)"


def findings():
    for path in [*rooms.sources(), *pages(), *scripts(), *PLAIN, *documents()]:
        of_tests = path.parts[0] in ("unit", "e2e")
        idioms = IDIOMS if of_tests else IDIOMS + OF_PROGRAM
        if path.suffix in (".h", ".cc", ".js", ".go") or is_python(path):
            yield from names(path)
        genitives = [] if path.suffix == ".md" or path in PLAIN else prose(path)
        for number, words in genitives:
            if GENITIVE.match(words):
                yield f"{path}:{number}: \"Of …\": write: the size of …, returns the size of … (docs/STYLE.md)"
        for number, words in prose(path):
            for idiom, better in idioms:
                for match in idiom.finditer(words):
                    yield f"{path}:{number}: \"{match[0]}\": write: {better} (docs/STYLE.md)"


if __name__ == "__main__":
    wrong = list(findings())
    print("\n".join(wrong) or "the prose is in order")
    sys.exit(1 if wrong else 0)
