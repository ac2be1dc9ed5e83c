package scenario

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/utils/ptr"
)

// Extended resources that device classes back.
const (
	deviceResource = v1.ResourceName("example.com/dra-gpu") // one or two classes have this name
	nicResource    = v1.ResourceName("example.com/dra-nic") // anyNIC has it in some scenarios
)

// implicit is the name that every class has.
func implicit(class string) v1.ResourceName {
	return v1.ResourceName(resourcev1.ResourceDeviceClassPrefix + class)
}

// nameExtendedResources makes the classes back extended resources. Of two classes with one name the newer one
// counts, then the lower name.
func (g *generator) nameExtendedResources(gpu, big, nic *resourcev1.DeviceClass) {
	r := g.rand(Extended, "classes")
	gpu.Spec.ExtendedResourceName = ptr.To(string(deviceResource))
	if r.chance(0.4) {
		big.Spec.ExtendedResourceName = ptr.To(string(deviceResource))
		gpu.CreationTimestamp = metav1.NewTime(epoch)
		big.CreationTimestamp = metav1.NewTime(epoch.Add(time.Duration(r.between(-1, 1)) * time.Hour))
	}
	if r.chance(0.6) {
		nic.Spec.ExtendedResourceName = ptr.To(string(nicResource))
	}
}

// makeDevicePlugins gives nodes the resources as device plugins do, also none of them.
func (g *generator) makeDevicePlugins() {
	for _, node := range g.nodes {
		r := g.rand(Extended, "node", node.Name)
		for _, name := range []v1.ResourceName{deviceResource, nicResource, implicit(anyNIC)} {
			if !r.chance(0.2) {
				continue
			}
			amount := *resource.NewQuantity(int64(one(r, 0, 0, 1, 2, 4)), resource.DecimalSI)
			node.Status.Capacity[name] = amount
			if node.Status.Allocatable != nil {
				node.Status.Allocatable[name] = amount
			}
		}
	}
}

func limit(c *v1.Container, name v1.ResourceName, amount string) {
	if c.Resources.Limits == nil {
		c.Resources.Limits = v1.ResourceList{}
	}
	c.Resources.Limits[name] = quantity(amount)
}

// useDevicePlugin makes a placed pod use what the node's device plugin serves. A few use what devices serve.
func (g *generator) useDevicePlugin(pod *v1.Pod, node *v1.Node) {
	r := g.rand(Extended, "placed", pod.Name)
	amount := node.Status.Capacity[deviceResource]
	if (!amount.IsZero() && r.chance(0.3)) || r.chance(0.02) {
		limit(&pod.Spec.Containers[0], deviceResource, "1")
	}
}

// setExtendedResources makes containers of the pod, some of them new, ask for devices by the names of extended resources.
func (g *generator) setExtendedResources(pod *v1.Pod) {
	r := g.rand(Extended, "pod", pod.Name)
	wanted := []v1.ResourceName{weighted(r, choice[v1.ResourceName]{60, deviceResource}, choice[v1.ResourceName]{15, nicResource},
		choice[v1.ResourceName]{8, implicit(anyGPU)}, choice[v1.ResourceName]{8, implicit(anyDevice)},
		choice[v1.ResourceName]{6, implicit(anyNIC)}, choice[v1.ResourceName]{3, implicit(bigGPU)})}
	if r.chance(0.3) {
		wanted = append(wanted, one(r, deviceResource, nicResource, implicit(anyNIC), implicit(anyDevice), gpuResource,
			"example.com/nowhere", implicit("no-such-class")))
	}
	if r.chance(0.3) {
		pod.Spec.Containers = append(pod.Spec.Containers, v1.Container{Name: "more", Image: "local:5000/tools:v9"})
	}
	if r.chance(0.35) {
		for i := range r.between(1, 3) {
			c := v1.Container{Name: fmt.Sprintf("before-%d", i), Image: "local:5000/tools:v9"}
			if r.chance(0.4) {
				c.RestartPolicy = ptr.To(v1.ContainerRestartPolicyAlways)
			}
			pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
		}
	}
	ask := func(c *v1.Container) {
		for _, name := range wanted {
			if r.chance(0.7) {
				limit(c, name, one(r, "1", "1", "1", "1", "2", "3", "0"))
			}
		}
	}
	for i := range pod.Spec.InitContainers {
		ask(&pod.Spec.InitContainers[i])
	}
	for i := range pod.Spec.Containers {
		ask(&pod.Spec.Containers[i])
	}
	if r.chance(0.06) {
		g.leaveClaim(r, pod)
	}
}

// leaveClaim adds the claim that an earlier attempt has made and that nobody has deleted.
func (g *generator) leaveClaim(r random, pod *v1.Pod) {
	name := pod.Name + "-extended-resources-x7k2p"
	claim := &resourcev1.ResourceClaim{
		TypeMeta: typeMeta("resource.k8s.io/v1", "ResourceClaim"),
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: pod.Namespace, UID: g.uid("ResourceClaim", pod.Namespace, name),
			Annotations: map[string]string{resourcev1.ExtendedResourceClaimAnnotation: one(r, "true", "true", "true", "false")},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true),
			}},
		},
		Spec: claimSpec(resourcev1.DeviceRequest{Name: "container-0-request-0", Exactly: exactly(anyGPU)}),
	}
	if r.chance(0.2) {
		claim.OwnerReferences[0].UID = g.uid("Pod", "another")
	}
	g.setStatus(r, pod, claim)
	g.devices = append(g.devices, claim)
}

// scoreExtended adds such resources to those that the plugin scores. NodeResourcesBalancedAllocation crashes where the class has a
// selector, so that it gets one without.
func (g *generator) scoreExtended(plugin string, specs []configv1.ResourceSpec) []configv1.ResourceSpec {
	r := g.rand(Extended, "score", plugin)
	if plugin == names.NodeResourcesBalancedAllocation {
		if r.chance(0.7) {
			specs = append(specs, configv1.ResourceSpec{Name: string(implicit(anyDevice))})
		}
		return specs
	}
	for _, name := range some(r, r.IntN(4), []v1.ResourceName{deviceResource, nicResource, implicit(anyDevice), implicit(anyGPU)}) {
		specs = append(specs, configv1.ResourceSpec{Name: string(name), Weight: int64(r.between(1, 9))})
	}
	return specs
}
