package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// perfRun is the run of one workload.
type perfRun struct {
	client     kubernetes.Interface
	dynamic    dynamic.Interface
	mapper     *restmapper.DeferredDiscoveryRESTMapper
	c          perfCase
	w          perfWorkload
	pods       *podStates
	namespaces map[string]bool
	waiting    map[string]int // by namespace: pods that a barrier waits for
	nodes      int

	mu       sync.Mutex
	measured *measurement // nil: nothing is measured
	done     []*measurement
}

// measurement is of the pods in some namespaces with some labels, from its start to its end.
type measurement struct {
	namespaces []string
	selector   map[string]string
	began      time.Time
	last       time.Time // when the last pod was bound
	created    map[string]time.Time
	bound      map[string]time.Time
	before     []usage
	figures    map[string]any
}

func newPerfRun(ctx context.Context, config *rest.Config, client kubernetes.Interface, c perfCase, w perfWorkload) (*perfRun, error) {
	asJSON := rest.CopyConfig(config)
	asJSON.ContentType = "application/json"
	objects, err := dynamic.NewForConfig(asJSON)
	if err != nil {
		return nil, err
	}
	r := &perfRun{client: client, dynamic: objects, c: c, w: w, namespaces: map[string]bool{}, waiting: map[string]int{},
		mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))}
	r.pods = watchPods(ctx, client, r.sawBound)
	return r, nil
}

func (r *perfRun) sawBound(pod *v1.Pod, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.measured; m != nil && isIn(m.namespaces, m.selector, pod.Namespace, pod.Labels) {
		m.bound[string(pod.UID)], m.last = at, at
	}
}

// created notes when a pod was sent. A pod that is bound before its reply is read counts too.
func (r *perfRun) created(pod *v1.Pod, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.measured; m != nil && isIn(m.namespaces, m.selector, pod.Namespace, pod.Labels) {
		m.created[string(pod.UID)] = at
	}
}

func (r *perfRun) startMeasuring(namespaces []string, selector map[string]string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.measured != nil {
		return fmt.Errorf("two measurements at the same time")
	}
	r.measured = &measurement{namespaces: namespaces, selector: selector, began: time.Now(), before: usages(),
		created: map[string]time.Time{}, bound: map[string]time.Time{}}
	return nil
}

func (r *perfRun) stopMeasuring() {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.measured
	var latencies []time.Duration
	for uid, at := range m.bound {
		if created, ok := m.created[uid]; ok {
			latencies = append(latencies, at.Sub(created))
		}
	}
	latency := quantiles(latencies, .5, .9, .99)
	seconds := m.last.Sub(m.began).Seconds()
	m.figures = map[string]any{"bound": len(m.bound), "seconds": seconds, "pods_per_s": float64(len(m.bound)) / seconds,
		"latency_ms_p50": latency[0], "latency_ms_p90": latency[1], "latency_ms_p99": latency[2]}
	addUsages(m.figures, m.before, len(m.bound))
	r.done = append(r.done, m)
	r.measured = nil
}

// report prints one JSON line for each measurement.
func (r *perfRun) report(name string) error {
	for _, m := range r.done {
		m.figures["workload"] = name
		if err := json.NewEncoder(os.Stdout).Encode(m.figures); err != nil {
			return err
		}
	}
	if len(r.done) == 0 {
		return fmt.Errorf("%s measures nothing", name)
	}
	return nil
}
