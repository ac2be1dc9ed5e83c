#!/usr/bin/env bash
# axe.sh: puts axe-core, which checks pages for what people with disabilities cannot use, into build/axe/axe.min.js. npm gets
# it; the digest is that of the release.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=4.14.1
digest=FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==

mkdir -p build/axe
exec 9> build/axe/.lock
flock 9 # tests that run at the same time may need it
[ "$(cat build/axe/.version 2>/dev/null)" != "$version" ] || exit 0
command -v npm >/dev/null || { echo 'podium: npm is missing: tools/setup.sh tools/browser/packages.txt' >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm pack --silent --cache "$work/cache" --pack-destination "$work" "axe-core@$version" >/dev/null
if [ "$(openssl dgst -sha512 -binary "$work/axe-core-$version.tgz" | base64 -w0)" != "$digest" ]; then
  echo "podium: axe-core $version is not what was released" >&2
  exit 1
fi
tar -xzf "$work/axe-core-$version.tgz" -C "$work" package/axe.min.js
mv "$work/package/axe.min.js" build/axe/
echo "$version" > build/axe/.version
