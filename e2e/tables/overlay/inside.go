package main

// Some tests call an internal function of a plugin. For the packages listed here, such a call goes to a function that first puts
// the corresponding question to the plugin, with the same pod and nodes, and then makes the call.
var inside = map[string]struct {
	calls   map[string]string // by the name that is called: the one that stands in for it
	imports map[string]string // that the text needs, by name
	text    string
}{
	"noderesources": {
		calls: map[string]string{
			"isFit":                              "tablesIsFit",
			"haveAnyRequestedResourcesIncreased": "tablesHaveAnyIncreased",
			"calculatePodResourceRequest":        "tablesPodResourceRequest",
		},
		imports: map[string]string{"v1": "k8s.io/api/core/v1", "fwk": "k8s.io/kube-scheduler/framework", "klog": "k8s.io/klog/v2"},
		text: `
type tablesHandle struct {
	fwk.Handle
	manager fwk.SharedDRAManager
}

func (h tablesHandle) SharedDRAManager() fwk.SharedDRAManager { return h.manager }

func tablesFit(manager fwk.SharedDRAManager, options ResourceRequestsOptions) *Fit {
	return &Fit{enablePodLevelResources: options.EnablePodLevelResources, enableDRAExtendedResource: options.EnableDRAExtendedResource,
		handle: tablesHandle{manager: manager}, resourceAllocationScorer: &resourceAllocationScorer{draManager: manager}}
}

// TablesListers returns the listers for extended resources. Some tests have a manager without listers, or
// none.
func (r *resourceAllocationScorer) TablesListers() (listers []any) {
	defer func() {
		if recover() != nil {
			listers = nil
		}
	}()
	if r == nil || r.draManager == nil {
		return nil
	}
	claims, _ := r.draManager.ResourceClaims().List()
	slices, _ := r.draManager.ResourceSlices().ListWithDeviceTaintRules()
	classes, _ := r.draManager.DeviceClasses().List()
	return []any{claims, slices, classes}
}

func tablesIsFit(pod *v1.Pod, node *v1.Node, manager fwk.SharedDRAManager, options ResourceRequestsOptions) bool {
	tablesFit(manager, options).isSchedulableAfterNodeChange(klog.Background(), pod, nil, node)
	return isFit(pod, node, manager, options)
}

func tablesHaveAnyIncreased(pod *v1.Pod, before, after *v1.Node, manager fwk.SharedDRAManager, options ResourceRequestsOptions) bool {
	tablesFit(manager, options).isSchedulableAfterNodeChange(klog.Background(), pod, before, after)
	return haveAnyRequestedResourcesIncreased(pod, before, after, manager, options)
}

func (r *resourceAllocationScorer) tablesPodResourceRequest(pod *v1.Pod, resource v1.ResourceName) int64 {
	request := r.calculatePodResourceRequest(pod, resource)
	podiumtables.Request(pod, resource, request)
	return request
}
`,
	},
	"nodeports": {
		calls:   map[string]string{"Fits": "tablesFits"},
		imports: map[string]string{"v1": "k8s.io/api/core/v1", "fwk": "k8s.io/kube-scheduler/framework", "context": "context", "framework": "k8s.io/kubernetes/pkg/scheduler/framework"},
		text: `
func tablesFits(pod *v1.Pod, info fwk.NodeInfo) bool {
	plugin, state := &NodePorts{}, framework.NewCycleState()
	plugin.PreFilter(context.Background(), state, pod, nil)
	plugin.Filter(context.Background(), state, pod, info)
	return Fits(pod, info)
}
`,
	},
	"interpodaffinity": {
		// The function takes the terms of a pod. The pod is in the variable podInfo of the test, the nodes are in l.
		calls: map[string]string{
			"getIncomingAffinityAntiAffinityCounts": "tablesPreFilter(ctx, podInfo, l).getIncomingAffinityAntiAffinityCounts"},
		imports: map[string]string{"fwk": "k8s.io/kube-scheduler/framework", "context": "context", "framework": "k8s.io/kubernetes/pkg/scheduler/framework"},
		text: `
func (pl *InterPodAffinity) tablesPreFilter(ctx context.Context, pod fwk.PodInfo, nodes []fwk.NodeInfo) *InterPodAffinity {
	pl.PreFilter(ctx, framework.NewCycleState(), pod.GetPod(), nodes)
	return pl
}
`,
	},
	"dynamicresources": {
		text: `
func (pl *DynamicResources) TablesListers() []any {
	if pl.draManager == nil {
		return nil
	}
	claims, _ := pl.draManager.ResourceClaims().List()
	slices, _ := pl.draManager.ResourceSlices().ListWithDeviceTaintRules()
	classes, _ := pl.draManager.DeviceClasses().List()
	return []any{claims, slices, classes}
}
`,
	},
	"volumebinding": {
		imports: map[string]string{"v1": "k8s.io/api/core/v1", "metav1": "k8s.io/apimachinery/pkg/apis/meta/v1", "klog": "k8s.io/klog/v2"},
		text: `
func tablesAll[T metav1.Object](cache *passiveAssumeCache[T]) []T {
	cache.rwMutex.RLock()
	defer cache.rwMutex.RUnlock()
	return cache.replaceAssumed(cache.store.List())
}

func (b *volumeBinder) TablesListers() []any {
	return []any{b.classLister, b.csiNodeLister, b.csiDriverLister, b.csiStorageCapacityLister,
		tablesAll(b.pvCache.passiveAssumeCache), tablesAll(b.pvcCache.passiveAssumeCache)}
}
`,
	},
}

// The edits of a test file of the package that make its calls go there.
func askBefore(s *source) []edit {
	var edits []edit
	for name, instead := range inside[s.file.Name.Name].calls {
		for _, at := range s.calls(name) {
			edits = append(edits, edit{at, at + len(name), instead})
		}
	}
	return edits
}
