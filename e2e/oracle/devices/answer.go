package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/dynamic-resource-allocation/cel"
	tracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"
)

type testCase struct {
	Name      string                         `json:"name"`
	Off       []string                       `json:"off,omitempty"` // gates
	Slices    []*resourceapi.ResourceSlice   `json:"slices"`
	Rules     []*resourceapi.DeviceTaintRule `json:"rules,omitempty"`
	Classes   []*resourceapi.DeviceClass     `json:"classes"`
	Allocated []*resourceapi.ResourceClaim   `json:"allocated"`
	Claims    []*resourceapi.ResourceClaim   `json:"claims"`
	Nodes     []*v1.Node                     `json:"nodes"`
	Want      []nodeAnswer                   `json:"want,omitempty"`
}

type nodeAnswer struct {
	Allocations []resourceapi.AllocationResult `json:"allocations,omitempty"`
	None        bool                           `json:"none,omitempty"`
	Invalid     bool                           `json:"invalid,omitempty"`
	Error       string                         `json:"error,omitempty"`
}

// bounded ends a search after so many steps, whatever the time: the allocator asks Err() at each.
type bounded struct {
	context.Context
	left int
}

func (b *bounded) Err() error {
	if b.left--; b.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

const maxSteps = 20000

type classes []*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return c, nil }
func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, apierrors.NewNotFound(resourceapi.Resource("deviceclass"), name)
}

func (c *testCase) features() structured.Features {
	on := func(gate string) bool { return !slices.Contains(c.Off, gate) }
	return structured.Features{
		AdminAccess:            true,
		ConsumableCapacity:     on("DRAConsumableCapacity"),
		DeviceBindingAndStatus: on("DRADeviceBindingConditions"),
		DeviceTaints:           on("DRADeviceTaints"),
		PartitionableDevices:   on("DRAPartitionableDevices"),
		PrioritizedList:        on("DRAPrioritizedList"),
	}
}

// state is what the plugin's claim tracker makes of the allocated claims.
func (c *testCase) state() structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, claim := range c.Allocated {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if ptr.Deref(result.AdminAccess, false) {
				continue
			}
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			if !c.features().ConsumableCapacity || result.ShareID == nil {
				state.AllocatedDevices.Insert(id)
				continue
			}
			state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, result.ShareID))
			if result.ConsumedCapacity != nil {
				state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, result.ConsumedCapacity))
			}
		}
	}
	return state
}

// tainted returns the slices with the taints of the rules, in the same order, as kube-scheduler's tracker makes them.
func (c *testCase) tainted() []*resourceapi.ResourceSlice {
	if len(c.Rules) == 0 {
		return c.Slices
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var objects []runtime.Object
	for _, slice := range c.Slices {
		objects = append(objects, slice)
	}
	for _, rule := range c.Rules {
		objects = append(objects, rule)
	}
	factory := informers.NewSharedInformerFactory(fake.NewClientset(objects...), 0)
	tracker, err := tracker.StartTracker(ctx, tracker.Options{
		EnableDeviceTaintRules: true,
		SliceInformer:          factory.Resource().V1().ResourceSlices(),
		TaintInformer:          factory.Resource().V1().DeviceTaintRules(),
	})
	if err != nil {
		panic(err)
	}
	defer tracker.Stop()
	factory.Start(ctx.Done())
	for !tracker.HasSynced() {
		time.Sleep(100 * time.Microsecond)
	}
	patched, err := tracker.ListPatchedResourceSlices()
	if err != nil || len(patched) != len(c.Slices) {
		panic(fmt.Sprintf("%d of %d slices: %v", len(patched), len(c.Slices), err))
	}
	byName := map[string]*resourceapi.ResourceSlice{}
	for _, slice := range patched {
		byName[slice.Name] = slice
	}
	var list []*resourceapi.ResourceSlice
	for _, slice := range c.Slices {
		list = append(list, byName[slice.Name])
	}
	return list
}

// answer asks the allocator for each node; false: a search takes too long.
func (c *testCase) answer() bool {
	c.Want = nil
	slices := c.tainted()
	for _, node := range c.Nodes {
		// The caches of one allocator depend on which node is asked first.
		features := c.features()
		cache := cel.NewCache(10, cel.Features{EnableConsumableCapacity: features.ConsumableCapacity})
		ctx := &bounded{context.Background(), maxSteps}
		allocator, err := structured.NewAllocator(ctx, features, c.state(), classes(c.Classes), slices, cache)
		if err != nil {
			panic(err)
		}
		results, err := allocator.Allocate(ctx, node, c.Claims)
		if ctx.left < 0 {
			return false
		}
		c.Want = append(c.Want, answerOf(results, err))
	}
	return true
}

func answerOf(results []resourceapi.AllocationResult, err error) nodeAnswer {
	switch {
	case errors.Is(err, structured.ErrFailedAllocationOnNode):
		return nodeAnswer{Invalid: true}
	case err != nil:
		return nodeAnswer{Error: err.Error()}
	case results == nil:
		return nodeAnswer{None: true}
	}
	for i := range results {
		for j := range results[i].Devices.Results {
			if id := &results[i].Devices.Results[j].ShareID; *id != nil {
				*id = ptr.To(types.UID("share"))
			}
		}
	}
	return nodeAnswer{Allocations: results}
}
