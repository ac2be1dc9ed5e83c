package scenario

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/utils/ptr"
)

// classPool is WaitForFirstConsumer, with the capacity of each node tracked.
const classPool = "pool"

// makeScoredStorage adds room that differs from node to node, and volumes of
// the classes that are also provisioned. Of one class a node has volumes of
// different sizes, and room in one object: of equals kube-scheduler takes any.
func (g *generator) makeScoredStorage() {
	mode := storagev1.VolumeBindingWaitForFirstConsumer
	g.storage = append(g.storage, &storagev1.StorageClass{
		TypeMeta:          typeMeta("storage.k8s.io/v1", "StorageClass"),
		ObjectMeta:        metav1.ObjectMeta{Name: classPool},
		Provisioner:       capacityDriver,
		VolumeBindingMode: &mode,
	})
	for _, node := range g.nodes {
		r := g.rand(StorageScoring, "node", node.Name)
		if r.chance(0.8) {
			room := &storagev1.CSIStorageCapacity{
				TypeMeta:         typeMeta("storage.k8s.io/v1", "CSIStorageCapacity"),
				ObjectMeta:       metav1.ObjectMeta{Name: "pool-" + node.Name, Namespace: "infra"},
				StorageClassName: classPool,
				NodeTopology:     &metav1.LabelSelector{MatchLabels: map[string]string{hostnameLabel: node.Name}},
				Capacity:         ptr.To(quantity(one(r, "1Gi", "3Gi", "7Gi", "15Gi", "33Gi", "100Gi"))),
			}
			if r.chance(0.2) {
				room.MaximumVolumeSize = ptr.To(quantity("6Gi"))
			}
			g.storage = append(g.storage, room)
		}
		for i, class := range []string{classLocal, classPool, classCapacity} {
			if !r.chance(0.35) {
				continue
			}
			volume := g.newVolume(fmt.Sprintf("there-%d-%s", i, node.Name), one(r, "8Gi", "13Gi", "30Gi"), class)
			volume.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{Local: &v1.LocalVolumeSource{Path: "/mnt/disk"}}
			volume.Spec.NodeAffinity = volumeAffinity(hostnameLabel, node.Name)
			volume.Status.Phase = v1.VolumeAvailable
			g.storage = append(g.storage, volume)
		}
	}
}

// setScoredVolumes gives a pod claims of classes that differ in what is left.
func (g *generator) setScoredVolumes(pod *v1.Pod) {
	r := g.rand(StorageScoring, "pod", pod.Name)
	for i := range r.between(1, 3) {
		name := fmt.Sprintf("%s-scored-%d", pod.Name, i)
		g.addClaim(pod.Namespace, name, one(r, "512Mi", "1Gi", "2500Mi", "5Gi", "10Gi"), one(r, classPool, classPool, classCapacity, classLocal))
		mountClaim(pod, name)
	}
}

// scoreStorage gives VolumeBinding a shape and a weight.
func (g *generator) scoreStorage(profile *configv1.KubeSchedulerProfile) {
	r := g.rand(StorageScoring, "profile", *profile.SchedulerName)
	if r.chance(0.7) {
		profile.PluginConfig = append(profile.PluginConfig, pluginConfig(names.VolumeBinding, &configv1.VolumeBindingArgs{Shape: one(r,
			[]configv1.UtilizationShapePoint{{Utilization: 0, Score: 0}, {Utilization: 100, Score: 10}},
			[]configv1.UtilizationShapePoint{{Utilization: 10, Score: 3}, {Utilization: 33, Score: 10}, {Utilization: 80, Score: 1}},
			[]configv1.UtilizationShapePoint{{Utilization: 50, Score: 7}},
			[]configv1.UtilizationShapePoint{},
		)}))
	}
	if !r.chance(0.5) {
		return
	}
	plugin := configv1.Plugin{Name: names.VolumeBinding, Weight: ptr.To(int32(r.between(1, 10)))}
	if plugins := profile.Plugins; len(plugins.PreScore.Disabled) > 0 {
		plugins.Score.Enabled = append(plugins.Score.Enabled, plugin)
		plugins.PreScore.Enabled = append(plugins.PreScore.Enabled, configv1.Plugin{Name: plugin.Name})
	} else {
		plugins.MultiPoint.Enabled = append(plugins.MultiPoint.Enabled, plugin)
	}
}

// needDrivers makes one of the drivers ask that its pods go to no node without
// it, which the other one is on some of. With both of them kube-scheduler would
// name any that is missing.
func (g *generator) needDrivers() {
	needed := one(g.rand(MissingDrivers, "driver"), diskDriver, capacityDriver)
	for _, object := range g.storage {
		switch object := object.(type) {
		case *storagev1.CSIDriver:
			object.Spec.PreventPodSchedulingIfMissing = ptr.To(object.Name == needed)
		case *storagev1.CSINode:
			if g.rand(MissingDrivers, "node", object.Name).chance(0.6) {
				object.Spec.Drivers = append(object.Spec.Drivers, storagev1.CSINodeDriver{Name: capacityDriver, NodeID: object.Name})
			}
		}
	}
}

// resizePods puts placed pods with pod-level requests in the middle of a
// resize of these.
func (g *generator) resizePods() {
	for _, pod := range g.placed {
		r := g.rand(PodResize, pod.Name)
		if pod.Spec.Resources == nil || len(pod.Spec.Resources.Requests) == 0 || !r.chance(0.6) {
			continue
		}
		actual := v1.ResourceList{}
		for _, name := range slices.Sorted(maps.Keys(pod.Spec.Resources.Requests)) {
			amount := pod.Spec.Resources.Requests[name]
			changed := amount.DeepCopy()
			if r.chance(0.5) {
				changed.Add(amount)
			}
			actual[name] = changed
		}
		pod.Status.Resources = &v1.ResourceRequirements{Requests: actual}
		pod.Status.AllocatedResources = actual
	}
}
