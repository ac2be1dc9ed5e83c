// Upstream's table of allocator tests with a recorder: e2e/devices/table compiles it in place of
// structured/internal/incubating/allocator_test.go of k8s.io/dynamic-resource-allocation.
package incubating

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured/internal"
	"k8s.io/dynamic-resource-allocation/structured/internal/allocatortesting"
	"k8s.io/utils/ptr"
)

// As in e2e/oracle/devices.
type testCase struct {
	Name      string                       `json:"name"`
	Off       []string                     `json:"off"`
	On        []string                     `json:"on"` // gates that are off by default
	Slices    []*resourceapi.ResourceSlice `json:"slices"`
	Classes   []*resourceapi.DeviceClass   `json:"classes"`
	Allocated []*resourceapi.ResourceClaim `json:"allocated"`
	Claims    []*resourceapi.ResourceClaim `json:"claims"`
	Nodes     []*v1.Node                   `json:"nodes"`
	Want      []nodeAnswer                 `json:"want"`
	Lossy     bool                         `json:"lossy"` // JSON does not keep an amount of it: 1e21 becomes "1"
}

type nodeAnswer struct {
	Allocations []resourceapi.AllocationResult `json:"allocations,omitempty"`
	None        bool                           `json:"none,omitempty"`
	Invalid     bool                           `json:"invalid,omitempty"`
	Error       string                         `json:"error,omitempty"`
}

type recorder struct {
	*Allocator
	question testCase
	write    func(testCase)
}

// isLossy returns whether the objects differ after they have passed through JSON.
func (c testCase) isLossy() bool {
	text, err := json.Marshal(c)
	if err != nil {
		return true
	}
	var after testCase
	return json.Unmarshal(text, &after) != nil || !equality.Semantic.DeepEqual(c.Slices, after.Slices) ||
		!equality.Semantic.DeepEqual(c.Claims, after.Claims)
}

func (r recorder) Allocate(ctx context.Context, node *v1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	results, err := r.Allocator.Allocate(ctx, node, claims)
	question := r.question
	question.Claims, question.Nodes = claims, []*v1.Node{node}
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return results, err // the tests of interruptions
	case errors.Is(err, internal.ErrFailedAllocationOnNode):
		question.Want = []nodeAnswer{{Invalid: true}}
	case err != nil:
		question.Want = []nodeAnswer{{Error: err.Error()}}
	case results == nil:
		question.Want = []nodeAnswer{{None: true}}
	default:
		answer := nodeAnswer{Allocations: []resourceapi.AllocationResult{}}
		for _, result := range results {
			result = *result.DeepCopy()
			for i := range result.Devices.Results {
				if result.Devices.Results[i].ShareID != nil {
					result.Devices.Results[i].ShareID = ptr.To(types.UID("share"))
				}
			}
			answer.Allocations = append(answer.Allocations, result)
		}
		question.Want = []nodeAnswer{answer}
	}
	question.Lossy = question.isLossy()
	r.write(question)
	return results, err
}

// claimsOf makes claims that have what is allocated.
func claimsOf(state AllocatedState) (claims []*resourceapi.ResourceClaim) {
	add := func(id DeviceID, share *types.UID, consumed ConsumedCapacity) {
		result := resourceapi.DeviceRequestAllocationResult{Driver: id.Driver.String(), Pool: id.Pool.String(), Device: id.Device.String(), ShareID: share}
		for name, quantity := range consumed {
			if result.ConsumedCapacity == nil {
				result.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{}
			}
			result.ConsumedCapacity[name] = *quantity
		}
		claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "old"}}
		claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{result}}}
		claims = append(claims, claim)
	}
	for id := range state.AllocatedDevices {
		add(id, nil, nil)
	}
	for id := range state.AllocatedSharedDeviceIDs {
		add(id.GetDeviceID(), ptr.To(types.UID(id.ShareID.String())), nil)
	}
	for id, consumed := range state.AggregatedCapacity {
		add(id, ptr.To(types.UID("sum")), consumed)
	}
	return claims
}

func TestAllocator(t *testing.T) {
	file, err := os.Create(os.Getenv("PODIUM_DEVICES"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	encoder := json.NewEncoder(file)
	newRecorder := func(ctx context.Context, features Features, state AllocatedState, classes DeviceClassLister,
		slices []*resourceapi.ResourceSlice, cache *cel.Cache) (internal.Allocator, error) {
		allocator, err := NewAllocator(ctx, features, state, classes, slices, cache)
		if err != nil {
			return nil, err
		}
		question := testCase{Off: off(features), On: on(features), Slices: slices, Allocated: claimsOf(state)}
		if question.Classes, err = classes.List(); err != nil {
			return nil, err
		}
		return recorder{allocator, question, func(asked testCase) {
			if err := encoder.Encode(asked); err != nil {
				t.Error(err)
			}
		}}, nil
	}
	allocatortesting.TestAllocator(t, SupportedFeatures, newRecorder)
	allocatortesting.TestLexicographicalAllocator(t, SupportedFeatures, newRecorder)
}

func off(features Features) (gates []string) {
	for gate, on := range map[string]bool{"DRAAdminAccess": features.AdminAccess, "DRAConsumableCapacity": features.ConsumableCapacity,
		"DRADeviceBindingConditions": features.DeviceBindingAndStatus, "DRADeviceTaints": features.DeviceTaints,
		"DRAPartitionableDevices": features.PartitionableDevices, "DRAPrioritizedList": features.PrioritizedList} {
		if !on {
			gates = append(gates, gate)
		}
	}
	return gates
}

func on(features Features) (gates []string) {
	if features.FractionalCapacityRange {
		gates = append(gates, "DRAFractionalCapacityRange")
	}
	return gates
}
