#!/usr/bin/env bash
# rootfs.sh BUILD DIR: makes the image's root file system in DIR from the program BUILD/podium. These are all
# its files.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1 root=$2
umask 022
rm -rf "$root"
mkdir -p "$root"/{etc/ssl/certs,usr/lib/ssl,usr/local/bin,usr/share/doc/podium}

"${STRIP:-strip}" --strip-all -o "$root/usr/local/bin/podium" "$build/podium"
if readelf -lW "$root/usr/local/bin/podium" | grep -q INTERP; then
  echo "podium: $build/podium is not static: was it built with PODIUM_STATIC=OFF?" >&2
  exit 1
fi
# A kubeadm manifest with the image exchanged starts it by this name.
ln -s podium "$root/usr/local/bin/kube-scheduler"
cat >"$root/etc/passwd" <<'END'
root:x:0:0:root:/:/sbin/nologin
nonroot:x:65532:65532:nonroot:/:/sbin/nologin
END
cat >"$root/etc/group" <<'END'
root:x:0:
nonroot:x:65532:
END
# Mozilla's certificates as Debian packages them, without those that were added to this machine.
find /usr/share/ca-certificates/mozilla -name '*.crt' | LC_ALL=C sort |
  xargs -d '\n' sed -s -e '$a\' >"$root/etc/ssl/certs/ca-certificates.crt"
# Where Debian's OpenSSL looks for it.
ln -s /etc/ssl/certs/ca-certificates.crt "$root/usr/lib/ssl/cert.pem"
cp LICENSE "$root/usr/share/doc/podium/LICENSE"
python3 tools/image/notices.py "$build" >"$root/usr/share/doc/podium/NOTICES"
chmod -R u=rwX,go=rX "$root"
