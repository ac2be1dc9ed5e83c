#!/usr/bin/env bash
# kube.sh [NAME…]: puts the named programs of the control plane, helm and the tests' Go programs into build/kube/bin.
# Without names: those that most tests use. Links those that the directory KUBEBUILDER_ASSETS has, and builds the others
# from Go modules; tools/kube and tools/helm pin the releases. kube-apiserver-1.36 and
# kube-apiserver-1.35 are those of other releases, which tools/kube-1.36 and tools/kube-1.35 pin:
# build/kube-1.36/bin/kube-apiserver.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/kube/bin
mkdir -p $out
names=("$@")
[ $# -gt 0 ] || names=(etcd kube-apiserver kube-scheduler kubectl helm drive extender)

kube=()  # packages of tools/kube, which are built together
for name in "${names[@]}"; do
  if [ -n "${KUBEBUILDER_ASSETS:-}" ] && [ -x "$KUBEBUILDER_ASSETS/$name" ]; then
    ln -sf "$KUBEBUILDER_ASSETS/$name" "$out/$name"
    continue
  fi
  case $name in
    etcd) kube+=(go.etcd.io/etcd/server/v3) ;;
    kube-apiserver | kube-controller-manager | kube-scheduler | kubectl | kubelet | kube-proxy) kube+=("k8s.io/kubernetes/cmd/$name") ;;
    helm | drive | extender | kube-apiserver-1.3[56]) ;;
    *) echo "kube.sh: no program is called $name" >&2; exit 2 ;;
  esac
done
[ ${#kube[@]} = 0 ] || tools/go-build.sh tools/kube $out "${kube[@]}"
for name in "${names[@]}"; do
  case $name in
    helm) [ -L $out/helm ] || tools/go-build.sh tools/helm $out helm.sh/helm/v4/cmd/helm ;;
    drive | extender) tools/go-build.sh "e2e/$name" $out . ;;
    kube-apiserver-*)
      release=kube-${name##*-}
      tools/go-build.sh "tools/$release" "build/$release/bin" k8s.io/kubernetes/cmd/kube-apiserver
      ;;
  esac
done
