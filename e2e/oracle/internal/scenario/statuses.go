package scenario

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// reportResources puts placed pods in the middle of in-place resizes: statuses
// of containers, init containers, sidecars and of the pod that differ from the
// spec, or are missing, and resizes that are deferred or infeasible.
func (g *generator) reportResources() {
	for _, pod := range g.placed {
		r := g.rand(Statuses, pod.Name)
		if !r.chance(0.4) {
			continue
		}
		for _, c := range pod.Spec.Containers {
			if status, ok := reportedStatus(r, c); ok {
				pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
			}
		}
		for _, c := range pod.Spec.InitContainers {
			if status, ok := reportedStatus(r, c); ok {
				pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, status)
			}
		}
		if pod.Spec.Resources != nil && r.chance(0.6) {
			if requests := reported(r, pod.Spec.Resources.Requests); len(requests) > 0 {
				pod.Status.Resources = &v1.ResourceRequirements{Requests: requests}
			}
			if allocated := reported(r, pod.Spec.Resources.Requests); len(allocated) > 0 && r.chance(0.7) {
				pod.Status.AllocatedResources = allocated
			}
		}
		if r.chance(0.5) {
			pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
				Type: v1.PodResizePending, Status: v1.ConditionTrue,
				Reason: one(r, v1.PodReasonInfeasible, v1.PodReasonDeferred),
			})
		}
	}
}

func reportedStatus(r random, c v1.Container) (v1.ContainerStatus, bool) {
	status := v1.ContainerStatus{Name: c.Name, Image: c.Image, ImageID: "sha256:0", Ready: true}
	if r.chance(0.2) {
		return status, false
	}
	if r.chance(0.7) {
		status.AllocatedResources = reported(r, c.Resources.Requests)
	}
	if r.chance(0.7) {
		status.Resources = &v1.ResourceRequirements{Requests: reported(r, c.Resources.Requests)}
	}
	return status, true
}

// reported returns the requests with some amounts changed or left out; nil
// instead of an empty list, which would not survive the API server.
func reported(r random, requests v1.ResourceList) v1.ResourceList {
	var list v1.ResourceList
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		if r.chance(0.1) {
			continue
		}
		amount := requests[name].DeepCopy()
		switch {
		case r.chance(0.3):
			amount.Add(requests[name])
		case r.chance(0.3):
			amount.Sub(requests[name])
		}
		if list == nil {
			list = v1.ResourceList{}
		}
		list[name] = amount
	}
	return list
}
