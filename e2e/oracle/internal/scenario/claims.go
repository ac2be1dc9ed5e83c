package scenario

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func claimSpec(requests ...resourcev1.DeviceRequest) resourcev1.ResourceClaimSpec {
	return resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: requests}}
}

func exactly(class string) *resourcev1.ExactDeviceRequest {
	return &resourcev1.ExactDeviceRequest{DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}
}

// Expressions that are true for some devices. The last ones fail where an attribute is missing.
var expressions = []string{
	`device.attributes["gpu.example.com"].fast`,
	`device.attributes["gpu.example.com"].index > 0`,
	`device.attributes["gpu.example.com"].?size.orValue("none") != "small"`,
	`device.attributes["gpu.example.com"].driverVersion.isLessThan(semver("2.0.0"))`,
	`device.capacity["gpu.example.com"].memory.compareTo(quantity("8Gi")) >= 0`,
	`"size" in device.attributes["gpu.example.com"]`,
	`device.attributes["gpu.example.com"].size == "big"`,
	`device.attributes["nic.example.com"].speed >= 200`,
}

// setClaims makes the pod ask for devices.
func (g *generator) setClaims(pod *v1.Pod) {
	r := g.rand(DRA, "pod", pod.Name)
	pod.UID = g.uid("Pod", pod.Namespace, pod.Name) // its claims name it
	if g.on(Extended) && r.chance(0.5) {
		g.setExtendedResources(pod)
		if r.chance(0.8) {
			return
		}
	}
	for i := range max(1, r.IntN(5)-2) {
		g.addDeviceClaim(r, pod, i)
	}
}

// addDeviceClaim makes a claim for the pod, by name or as if made from a template.
func (g *generator) addDeviceClaim(r random, pod *v1.Pod, number int) {
	entry := v1.PodResourceClaim{Name: fmt.Sprintf("devices-%d", number)}
	name := fmt.Sprintf("%s-%d", pod.Name, number)
	claim := &resourcev1.ResourceClaim{
		TypeMeta:   typeMeta("resource.k8s.io/v1", "ResourceClaim"),
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: pod.Namespace, UID: g.uid("ResourceClaim", pod.Namespace, name)},
		Spec:       g.claimSpec(r),
	}
	g.setStatus(r, pod, claim)
	g.addDeviceStatus(claim)
	if r.chance(0.3) {
		entry.ResourceClaimTemplateName = ptr.To("template")
		claim.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true),
		}}
		status := v1.PodResourceClaimStatus{Name: entry.Name, ResourceClaimName: &claim.Name}
		switch n := r.IntN(100); {
		case n < 6: // not made yet
			status.Name = "other"
		case n < 10: // none is needed
			status.ResourceClaimName = nil
		case n < 14:
			claim.OwnerReferences[0].UID = g.uid("Pod", "another")
		}
		pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, status)
	} else {
		entry.ResourceClaimName = &claim.Name
		if r.chance(0.04) {
			entry.ResourceClaimName = ptr.To("no-such-claim")
		}
	}
	if r.chance(0.02) {
		claim.DeletionTimestamp = &metav1.Time{Time: epoch}
		claim.Finalizers = []string{resourcev1.Finalizer}
	}
	g.devices = append(g.devices, claim)
	pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, entry)
	pod.Spec.Containers[0].Resources.Claims = append(pod.Spec.Containers[0].Resources.Claims, v1.ResourceClaim{Name: entry.Name})
}

// setStatus allocates some claims, on one node or everywhere, for nobody, the pod, or another one.
func (g *generator) setStatus(r random, pod *v1.Pod, claim *resourcev1.ResourceClaim) {
	if !r.chance(0.15) {
		return
	}
	node := g.randomNodeName(r)
	request := claim.Spec.Devices.Requests[0]
	result := resourcev1.DeviceRequestAllocationResult{Request: request.Name, Driver: gpuDriver, Pool: node, Device: "gpu-1"}
	if len(request.FirstAvailable) > 0 {
		result.Request += "/" + request.FirstAvailable[len(request.FirstAvailable)-1].Name
	}
	allocation := &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{result}}}
	switch r.IntN(5) {
	case 0:
	case 1:
		allocation.NodeSelector = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: zoneLabel, Operator: v1.NodeSelectorOpIn, Values: []string{g.zones[0]}},
		}}}}
	default:
		allocation.NodeSelector = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{node}},
		}}}}
	}
	claim.Status.Allocation = allocation
	switch r.IntN(4) {
	case 0:
		claim.Status.ReservedFor = reservedFor(pod.Name, pod.UID)
	case 1:
		claim.Status.ReservedFor = reservedFor("other", g.uid("Pod", "other"))
	}
}

func (g *generator) claimSpec(r random) resourcev1.ResourceClaimSpec {
	var spec resourcev1.ResourceClaimSpec
	devices := &spec.Devices
	for i := range max(1, r.IntN(5)-2) {
		request := resourcev1.DeviceRequest{Name: fmt.Sprintf("r%d", i)}
		if r.chance(0.25) {
			for j := range r.between(2, 3) {
				request.FirstAvailable = append(request.FirstAvailable, subRequest(fmt.Sprintf("s%d", j), g.request(r)))
			}
		} else {
			request.Exactly = g.request(r)
			if r.chance(0.05) {
				request.Exactly.AdminAccess = ptr.To(true)
			}
		}
		devices.Requests = append(devices.Requests, request)
	}
	if r.chance(0.2) {
		name := resourcev1.FullyQualifiedName(one(r, "resource.example.com/numa", "gpu.example.com/size", "gpu.example.com/index"))
		constraint := resourcev1.DeviceConstraint{MatchAttribute: &name}
		if r.chance(0.3) {
			constraint = resourcev1.DeviceConstraint{DistinctAttribute: &name}
		}
		if r.chance(0.3) {
			constraint.Requests = []string{devices.Requests[0].Name}
		}
		devices.Constraints = append(devices.Constraints, constraint)
	}
	if r.chance(0.2) {
		config := resourcev1.DeviceClaimConfiguration{DeviceConfiguration: parameters(gpuDriver, "claim")}
		if r.chance(0.5) {
			for _, request := range devices.Requests {
				config.Requests = append(config.Requests, request.Name)
			}
		}
		devices.Config = append(devices.Config, config)
	}
	return spec
}

// request asks for devices of one class.
func (g *generator) request(r random) *resourcev1.ExactDeviceRequest {
	request := exactly(one(r, anyGPU, anyGPU, anyGPU, anyNIC, anyNIC, bigGPU, anyDevice))
	if request.DeviceClassName == bigGPU && r.chance(0.7) { // its expression may fail
		request.DeviceClassName = anyGPU
	}
	if r.chance(0.02) {
		request.DeviceClassName = "no-such-class"
	}
	switch n := r.IntN(100); {
	case n < 20:
		request.Count = int64(r.between(2, 3))
	case n < 27:
		request.AllocationMode, request.Count = resourcev1.DeviceAllocationModeAll, 0
	}
	if request.DeviceClassName == anyGPU && r.chance(0.3) {
		request.Selectors = selectors(expressions[r.IntN(6)])
	} else if r.chance(0.03) {
		request.Selectors = selectors(one(r, expressions...))
	}
	if r.chance(0.2) {
		request.Tolerations = []resourcev1.DeviceToleration{{Key: "example.com/state", Operator: resourcev1.DeviceTolerationOpExists}}
		if r.chance(0.5) {
			request.Tolerations[0].Operator, request.Tolerations[0].Value = resourcev1.DeviceTolerationOpEqual, "hot"
		}
	}
	if request.DeviceClassName == anyGPU && r.chance(0.25) {
		request.Capacity = &resourcev1.CapacityRequirements{Requests: map[qualified]resource.Quantity{
			qualified(one(r, "memory", "memory", "memory", "cores")): resource.MustParse(one(r, "1Gi", "1500Mi", "6Gi")),
		}}
	}
	return request
}

// subRequest has what a subrequest can have of a request.
func subRequest(name string, request *resourcev1.ExactDeviceRequest) resourcev1.DeviceSubRequest {
	return resourcev1.DeviceSubRequest{
		Name: name, DeviceClassName: request.DeviceClassName, Selectors: request.Selectors, AllocationMode: request.AllocationMode,
		Count: request.Count, Tolerations: request.Tolerations, Capacity: request.Capacity,
	}
}
