package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

// featureGates is a flag of the form A=true,B=false.
type featureGates map[string]bool

func (g *featureGates) String() string { return "" }
func (g *featureGates) Type() string   { return "GATES" }
func (g *featureGates) Set(value string) error {
	for _, one := range strings.Split(value, ",") {
		name, text, _ := strings.Cut(one, "=")
		on, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is not of the form GATE=true or GATE=false", one)
		}
		if *g == nil {
			*g = featureGates{}
		}
		(*g)[name] = on
	}
	return nil
}

// during runs f while the gates have these values. They are those of the whole
// process: nothing else may run that should not have them.
func (g featureGates) during(f func() error) (err error) {
	if len(g) == 0 {
		return f()
	}
	gates := utilfeature.DefaultMutableFeatureGate
	known := gates.GetAll()
	before := map[string]bool{}
	for name := range g {
		if _, ok := known[featuregate.Feature(name)]; !ok {
			return fmt.Errorf("unrecognized feature gate: %s", name)
		}
		before[name] = gates.Enabled(featuregate.Feature(name))
	}
	defer func() { err = errors.Join(err, gates.SetFromMap(before)) }()
	if err := gates.SetFromMap(g); err != nil {
		return err
	}
	return f()
}
