#!/usr/bin/env python3
"""sbom.py BUILD ROOTFS VERSION ARCH CREATED: prints the image's bill of materials (SPDX 2.3, JSON): the
podium program with what is linked into it, and the CA certificates. The same image has the same text."""

import datetime
import hashlib
import json
import pathlib
import re
import sys
import urllib.parse

import components


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def package(component, system):
    name, licence = component.known
    return {
        "SPDXID": identifier(component.source),
        "name": component.source,
        "summary": name,
        "versionInfo": component.version,
        "supplier": "Organization: npm" if component.is_vendored else f"Organization: {system['NAME']}",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": purl(component, system),
            }
        ],
    }


def purl(component, system):
    if component.is_vendored:
        return f"pkg:npm/{component.source}@{component.version}"
    version = urllib.parse.quote(component.version, safe="~")
    distribution = f"{system['ID']}-{system['VERSION_ID']}"
    return f"pkg:deb/{system['ID']}/{component.source}@{version}?arch=source&distro={distribution}"


def operating_system():
    lines = pathlib.Path("/etc/os-release").read_text().splitlines()
    fields = dict(line.split("=", 1) for line in lines if "=" in line)
    return {key: value.strip('"') for key, value in fields.items()}


def document(build, rootfs, version, arch, created):
    system = operating_system()
    linked = components.of_program(build)
    certificates = components.of_packages(["ca-certificates"])
    program = pathlib.Path(rootfs) / "usr/local/bin/podium"
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    podium = {
        "SPDXID": "SPDXRef-podium",
        "name": "podium",
        "versionInfo": version,
        "supplier": "Organization: podium",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "primaryPackagePurpose": "APPLICATION",
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
        "packageFileName": "/usr/local/bin/podium",
    }
    image = {
        "SPDXID": "SPDXRef-image",
        "name": "podium-image",
        "versionInfo": version,
        "supplier": "Organization: podium",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "primaryPackagePurpose": "CONTAINER",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }
    relationships = [
        ("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-image"),
        ("SPDXRef-image", "CONTAINS", "SPDXRef-podium"),
    ]
    relationships += [("SPDXRef-image", "CONTAINS", identifier(c.source)) for c in certificates]
    relationships += [
        ("SPDXRef-podium", "CONTAINS" if c.is_vendored else "STATIC_LINK", identifier(c.source)) for c in linked
    ]
    time = datetime.datetime.fromtimestamp(int(created), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"podium-{version}-{arch}",
        "documentNamespace": f"https://podium.dev/spdx/podium-{version}-{arch}-{digest}",
        "creationInfo": {"created": time, "creators": ["Tool: podium-tools/image/sbom.py"]},
        "packages": [image, podium, *(package(c, system) for c in [*linked, *certificates])],
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
            for a, kind, b in relationships
        ],
    }


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    print(json.dumps(document(*sys.argv[1:]), indent=1))
