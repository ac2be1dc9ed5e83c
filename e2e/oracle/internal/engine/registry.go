package engine

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// newRegistry returns the in-tree plugins, two of them with changes.
//
// DefaultPreemption has three hooks changed:
//
//   - every node is a candidate, instead of a random tenth of them;
//   - the victims found on each node are recorded;
//   - nothing is evicted.
//
// VolumeBinding has one binder for all profiles. The scheduler makes one for
// each, and what one profile has reserved another learns when the API server
// tells of the binding. Here nothing is written, so nobody would tell it.
func newRegistry(recorder *victimRecorder) frameworkruntime.Registry {
	registry := plugins.NewInTreeRegistry()
	fts := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	registry[defaultpreemption.Name] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		plugin, err := defaultpreemption.New(ctx, args, h, fts)
		if err != nil {
			return nil, err
		}
		plugin.Evaluator.Interface = &exhaustivePreemption{Interface: plugin, recorder: recorder}
		plugin.Executor.PreemptPod = func(context.Context, preemption.Candidate, preemption.ExecutorPreemptor, *v1.Pod, string) (bool, error) {
			return false, nil
		}
		return plugin, nil
	}
	var binder volumebinding.SchedulerVolumeBinder
	newVolumeBinding := registry[volumebinding.Name]
	registry[volumebinding.Name] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		plugin, err := newVolumeBinding(ctx, args, h)
		if err != nil {
			return nil, err
		}
		made := plugin.(*volumebinding.VolumeBinding)
		if binder == nil {
			binder = made.Binder
		}
		made.Binder = binder
		return made, nil
	}
	return registry
}
