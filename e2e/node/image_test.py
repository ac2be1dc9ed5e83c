"""OCI archives that were made can be renamed and unpacked; archives that are damaged or for another machine are refused."""
import hashlib
import io
import json
import pathlib
import tarfile
import tempfile
import unittest

from e2e.node import image


def layer(**files):
    """A layer with these files; None is a symbolic link to /etc/a."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as tar:
        for name, text in files.items():
            if text is None:
                link = tarfile.TarInfo(name)
                link.type, link.linkname = tarfile.SYMTYPE, "/etc/a"
                tar.addfile(link)
            else:
                image.add(tar, name, text.encode())
    return data.getvalue()


class Images(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)
        (self.dir / "program").write_text("#!/bin/sh\n")
        image.make(self.dir / "made.tar", "localhost/a:1", {"/bin/program": self.dir / "program"})

    def index(self, archive):
        with image.Archive(archive) as opened:
            return json.loads(opened.read("index.json"))

    def test_a_written_archive_can_be_unpacked(self):
        config = image.unpack(self.dir / "made.tar", self.dir / "root")
        self.assertEqual(config, {"Entrypoint": ["/bin/program"]})
        self.assertEqual((self.dir / "root/bin/program").read_text(), "#!/bin/sh\n")
        self.assertEqual((self.dir / "root/bin/program").stat().st_mode & 0o777, 0o755)

    def test_a_renamed_image_is_the_same_image(self):
        image.rename(self.dir / "made.tar", self.dir / "renamed.tar", "localhost/b:2")
        [before], [after] = (self.index(self.dir / name)["manifests"] for name in ("made.tar", "renamed.tar"))
        self.assertEqual(before["digest"], after["digest"])
        self.assertEqual(after["annotations"], {image.NAME: "localhost/b:2"})
        image.unpack(self.dir / "renamed.tar", self.dir / "root")
        self.assertTrue((self.dir / "root/bin/program").exists())

    def test_layers_hide_and_replace(self):
        root = self.dir / "root"
        lower, upper = {"etc/a": "1", "etc/b": "1"}, {"etc/.wh.a": "", "etc/b": "2", "etc/link": None}
        for each in (layer(**lower), layer(**upper)):
            with tarfile.open(fileobj=io.BytesIO(each)) as tar:
                for member in tar:
                    image.place(tar, member, root)
        self.assertEqual(sorted(p.name for p in (root / "etc").iterdir()), ["b", "link"])
        self.assertEqual((root / "etc/b").read_text(), "2")

    def test_a_layer_cannot_leave_its_root(self):
        with tarfile.open(fileobj=io.BytesIO(layer(**{"../../outside": "x"}))) as tar:
            for member in tar:
                image.place(tar, member, self.dir / "root")
        self.assertEqual((self.dir / "root/outside").read_text(), "x")
        (self.dir / "root/link").symlink_to(self.dir)
        with tarfile.open(fileobj=io.BytesIO(layer(**{"link/outside": "x"}))) as tar:
            with self.assertRaisesRegex(ValueError, "outside of the root file system"):
                image.place(tar, tar.getmembers()[0], self.dir / "root")

    def test_a_damaged_blob_is_refused(self):
        damaged = self.dir / "damaged.tar"
        with tarfile.open(self.dir / "made.tar") as tar, tarfile.open(damaged, "w") as out:
            for member in tar:
                data = tar.extractfile(member).read()
                image.add(out, member.name, data + b" " if b"layers" in data else data)
        with self.assertRaisesRegex(ValueError, "has other contents"):
            image.unpack(damaged, self.dir / "root")

    def test_an_image_for_another_machine_is_refused(self):
        config = json.dumps({"architecture": "s390x", "os": "linux"}).encode()
        with image.Archive(self.dir / "made.tar") as archive:
            _, document = archive.manifest()
        document["config"]["digest"] = "sha256:" + hashlib.sha256(config).hexdigest()
        image.write(self.dir / "other.tar", "localhost/a:1", json.dumps(document).encode(), [config])
        with self.assertRaisesRegex(ValueError, "no image for"):
            image.unpack(self.dir / "other.tar", self.dir / "root")


if __name__ == "__main__":
    unittest.main()
