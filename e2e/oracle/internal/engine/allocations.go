package engine

import (
	"context"

	"k8s.io/dynamic-resource-allocation/resourceclaim"
	fwk "k8s.io/kube-scheduler/framework"
)

// recordAllocations reserves the pod's claims on every feasible node in turn, notes what they would get, and takes it back.
func (a *attempt) recordAllocations(ctx context.Context, claims fwk.ResourceClaimTracker) {
	if len(a.pod.Spec.ResourceClaims) == 0 {
		return
	}
	for _, node := range a.feasible {
		name := node.Node().Name
		assumed := a.pod.DeepCopy()
		assumed.Spec.NodeName = name
		if a.fw.RunReservePluginsReserve(ctx, a.state, assumed, name).IsSuccess() {
			for i := range a.pod.Spec.ResourceClaims {
				of, _, err := resourceclaim.Name(a.pod, &a.pod.Spec.ResourceClaims[i])
				if err != nil || of == nil {
					continue
				}
				claim, err := claims.Get(a.pod.Namespace, *of)
				if err != nil {
					continue
				}
				if allocation := claims.GetPendingAllocation(claim.UID); allocation != nil {
					a.result.Allocate(name, *of, allocation.DeepCopy())
				}
			}
		}
		a.fw.RunReservePluginsUnreserve(ctx, a.state, assumed, name)
	}
}
