#!/usr/bin/env bash
# Puts the real control plane into build/kube/bin: etcd, kube-apiserver, kube-scheduler, kubectl, helm and what tests need beside them, from Go modules; or
# links the ones that KUBEBUILDER_ASSETS points at. Tests and the demo find them there.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/kube/bin
mkdir -p $out
wanted=(kube-apiserver kube-scheduler kubectl)
build=()
for name in "${wanted[@]}"; do
  if [ -n "${KUBEBUILDER_ASSETS:-}" ] && [ -x "$KUBEBUILDER_ASSETS/$name" ]; then
    ln -sf "$KUBEBUILDER_ASSETS/$name" "$out/$name"
  else
    build+=("k8s.io/kubernetes/cmd/$name")
  fi
done
[ ${#build[@]} = 0 ] || tools/go-build.sh e2e/kube $out "${build[@]}"
if [ -n "${KUBEBUILDER_ASSETS:-}" ] && [ -x "$KUBEBUILDER_ASSETS/etcd" ]; then
  ln -sf "$KUBEBUILDER_ASSETS/etcd" "$out/etcd"
else
  tools/go-build.sh e2e/kube $out go.etcd.io/etcd/server/v3
fi
tools/go-build.sh e2e/helm $out helm.sh/helm/v4/cmd/helm
tools/go-build.sh e2e/drive $out .
tools/go-build.sh e2e/extender $out .
