"""Makes OCI archives from a few files, renames them and unpacks them. An archive is a tar of `oci-layout`, `index.json` and blobs that
are named by their digests."""
import contextlib
import gzip
import hashlib
import io
import json
import os
import pathlib
import shutil
import tarfile

NAME = "org.opencontainers.image.ref.name"
INDEX, MANIFEST = "application/vnd.oci.image.index.v1+json", "application/vnd.oci.image.manifest.v1+json"
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


def architecture():
    return MACHINES.get(os.uname().machine, os.uname().machine)


class Archive:
    """Reads an OCI archive. A context manager."""

    def __init__(self, path):
        self.tar = tarfile.open(path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tar.close()

    def read(self, name):
        found = next((m for m in (name, f"./{name}") if m in self.tar.getnames()), None)
        if not found:
            raise ValueError(f"{self.tar.name}: {name} is missing")
        return self.tar.extractfile(found).read()

    def blob(self, descriptor):
        data = self.read("blobs/" + descriptor["digest"].replace(":", "/"))
        if "sha256:" + hashlib.sha256(data).hexdigest() != descriptor["digest"]:
            raise ValueError(f"{self.tar.name}: {descriptor['digest']} has other contents")
        return data

    def manifest(self):
        """Returns the descriptor of the image for this machine, and its manifest. Referrers of the image are not images."""
        waiting = json.loads(self.read("index.json"))["manifests"]
        for descriptor in waiting:
            document = json.loads(self.blob(descriptor))
            if "manifests" in document:
                waiting.extend(document["manifests"])
            elif "subject" not in document and self.config(document).get("architecture") == architecture():
                return descriptor, document
        raise ValueError(f"{self.tar.name}: no image for {architecture()}")

    def config(self, manifest):
        if "image.config" not in manifest["config"]["mediaType"]:
            return {}
        return json.loads(self.blob(manifest["config"]))


def write(path, name, manifest, blobs):
    """Writes an archive with this one image under this name: the bytes of its manifest and of the blobs it names."""
    digest = lambda data: hashlib.sha256(data).hexdigest()
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [
        {"mediaType": MANIFEST, "digest": "sha256:" + digest(manifest), "size": len(manifest),
         "annotations": {NAME: name}}]}
    files = {"oci-layout": b'{"imageLayoutVersion": "1.0.0"}', "index.json": json.dumps(index).encode(),
             **{f"blobs/sha256/{digest(data)}": data for data in (manifest, *blobs)}}
    with tarfile.open(path, "w") as tar:
        for file, data in files.items():
            add(tar, file, data)


def add(tar, name, data, mode=0o644):
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(data), mode
    tar.addfile(info, io.BytesIO(data))


def make(path, name, programs):
    """Writes an archive of an image FROM scratch with these programs, {path in the image: file}. The image runs the first."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        for file, source in programs.items():
            add(tar, file.lstrip("/"), pathlib.Path(source).read_bytes(), 0o755)
    layer = layer.getvalue()
    digest = lambda data: "sha256:" + hashlib.sha256(data).hexdigest()
    config = json.dumps({"architecture": architecture(), "os": "linux",
                         "config": {"Entrypoint": [next(iter(programs))]},
                         "rootfs": {"type": "layers", "diff_ids": [digest(layer)]}}).encode()
    describe = lambda kind, data: {"mediaType": f"application/vnd.oci.image.{kind}", "digest": digest(data),
                                   "size": len(data)}
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": describe("config.v1+json", config),
                "layers": [describe("layer.v1.tar", layer)]}
    write(path, name, json.dumps(manifest).encode(), (config, layer))


def rename(source, path, name):
    """Writes the image of `source` for this machine, alone and under this name."""
    with Archive(source) as archive:
        descriptor, manifest = archive.manifest()
        blobs = [archive.blob(blob) for blob in (manifest["config"], *manifest["layers"])]
        write(path, name, archive.blob(descriptor), blobs)


def unpack(source, directory):
    """Unpacks the image's root file system. Returns its configuration: Entrypoint, User, Env, …"""
    directory.mkdir(parents=True)
    with Archive(source) as archive:
        _, manifest = archive.manifest()
        for layer in manifest["layers"]:
            data = archive.blob(layer)
            if data[:2] == b"\x1f\x8b":
                data = gzip.decompress(data)
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                for member in tar:
                    place(tar, member, directory)
        return archive.config(manifest).get("config", {})


def place(tar, member, directory):
    """Puts a member of a layer into the root file system, as the owner who runs this. White-outs remove."""
    path = directory / os.path.normpath("/" + member.name).lstrip("/")
    if not path.parent.resolve().is_relative_to(directory.resolve()):
        raise ValueError(f"{member.name} would be outside of the root file system, by a link")
    if path.name.startswith(".wh."):
        hidden = path.with_name(path.name.removeprefix(".wh."))
        shutil.rmtree(hidden, ignore_errors=True)
        with contextlib.suppress(FileNotFoundError, IsADirectoryError):
            hidden.unlink()
    elif member.isdir():
        path.mkdir(parents=True, exist_ok=True)
    elif member.issym() or member.islnk() or member.isfile():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if member.issym():
            path.symlink_to(member.linkname)
            return
        path.write_bytes(tar.extractfile(member).read())
        path.chmod(member.mode)
