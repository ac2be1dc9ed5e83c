package engine

import (
	"context"
	"errors"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"podium.dev/oracle/internal/report"
)

// Place evaluates the pod and gives it a node, as Scheduler.schedulingCycle
// does before anything is written: the cache assumes the pod there, and the
// Reserve plugins have their say. Pods that come later find it there, and its
// claims as they are once it is bound.
//
// The node is the wanted one, if it is feasible; without one, the first by name
// of the best. The report names the wanted node only if it is one of the best.
//
// If no node is feasible and wanted has victims, Place evicts the pods that
// preemption chooses, provided that they are the wanted ones.
func (e *Engine) Place(ctx context.Context, pod *v1.Pod, wanted report.Placement) (*report.Placement, error) {
	a, err := e.attempt(ctx, pod)
	if err != nil {
		return nil, err
	}
	out := &report.Placement{Pod: a.result.Pod, Nodes: a.result.Nodes, Feasible: len(a.result.Feasible)}
	switch {
	case a.result.Error != "":
		// A failed attempt leaves no nodes, as in kube-scheduler.
		out.Feasible, out.Message = 0, a.result.Error
		return out, nil
	case out.Feasible == 0:
		out.Message = a.result.Message
		chosen := a.result.Preemption
		if chosen == nil || chosen.NominatedNode != wanted.Node || !sameNames(chosen.Victims, wanted.Victims) {
			return out, nil
		}
		return out, e.preempt(ctx, pod, chosen, out)
	}

	best := a.result.Top[0]
	if nominated := a.result.NominatedNode; nominated != "" {
		best = nominated
	}
	node := best
	if score := a.result.Scores[wanted.Node]; score != nil {
		node = wanted.Node
		if a.result.NominatedNode == "" && score.Total == a.result.Scores[best].Total {
			best = wanted.Node
		}
	}
	if status := e.assumeAndReserve(ctx, a, node); !status.IsSuccess() {
		out.Message = status.Message()
		return out, nil
	}
	out.Node = best
	if score := a.result.Scores[best]; score != nil {
		out.Score = &score.Total
	}
	return out, nil
}

// preempt evicts the victims and places the pod on their node. The pods that
// replace them are pods of their own. Nothing is evicted if a victim has
// devices, because nothing here frees these.
func (e *Engine) preempt(ctx context.Context, pod *v1.Pod, chosen *report.Preemption, out *report.Placement) error {
	out.Victims = chosen.Victims
	victims, err := e.victimsOn(chosen)
	if err != nil || slices.ContainsFunc(victims, hasDevices) {
		return err
	}
	logger := klog.FromContext(ctx)
	for _, victim := range victims {
		if err := e.cache.RemovePod(logger, victim); err != nil {
			return err
		}
	}
	if err := e.cache.UpdateSnapshot(logger, e.snapshot); err != nil {
		return err
	}
	// The plugin holds a pod back, by its UID, while its goroutine evicts the
	// victims through the client. Here they are gone already.
	pod = pod.DeepCopy()
	pod.UID += "-again"
	a, err := e.attempt(ctx, pod)
	if err != nil {
		return err
	}
	if !slices.Contains(a.result.Feasible, chosen.NominatedNode) {
		out.Message = a.result.Error + a.result.Message
		return nil
	}
	if status := e.assumeAndReserve(ctx, a, chosen.NominatedNode); !status.IsSuccess() {
		out.Message = status.Message()
		return nil
	}
	out.Node, out.Message = chosen.NominatedNode, ""
	return nil
}

func (e *Engine) victimsOn(chosen *report.Preemption) ([]*v1.Pod, error) {
	node, err := e.snapshot.Get(chosen.NominatedNode)
	if err != nil {
		return nil, err
	}
	var victims []*v1.Pod
	for _, info := range node.GetPods() {
		if pod := info.GetPod(); slices.Contains(chosen.Victims, pod.Namespace+"/"+pod.Name) {
			victims = append(victims, pod)
		}
	}
	return victims, nil
}

func hasDevices(pod *v1.Pod) bool {
	return len(pod.Spec.ResourceClaims) > 0 || pod.Status.ExtendedResourceClaimStatus != nil
}

func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// assumeAndReserve mirrors Scheduler.assumeAndReserve. The assumed pod gets the
// labels that the API server gives a pod when it is bound, see
// manifest.Cluster.Admit.
func (e *Engine) assumeAndReserve(ctx context.Context, a *attempt, name string) *fwk.Status {
	logger := klog.FromContext(ctx)
	node, err := e.snapshot.Get(name)
	if err != nil {
		return fwk.AsStatus(err)
	}
	assumed := a.pod.DeepCopy()
	assumed.Spec.NodeName = name
	for _, key := range []string{v1.LabelTopologyZone, v1.LabelTopologyRegion} {
		if value, ok := node.Node().Labels[key]; ok {
			metav1.SetMetaDataLabel(&assumed.ObjectMeta, key, value)
		}
	}
	if err := e.cache.AssumePod(logger, assumed); err != nil {
		return fwk.AsStatus(err)
	}
	status := a.fw.RunReservePluginsReserve(ctx, a.state, assumed, name)
	if !status.IsSuccess() {
		a.fw.RunReservePluginsUnreserve(ctx, a.state, assumed, name)
		err = e.cache.ForgetPod(logger, assumed)
		if status.IsRejected() {
			fitError := &framework.FitError{Pod: a.pod, NumAllNodes: 1,
				Diagnosis: framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}}
			fitError.Diagnosis.NodeToStatus.Set(name, status)
			status = fwk.NewStatus(status.Code(), fitError.Error())
		}
	}
	if status.IsSuccess() {
		err = e.reserveClaims(assumed)
	}
	if err = errors.Join(err, e.cache.UpdateSnapshot(logger, e.snapshot)); err != nil {
		return fwk.AsStatus(err)
	}
	return status
}

// reserveClaims does what PreBind of DynamicResources does to the pod's claims:
// they are no longer in flight, and other pods may share them. The claim of
// extended resources, which no other pod can share, stays in flight.
func (e *Engine) reserveClaims(pod *v1.Pod) error {
	if e.dra == nil {
		return nil
	}
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil || name == nil {
			continue
		}
		claim, err := e.dra.claims.Get(pod.Namespace, *name)
		if err != nil {
			return err
		}
		claim = claim.DeepCopy()
		if allocation := e.dra.claims.GetPendingAllocation(claim.UID); allocation != nil {
			claim.Status.Allocation = allocation.DeepCopy()
		}
		if !resourceclaim.IsReservedForPod(pod, claim, false) {
			claim.Status.ReservedFor = append(claim.Status.ReservedFor,
				resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
		}
		if err := e.dra.claims.AssumeClaimAfterAPICall(claim); err != nil {
			return err
		}
		e.dra.claims.MaybeRemoveClaimPendingAllocation(claim.UID, true)
	}
	return nil
}
