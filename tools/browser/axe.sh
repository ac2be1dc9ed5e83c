#!/usr/bin/env bash
# axe.sh: puts axe-core, which checks pages for what people with disabilities cannot use, into build/axe/axe.min.js. A package of
# PyPI has it; npm, with its several hundred packages on Debian, is not needed.
set -euo pipefail
cd "$(dirname "$0")/../.."
package=axe-playwright-python==0.1.8 # axe-core 4.12.1
digest=fdd263c998388f1a8e67cad02677e612d946248bd44d163be5e8650ea31f95f8

mkdir -p build/axe
exec 9> build/axe/.lock
flock 9 # tests that run at the same time may need it
[ "$(cat build/axe/.version 2>/dev/null)" != "$package" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
echo "$package --hash=sha256:$digest" > "$work/list"
"$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps --require-hashes -r "$work/list" -d "$work"
python3 -m zipfile -e "$work"/*.whl "$work/package"
mv "$work"/package/axe_playwright_python/axe.min.js build/axe/
echo "$package" > build/axe/.version
