#!/usr/bin/env bash
# build.sh: makes podium's image from build/release/podium, in build/image (or OUT=DIR):
#
#   podium-VERSION-ARCH.oci.tar    the image, an OCI archive
#   layout/                        the image and its bill of materials, an OCI layout
#   podium.spdx.json               the bill of materials
#   rootfs/                        the image's files
#
# The machine is the program's: BUILD=build/arm64 has one for arm64. IMAGE=REGISTRY/NAME names the image;
# SOURCE_DATE_EPOCH is its time, by default that of the commit. The same
# program gives the same bytes. buildah runs no program in the image and needs no registry; as a user it needs
# a user namespace.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${OUT:-build/image} build=${BUILD:-build/release}
case $(LC_ALL=C readelf --file-header "$build/podium" | sed -n 's/^ *Machine: *//p') in
  *X86-64) arch=amd64 strip=x86_64-linux-gnu-strip ;;
  AArch64) arch=arm64 strip=aarch64-linux-gnu-strip ;;
  *) echo "podium: $build/podium is not a program for amd64 or arm64" >&2; exit 1 ;;
esac
version=$(sed -n 's/.*kVersion = "\(.*\)".*/\1/p' base/version.h)
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
[ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || revision+=-dirty
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
name=${IMAGE:-podium}:$version
archive=$out/podium-$version-$arch.oci.tar

mkdir -p "$out"
rm -rf "$out/layout" "$out"/podium-*.oci.tar
STRIP=$strip tools/image/rootfs.sh "$build" "$out/rootfs"
# buildah's history has a checksum of the files with their times.
find "$out/rootfs" -exec touch --no-dereference --date "@$epoch" {} +
python3 tools/image/sbom.py "$build" "$out/rootfs" "$version" "$arch" "$epoch" >"$out/podium.spdx.json"

work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir "$work/empty"
# The result goes straight to an OCI layout: buildah's storage could not take it where this runs in a chroot.
buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs build --quiet \
  --isolation chroot --format oci --layers=false --identity-label=false --disable-compression=false \
  --timestamp "$epoch" --arch "$arch" \
  --build-context "rootfs=$out/rootfs" --file tools/image/Containerfile --tag "oci:$out/layout:$version" \
  --build-arg "VERSION=$version" --build-arg "REVISION=$revision" \
  --build-arg "CREATED=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)" \
  ${SOURCE_URL:+--build-arg "SOURCE=$SOURCE_URL"} "$work/empty" >/dev/null
digest=$(python3 tools/image/archive.py "$out/layout" "$name" "$out/podium.spdx.json" "$epoch" "$archive")
echo "$archive: $name, $digest, $(du --apparent-size -k "$archive" | cut -f1) KiB"
