package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
)

const (
	creators     = 30 // upstream's number of workers
	nodeCreators = 32
)

// Workloads with other operations cannot be run here.
var operations = map[string]func(*perfRun, context.Context, int, operation) error{
	"createNodes":      (*perfRun).createNodes,
	"createNamespaces": (*perfRun).createNamespaces,
	"createPods":       (*perfRun).createPods,
	"createPodSets":    (*perfRun).createPodSets,
	"createAny":        (*perfRun).createAny,
	"updateAny":        (*perfRun).updateAny,
	"deletePods":       (*perfRun).deletePods,
	"churn":            (*perfRun).churn,
	"barrier":          (*perfRun).barrier,
	"sleep":            (*perfRun).sleep,
	"startCollectingMetrics": func(r *perfRun, _ context.Context, _ int, o operation) error {
		return r.startMeasuring(o.Namespaces, o.LabelSelector)
	},
	"stopCollectingMetrics": func(r *perfRun, _ context.Context, _ int, _ operation) error { r.stopMeasuring(); return nil },
}

func (r *perfRun) operate(ctx context.Context, index int, o operation) error {
	known, ok := operations[o.Opcode]
	if !ok {
		return errors.New("this operation is not known here")
	}
	return known(r, ctx, index, o)
}

// --- nodes and namespaces ---
func baseNode(index int) *v1.Node {
	amount := v1.ResourceList{"cpu": resource.MustParse("4"), "memory": resource.MustParse("32Gi"), "pods": resource.MustParse("110")}
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: fmt.Sprintf("node-%d-", index)},
		Status: v1.NodeStatus{Capacity: amount, Allocatable: amount, Phase: v1.NodeRunning,
			Conditions: []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}}}
}

func (r *perfRun) createNodes(ctx context.Context, index int, o operation) error {
	first := r.nodes
	r.nodes += o.Count
	return inParallel(o.Count, nodeCreators, func(i int) error {
		node := baseNode(index)
		if o.NodeTemplatePath != "" {
			node = &v1.Node{}
		}
		if err := r.fromTemplate(o.NodeTemplatePath, o.TemplateParams, i, o.Count, node); err != nil {
			return err
		}
		if node.Name == "" {
			node.Name = node.GenerateName + rand.String(8)
		}
		if node.Labels == nil {
			node.Labels = map[string]string{}
		}
		node.Labels["kubernetes.io/hostname"] = node.Name
		if node.Status.Allocatable == nil {
			node.Status.Allocatable = maps.Clone(node.Status.Capacity) // the API server does so too
		}
		switch {
		case o.LabelNodePrepareStrategy != nil:
			values := o.LabelNodePrepareStrategy.LabelValues
			node.Labels[o.LabelNodePrepareStrategy.LabelKey] = values[(first+i)%len(values)]
		case o.UniqueNodeLabelStrategy != nil:
			node.Labels[o.UniqueNodeLabelStrategy.LabelKey] = string(uuid.NewUUID())
		case o.NodeAllocatableStrategy != nil:
			for name, amount := range o.NodeAllocatableStrategy.NodeAllocatable {
				node.Status.Allocatable[v1.ResourceName(name)] = resource.MustParse(amount)
			}
		}
		if _, err := r.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return err
		}
		if o.NodeAllocatableStrategy == nil {
			return nil
		}
		return r.createCSINode(ctx, node.Name, o.NodeAllocatableStrategy)
	})
}

func (r *perfRun) createCSINode(ctx context.Context, name string, strategy *allocatableStrategy) error {
	csi := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for i, plugin := range strategy.MigratedPlugins {
		if i > 0 {
			plugin = csi.Annotations[v1.MigratedPluginsAnnotationKey] + "," + plugin
		}
		csi.Annotations = map[string]string{v1.MigratedPluginsAnnotationKey: plugin}
	}
	for driver, limit := range strategy.CsiNodeAllocatable {
		csi.Spec.Drivers = append(csi.Spec.Drivers, storagev1.CSINodeDriver{Name: driver, NodeID: name,
			Allocatable: &storagev1.VolumeNodeResources{Count: limit.Count}})
	}
	_, err := r.client.StorageV1().CSINodes().Create(ctx, csi, metav1.CreateOptions{})
	return err
}

func (r *perfRun) createNamespaces(ctx context.Context, _ int, o operation) error {
	for i := range o.Count {
		namespace := &v1.Namespace{}
		if err := r.fromTemplate(o.NamespaceTemplatePath, nil, i, o.Count, namespace); err != nil {
			return err
		}
		namespace.Name = fmt.Sprintf("%s-%d", o.Prefix, i)
		if err := r.createNamespace(ctx, namespace); err != nil {
			return err
		}
	}
	return nil
}

func (r *perfRun) createNamespace(ctx context.Context, namespace *v1.Namespace) error {
	if namespace.Name == "" || r.namespaces[namespace.Name] {
		return nil
	}
	r.namespaces[namespace.Name] = true
	_, err := r.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) { // "default"
		return nil
	}
	return err
}

func (r *perfRun) named(ctx context.Context, name string, index int) (string, error) {
	if name == "" {
		name = fmt.Sprintf("namespace-%d", index)
	}
	return name, r.createNamespace(ctx, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
}

// --- pods ---
func (r *perfRun) createPods(ctx context.Context, index int, o operation) error {
	namespace, err := r.named(ctx, o.Namespace, index)
	if err != nil {
		return err
	}
	if o.CollectMetrics {
		if err := r.startMeasuring([]string{namespace}, nil); err != nil {
			return err
		}
	}
	if o.SteadyState {
		return errors.New("a steady state is not known here")
	}
	if err := inParallel(o.Count, creators, func(i int) error { return r.createPod(ctx, namespace, i, o) }); err != nil {
		return err
	}
	if o.SkipWaitToCompletion {
		r.waiting[namespace] += o.Count
		return nil
	}
	// As upstream: pods of earlier operations in this namespace count.
	if err := r.pods.await([]string{namespace}, nil, o.Count, false); err != nil {
		return err
	}
	if o.CollectMetrics {
		r.stopMeasuring()
	}
	return nil
}

func (r *perfRun) createPod(ctx context.Context, namespace string, i int, o operation) error {
	path := o.PodTemplatePath
	if path == "" {
		path = r.c.DefaultPodTemplatePath
	}
	pod := &v1.Pod{}
	if path == "" {
		path = "../templates/pod-default.yaml" // equal to the pod that upstream builds in its code
	}
	if err := r.fromTemplate(path, o.TemplateParams, i, o.Count, pod); err != nil {
		return err
	}
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels["signature"] = fmt.Sprintf("signature-label-%d", i/o.SignatureBatchSize)
	if o.PersistentVolumeClaimTemplatePath != "" {
		claim, err := r.createVolume(ctx, namespace, i, o)
		if err != nil {
			return err
		}
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: "vol", VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}})
	}
	at := time.Now()
	made, err := r.client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	r.created(made, at)
	return nil
}

// createVolume creates a claim and a volume that are bound to each other. Returns the claim's name.
func (r *perfRun) createVolume(ctx context.Context, namespace string, i int, o operation) (string, error) {
	claim, volume := &v1.PersistentVolumeClaim{}, &v1.PersistentVolume{}
	if err := r.fromTemplate(o.PersistentVolumeClaimTemplatePath, nil, i, o.Count, claim); err != nil {
		return "", err
	}
	if err := r.fromTemplate(o.PersistentVolumeTemplatePath, nil, i, o.Count, volume); err != nil {
		return "", err
	}
	claim.Name = fmt.Sprintf("pvc-%d", i)
	volume.Name = fmt.Sprintf("%s-vol-%d", namespace, i)
	if volume.Spec.CSI != nil {
		volume.Spec.CSI.VolumeHandle = volume.Name
	} else if volume.Spec.AWSElasticBlockStore != nil {
		volume.Spec.AWSElasticBlockStore.VolumeID = volume.Name
	}
	volume.Spec.ClaimRef = &v1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: namespace, Name: claim.Name}
	claim.Spec.VolumeName = volume.Name
	madeClaim, err := r.client.CoreV1().PersistentVolumeClaims(namespace).Create(ctx, claim, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	madeClaim.Status.Phase = v1.ClaimBound
	if _, err := r.client.CoreV1().PersistentVolumeClaims(namespace).UpdateStatus(ctx, madeClaim, metav1.UpdateOptions{}); err != nil {
		return "", err
	}
	madeVolume, err := r.client.CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	madeVolume.Status.Phase = v1.VolumeBound
	_, err = r.client.CoreV1().PersistentVolumes().UpdateStatus(ctx, madeVolume, metav1.UpdateOptions{})
	return claim.Name, err
}

func (r *perfRun) createPodSets(ctx context.Context, index int, o operation) error {
	for i := range o.Count {
		each, err := o.CreatePodsOp.resolved(r.w)
		if err != nil {
			return err
		}
		each.Namespace = fmt.Sprintf("%s-%d", o.NamespacePrefix, i)
		if err := r.createPods(ctx, index, each); err != nil {
			return err
		}
	}
	return nil
}

// perSecond calls f for 0..n-1, so many times a second; 0: as fast as it goes. Stops without an error when the run ends.
func perSecond(ctx context.Context, n, rate int, f func(i int) error) error {
	began := time.Now()
	for i := range n {
		if rate > 0 {
			select {
			case <-time.After(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate)))):
			case <-ctx.Done():
				return nil
			}
		}
		if err := f(i); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

func (r *perfRun) deletePods(ctx context.Context, _ int, o operation) error {
	pods := r.pods.existing(o.Namespace, o.LabelSelector)
	remove := func() error {
		if o.DeletePodsPerSecond == 0 {
			return r.client.CoreV1().Pods(o.Namespace).DeleteCollection(ctx, metav1.DeleteOptions{},
				metav1.ListOptions{LabelSelector: labels.SelectorFromSet(o.LabelSelector).String()})
		}
		return perSecond(ctx, len(pods), o.DeletePodsPerSecond, func(i int) error {
			return r.client.CoreV1().Pods(o.Namespace).Delete(ctx, pods[i].Name, metav1.DeleteOptions{})
		})
	}
	if o.SkipWaitToCompletion {
		go background(ctx, o.Opcode, remove)
		return nil
	}
	return remove()
}

// background runs what continues during the next operations, and prints its error.
func background(ctx context.Context, name string, f func() error) {
	if err := f(); err != nil && ctx.Err() == nil {
		fmt.Fprintf(os.Stderr, "   %s: %v\n", name, err)
	}
}

func (r *perfRun) barrier(_ context.Context, _ int, o operation) error {
	names := o.Namespaces
	if len(names) == 0 {
		for name := range r.waiting {
			names = append(names, name)
		}
	}
	attempted := o.StageRequirement == "Attempted"
	for _, name := range names {
		if err := r.pods.await([]string{name}, o.LabelSelector, r.waiting[name], attempted); err != nil {
			return err
		}
		if !attempted {
			delete(r.waiting, name)
		}
	}
	return nil
}

func (r *perfRun) sleep(ctx context.Context, _ int, o operation) error {
	duration, err := time.ParseDuration(o.Duration)
	if err != nil {
		return err
	}
	select {
	case <-time.After(duration):
	case <-ctx.Done():
	}
	return nil
}
