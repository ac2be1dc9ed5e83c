#!/usr/bin/env bash
# unpack.sh PACKAGE…: unpacks packages of the system into build/packages without installing them: programs of the live tests
# that would otherwise start services, such as Prometheus. Their dependencies are not unpacked.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/build/packages
mkdir -p "$out/.done"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
download() { (cd "$work" && apt-get download -qq "$1"); }
for package in "$@"; do
  [ ! -e "$out/.done/$package" ] || continue
  echo "== unpacking $package"
  # The package lists may be absent where everything was installed before.
  download "$package" 2>/dev/null || { apt-get update -qq && download "$package"; }
  dpkg -x "$work/$package"_*.deb "$out"
  touch "$out/.done/$package"
done
