#!/usr/bin/env bash
# go-build.sh MODULE_DIR OUTPUT_DIR PACKAGE…: builds programs of one Go module (below e2e/ or tools/) in one `go build`, so
# that they share compiled packages and link in parallel. Builds again when the module or its sources have changed.
# Prints its progress and how long the build took.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
module=$1 out=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
. "$root/tools/go-env.sh"

# Tests that run at the same time may build the same program.
exec 9> "$out/.lock"
flock 9

cd "$module"
stamp=$(find . -type f \( -name '*.go' -o -name 'go.*' \) -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16)
version=$(awk '{sub(/^require /, "")} $1 == "k8s.io/kubernetes" {print $2; exit}' go.mod)
flags="-s -w"
if [ -n "$version" ]; then
  minor=${version#v1.} minor=${minor%%.*}
  base=k8s.io/component-base/version
  flags="$flags -X $base.gitVersion=$version -X $base.gitMajor=1 -X $base.gitMinor=$minor"
fi

# The file name that `go build` gives a package's program.
program_of() {
  case $1 in
    .) awk '$1 == "module" {print $2; exit}' go.mod | xargs basename ;;
    *) basename "${1%/v[0-9]}" ;;
  esac
}
# The name of the program in OUTPUT_DIR.
name_of() {
  case $1 in
    .) basename "$PWD" ;;
    go.etcd.io/etcd/server/v3) echo etcd ;;
    *) program_of "$1" ;;
  esac
}

packages=() names=()
for package in "$@"; do
  name=$(name_of "$package")
  [ -x "$out/$name" ] && [ "$(cat "$out/.$name.stamp" 2>/dev/null)" = "$stamp" ] && continue
  packages+=("$package") names+=("$name")
done
[ ${#packages[@]} -gt 0 ] || exit 0

# Counts the packages that `go build -v` names and passes on all other output.
progress() {
  local count=0 printed=$SECONDS line
  while read -r line; do
    case $line in
      "go: downloading"*) continue ;;
      "#"* | *" "*) echo "$line" >&2; continue ;;
    esac
    count=$((count + 1))
    if ((SECONDS - printed >= 10)); then
      printed=$SECONDS
      echo "   $count of at most $total packages, $((SECONDS - began)) s"
    fi
  done
}

began=$SECONDS
echo "== building ${names[*]} (minutes when cold, seconds when warm)"
total=$(go list -deps "${packages[@]}" 2> >(grep -v '^go: downloading' >&2) | wc -l)
programs=$(mktemp -d -p "$out")
trap 'rm -rf "$programs"' EXIT
go build -v -o "$programs/" -ldflags "$flags" "${packages[@]}" 2>&1 | progress
for i in "${!packages[@]}"; do
  mv "$programs/$(program_of "${packages[i]}")" "$out/${names[i]}"
  echo "$stamp" > "$out/.${names[i]}.stamp"
done
echo "   built in $((SECONDS - began)) s"
