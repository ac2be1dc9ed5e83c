package recorder

import (
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
)

func nodeOf(info fwk.NodeInfo) any {
	pods := []*v1.Pod{}
	for _, pod := range info.GetPods() {
		pods = append(pods, pod.GetPod())
	}
	return object{"node": info.Node(), "pods": pods}
}

func clusterOf(plugin fwk.Plugin, infos []fwk.NodeInfo) any {
	nodes := []any{}
	for _, info := range infos {
		nodes = append(nodes, nodeOf(info))
	}
	return object{"nodes": nodes, "objects": objectsOf(plugin)}
}

// What the plugin reads through its listers, which a method in the overlay knows; and what it reads through others', where it
// has a handle.
func objectsOf(plugin any) []any {
	objects := []any{}
	add := func(list any, err error) {
		items := reflect.ValueOf(list)
		for i := 0; err == nil && i < items.Len(); i++ {
			item := items.Index(i)
			if item.Kind() == reflect.Struct {
				item = item.Addr()
			}
			objects = append(objects, typed(item.Interface()))
		}
	}
	if from, ok := plugin.(reader); ok {
		for _, lister := range from.TablesListers() {
			add(listed(lister))
		}
	}
	known, ok := plugin.(fwk.Plugin)
	if !ok || known.Name() != "VolumeBinding" || origins[known].handle == nil {
		return objects
	}
	factory := origins[known].handle.SharedInformerFactory()
	everything := labels.Everything()
	volumes, err := factory.Core().V1().PersistentVolumes().Lister().List(everything)
	add(volumes, err)
	nodes, err := factory.Storage().V1().CSINodes().Lister().List(everything)
	add(nodes, err)
	drivers, err := factory.Storage().V1().CSIDrivers().Lister().List(everything)
	add(drivers, err)
	capacities, err := factory.Storage().V1().CSIStorageCapacities().Lister().List(everything)
	add(capacities, err)
	return objects
}

type reader interface{ TablesListers() []any }

// The objects of a lister; those that tests make are often slices.
func listed(lister any) (any, error) {
	if manager, ok := lister.(fwk.CSIManager); ok {
		return csiNodes(manager)
	}
	value := reflect.ValueOf(lister)
	if !value.IsValid() || (value.Kind() == reflect.Pointer && value.IsNil()) {
		return []*v1.Pod{}, nil
	}
	if value.Kind() == reflect.Slice {
		return lister, nil
	}
	if indexer, ok := lister.(interface{ List() []any }); ok {
		return indexer.List(), nil
	}
	results := value.MethodByName("List").Call([]reflect.Value{reflect.ValueOf(labels.Everything())})
	err, _ := results[1].Interface().(error)
	return results[0].Interface(), err
}

func csiNodes(manager fwk.CSIManager) ([]*storagev1.CSINode, error) {
	if nodes, err := manager.CSINodes().List(); err == nil {
		return nodes, nil
	}
	// A test's lister, inside of the manager's: a slice that gives its objects by name alone.
	var nodes []*storagev1.CSINode
	inside := reflect.Indirect(reflect.ValueOf(manager.CSINodes())).Field(0).Elem()
	for i := 0; i < inside.Len(); i++ {
		node, err := manager.CSINodes().Get(inside.Index(i).FieldByName("ObjectMeta").FieldByName("Name").String())
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

// typed returns an object of an event with its kind; null if there is none, or if the value is not an object.
func typed(value any) any {
	if value == nil {
		return nil
	}
	if reflect.ValueOf(value).Kind() != reflect.Pointer {
		return object{"kind": reflect.TypeOf(value).String()}
	}
	if reflect.ValueOf(value).IsNil() {
		return nil
	}
	kind := reflect.TypeOf(value).Elem().Name()
	if kind == "" {
		return object{"kind": reflect.TypeOf(value).String()}
	}
	group := reflect.TypeOf(value).Elem().PkgPath()
	version := "v1"
	switch {
	case strings.HasSuffix(group, "api/apps/v1"):
		version = "apps/v1"
	case strings.Contains(group, "api/storage/"):
		version = "storage.k8s.io/v1"
	case strings.Contains(group, "api/resource/"):
		version = "resource.k8s.io/v1"
	}
	return object{"apiVersion": version, "kind": kind, "object": value}
}
