package scenario

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const azurePlugin = "kubernetes.io/azure-disk"

// addUntranslatable gives pods in-tree volumes that cannot be translated for a CSI driver. This fails an
// attempt if the node's kubelet leaves them to the driver.
func (g *generator) addUntranslatable(pending []*v1.Pod) {
	if !g.on(Untranslatable) {
		return
	}
	for _, object := range g.storage {
		node, ok := object.(*storagev1.CSINode)
		if !ok || !g.rand(Untranslatable, "csinode", node.Name).chance(0.4) {
			continue
		}
		metav1.SetMetaDataAnnotation(&node.ObjectMeta, v1.MigratedPluginsAnnotationKey,
			strings.TrimPrefix(node.Annotations[v1.MigratedPluginsAnnotationKey]+","+azurePlugin, ","))
	}
	for _, pod := range g.placed {
		if r := g.rand(Untranslatable, "placed", pod.Name); r.chance(0.03) {
			mountUntranslatable(r, pod)
		}
	}
	for _, pod := range pending {
		r := g.rand(Untranslatable, "pending", pod.Name)
		switch {
		case r.chance(0.1):
			mountUntranslatable(r, pod)
		case r.chance(0.3):
			name := pod.Name + "-untranslatable"
			_, volume := g.addBoundClaim(pod.Namespace, name)
			g.makeUntranslatable(r, volume)
			mountClaim(pod, name)
		}
	}
}

// azureDisk is managed by Azure, or is not and has no driver.
func azureDisk(r random) *v1.AzureDiskVolumeSource {
	if r.chance(0.2) {
		return &v1.AzureDiskVolumeSource{
			DiskName: "disk", DataDiskURI: "/subscriptions/disk", Kind: ptr.To(v1.AzureManagedDisk)}
	}
	return &v1.AzureDiskVolumeSource{
		DiskName: "disk", DataDiskURI: "https://account.blob.core.windows.net/vhds/disk.vhd",
		Kind: one(r, nil, ptr.To(v1.AzureSharedBlobDisk), ptr.To(v1.AzureDedicatedBlobDisk))}
}

func mountUntranslatable(r random, pod *v1.Pod) {
	source := v1.VolumeSource{AzureDisk: azureDisk(r)}
	if r.chance(0.4) {
		source = v1.VolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{
			VolumeID: one(r, "aws://zone/disk", "aws://zone", "aws://zone/vol-1/2", "aws:///vol-9")}}
	}
	name := fmt.Sprintf("disk%d", len(pod.Spec.Volumes))
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: name, VolumeSource: source})
}

func (g *generator) makeUntranslatable(r random, volume *v1.PersistentVolume) {
	switch r.IntN(3) {
	case 0:
		volume.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{AzureDisk: azureDisk(r)}
	case 1:
		volume.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{
			AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "aws://zone/" + volume.Name}}
	default: // a disk in zones that make no region
		volume.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{
			GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: volume.Name}}
		zones := one(r, strings.Join(g.zones, "__"), "us-west1-c__us-east1-b")
		volume.Labels = map[string]string{one(r, zoneLabel, v1.LabelFailureDomainBetaZone): zones}
	}
	if r.chance(0.5) {
		volume.Spec.NodeAffinity = volumeAffinity(zoneLabel, some(r, r.between(1, 2), g.zones)...)
	}
}
