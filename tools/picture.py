#!/usr/bin/env python3
"""Draws the text of a terminal as an SVG next to it: tools/picture.py docs/pictures/NAME.txt writes NAME.svg. `--check` only compares
and exits with 1 where a drawing is out of date."""
import html
import pathlib
import re
import sys

SIZE, WIDE, HIGH = 13, 7.8, 18  # of the font, of a character, of a line
MARGIN, BAR = 16, 30
COLOURS = {"command": "#e6edf3", "head": "#8b949e", "key": "#79c0ff", "good": "#7ee787", "bad": "#ff7b72", "plain": "#c9d1d9"}
WORDS = [("good", re.compile(r"\b(?:Scheduled|Fits)\b")), ("bad", re.compile(r"\b(?:Unschedulable|Failed|DoesNotFit|PartlyFits)\b"))]
KEY = re.compile(r"^( *(?:- )?)([A-Za-z][\w.]*)(?=:(?: |$))")


def spans(line):
    """(colour, text) of the parts of a line."""
    if line.startswith("$ "):
        return [("command", line)]
    if re.match(r"^(?:[A-Z][A-Z-]* {2,})+[A-Z-]+ *$", line):
        return [("head", line)]
    found = []
    if match := KEY.match(line):
        found += [("plain", match[1]), ("key", match[2])]
        line = line[match.end():]
    for colour, pattern in WORDS:
        if match := pattern.search(line):
            return found + [("plain", line[:match.start()]), (colour, match[0]), ("plain", line[match.end():])]
    return found + [("plain", line)]


def text(line, row):
    parts = "".join(f'<tspan fill="{COLOURS[colour]}">{html.escape(part)}</tspan>' for colour, part in spans(line) if part)
    weight = ' font-weight="bold"' if line.startswith("$ ") else ""
    # textLength keeps the columns in line, whatever font there is.
    return (f'<text x="{MARGIN}" y="{BAR + MARGIN + row * HIGH}" textLength="{len(line) * WIDE:.1f}" xml:space="preserve"{weight}>'
            f"{parts}</text>")


def drawing(lines):
    width = 2 * MARGIN + max(map(len, lines)) * WIDE
    height = BAR + MARGIN + len(lines) * HIGH
    buttons = "".join(f'<circle cx="{20 + 18 * i}" cy="16" r="6" fill="{c}"/>' for i, c in enumerate(("#ff5f57", "#febc2e", "#28c840")))
    rows = "\n".join(text(line, row) for row, line in enumerate(lines) if line)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" '
            f'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="{SIZE}">\n'
            f'<rect width="100%" height="100%" rx="8" fill="#0d1117"/>{buttons}\n{rows}\n</svg>\n')


def main(arguments):
    check = "--check" in arguments
    code = 0
    for name in arguments:
        if name == "--check":
            continue
        source = pathlib.Path(name)
        target = source.with_suffix(".svg")
        made = drawing(source.read_text().rstrip("\n").split("\n"))
        if not check:
            target.write_text(made)
        elif not target.exists() or target.read_text() != made:
            print(f"{target} is out of date: run tools/picture.py {source}", file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
