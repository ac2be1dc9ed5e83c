#!/usr/bin/env python3
"""notices.py BUILD: prints the copyright notices and licences of what is linked into BUILD/podium, as
Debian's packages state them."""

import pathlib
import re
import sys

import components

LICENCES = pathlib.Path("/usr/share/common-licenses")
HEAD = """podium contains the software listed here, linked into one program. podium itself is under the Apache
License 2.0 (LICENSE).

The GNU C Library is under the GNU Lesser General Public License: podium's sources and its build (make image)
let you link podium with a changed one. The GCC runtime libraries are under the GNU General Public License
with the GCC Runtime Library Exception, which permits this use. The sources of all are the packages in the
versions named here.
"""


def copyright_of(component):
    if component.is_vendored:
        return (components.VENDORED / f"{component.source}.LICENSE").read_text()
    source = components.SOURCES / component.source / "debian/copyright"
    if source.exists():
        return source.read_text()
    for package in component.packages:
        path = component.root / "usr/share/doc" / package.partition(":")[0] / "copyright"
        if path.exists():
            return path.read_text()
    raise SystemExit(f"podium: no copyright file of {component.source} in /usr/share/doc")


def licence_paragraph(text, name):
    """The text of one licence of a machine-readable copyright file."""
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.splitlines()
        if lines and lines[0] == f"License: {name}":
            return "\n".join(re.sub(r"^ \.?", "", line) for line in lines[1:])
    raise SystemExit(f"podium: no text of the licence {name}")


def notice(component):
    text = copyright_of(component)
    # Boost's file lists thousands of files, and its licence asks for no notice in programs.
    return licence_paragraph(text, "BSL-1.0") if component.licence == "BSL-1.0" else text.strip()


def main(build):
    found = components.of_program(build)
    rule = "=" * 80
    print(HEAD)
    texts = []
    for component in found:
        texts.append(notice(component))
        kind = "npm package" if component.is_vendored else "Debian source package"
        print(
            f"{rule}\n{component.name} ({kind} {component.source} {component.version})\n"
            f"SPDX licence: {component.licence}\n{rule}\n\n{texts[-1]}\n"
        )
    # The licences that the notices refer to.
    named = {
        name
        for text in texts
        for name in re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.-]+[A-Za-z0-9])", text)
    }
    for name in sorted(name for name in named if (LICENCES / name).exists()):
        print(
            f"{rule}\n/usr/share/common-licenses/{name}\n{rule}\n\n{(LICENCES / name).read_text().strip()}\n"
        )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
