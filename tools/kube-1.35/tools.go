//go:build tools

// Package tools pins the API server of 1.35, which podium is tested on too
// (e2e/tests/test_api_servers.py).
package tools

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
