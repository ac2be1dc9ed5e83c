// Command gates prints the feature gates that kube-scheduler registers: as rows of
// scheduler/config/gates/feature_gate_table.cc, into which gates.sh writes them.
package main

import (
	"fmt"
	"sort"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/cmd/kube-scheduler/app" // registers the gates of the libraries
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
)

var stages = map[string]string{
	string(featuregate.Alpha):      "alpha",
	string(featuregate.Beta):       "beta",
	string(featuregate.GA):         "ga",
	string(featuregate.Deprecated): "deprecated",
}

func main() {
	options.NewOptions() // sets the effective version
	gates := utilfeature.DefaultMutableFeatureGate
	dependencies := gates.Dependencies()
	var rows []string
	for name, spec := range gates.GetAll() {
		if name == "AllAlpha" || name == "AllBeta" {
			continue
		}
		row := fmt.Sprintf("%q, %s, %t", name, stages[string(spec.PreRelease)], spec.Default)
		var needs []string
		for _, need := range dependencies[name] {
			needs = append(needs, string(need))
		}
		if spec.LockToDefault || len(needs) > 0 {
			row += fmt.Sprintf(", %t", spec.LockToDefault)
		}
		if len(needs) > 0 {
			row += fmt.Sprintf(", %q", strings.Join(needs, " "))
		}
		rows = append(rows, "    {"+row+"},")
	}
	sort.Strings(rows)
	fmt.Println(strings.Join(rows, "\n"))
}
