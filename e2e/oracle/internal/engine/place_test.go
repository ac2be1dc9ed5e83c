package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"podium.dev/oracle/internal/report"
)

const twoProfiles = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler}, {schedulerName: other}]
`

// placeAll places the pods in their order; wanted are their nodes, "" for none.
// Each answer is "NODE of FEASIBLE" or the message up to its first full stop.
func placeAll(t *testing.T, cluster, pods string, wanted ...string) []string {
	t.Helper()
	in := read(t, cluster, pods, twoProfiles)
	e, err := New(t.Context(), in.cluster, in.pending, in.config, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var got []string
	for i, pod := range in.pending {
		placed, err := e.Place(t.Context(), pod, report.Placement{Node: wanted[i]})
		if err != nil {
			t.Fatal(err)
		}
		if placed.Node != "" {
			got = append(got, fmt.Sprintf("%s of %d", placed.Node, placed.Feasible))
		} else {
			message, _, _ := strings.Cut(placed.Message, ".")
			got = append(got, message)
		}
	}
	return got
}

func TestPlaceReservesForThePodsThatFollow(t *testing.T) {
	nodes := node("a") + node("b")
	big := func(name string) string { return pod(name, `cpu: "3"`, "") }
	const disk = `volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]`
	claim := `
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: disks.example.com
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c, namespace: default}
spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
status: {phase: Pending}
`
	local := `
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: v}
spec:
  storageClassName: local
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  local: {path: /disk}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [a]}]}]}}
status: {phase: Available}
`
	for _, name := range []string{"one", "two"} {
		local += fmt.Sprintf(`
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %s, namespace: default}
spec: {storageClassName: local, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
status: {phase: Pending}
`, name)
	}
	for _, c := range []struct {
		name, cluster, pods string
		wanted, want        []string
	}{
		{"room, and the first by name without a wish", nodes, big("p1") + big("p2") + big("p3"), []string{"", "", ""},
			[]string{"a of 2", "b of 1", "0/2 nodes are available: 2 Insufficient cpu"}},
		{"a wish among equals", nodes, big("p1") + big("p2"), []string{"b", ""}, []string{"b of 2", "a of 1"}},
		{"a wish that does not fit", nodes, big("p1") + big("p2"), []string{"a", "a"}, []string{"a of 2", "b of 1"}},
		{"a wish that is not the best is told, and followed", nodes + pod("q", `cpu: "1"`, "nodeName: a"),
			big("p1") + big("p2"), []string{"a", ""}, []string{"b of 2", "b of 1"}},
		{"a claim", nodes + claim, pod("p1", "cpu: 1", disk) + pod("p2", "cpu: 1", disk), []string{"b", ""},
			[]string{"b of 2", "b of 1"}},
		{"a volume, for the pods of another profile too", nodes + local,
			pod("p1", "cpu: 1", "schedulerName: other, volumes: [{name: d, persistentVolumeClaim: {claimName: one}}]") +
				pod("p2", "cpu: 1", "volumes: [{name: d, persistentVolumeClaim: {claimName: two}}]"), []string{"", ""},
			[]string{"a of 1", "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind"}},
	} {
		if got := placeAll(t, c.cluster, c.pods, c.wanted...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestPlaceLetsPodsShareAClaim(t *testing.T) {
	cluster := node("a") + node("b") + `
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec: {driver: gpu.example.com, nodeName: b, pool: {name: b, generation: 1, resourceSliceCount: 1}, devices: [{name: d}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared, namespace: default, uid: shared}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
`
	sharer := func(name string) string {
		return pod(name, `cpu: "1"`, "resourceClaims: [{name: r, resourceClaimName: shared}]")
	}
	got := placeAll(t, cluster, sharer("one")+sharer("two"), "", "")
	if want := []string{"b of 1", "b of 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlaceEvictsWhatPreemptionChooses(t *testing.T) {
	cluster := node("a") + node("b") + pod("low1", `cpu: "2"`, "nodeName: a") + pod("low2", `cpu: "2"`, "nodeName: a") +
		pod("mid", `cpu: "3"`, "nodeName: b, priority: 5")
	pods := pod("big", `cpu: "3"`, "priority: 10") + pod("low3", `cpu: "1"`, "")
	low := []string{"default/low1", "default/low2"}
	for _, c := range []struct {
		name   string
		wanted report.Placement
		want   []string
	}{
		{"the same victims", report.Placement{Node: "a", Victims: []string{low[1], low[0]}}, []string{"a", "a"}},
		{"other victims", report.Placement{Node: "a", Victims: low[:1]}, []string{"", "b"}},
		{"another node", report.Placement{Node: "b", Victims: low}, []string{"", "b"}},
		{"no victims", report.Placement{Node: "a"}, []string{"", "b"}},
	} {
		in := read(t, cluster, pods, twoProfiles)
		e, err := New(t.Context(), in.cluster, in.pending, in.config, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		var got []string
		for i, wanted := range []report.Placement{c.wanted, {Node: "a"}} {
			placed, err := e.Place(t.Context(), in.pending[i], wanted)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, placed.Node)
			if i == 0 && (len(placed.Victims) > 0) != (placed.Node != "") {
				t.Errorf("%s: %+v", c.name, placed)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
