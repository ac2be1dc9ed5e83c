// events prints the cluster events that the plugins of kube-scheduler's default profile register for: one line of JSON for each
// plugin, in the form of the recorder's questions.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "events:", err)
		os.Exit(1)
	}
}

func run() error {
	metrics.Register()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	config, err := latest.Default()
	if err != nil {
		return err
	}
	client := fake.NewClientset()
	snapshot := cache.NewEmptySnapshot()
	factory := informers.NewSharedInformerFactory(client, 0)
	framework, err := runtime.NewFramework(ctx, plugins.NewInTreeRegistry(), &config.Profiles[0],
		runtime.WithClientSet(client),
		runtime.WithInformerFactory(factory),
		runtime.WithSnapshotSharedLister(snapshot),
		runtime.WithMutableSnapshotLister(snapshot),
		runtime.WithWaitingPods(runtime.NewWaitingPodsMap()),
		runtime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())))
	if err != nil {
		return err
	}
	for _, plugin := range framework.EnqueueExtensions() {
		registered, err := plugin.EventsToRegister(ctx)
		if err != nil {
			return err
		}
		line := map[string]any{"call": "Events", "test": "EventsToRegister/" + plugin.Name(), "plugin": plugin.Name(),
			"want": map[string]any{"events": byResource(registered)}}
		if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// The actions of each resource, by their names.
func byResource(registered []fwk.ClusterEventWithHint) map[string][]string {
	actions := map[string]fwk.ActionType{}
	for _, each := range registered {
		actions[string(each.Event.Resource)] |= each.Event.ActionType
	}
	names := map[string][]string{}
	for resource, set := range actions {
		if set&fwk.Update == fwk.Update {
			names[resource] = append(names[resource], fwk.Update.String())
			set &^= fwk.Update
		}
		for bit := fwk.Add; bit < fwk.All; bit <<= 1 {
			if set&bit != 0 {
				names[resource] = append(names[resource], bit.String())
			}
		}
		slices.Sort(names[resource])
	}
	return names
}
