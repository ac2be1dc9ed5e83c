package main

import (
	"fmt"
	"math/rand"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// generator draws one case. What a case has is drawn first, so that some cases have much of one kind and others none of it.
type generator struct {
	*rand.Rand
	c *testCase

	drivers                                             []string
	many                                                bool // devices, and requests for many
	easy                                                bool // enough devices, few demands
	counters, taints, capacity, binding, perDevice, odd bool // which kinds of devices there are
	faults                                              int  // percentage of wrong selectors and pools
}

func generate(seed int64) *testCase {
	g := &generator{Rand: rand.New(rand.NewSource(seed)), c: &testCase{Name: fmt.Sprintf("seed %d", seed)}}
	g.drivers = []string{"gpu.example.com", "net.example.com", "a.example.com"}[:1+g.Intn(3)]
	g.counters, g.taints, g.capacity = g.percent(35), g.percent(30), g.percent(40)
	g.binding, g.perDevice, g.odd = g.percent(20), g.percent(30), g.percent(25)
	g.faults = []int{0, 0, 3, 10}[g.Intn(4)]
	if g.easy = g.percent(60); g.easy && g.percent(80) {
		g.faults = 0
	}
	g.many = g.percent(5)
	for _, gate := range []string{"DRAPartitionableDevices", "DRADeviceTaints", "DRAPrioritizedList"} {
		if g.percent(3) {
			g.c.Off = append(g.c.Off, gate)
		}
	}
	// Without both, another allocator runs, which is random.
	if g.percent(6) {
		g.c.Off = append(g.c.Off, []string{"DRAConsumableCapacity", "DRADeviceBindingConditions"}[g.Intn(2)])
	}
	for i := range 1 + g.Intn(4) {
		g.c.Nodes = append(g.c.Nodes, &v1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("node-%d", i), Labels: map[string]string{"zone": g.zone(), "index": fmt.Sprint(i)}}})
	}
	for _, driver := range g.drivers {
		for i := range 1 + g.Intn(3) {
			g.addPool(driver, fmt.Sprintf("pool-%d", i))
		}
	}
	g.Shuffle(len(g.c.Slices), func(i, j int) { g.c.Slices[i], g.c.Slices[j] = g.c.Slices[j], g.c.Slices[i] })
	for i := range 1 + g.Intn(3) {
		g.c.Classes = append(g.c.Classes, g.class(fmt.Sprintf("class-%d", i)))
	}
	g.addAllocated()
	for i := range 1 + g.Intn(g.some(3)) {
		g.c.Claims = append(g.c.Claims, g.claim(fmt.Sprintf("claim-%d", i)))
	}
	for g.taints && g.percent(40) {
		g.c.Rules = append(g.c.Rules, g.taintRule(fmt.Sprintf("rule-%d", len(g.c.Rules))))
	}
	return g.c
}

func (g *generator) taintRule(name string) *resourceapi.DeviceTaintRule {
	rule := &resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: name}}
	rule.Spec.Taint = g.taint()
	if g.percent(10) { // it selects nothing
		return rule
	}
	selector := &resourceapi.DeviceTaintSelector{}
	if g.percent(50) {
		selector.Driver = ptr.To(g.of(g.drivers...))
	}
	if g.percent(50) {
		selector.Pool = ptr.To(fmt.Sprintf("pool-%d", g.Intn(3)))
	}
	if g.percent(70) {
		selector.Device = ptr.To(fmt.Sprintf("dev-%d", g.Intn(4)))
	}
	rule.Spec.DeviceSelector = selector
	return rule
}

func (g *generator) taint() resourceapi.DeviceTaint {
	return resourceapi.DeviceTaint{Key: g.of("dead", "busy"), Value: g.of("", "yes"),
		Effect: resourceapi.DeviceTaintEffect(g.of("NoSchedule", "NoExecute", "None", "NoSchedule"))}
}

func (g *generator) percent(p int) bool { return g.Intn(100) < p }

// some is a bound that is lower where demands are few.
func (g *generator) some(most int) int {
	if g.easy {
		return most - 1
	}
	return most
}
func (g *generator) fault() bool                   { return g.percent(g.faults) }
func (g *generator) of(words ...string) string     { return words[g.Intn(len(words))] }
func (g *generator) zone() string                  { return g.of("a", "b") }
func (g *generator) node() string                  { return g.c.Nodes[g.Intn(len(g.c.Nodes))].Name }
func quantity(text string) resource.Quantity       { return resource.MustParse(text) }
func quantityOf(text string) *resource.Quantity    { return ptr.To(quantity(text)) }
func qualified(n string) resourceapi.QualifiedName { return resourceapi.QualifiedName(n) }

// --- pools ---

func (g *generator) addPool(driver, name string) {
	count := 1 + g.Intn(3)
	node := g.node() // of pools for one node
	kind := g.Intn(5)
	generation := int64(1 + g.Intn(2))
	counterSets := 0
	if g.counters && g.percent(60) {
		counterSets = 1 + g.Intn(2)
	}
	var made []*resourceapi.ResourceSlice
	device := 0
	for i := range count {
		slice := g.slice(driver, name, generation, fmt.Sprintf("%s-%s-%d", driver, name, g.Intn(1000)*10+i))
		spec := &slice.Spec
		switch {
		case kind == 4 && g.perDevice:
			spec.PerDeviceNodeSelection = ptr.To(true)
		case kind <= 1:
			spec.NodeName = ptr.To(node)
			if g.odd && g.percent(40) {
				spec.NodeName = ptr.To(g.node())
			}
		case kind == 2:
			spec.NodeSelector = g.selector()
		default:
			spec.AllNodes = ptr.To(true)
		}
		devices := g.Intn(5)
		if g.easy {
			devices += 2
		}
		if g.many {
			devices += 16
		}
		for range devices {
			spec.Devices = append(spec.Devices, g.device(fmt.Sprintf("dev-%d", device), spec, counterSets))
			if !g.fault() {
				device++
			}
		}
		made = append(made, slice)
	}
	if counterSets > 0 {
		for i := range counterSets {
			slice := g.slice(driver, name, generation, fmt.Sprintf("%s-%s-counters-%d", driver, name, i))
			if kind <= 1 {
				slice.Spec.NodeName = ptr.To(node)
			} else {
				slice.Spec.AllNodes = ptr.To(true)
			}
			set := fmt.Sprintf("set-%d", i)
			if g.fault() {
				set = "set-0"
			}
			slice.Spec.SharedCounters = []resourceapi.CounterSet{{Name: set, Counters: map[string]resourceapi.Counter{
				"memory": {Value: quantity(g.of("4Gi", "8Gi", "16Gi"))}, "slots": {Value: quantity(g.of("2", "3", "7"))}}}}
			made = append(made, slice)
		}
	}
	for _, slice := range made {
		slice.Spec.Pool.ResourceSliceCount = int64(len(made))
	}
	if g.odd && g.percent(25) { // the driver is publishing another generation
		other := made[g.Intn(len(made))]
		other.Spec.Pool.Generation += int64(1 - 2*g.Intn(2))
		if g.percent(50) {
			other.Spec.Pool.ResourceSliceCount = 1
		}
	}
	if g.fault() {
		made = made[:len(made)-1]
	}
	g.c.Slices = append(g.c.Slices, made...)
}

func (g *generator) slice(driver, pool string, generation int64, name string) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourceapi.ResourceSliceSpec{
		Driver: driver, Pool: resourceapi.ResourcePool{Name: pool, Generation: generation}}}
}

func (g *generator) selector() *v1.NodeSelector {
	term := v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{
		{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: g.zones()}}}
	if g.percent(30) {
		term.MatchExpressions = append(term.MatchExpressions,
			v1.NodeSelectorRequirement{Key: "index", Operator: v1.NodeSelectorOpLt, Values: []string{g.of("2", "3")}})
	}
	if g.percent(15) {
		term.MatchFields = []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{g.node()}}}
	}
	selector := &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}}
	if g.fault() && g.percent(30) { // the API server takes this
		selector.NodeSelectorTerms[0].MatchExpressions[0] =
			v1.NodeSelectorRequirement{Key: "zone", Operator: v1.NodeSelectorOpGt, Values: []string{"many"}}
	}
	if g.fault() && g.percent(30) { // and refuses this
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, v1.NodeSelectorTerm{
			MatchExpressions: []v1.NodeSelectorRequirement{{Key: "zone", Operator: v1.NodeSelectorOpExists}}})
	}
	return selector
}

func (g *generator) zones() []string {
	if g.percent(30) {
		return []string{"b", "a"}
	}
	return []string{g.zone()}
}

// --- devices ---

func (g *generator) device(name string, slice *resourceapi.ResourceSliceSpec, counterSets int) resourceapi.Device {
	d := resourceapi.Device{Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}}
	d.Attributes[qualified(g.of("model", "model", slice.Driver+"/model"))] =
		resourceapi.DeviceAttribute{StringValue: ptr.To(g.of("A100", "H100", "H100"))}
	if g.percent(90) {
		d.Attributes[qualified(g.of("numa", "numa", slice.Driver+"/numa"))] =
			resourceapi.DeviceAttribute{IntValue: ptr.To(int64(g.Intn(3)))}
	}
	d.Attributes["dra.example.com/numa"] = resourceapi.DeviceAttribute{IntValue: ptr.To(int64(g.Intn(2)))}
	if g.percent(70) {
		d.Attributes["healthy"] = resourceapi.DeviceAttribute{BoolValue: ptr.To(g.percent(80))}
	}
	if g.percent(60) {
		d.Attributes["version"] = resourceapi.DeviceAttribute{VersionValue: ptr.To(g.of("1.0.0", "1.2.0", "2.0.0-rc.1"))}
	}
	if g.odd && g.percent(20) { // another type
		d.Attributes["dra.example.com/numa"] = resourceapi.DeviceAttribute{StringValue: ptr.To(g.of("0", "1"))}
	}
	if g.fault() && g.percent(15) {
		d.Attributes["version"] = resourceapi.DeviceAttribute{VersionValue: ptr.To("v1")}
	}
	if g.odd && g.percent(50) { // the attributes that are lists
		d.Attributes["sizes"] = resourceapi.DeviceAttribute{IntValues: []int64{1, int64(g.Intn(3))}}
		d.Attributes["modes"] = resourceapi.DeviceAttribute{StringValues: []string{"a", g.of("b", "c")}}
		d.Attributes["flags"] = resourceapi.DeviceAttribute{BoolValues: []bool{true, g.percent(50)}}
		d.Attributes["versions"] = resourceapi.DeviceAttribute{VersionValues: []string{"1.0.0", g.of("1.2.0", "2.0.0")}}
		if g.percent(20) { // a constraint finds a list
			d.Attributes["dra.example.com/numa"] = resourceapi.DeviceAttribute{IntValues: []int64{0}}
		}
	}
	if g.capacity {
		g.addCapacity(&d)
	}
	if counterSets > 0 && g.percent(80) {
		for range 1 + g.Intn(counterSets) {
			d.ConsumesCounters = append(d.ConsumesCounters, g.consumption(fmt.Sprintf("set-%d", g.Intn(counterSets))))
		}
	}
	if ptr.Deref(slice.PerDeviceNodeSelection, false) {
		switch g.Intn(3) {
		case 0:
			d.NodeName = ptr.To(g.node())
		case 1:
			d.AllNodes = ptr.To(true)
		default:
			d.NodeSelector = g.selector()
		}
	}
	if g.taints && g.percent(50) {
		for range 1 + g.Intn(2) {
			d.Taints = append(d.Taints, g.taint())
		}
	}
	if g.binding && g.percent(40) {
		d.BindingConditions = []string{"example.com/attached"}
		d.BindingFailureConditions = []string{"example.com/broken"}
		d.BindsToNode = ptr.To(g.percent(50))
	}
	return d
}

func (g *generator) consumption(set string) resourceapi.DeviceCounterConsumption {
	counters := map[string]resourceapi.Counter{"memory": {Value: quantity(g.of("1Gi", "2Gi", "4Gi", "1500M"))}}
	if g.percent(50) {
		counters["slots"] = resourceapi.Counter{Value: quantity(g.of("1", "2", "500m"))}
	}
	if g.fault() && g.percent(20) {
		counters["unknown"] = resourceapi.Counter{Value: quantity("1")}
	}
	if g.fault() && g.percent(20) {
		set = "set-9"
	}
	return resourceapi.DeviceCounterConsumption{CounterSet: set, Counters: counters}
}

func (g *generator) addCapacity(d *resourceapi.Device) {
	if g.percent(60) {
		d.AllowMultipleAllocations = ptr.To(g.percent(80))
	}
	memory := resourceapi.DeviceCapacity{Value: quantity(g.of("8Gi", "10Gi", "16Gi"))}
	switch g.Intn(5) {
	case 0:
		memory.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: quantityOf(g.of("1Gi", "2Gi")),
			ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: quantityOf("1Gi")}}
		if valid := memory.RequestPolicy.ValidRange; true {
			if g.percent(60) {
				valid.Max = quantityOf(g.of("4Gi", "8Gi"))
			}
			if g.percent(60) {
				valid.Step = quantityOf(g.of("1Gi", "512Mi"))
			}
		}
	case 1:
		memory.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: quantityOf("2Gi"),
			ValidValues: []resource.Quantity{quantity("1Gi"), quantity("2Gi"), quantity("4096Mi")}}
	case 2:
		memory.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: quantityOf(g.of("1Gi", "1024Mi", "3"))}
	}
	d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": memory}
	if g.percent(40) {
		d.Capacity[qualified(g.of("dra.example.com/lanes", "lanes"))] = resourceapi.DeviceCapacity{Value: quantity(g.of("4", "1500m", "1e3"))}
	}
}
