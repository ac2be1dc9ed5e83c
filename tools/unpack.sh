#!/usr/bin/env bash
# unpack.sh DIR PACKAGE…: unpacks packages into DIR without installing them, with those that they need and the system lacks:
# programs that would otherwise start services.
# unpack.sh --arch ARCH DIR PACKAGE…: the same for another machine, with all that they need: what a cross compiler reads.
# `dpkg-query --admindir=DIR/var/lib/dpkg` knows the packages in DIR. Neither root nor a change of the system is needed: not of
# its package lists, and not of the machines that it knows. What DIR has already is not unpacked again.
set -euo pipefail
arch=
if [ "$1" = --arch ]; then arch=$2; shift 2; fi
dir=$1
shift
wanted="$arch: $*"
[ "$(cat "$dir/.unpacked" 2>/dev/null)" != "$wanted" ] || exit 0

echo "== unpacking $*${arch:+ for $arch}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{cache/archives/partial,lists/partial}
apt=(apt-get -qq -y -o Debug::NoLocking=true -o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=$(id -un)")
if [ -n "$arch" ]; then
  # A system of that machine on which nothing is installed.
  : >"$work/status"
  apt+=(-o "APT::Architecture=$arch" -o "APT::Architectures=$arch" -o "Dir::State::Status=$work/status")
fi
# The named packages are unpacked even if they are installed.
download() { "${apt[@]}" install --no-install-recommends --download-only --reinstall "$@"; }
if [ -n "$arch" ] || ! download "$@" >"$work/log" 2>&1; then
  # The system's lists may be absent, old, or without this machine's packages.
  apt+=(-o "Dir::State::Lists=$work/lists")
  if ! { "${apt[@]}" update && download "$@"; } >"$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "podium: the system's package sources do not have all of: $wanted" >&2
    exit 1
  fi
fi

rm -rf "$dir"
record=$dir/var/lib/dpkg
mkdir -p "$record/info"
printf '%s\n' "$(dpkg --print-architecture)" ${arch:+"$arch"} >"$record/arch"
for archive in "$work"/cache/archives/*.deb; do
  dpkg-deb -x "$archive" "$dir"
  { dpkg-deb -f "$archive"; printf 'Status: install ok installed\n\n'; } >>"$record/status"
  dpkg-deb --fsys-tarfile "$archive" | tar -t | sed -nE 's|/$||; s|^\.(/.*)|\1|p' \
    >"$record/info/$(dpkg-deb -f "$archive" Package).list"
done
echo "$wanted" >"$dir/.unpacked"
