package engine

import (
	"context"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	resourcehelper "k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"
)

// flights is a manager that remembers what Reserve puts in flight. The claim
// of extended resources is nowhere else, and its UID is random.
type flights struct {
	fwk.SharedDRAManager
	claims *flightTracker
}

func (f *flights) ResourceClaims() fwk.ResourceClaimTracker { return f.claims }

type flightTracker struct {
	fwk.ResourceClaimTracker
	begun []*resourcev1.ResourceClaim
}

func (t *flightTracker) SignalClaimPendingAllocation(uid types.UID, claim *resourcev1.ResourceClaim) error {
	err := t.ResourceClaimTracker.SignalClaimPendingAllocation(uid, claim)
	if err == nil {
		t.begun = append(t.begun, claim)
	}
	return err
}

func recordFlights(manager fwk.SharedDRAManager) *flights {
	return &flights{manager, &flightTracker{ResourceClaimTracker: manager.ResourceClaims()}}
}

// wantsDevices reports whether the pod has claims, or extended resources that a device class backs.
func (e *Engine) wantsDevices(pod *v1.Pod) bool {
	if len(pod.Spec.ResourceClaims) > 0 {
		return true
	}
	for name := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
		if e.dra.DeviceClassResolver().GetDeviceClass(name) != nil {
			return true
		}
	}
	return false
}

// recordAllocations reserves the pod's claims on every feasible node in turn, notes what they would get, and takes it back.
func (e *Engine) recordAllocations(ctx context.Context, a *attempt) {
	if e.dra == nil || !e.wantsDevices(a.pod) {
		return
	}
	for _, node := range a.feasible {
		name := node.Node().Name
		assumed := a.pod.DeepCopy()
		assumed.Spec.NodeName = name
		e.dra.claims.begun = nil
		if a.fw.RunReservePluginsReserve(ctx, a.state, assumed, name).IsSuccess() {
			for _, claim := range e.dra.claims.begun {
				a.result.Allocate(name, claim.Name, claim.Status.Allocation.DeepCopy())
			}
		}
		a.fw.RunReservePluginsUnreserve(ctx, a.state, assumed, name)
	}
}
