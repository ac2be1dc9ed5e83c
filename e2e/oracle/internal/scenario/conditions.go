package scenario

import (
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const attached, fabricReady, broken = "example.com/attached", "example.com/fabric-ready", "example.com/broken"

// addConditions gives some devices of the pool binding conditions. Some stay on the node that they are given on.
func (g *generator) addConditions(pool string, devices []resourcev1.Device) {
	if !g.on(Conditions) {
		return
	}
	r := g.rand(Conditions, "pool", pool)
	if r.chance(0.4) {
		return
	}
	for i := range devices {
		if !r.chance(0.5) {
			continue
		}
		devices[i].BindingConditions = []string{attached, fabricReady}[:r.between(1, 2)]
		devices[i].BindingFailureConditions = []string{broken}
		if r.chance(0.4) {
			devices[i].BindsToNode = ptr.To(true)
		}
	}
}

// addDeviceStatus makes the claim's devices ones with binding conditions: ready, broken, or neither, in time or too late.
func (g *generator) addDeviceStatus(claim *resourcev1.ResourceClaim) {
	if !g.on(Conditions) || claim.Status.Allocation == nil {
		return
	}
	r := g.rand(Conditions, "claim", claim.Namespace, claim.Name)
	if r.chance(0.2) {
		return
	}
	allocation := claim.Status.Allocation
	switch r.IntN(4) {
	case 0: // long ago
		allocation.AllocationTimestamp = ptr.To(metav1.NewTime(epoch))
	case 1, 2: // in time, for as long as these tests live
		allocation.AllocationTimestamp = ptr.To(metav1.NewTime(epoch.Add(100 * 365 * 24 * time.Hour)))
	}
	result := &allocation.Devices.Results[0]
	result.BindingConditions = []string{attached, fabricReady}
	result.BindingFailureConditions = []string{broken}
	if r.chance(0.2) { // the driver has not said anything
		return
	}
	status := resourcev1.AllocatedDeviceStatus{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
	for _, kind := range []string{attached, fabricReady, broken} {
		is := metav1.ConditionTrue
		if r.chance(0.3) || kind == broken && r.chance(0.7) {
			is = metav1.ConditionFalse
		}
		if r.chance(0.85) {
			status.Conditions = append(status.Conditions, metav1.Condition{
				Type: kind, Status: is, Reason: "Said", LastTransitionTime: metav1.NewTime(epoch),
			})
		}
	}
	if r.chance(0.1) {
		status.Pool = "another"
	}
	claim.Status.Devices = []resourcev1.AllocatedDeviceStatus{status}
}
