package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// podStates knows the state of each pod, as a watch shows it. Safe for concurrent use.
type podStates struct {
	mu      sync.Mutex
	changed chan struct{} // closed, and replaced, by each change
	pods    map[string]podState
	bound   func(pod *v1.Pod, at time.Time) // called once for each pod, with mu held
	store   cache.Store
}

type podState struct {
	namespace        string
	labels           labels.Set
	bound, attempted bool
}

// isIn tells whether the pod is in one of the namespaces (nil: in any) and has the labels.
func isIn(namespaces []string, selector map[string]string, namespace string, set labels.Set) bool {
	return (namespaces == nil || slices.Contains(namespaces, namespace)) && labels.SelectorFromSet(selector).Matches(set)
}

func watchPods(ctx context.Context, client kubernetes.Interface, bound func(*v1.Pod, time.Time)) *podStates {
	p := &podStates{changed: make(chan struct{}), pods: map[string]podState{}, bound: bound}
	seen := func(o any) {
		pod := o.(*v1.Pod)
		attempted := slices.ContainsFunc(pod.Status.Conditions, func(c v1.PodCondition) bool { return c.Type == v1.PodScheduled })
		p.mu.Lock()
		defer p.mu.Unlock()
		before := p.pods[string(pod.UID)]
		now := podState{pod.Namespace, pod.Labels, pod.Spec.NodeName != "", attempted || pod.Spec.NodeName != ""}
		p.pods[string(pod.UID)] = now
		if now.bound && !before.bound {
			p.bound(pod, time.Now())
		}
		close(p.changed)
		p.changed = make(chan struct{})
	}
	all := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", "", fields.Everything())
	store, informer := cache.NewInformerWithOptions(cache.InformerOptions{ListerWatcher: all, ObjectType: &v1.Pod{},
		Handler: cache.ResourceEventHandlerFuncs{AddFunc: seen, UpdateFunc: func(_, o any) { seen(o) }}})
	p.store = store
	go informer.Run(ctx.Done())
	<-informer.HasSyncedChecker().Done()
	return p
}

// await waits until so many pods of the namespaces with the labels have been bound; with `attempted`, until a scheduler has tried them.
func (p *podStates) await(namespaces []string, selector map[string]string, wanted int, attempted bool) error {
	const most = 10 * time.Minute // upstream's
	deadline := time.After(most)
	for {
		p.mu.Lock()
		have := 0
		for _, pod := range p.pods {
			if isIn(namespaces, selector, pod.namespace, pod.labels) && (pod.bound || attempted && pod.attempted) {
				have++
			}
		}
		changed := p.changed
		p.mu.Unlock()
		if have >= wanted {
			return nil
		}
		// Counting costs time, so it waits for more changes than one.
		select {
		case <-time.After(50 * time.Millisecond):
		case <-deadline:
			return fmt.Errorf("%d of %d pods after %s", have, wanted, most)
		}
		select {
		case <-changed:
		case <-deadline:
			return fmt.Errorf("%d of %d pods after %s", have, wanted, most)
		}
	}
}

// existing returns the pods of a namespace with the labels that exist now.
func (p *podStates) existing(namespace string, selector map[string]string) []*v1.Pod {
	var out []*v1.Pod
	for _, o := range p.store.List() {
		if pod := o.(*v1.Pod); pod.Namespace == namespace && labels.SelectorFromSet(selector).Matches(labels.Set(pod.Labels)) {
			out = append(out, pod)
		}
	}
	return out
}
