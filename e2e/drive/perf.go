package main

// Workloads of kube-scheduler's own benchmark, test/integration/scheduler_perf of k8s.io/kubernetes, on a live API server. There, the
// scheduler runs in the process of the test. Here, it is any process.

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// perfCase is a test case of a performance-config.yaml: operations, whose numbers each workload gives.
type perfCase struct {
	Name                   string
	FeatureGates           map[string]bool
	SchedulerConfigPath    string
	DefaultPodTemplatePath string
	WorkloadTemplate       []operation
	Workloads              []perfWorkload

	directory string // of the file, which its paths are relative to
}

type perfWorkload struct {
	Name         string
	Labels       []string
	FeatureGates map[string]bool
	Params       map[string]any
}

// operation has the fields of all operations; Opcode says which of them count.
type operation struct {
	Opcode                            string
	Count                             int
	CountParam                        string
	CountMultiplierParam              string
	Namespace                         string
	Namespaces                        []string
	Prefix                            string
	NamespacePrefix                   string
	TemplatePath                      string
	TemplatePaths                     []string
	TemplateParams                    map[string]any
	NodeTemplatePath                  string
	NamespaceTemplatePath             string
	PodTemplatePath                   string
	PersistentVolumeTemplatePath      string
	PersistentVolumeClaimTemplatePath string
	NodeAllocatableStrategy           *allocatableStrategy
	LabelNodePrepareStrategy          *labelStrategy
	UniqueNodeLabelStrategy           *labelStrategy
	CreatePodsOp                      *operation
	CollectMetrics                    bool
	SkipWaitToCompletion              bool
	SteadyState                       bool
	SteadyStateParam                  string
	SignatureBatchSize                int
	SignatureBatchSizeParam           string
	DurationParam                     string
	Duration                          string
	LabelSelector                     map[string]string
	StageRequirement                  string
	DeletePodsPerSecond               int
	UpdatePerSecond                   int
	Subresources                      []string
	Mode                              string
	Number                            int
	IntervalMilliseconds              int
}

type allocatableStrategy struct {
	NodeAllocatable    map[string]string
	CsiNodeAllocatable map[string]struct{ Count *int32 }
	MigratedPlugins    []string
}

type labelStrategy struct {
	LabelKey    string
	LabelValues []string
}

// readSuite returns the test cases of all performance-config.yaml below the directory.
func readSuite(root string) ([]perfCase, error) {
	var all []perfCase
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.Name() != "performance-config.yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var cases []perfCase
		if err := yaml.Unmarshal(text, &cases); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, one := range cases {
			one.directory = filepath.Dir(path)
			all = append(all, one)
		}
		return nil
	})
	return all, err
}

// number returns an integer of the workload that an operation names "$name".
func (w perfWorkload) number(param string) (int, error) {
	value, ok := w.Params[strings.TrimPrefix(param, "$")].(float64)
	if !ok {
		return 0, fmt.Errorf("workload %s: no number is called %s", w.Name, param)
	}
	return int(value), nil
}

// resolved returns the operation with the numbers, times and template parameters of the workload.
func (o operation) resolved(w perfWorkload) (operation, error) {
	var err error
	if o.CountParam != "" {
		if o.Count, err = w.number(o.CountParam); err != nil {
			return o, err
		}
	} else if o.Count == 0 {
		o.Count = 1
	}
	if o.CountMultiplierParam != "" {
		factor, err := w.number(o.CountMultiplierParam)
		if err != nil {
			return o, err
		}
		o.Count *= factor
	}
	if o.SignatureBatchSizeParam != "" {
		if o.SignatureBatchSize, err = w.number(o.SignatureBatchSizeParam); err != nil {
			return o, err
		}
	}
	o.SignatureBatchSize = max(o.SignatureBatchSize, 1)
	if o.SteadyStateParam != "" {
		o.SteadyState, _ = w.Params[strings.TrimPrefix(o.SteadyStateParam, "$")].(bool)
	}
	if o.DurationParam != "" {
		o.Duration, _ = w.Params[strings.TrimPrefix(o.DurationParam, "$")].(string)
	}
	o.TemplateParams = maps.Clone(o.TemplateParams)
	for key, value := range o.TemplateParams {
		text, isText := value.(string)
		if !isText || !strings.HasPrefix(text, "$") {
			continue
		}
		name, otherwise, hasDefault := strings.Cut(text[1:], "|")
		if given, ok := w.Params[name]; ok {
			o.TemplateParams[key] = given
			continue
		}
		if !hasDefault {
			return o, fmt.Errorf("workload %s: no parameter is called %s", w.Name, name)
		}
		var parsed any
		if err := yaml.Unmarshal([]byte(otherwise), &parsed); err != nil {
			return o, fmt.Errorf("workload %s: %s: %w", w.Name, text, err)
		}
		o.TemplateParams[key] = parsed
	}
	return o, nil
}

// listSuite prints one JSON line for each workload: its name, what it needs, and the operations that are unknown here.
func listSuite(cases []perfCase) error {
	out := json.NewEncoder(os.Stdout)
	for _, c := range cases {
		for _, w := range c.Workloads {
			nodes, unknown := 0, []string{}
			for _, o := range c.WorkloadTemplate {
				if _, known := operations[o.Opcode]; !known && !slices.Contains(unknown, o.Opcode) {
					unknown = append(unknown, o.Opcode)
				}
				if o.Opcode != "createNodes" {
					continue
				}
				o, err := o.resolved(w)
				if err != nil {
					return err
				}
				nodes += o.Count
			}
			gates := maps.Clone(c.FeatureGates)
			if gates == nil {
				gates = map[string]bool{}
			}
			maps.Copy(gates, w.FeatureGates)
			config := ""
			if c.SchedulerConfigPath != "" {
				config = filepath.Join(c.directory, c.SchedulerConfigPath)
			}
			if err := out.Encode(map[string]any{"workload": c.Name + "/" + w.Name, "labels": w.Labels, "gates": gates, "nodes": nodes,
				"unknown": unknown, "configuration": config}); err != nil {
				return err
			}
		}
	}
	return nil
}

// runPerf runs the workload called CASE/NAME and prints its figures.
func runPerf(ctx context.Context, config *rest.Config, client kubernetes.Interface, cases []perfCase, name string) error {
	for _, c := range cases {
		for _, w := range c.Workloads {
			if c.Name+"/"+w.Name != name {
				continue
			}
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			run, err := newPerfRun(ctx, config, client, c, w)
			if err != nil {
				return err
			}
			for i, o := range c.WorkloadTemplate {
				o, err := o.resolved(w)
				if err != nil {
					return err
				}
				began := time.Now()
				if err := run.operate(ctx, i, o); err != nil {
					return fmt.Errorf("%s, operation %d (%s): %w", name, i+1, o.Opcode, err)
				}
				fmt.Fprintf(os.Stderr, "   %-22s %.1f s\n", o.Opcode, time.Since(began).Seconds())
			}
			return run.report(name)
		}
	}
	return fmt.Errorf("no workload is called %q", name)
}
