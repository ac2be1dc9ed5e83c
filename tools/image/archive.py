#!/usr/bin/env python3
"""archive.py LAYOUT NAME SBOM CREATED ARCHIVE: names the one image of an OCI layout, packs the layout into an
archive, and then attaches the bill of materials to the image as an OCI referrer. The archive is without it,
since containerd takes each manifest of an archive for an image to unpack. The same layout has the same
archive. Prints the image's digest."""

import datetime
import hashlib
import io
import json
import pathlib
import sys
import tarfile

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
EMPTY = "application/vnd.oci.empty.v1+json"
SPDX = "application/spdx+json"


class Layout:
    def __init__(self, directory):
        self.dir = pathlib.Path(directory)
        self.index = json.loads((self.dir / "index.json").read_text())

    @classmethod
    def empty(cls, directory):
        (directory / "blobs/sha256").mkdir(parents=True)
        (directory / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
        (directory / "index.json").write_text('{"schemaVersion": 2, "manifests": []}')
        return cls(directory)

    def add(self, content, media_type):
        """Writes a blob and returns its descriptor."""
        digest = hashlib.sha256(content).hexdigest()
        (self.dir / "blobs/sha256" / digest).write_bytes(content)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

    def read(self, descriptor):
        """The blob of a descriptor."""
        return (self.dir / "blobs" / descriptor["digest"].replace(":", "/")).read_bytes()

    def save(self):
        (self.dir / "index.json").write_text(json.dumps(self.index, separators=(",", ":")))


def name_image(layout, name):
    """Returns the image's descriptor. The annotations are those that containerd, kind and docker read."""
    [image] = layout.index["manifests"]
    tag = name.rpartition(":")[2]
    image["annotations"] = {
        "io.containerd.image.name": qualified(name),
        "org.opencontainers.image.ref.name": tag,
    }
    return {key: image[key] for key in ("mediaType", "digest", "size")}


def qualified(name):
    """The name as a kubelet asks for it: a name without a registry is of Docker Hub's library."""
    first, slash, _ = name.partition("/")
    if not slash:
        return f"docker.io/library/{name}"
    return name if "." in first or ":" in first or first == "localhost" else f"docker.io/{name}"


def attach(layout, image, sbom, created):
    time = datetime.datetime.fromtimestamp(int(created), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    content = layout.add(sbom.read_bytes(), SPDX)
    content["annotations"] = {"org.opencontainers.image.title": sbom.name}
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "artifactType": SPDX,
        "config": layout.add(b"{}", EMPTY),
        "layers": [content],
        "subject": image,
        "annotations": {"org.opencontainers.image.created": time},
    }
    descriptor = layout.add(json.dumps(manifest, separators=(",", ":")).encode(), MANIFEST)
    layout.index["manifests"].append({**descriptor, "artifactType": SPDX})


def pack(directory, created, archive):
    with tarfile.open(archive, "w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(p for p in directory.rglob("*") if p.is_file()):
            content = path.read_bytes()
            entry = tarfile.TarInfo(str(path.relative_to(directory)))
            entry.size, entry.mtime, entry.mode = len(content), int(created), 0o644
            tar.addfile(entry, io.BytesIO(content))


def main(directory, name, sbom, created, archive):
    layout = Layout(directory)
    image = name_image(layout, name)
    layout.save()
    pack(layout.dir, created, archive)
    attach(layout, image, pathlib.Path(sbom), created)
    layout.save()
    print(image["digest"])


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
