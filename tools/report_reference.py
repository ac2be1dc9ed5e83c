#!/usr/bin/env python3
"""Writes the tables of docs/reports.md from the CRD, between the lines "<!-- generated -->" and "<!-- end -->". The text around
them is written by hand. `--check` only compares and exits with 1 where the page is out of date."""
import pathlib
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
CRD = ROOT / "crds" / "schedulingreports.podium.dev.yaml"
PAGE = ROOT / "docs" / "reports.md"
BEGIN, END = "<!-- generated from the CRD by tools/report_reference.py -->\n", "<!-- end -->\n"


def cell(text):
    """The text in one line, for a cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|")


def kind(schema):
    if schema["type"] == "array":
        return "list of " + kind(schema["items"]) + "s"
    return "date-time" if schema.get("format") == "date-time" else schema["type"]


def limits(schema):
    """The bounds of a field's values, in words."""
    words = []
    if "enum" in schema:
        words.append("one of " + ", ".join(f"`{value}`" for value in schema["enum"]))
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        words.append(f"{low} to {high}")
    elif low is not None:
        words.append(f"at least {low}")
    if "maxLength" in schema:
        words.append(f"at most {schema['maxLength']} characters")
    if "pattern" in schema:
        words.append(f"matches `{schema['pattern']}`")
    if "maxItems" in schema:
        words.append(f"at most {schema['maxItems']} items")
    if "default" in schema:
        words.append(f"default `{yaml.safe_dump(schema['default']).split()[0]}`")
    if schema["type"] != "object":
        words += rules(schema)
    return words


def rules(schema):
    return [rule["message"] for rule in schema.get("x-kubernetes-validations", [])]


def fields(schema, path, required=False):
    """(path, type, description, limits) of a field and of those below it."""
    words = limits(schema) + (["required"] if required else [])
    yield path, kind(schema), schema.get("description", ""), words
    inner = schema
    while inner["type"] == "array":
        inner, path = inner["items"], path + "[]"
    for name, below in inner.get("properties", {}).items():
        yield from fields(below, f"{path}.{name}", name in inner.get("required", []))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(cell, row)) + " |" for row in rows]) + "\n"


def section(title, schema):
    rows = [(f"`{path}`", form, text, "; ".join(words)) for path, form, text, words in fields(schema, title)]
    text = f"### {title}\n\n" + table(("Field", "Type", "Meaning", "Limits"), rows)
    if rules(schema):
        text += "\nThe API server refuses other combinations with these messages:\n\n"
        text += "".join(f"- {cell(rule)}\n" for rule in rules(schema))
    return text


def tables(crd):
    spec = crd["spec"]
    names = spec["names"]
    [version] = [v for v in spec["versions"] if v["storage"]]
    schema = version["schema"]["openAPIV3Schema"]
    columns = [(c["name"], "only with `-o wide`" if c.get("priority") else "", c.get("description", ""), f"`{c['jsonPath']}`")
               for c in version["additionalPrinterColumns"]]
    selectable = ", ".join(f"`{f['jsonPath'].lstrip('.')}`" for f in version["selectableFields"])
    return "\n".join([
        f"`{spec['group']}/{version['name']}`, kind `{names['kind']}`, {spec['scope'].lower()}. kubectl also knows it as "
        f"{' and '.join('`' + short + '`' for short in names['shortNames'])}.\n",
        f"{cell(schema['description'])}\n",
        section("spec", schema["properties"]["spec"]),
        section("status", schema["properties"]["status"]),
        "### Columns of kubectl get\n",
        table(("Column", "Shown", "Meaning", "Path"), columns),
        f"`--field-selector` takes {selectable}.\n"])


def page(text):
    """Returns the page with regenerated tables."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE.relative_to(ROOT)}: no lines {BEGIN.strip()!r} and {END.strip()!r}")
    return head + BEGIN + "\n" + tables(yaml.safe_load(CRD.read_text())) + "\n" + END + tail


def main():
    now = PAGE.read_text()
    made = page(now)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(made)
        return 0
    if made != now:
        print(f"{PAGE.relative_to(ROOT)} is out of date: run tools/report_reference.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
