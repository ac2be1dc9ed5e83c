//go:build tools

package main

// Imports of upstream's tests that the plugins do not have.
import (
	_ "github.com/go-logr/logr"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/onsi/gomega"
	_ "github.com/stretchr/testify/require"
	_ "k8s.io/apiserver/pkg/util/feature"
	_ "k8s.io/client-go/kubernetes/fake"
	_ "k8s.io/cloud-provider/volume"
	_ "k8s.io/component-base/featuregate/testing"
	_ "k8s.io/component-base/metrics/testutil"
	_ "k8s.io/component-helpers/nodedeclaredfeatures"
	_ "k8s.io/component-helpers/nodedeclaredfeatures/testing"
	_ "k8s.io/component-helpers/storage/volume"
	_ "k8s.io/csi-translation-lib"
	_ "k8s.io/dynamic-resource-allocation/cel"
	_ "k8s.io/klog/v2/ktesting"
	_ "k8s.io/kubernetes/pkg/controller/volume/persistentvolume"
	_ "k8s.io/kubernetes/pkg/controller/volume/persistentvolume/testing"
	_ "k8s.io/kubernetes/test/utils/ktesting"
	_ "k8s.io/utils/ptr"
)
