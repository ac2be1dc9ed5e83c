"""Lists the components of the podium program in addition to podium's own code. The compiler's and the linker's own records say
which files they read; the packages of these files are the components. Those of the page lie in the source tree."""

import dataclasses
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / ".cache/sources"  # tools/static/sources.sh
SYSROOTS = ROOT / ".cache/sysroot"  # tools/static/sysroot.sh
SYSTEM = pathlib.Path("/")
VENDORED = ROOT / "app/page/assets/vendor"  # JavaScript in the program

# Debian's source package without its release number: (the project's own name, the licence of what is linked).
KNOWN = {
    "abseil": ("Abseil", "Apache-2.0"),
    "boost": ("Boost", "BSL-1.0"),
    "ca-certificates": ("Mozilla's CA certificates", "MPL-2.0"),
    "cli11": ("CLI11", "BSD-3-Clause"),
    "fmtlib": ("fmt", "MIT"),
    "gcc": ("GCC runtime libraries", "GPL-3.0-or-later WITH GCC-exception-3.1"),
    "glibc": ("GNU C Library", "LGPL-2.1-or-later"),
    "libzstd": ("Zstandard", "BSD-3-Clause"),
    "mimalloc": ("mimalloc", "MIT"),
    "openssl": ("OpenSSL", "Apache-2.0"),
    "preact": ("Preact", "MIT"),
    "prometheus-cpp": ("prometheus-cpp", "MIT"),
    "re2": ("RE2", "BSD-3-Clause"),
    "spdlog": ("spdlog", "MIT"),
    "yaml-cpp": ("yaml-cpp", "MIT"),
    "zlib": ("zlib", "Zlib"),
}
# The kernel's headers declare its interface; nothing of them is code.
NO_CODE = {"linux"}


@dataclasses.dataclass(frozen=True)
class Component:
    source: str  # Debian's source package
    version: str
    packages: tuple  # binary packages with its files
    root: pathlib.Path = SYSTEM  # where these are installed or unpacked
    is_vendored: bool = False  # source and version are those of npm

    @property
    def known(self):
        """(name, licence); an unknown component needs a person to look up its licence."""
        for name in (
            self.source,
            re.sub(r"-[\d.]+$", "", self.source),
            re.sub(r"[\d.]+$", "", self.source),
        ):
            if name in KNOWN:
                return KNOWN[name]
        raise SystemExit(
            f"podium: the program contains {self.source} ({', '.join(self.packages)});"
            " tools/image/components.py does not list it with its licence"
        )

    @property
    def name(self):
        return self.known[0]

    @property
    def licence(self):
        return self.known[1]


def run(*argv):
    return subprocess.run([str(a) for a in argv], check=True, capture_output=True, text=True).stdout


def files_read(build):
    """The files that the program's compilations and its link have read."""
    build = pathlib.Path(build)
    linked = (build / "podium.d").read_text().replace("\\\n", " ")
    _, _, inputs = linked.split("\n")[0].partition(":")
    files = {(build / name).resolve() for name in inputs.split()}
    # The build may have compiled more than the program links: only the linked targets count.
    targets = set(re.findall(r"(?:^| )(?:lib|CMakeFiles/)(\w+)\.(?:a|dir/\S*)(?= |$)", inputs))
    wanted = False
    for line in run("ninja", "-C", build, "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            target = re.match(r"CMakeFiles/(\w+)\.dir/", line)
            wanted = target is not None and target[1] in targets
        elif wanted and line:
            files.add((build / line.strip()).resolve())
    return files


def query(root):
    """The command that asks for the packages of a root: the system's, or those unpacked there."""
    return ["dpkg-query", f"--admindir={root / 'var/lib/dpkg'}"]


def root_of(path):
    return SYSROOTS / path.relative_to(SYSROOTS).parts[0] if path.is_relative_to(SYSROOTS) else SYSTEM


def owners(paths, root):
    """The binary packages of this root that own these files."""
    names = sorted(f"/{path.relative_to(root)}" for path in paths)
    # A file that no package owns makes it fail. The callers' files come from the build, the cache or packages.
    found = subprocess.run([*query(root), "-S", *names], capture_output=True, text=True)
    if found.returncode:
        raise SystemExit(f"podium: files in the program that belong to no package:\n{found.stderr}")
    return {line.rpartition(": ")[0].split(", ")[0] for line in found.stdout.splitlines()}


def of_packages(packages, root=SYSTEM):
    """The components that these binary packages of this root belong to."""
    found = {}
    for package in packages:
        fields = run(*query(root), "-W", "-f=${source:Package} ${source:Version}", package)
        found.setdefault(tuple(fields.split()), []).append(package)
    return [
        Component(*key, tuple(sorted(names)), root)
        for key, names in sorted(found.items())
        if key[0] not in NO_CODE
    ]


def vendored():
    """The components in the page's files."""
    lines = (VENDORED / "sources.txt").read_text().splitlines()
    fields = [line.split() for line in lines if not line.startswith("#")]
    found = [Component(name, version, (), is_vendored=True) for name, version, *_ in fields]
    listed = {f"{component.source}.js" for component in found}
    present = {path.name for path in VENDORED.glob("*.js")}
    if listed != present:
        raise SystemExit(f"podium: {VENDORED}/sources.txt lists {sorted(listed)}, but the folder has {sorted(present)}")
    return found


def of_program(build):
    """The components of BUILD/podium, by name."""
    files = files_read(build)
    compiled = {
        SOURCES / path.relative_to(SOURCES).parts[0] for path in files if path.is_relative_to(SOURCES)
    }
    sources = [Component(path.name, (path / ".version").read_text().strip(), ()) for path in compiled]
    packaged = {}
    for path in files:
        if path.is_relative_to(SYSROOTS) or not path.is_relative_to(ROOT):
            packaged.setdefault(root_of(path), set()).add(path)
    packages = [each for root, paths in packaged.items() for each in of_packages(owners(paths, root), root)]
    # The headers of a compiled source come from its package: the same source, in the same version.
    return sorted({c.source: c for c in [*sources, *packages, *vendored()]}.values(), key=lambda c: c.name.lower())
