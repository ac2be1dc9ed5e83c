#!/usr/bin/env python3
"""index.py OUT LAYOUT…: joins images of podium for several machines, which build.sh has made, to one image:
OUT/layout, with their bills of materials, and OUT/podium-VERSION.oci.tar. Prints the digest of the image
index. The same layouts give the same bytes."""

import calendar
import json
import pathlib
import shutil
import sys
import time

from archive import Layout, pack

INDEX = "application/vnd.oci.image.index.v1+json"
TAG = "org.opencontainers.image.ref.name"


def split(layout):
    """(the descriptor of the layout's image, those of what refers to it)."""
    entries = layout.index["manifests"]
    [image] = [entry for entry in entries if "artifactType" not in entry]
    return image, [entry for entry in entries if "artifactType" in entry]


def config_of(layout, image):
    return json.loads(layout.read(json.loads(layout.read(image))["config"]))


def platform(config):
    return {key: config[key] for key in ("architecture", "os", "variant") if key in config}


def referred(layout, manifest):
    """Descriptors of the blobs that a manifest names."""
    document = json.loads(layout.read(manifest))
    return [document["config"], *document["layers"]]


def copy(source, target, manifest):
    for blob in (manifest, *referred(source, manifest)):
        target.add(source.read(blob), blob["mediaType"])


def main(out, *sources):
    layouts = [Layout(source) for source in sources]
    images = [split(layout)[0] for layout in layouts]
    configs = [config_of(layout, image) for layout, image in zip(layouts, images)]
    machines = [platform(config) for config in configs]
    if len({json.dumps(each) for each in machines}) != len(machines):
        sys.exit(f"podium: two images are for the same machine: {machines}")
    names, times = [image["annotations"] for image in images], [config["created"] for config in configs]
    if any(name != names[0] for name in names) or len(set(times)) != 1:
        sys.exit(f"podium: the images are not of one name, version and commit: {names}, {times}")

    directory = pathlib.Path(out) / "layout"
    shutil.rmtree(out, ignore_errors=True)
    joined = Layout.empty(directory)
    entries = []
    for layout, image, machine in zip(layouts, images, machines):
        copy(layout, joined, image)
        entries.append({**{key: image[key] for key in ("mediaType", "digest", "size")}, "platform": machine})
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}
    descriptor = joined.add(json.dumps(index, separators=(",", ":")).encode(), INDEX)
    joined.index["manifests"].append({**descriptor, "annotations": names[0]})
    joined.save()
    archive = pathlib.Path(out) / f"podium-{names[0][TAG]}.oci.tar"
    created = calendar.timegm(time.strptime(times[0], "%Y-%m-%dT%H:%M:%SZ"))
    pack(directory, created, archive)
    # After the archive, as in archive.py: containerd would unpack them.
    for layout in layouts:
        for referrer in split(layout)[1]:
            copy(layout, joined, referrer)
            joined.index["manifests"].append(referrer)
    joined.save()
    print(f"{archive}: {', '.join(each['architecture'] for each in machines)}, {descriptor['digest']}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
