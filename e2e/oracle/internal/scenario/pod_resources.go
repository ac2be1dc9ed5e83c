package scenario

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/utils/ptr"
)

// Requests of containers.
var (
	cpuRequests       = []string{"10m", "50m", "50m", "100m", "100m", "250m", "333m", "500m", "1", "1500m", "100500u"}
	memoryRequests    = []string{"32Mi", "64Mi", "64Mi", "128Mi", "128974848", "129M", "200Mi", "256Mi", "512Mi", "1G", "1500M", "134217728500m"}
	bigCPURequests    = []string{"3", "3500m", "6", "12"}
	ephemeralRequests = []string{"100Mi", "1Gi", "5G", "20Gi"}
)

// setResources sets the requests of the pod.
func (g *generator) setResources(pod *v1.Pod, pending bool) {
	if !g.on(Resources) {
		for i := range pod.Spec.Containers {
			pod.Spec.Containers[i].Resources.Requests = v1.ResourceList{
				v1.ResourceCPU: quantity("250m"), v1.ResourceMemory: quantity("256Mi"),
			}
		}
		return
	}
	r := g.rand(Resources, pod.Name)
	usesLimits := false
	for i := range pod.Spec.Containers {
		usesLimits = g.setContainerResources(r, &pod.Spec.Containers[i]) || usesLimits
	}
	if pending && r.chance(0.08) {
		requests := &pod.Spec.Containers[0].Resources.Requests
		if *requests == nil {
			*requests = v1.ResourceList{}
		}
		if _, limited := pod.Spec.Containers[0].Resources.Limits[v1.ResourceCPU]; !limited {
			(*requests)[v1.ResourceCPU] = quantity(one(r, bigCPURequests...))
		}
	}
	if r.chance(0.15) {
		for i := range r.between(1, 2) {
			c := v1.Container{Name: fmt.Sprintf("init%d", i), Image: "local:5000/tools:v9"}
			usesLimits = g.setContainerResources(r, &c) || usesLimits
			if r.chance(0.4) {
				c.RestartPolicy = ptr.To(v1.ContainerRestartPolicyAlways)
			}
			pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
		}
	}
	if r.chance(0.08) {
		pod.Spec.Overhead = v1.ResourceList{v1.ResourceCPU: quantity("250m"), v1.ResourceMemory: quantity("120Mi")}
	}
	if !usesLimits && r.chance(0.15) {
		setPodLevelResources(r, pod)
	}
	if !pending && r.chance(0.06) {
		setResizeStatus(r, pod)
	}
}

// setContainerResources returns whether there are limits.
func (g *generator) setContainerResources(r random, c *v1.Container) bool {
	requests, limits := v1.ResourceList{}, v1.ResourceList{}
	cpu, memory := quantity(one(r, cpuRequests...)), quantity(one(r, memoryRequests...))
	switch weighted(r, choice[string]{30, "none"}, choice[string]{45, "both"}, choice[string]{8, "cpu"},
		choice[string]{8, "memory"}, choice[string]{5, "limits"}, choice[string]{4, "zero"}) {
	case "both":
		requests[v1.ResourceCPU], requests[v1.ResourceMemory] = cpu, memory
	case "cpu":
		requests[v1.ResourceCPU] = cpu
	case "memory":
		requests[v1.ResourceMemory] = memory
	case "limits":
		limits[v1.ResourceCPU], limits[v1.ResourceMemory] = cpu, memory
	case "zero": // different from no request at all
		requests[v1.ResourceCPU], requests[v1.ResourceMemory] = quantity("0"), quantity("0")
	}
	if r.chance(0.15) {
		requests[v1.ResourceEphemeralStorage] = quantity(one(r, ephemeralRequests...))
	}
	if r.chance(0.06) {
		limits[gpuResource] = *resource.NewQuantity(int64(one(r, 1, 1, 2, 4)), resource.DecimalSI)
	}
	if r.chance(0.03) {
		limits[fpgaResource] = quantity("1")
	}
	if len(requests) > 0 && r.chance(0.04) { // huge pages need another request
		limits[hugePages2Mi] = quantity(one(r, "4Mi", "64Mi", "128Mi"))
		if _, ok := requests[v1.ResourceMemory]; !ok {
			requests[v1.ResourceMemory] = memory
		}
	}
	if len(requests) > 0 {
		c.Resources.Requests = requests
	}
	if len(limits) > 0 {
		c.Resources.Limits = limits
	}
	return len(limits) > 0
}

// setPodLevelResources sets spec.resources so that it covers the containers.
func setPodLevelResources(r random, pod *v1.Pod) {
	for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
		for _, q := range c.Resources.Requests {
			// The API server rounds up the requests of the containers after it
			// has summed them up, and then finds the sum too low.
			if !q.RoundUp(resource.Milli) {
				return
			}
		}
	}
	sum := resourcehelper.AggregateContainerRequests(pod, resourcehelper.PodResourcesOptions{})
	requests := v1.ResourceList{}
	set := func(name v1.ResourceName, extra string) {
		q := sum[name]
		q.Add(quantity(extra))
		requests[name] = q
	}
	switch r.IntN(4) {
	case 0:
		set(v1.ResourceCPU, one(r, "0", "250m", "1"))
		set(v1.ResourceMemory, one(r, "0", "64Mi", "1Gi"))
	case 1:
		set(v1.ResourceCPU, one(r, "10m", "500m"))
	case 2:
		set(v1.ResourceMemory, one(r, "1Mi", "300Mi"))
	case 3: // requests are derived from the limits and the containers
		set(v1.ResourceCPU, "1")
		set(v1.ResourceMemory, "1Gi")
		pod.Spec.Resources = &v1.ResourceRequirements{Limits: requests}
		return
	}
	for _, q := range requests {
		if q.IsZero() {
			return
		}
	}
	pod.Spec.Resources = &v1.ResourceRequirements{Requests: requests}
}

// setResizeStatus makes the pod look like it is being resized.
func setResizeStatus(r random, pod *v1.Pod) {
	c := pod.Spec.Containers[0]
	if len(c.Resources.Requests) == 0 {
		return
	}
	actual := c.Resources.Requests.DeepCopy()
	for _, name := range slices.Sorted(maps.Keys(actual)) {
		q := actual[name]
		q.Add(quantity(one(r, "1", "0", "2")))
		actual[name] = q
	}
	pod.Status.ContainerStatuses = []v1.ContainerStatus{{
		Name: c.Name, Image: c.Image, ImageID: "sha256:0", Ready: true,
		AllocatedResources: actual,
		Resources:          &v1.ResourceRequirements{Requests: c.Resources.Requests.DeepCopy()},
	}}
	if r.chance(0.4) {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
			Type: v1.PodResizePending, Status: v1.ConditionTrue, Reason: v1.PodReasonInfeasible,
		})
	}
}
