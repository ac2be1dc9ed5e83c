package main

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// --- classes and claims ---

// Selectors that hold for some devices; "%s" is a driver.
var expressions = []string{
	`device.driver == "%s"`, `device.driver == "%s" && device.attributes["%s"].model == "H100"`, `"%s" in device.attributes`,
	`"healthy" in device.attributes["%s"] && device.attributes["%s"].healthy`, `device.attributes["%s"].?model.orValue("") != "A100"`,
	`!("version" in device.attributes["%s"]) || device.attributes["%s"].version.compareTo(semver("1.1.0")) >= 0`,
	`"memory" in device.capacity["%s"] && device.capacity["%s"].memory.compareTo(quantity("9Gi")) >= 0`,
	`device.allowMultipleAllocations`, `!device.allowMultipleAllocations`, `true`, `device.driver.endsWith("example.com")`,
	`device.attributes["%s"].?numa.orValue(0) < 2`, `cel.bind(a, device.attributes["%s"], !("numa" in a) || a.numa != 2)`,
	`"sizes" in device.attributes["%s"] && device.attributes["%s"].sizes.includes(2)`,
	`device.attributes["%s"].?modes.orValue([]).exists(m, m == "b")`, `device.attributes["%s"].?flags.orValue([true]).all(f, f)`,
	`!("versions" in device.attributes["%s"]) || device.attributes["%s"].versions[1].isLessThan(semver("1.5.0"))`,
	`device.attributes["dra.example.com"].numa in [0, 1]`, `device.capacity["%s"].?memory.hasValue() || true`,
}

// Selectors that fail for some devices or for all.
var wrong = []string{
	`device.attributes["%s"].sizes`, `device.attributes["%s"].sizes == 1`, `device.attributes["%s"].versions[5] == "x"`,
	`device.attributes["%s"].healthy`, `device.attributes["%s"].model`, `device.attributes["%s"].numa`,
	`device.attributes["%s"].version`, `device.attributes["%s"].unknown == "x"`, `1 / 0 == 1`, `unknown == 1`,
	`device.capacity["%s"].memory.compareTo(quantity("1Gi")) > 0`, `device.attributes["%s"].model > 3`,
	`device.attributes["%s"].version == "1.0.0"`,
}

func (g *generator) expression() string {
	list := expressions
	if g.fault() || g.percent(3) {
		list = wrong
	}
	text := list[g.Intn(len(list))]
	return strings.ReplaceAll(text, "%s", g.drivers[g.Intn(len(g.drivers))])
}

func (g *generator) selectors(chance int) (selectors []resourceapi.DeviceSelector) {
	if g.easy {
		chance /= 2
	}
	for g.percent(chance) {
		selectors = append(selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: g.expression()}})
		chance /= 2
	}
	return selectors
}

func (g *generator) configuration() resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: g.drivers[0], Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"mode":%d}`, g.Intn(100))}}}
}

func (g *generator) class(name string) *resourceapi.DeviceClass {
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	class.Spec.Selectors = g.selectors(50)
	for range g.Intn(3) {
		class.Spec.Config = append(class.Spec.Config, resourceapi.DeviceClassConfiguration{DeviceConfiguration: g.configuration()})
	}
	return class
}

func (g *generator) className() string {
	if g.fault() && g.percent(10) {
		return "no-such-class"
	}
	return g.c.Classes[g.Intn(len(g.c.Classes))].Name
}

func (g *generator) count() int64 {
	if g.many {
		return int64([]int{1, 4, 12, 16, 20, 28, 31, 33}[g.Intn(8)])
	}
	if g.percent(1) {
		return int64(20 + g.Intn(14))
	}
	return int64([]int{1, 1, 1, 2, 2, 3}[g.Intn(6)])
}

func (g *generator) tolerations() (tolerations []resourceapi.DeviceToleration) {
	for g.taints && g.percent(40) {
		toleration := resourceapi.DeviceToleration{Key: g.of("dead", "busy"), Operator: resourceapi.DeviceTolerationOpExists}
		if g.percent(40) {
			toleration.Operator, toleration.Value = resourceapi.DeviceTolerationOpEqual, g.of("", "yes")
		} else if g.percent(30) {
			toleration.Key = ""
		}
		if g.percent(40) {
			toleration.Effect = resourceapi.DeviceTaintEffect(g.of("NoSchedule", "NoExecute"))
		}
		tolerations = append(tolerations, toleration)
	}
	return tolerations
}

func (g *generator) capacities() *resourceapi.CapacityRequirements {
	if !g.capacity || g.percent(50) {
		return nil
	}
	name := g.of("memory", "memory", "memory", "lanes", "dra.example.com/lanes")
	amount := g.of("1Gi", "1500Mi", "3Gi", "5Gi", "9Gi")
	if name != "memory" {
		amount = g.of("1", "2", "500m")
	}
	return &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{qualified(name): quantity(amount)}}
}

func (g *generator) exact() *resourceapi.ExactDeviceRequest {
	exact := &resourceapi.ExactDeviceRequest{DeviceClassName: g.className(), Selectors: g.selectors(35),
		AllocationMode: resourceapi.DeviceAllocationModeExactCount, Tolerations: g.tolerations(), Capacity: g.capacities()}
	if g.percent(12) {
		exact.AllocationMode = resourceapi.DeviceAllocationModeAll
	} else {
		exact.Count = g.count()
	}
	if g.percent(10) {
		exact.AdminAccess = ptr.To(g.percent(80))
	}
	return exact
}

func (g *generator) claim(name string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name)}}
	devices := &claim.Spec.Devices
	names := []string{}
	for i := range 1 + g.Intn(g.some(3)) {
		request := resourceapi.DeviceRequest{Name: fmt.Sprintf("req-%d", i)}
		names = append(names, request.Name)
		if g.percent(30) {
			for j := range 1 + g.Intn(3) {
				exact := g.exact()
				sub := resourceapi.DeviceSubRequest{Name: fmt.Sprintf("sub-%d", j), DeviceClassName: exact.DeviceClassName,
					Selectors: exact.Selectors, AllocationMode: exact.AllocationMode, Count: exact.Count,
					Tolerations: exact.Tolerations, Capacity: exact.Capacity}
				request.FirstAvailable = append(request.FirstAvailable, sub)
				names = append(names, request.Name+"/"+sub.Name)
			}
		} else {
			request.Exactly = g.exact()
		}
		devices.Requests = append(devices.Requests, request)
	}
	some := func() (chosen []string) {
		for _, name := range names {
			if g.percent(40) {
				chosen = append(chosen, name)
			}
		}
		return chosen
	}
	for !g.many && g.percent(10*g.some(4)) {
		constraint := resourceapi.DeviceConstraint{Requests: some()}
		attribute := resourceapi.FullyQualifiedName(g.of("dra.example.com/numa", g.drivers[0]+"/numa", g.drivers[0]+"/model", g.drivers[0]+"/version"))
		if g.percent(60) {
			constraint.MatchAttribute = &attribute
		} else {
			constraint.DistinctAttribute = &attribute
		}
		devices.Constraints = append(devices.Constraints, constraint)
	}
	for g.percent(30) {
		devices.Config = append(devices.Config, resourceapi.DeviceClaimConfiguration{Requests: some(), DeviceConfiguration: g.configuration()})
	}
	return claim
}

// --- what is allocated ---

func (g *generator) addAllocated() {
	chance := []int{0, 10, 30, 60}[g.Intn(g.some(4))]
	for _, slice := range g.c.Slices {
		for _, device := range slice.Spec.Devices {
			if !g.percent(chance) {
				continue
			}
			shares := 1
			if ptr.Deref(device.AllowMultipleAllocations, false) && g.percent(90) {
				shares = 1 + g.Intn(3)
			}
			for share := range shares {
				result := resourceapi.DeviceRequestAllocationResult{Request: "req-0", Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Device: device.Name}
				if ptr.Deref(device.AllowMultipleAllocations, false) && g.percent(90) {
					result.ShareID = ptr.To(types.UID(fmt.Sprintf("share-%d", share)))
					if g.percent(90) {
						result.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"memory": quantity(g.of("1Gi", "2Gi", "0"))}
					}
				} else if g.percent(10) {
					result.AdminAccess = ptr.To(true)
				}
				claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("old-%d", len(g.c.Allocated)), Namespace: "default"}}
				claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
					Results: []resourceapi.DeviceRequestAllocationResult{result}}}
				g.c.Allocated = append(g.c.Allocated, claim)
			}
		}
	}
}
