//go:build tools

// Package tools pins the release of helm that tests and the demo run.
package tools

import _ "helm.sh/helm/v4/cmd/helm"
