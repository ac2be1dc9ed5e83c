#!/usr/bin/env bash
# kube.sh [NAME…]: puts programs of the real control plane, and what tests need beside them, into build/kube/bin; all of them
# without names. They are built from Go modules, or linked from where KUBEBUILDER_ASSETS points.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/kube/bin
mkdir -p $out
names=("$@")
[ $# -gt 0 ] || names=(etcd kube-apiserver kube-scheduler kubectl helm drive extender)

kube=()  # packages of e2e/kube, which are built together
for name in "${names[@]}"; do
  if [ -n "${KUBEBUILDER_ASSETS:-}" ] && [ -x "$KUBEBUILDER_ASSETS/$name" ]; then
    ln -sf "$KUBEBUILDER_ASSETS/$name" "$out/$name"
    continue
  fi
  case $name in
    etcd) kube+=(go.etcd.io/etcd/server/v3) ;;
    kube-apiserver | kube-scheduler | kubectl) kube+=("k8s.io/kubernetes/cmd/$name") ;;
    helm | drive | extender) ;;
    *) echo "kube.sh: no program is called $name" >&2; exit 2 ;;
  esac
done
[ ${#kube[@]} = 0 ] || tools/go-build.sh e2e/kube $out "${kube[@]}"
for name in "${names[@]}"; do
  case $name in
    helm) [ -L $out/helm ] || tools/go-build.sh e2e/helm $out helm.sh/helm/v4/cmd/helm ;;
    drive | extender) tools/go-build.sh "e2e/$name" $out . ;;
  esac
done
