#!/usr/bin/env bash
# Unpacks the Debian sources of the libraries whose packages have no static archive into
# .cache/sources/<source package>, in the version of the headers: those that are installed, or with an argument
# those that tools/static/sysroot.sh has unpacked there. tools/static/static.cmake compiles them. apt verifies
# what it downloads. Its package lists of sources are kept apart, so that neither root nor a change of the
# system's configuration is needed.
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
# A source of other people's packages may have no source packages; the next step tells whether any has what is
# needed.
"${apt[@]}" update >"$work/log" 2>&1 || true
download() { cd "$work/download" && "${apt[@]}" source --download-only --only-source "${missing[@]}"; }
if ! (download) >>"$work/log" 2>&1; then
  cat "$work/log" >&2
  echo "podium: the system's package sources do not have the source packages ${missing[*]}." >&2
  echo "If they have newer ones, upgrade the packages. PODIUM_STATIC=OFF builds with shared libraries." >&2
  exit 1
fi
for each in "${missing[@]}"; do
  name=${each%%=*} version=${each#*=}
  rm -rf ".cache/sources/$name"
  # A file's name has the version without its epoch.
  description=$work/download/${name}_${version#*:}.dsc
  dpkg-source --no-check --no-copy -q -x "$description" ".cache/sources/$name" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
  echo "$version" >".cache/sources/$name/.version"
done
