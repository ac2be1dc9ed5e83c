#!/usr/bin/env bash
# Unpacks the Debian sources of the libraries whose packages have no static archive into
# .cache/sources/<source package>, in the version of the headers: those that are installed, or with an argument
# those that tools/static/sysroot.sh has unpacked there. tools/static/static.cmake compiles them. apt verifies
# what it downloads. Its package lists of sources are kept apart, so that neither root nor a change of the
# system's configuration is needed.
#
# A mirror may lack files of a source package. Then the original archive serves without Debian's changes, which
# concern the packaging. Without mimalloc's sources the program uses the C library's allocator.
set -euo pipefail
cd "$(dirname "$0")/../.."

query=(dpkg-query "--admindir=${1:-}/var/lib/dpkg")
missing=()
for package in libfmt-dev libmimalloc-dev prometheus-cpp-dev; do
  read -r name version < <("${query[@]}" -W -f='${source:Package} ${source:Version}\n' "$package")
  [ "$(cat ".cache/sources/$name/.version" 2>/dev/null)" = "$version" ] || missing+=("$name=$version")
done
[ ${#missing[@]} -gt 0 ] || exit 0

echo "== unpacking the sources of ${missing[*]}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists,cache,sources.d,download} .cache/sources
# The system's own package sources, read for source packages.
shopt -s nullglob
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ -r "$file" ] || continue
  sed -nE 's/^deb(-src)?[[:space:]]/deb-src /p' "$file" | sort -u >"$work/sources.d/$(basename "$file" .list).list"
done
for file in /etc/apt/sources.list.d/*.sources; do
  sed -E 's/^Types:.*/Types: deb-src/' "$file" >"$work/sources.d/$(basename "$file")"
done
apt=(apt-get -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/sources.d"
     -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=$(id -un)")
# A source of other people's packages may have no source packages; the next step shows whether any has what is
# needed.
"${apt[@]}" update >"$work/log" 2>&1 || true
# package NAME VERSION DIRECTORY: unpacks the source package.
package() {
  (cd "$work/download" && "${apt[@]}" source --download-only --only-source "$1=$2") >>"$work/log" 2>&1 || return 1
  # A file's name has the version without its epoch.
  dpkg-source --no-check --no-copy -q -x "$work/download/${1}_${2#*:}.dsc" "$3" >>"$work/log" 2>&1
}
# original NAME VERSION DIRECTORY: unpacks the original archive, whose checksum the signed list of sources has.
original() {
  local sum file uri
  read -r sum file < <(apt-cache "${apt[@]:1}" showsrc --only-source "$1" | awk -v version="$2" '
    /^Version: / {wanted = $2 == version}
    /^[^ ]/ {sums = /^Checksums-Sha256:/}
    wanted && sums && $3 ~ /[.]orig[.]tar[.][a-z0-9]+$/ {print $1, $3; exit}')
  [ -n "${file:-}" ] || return 1
  uri=$("${apt[@]}" --print-uris source --download-only --only-source "$1=$2" | awk -v file="$file" -F"'" '$3 ~ " " file " " {print $2; exit}')
  /usr/lib/apt/apt-helper "${apt[@]:1}" download-file "$uri" "$work/download/$file" "SHA256:$sum" >>"$work/log" 2>&1 || return 1
  mkdir -p "$3"
  tar -x --strip-components=1 -C "$3" -f "$work/download/$file"
}
for each in "${missing[@]}"; do
  name=${each%%=*} version=${each#*=}
  rm -rf ".cache/sources/$name"
  if package "$name" "$version" ".cache/sources/$name"; then
    :
  elif original "$name" "$version" ".cache/sources/$name"; then
    echo "== $name $version: the original sources, since the package sources lack Debian's changes"
  elif [ "$name" = mimalloc ]; then
    echo "== $name $version: the package sources lack it; the program will use the C library's allocator"
    mkdir -p ".cache/sources/$name"
  else
    cat "$work/log" >&2
    echo "podium: the system's package sources do not have the source package $each." >&2
    echo "If they have a newer one, upgrade the packages. PODIUM_STATIC=OFF builds with shared libraries." >&2
    exit 1
  fi
  echo "$version" >".cache/sources/$name/.version"
done
