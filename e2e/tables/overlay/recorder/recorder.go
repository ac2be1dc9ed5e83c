// Package recorder records the questions of upstream's plugin tests and the plugins' answers: one line of JSON for each
// question, with everything that the answer depends on, so that the question can be put to another scheduler.
//
// The overlay that ../main.go makes calls it from the plugins and their tests. The lines go to the file that PODIUM_TABLES
// names. Threads: any.
package recorder

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

type object = map[string]any

// The arguments of New.
type origin struct {
	args   any
	handle fwk.Handle
}

// A pod of AddPod or RemovePod.
type change struct {
	Op   string  `json:"op"`
	Node string  `json:"node"`
	Pod  *v1.Pod `json:"pod"`
}

// The state at PreFilter, and the changes since.
type prepared struct {
	cluster any
	changes []change
	scored  bool
}

var (
	mutex   sync.Mutex
	out     *os.File
	test    string
	origins = map[fwk.Plugin]origin{}
	states  = map[fwk.CycleState]*prepared{}
)

// Enter records which test is running; the returned function restores the test around it.
func Enter(tb interface {
	Name() string
	Cleanup(func())
}) {
	mutex.Lock()
	defer mutex.Unlock()
	if tb.Name() == test {
		return
	}
	before := test
	test = tb.Name()
	write(object{"call": "Test"})
	tb.Cleanup(func() {
		mutex.Lock()
		defer mutex.Unlock()
		test = before
	})
}

// Made records every plugin that is constructed.
func Made(plugin fwk.Plugin, args runtime.Object, handle fwk.Handle) {
	mutex.Lock()
	defer mutex.Unlock()
	if plugin == nil || reflect.ValueOf(plugin).Kind() != reflect.Pointer {
		return
	}
	o := origin{handle: handle}
	if args != nil && !reflect.ValueOf(args).IsNil() {
		if versioned, err := scheme.Scheme.ConvertToVersion(args.DeepCopyObject(), configv1.SchemeGroupVersion); err == nil {
			o.args = versioned
		} else {
			o.args = object{"error": err.Error()}
		}
	}
	origins[plugin] = o
}

type (
	filterFunc    func(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status
	scoreFunc     func(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status)
	normalizeFunc func(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeScoreList) *fwk.Status
)

func PreEnqueue(plugin fwk.Plugin, pod *v1.Pod, status *fwk.Status) {
	mutex.Lock()
	defer mutex.Unlock()
	line := begin("PreEnqueue", plugin)
	line["pod"], line["want"] = pod, verdict(status)
	addObjects(line, plugin)
	write(line)
}

// addObjects adds what a gate or a hint reads.
func addObjects(line object, plugin fwk.Plugin) {
	if name := plugin.Name(); name == "DynamicResources" || name == "NodeResourcesFit" {
		line["cluster"] = clusterOf(plugin, nil)
	}
}

// PreFilter also calls Filter for every node.
func PreFilter(ctx context.Context, plugin fwk.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo,
	result *fwk.PreFilterResult, status *fwk.Status, filter filterFunc) {
	mutex.Lock()
	defer mutex.Unlock()
	infos := infosOf(plugin, nodes)
	line := begin("PreFilter", plugin)
	line["pod"], line["cluster"] = pod, clusterOf(plugin, infos)
	want := verdict(status)
	if result != nil && result.NodeNames != nil {
		want["only"] = result.NodeNames.UnsortedList()
	}
	if status.IsSuccess() {
		states[state] = &prepared{cluster: line["cluster"]}
		want["nodes"] = filterAll(ctx, state, pod, infos, filter)
	}
	line["want"] = want
	write(line)
}

// Changed records AddPod and RemovePod, and calls Filter again.
func Changed(ctx context.Context, op string, plugin fwk.Plugin, state fwk.CycleState, pod *v1.Pod, changed fwk.PodInfo,
	info fwk.NodeInfo, status *fwk.Status, filter filterFunc) {
	mutex.Lock()
	defer mutex.Unlock()
	line := begin("Changed", plugin)
	known := states[state]
	if known == nil || !status.IsSuccess() {
		line["want"] = verdict(status)
		write(line)
		return
	}
	known.changes = append(known.changes, change{op, info.Node().Name, changed.GetPod()})
	line["pod"], line["cluster"], line["changes"] = pod, known.cluster, known.changes
	want := verdict(nil)
	want["nodes"] = filterAll(ctx, state, pod, infosOf(plugin, nil), filter)
	line["want"] = want
	write(line)
}

func Filter(plugin fwk.Plugin, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo, status *fwk.Status) {
	mutex.Lock()
	defer mutex.Unlock()
	line := begin("Filter", plugin)
	line["pod"], line["on"], line["want"] = pod, nodeOf(info), verdict(status)
	if known := states[state]; known != nil {
		line["cluster"], line["changes"], line["preFilter"] = known.cluster, known.changes, true
	} else {
		line["cluster"] = clusterOf(plugin, infosOf(plugin, nil))
	}
	write(line)
}

// PreScore also calls Score for all nodes, and NormalizeScore.
func PreScore(ctx context.Context, plugin fwk.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo,
	status *fwk.Status, score scoreFunc, normalize normalizeFunc) {
	mutex.Lock()
	defer mutex.Unlock()
	infos := infosOf(plugin, nodes)
	line := begin("PreScore", plugin)
	line["pod"], line["cluster"] = pod, clusterOf(plugin, infos)
	names := []string{}
	for _, node := range nodes {
		names = append(names, node.Node().Name)
	}
	line["nodes"] = names
	want := verdict(status)
	if status.IsSuccess() {
		scoredState(state).scored = true
		var scores fwk.NodeScoreList
		failed := status
		for _, node := range nodes {
			value, status := score(ctx, state, pod, infoOf(infos, node))
			if !status.IsSuccess() {
				failed = status
			}
			scores = append(scores, fwk.NodeScore{Name: node.Node().Name, Score: value})
		}
		if failed.IsSuccess() && normalize != nil {
			failed = normalize(ctx, state, pod, scores)
		}
		want = verdict(failed)
		want["scores"] = scoresOf(scores)
	}
	line["want"] = want
	write(line)
}

func Score(plugin fwk.Plugin, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo, score int64, status *fwk.Status) {
	mutex.Lock()
	defer mutex.Unlock()
	line := begin("Score", plugin)
	line["pod"], line["on"], line["cluster"] = pod, nodeOf(info), clusterOf(plugin, infosOf(plugin, nil))
	if known := states[state]; known != nil && known.scored {
		line["preScore"] = true
	}
	want := verdict(status)
	want["score"] = score
	line["want"] = want
	write(line)
}

// Normalized records the scores after NormalizeScore.
func Normalized(plugin fwk.Plugin, state fwk.CycleState, pod *v1.Pod, scores fwk.NodeScoreList, status *fwk.Status) {
	mutex.Lock()
	defer mutex.Unlock()
	line := begin("NormalizeScore", plugin)
	line["pod"], line["cluster"] = pod, clusterOf(plugin, infosOf(plugin, nil))
	names := []string{}
	for _, each := range scores {
		names = append(names, each.Name)
	}
	line["nodes"] = names
	if known := states[state]; known != nil && known.scored {
		line["preScore"] = true
	}
	want := verdict(status)
	want["scores"] = scoresOf(scores)
	line["want"] = want
	write(line)
}

func Hint(plugin fwk.Plugin, function string, pod *v1.Pod, before, after any, answer fwk.QueueingHint, err error) {
	mutex.Lock()
	defer mutex.Unlock()
	line := begin("Hint", plugin)
	line["hint"], line["pod"], line["old"], line["new"] = function, pod, typed(before), typed(after)
	addObjects(line, plugin)
	want := object{"answer": answer.String()}
	if err != nil {
		want["error"] = err.Error()
	}
	line["want"] = want
	write(line)
}

// Request records the request that NodeResourcesFit's scores use for a pod.
func Request(pod *v1.Pod, resource v1.ResourceName, request int64) {
	mutex.Lock()
	defer mutex.Unlock()
	write(object{"call": "Request", "plugin": "NodeResourcesFit", "pod": pod, "resource": resource, "want": object{"request": request}})
}

// Volumes records what the binder finds for a pod on a node: the answer of VolumeBinding's filter.
func Volumes(binder reader, pod *v1.Pod, node *v1.Node, reasons any, err error) {
	mutex.Lock()
	defer mutex.Unlock()
	said := []string{}
	for i, list := 0, reflect.ValueOf(reasons); i < list.Len(); i++ {
		said = append(said, list.Index(i).String())
	}
	want := object{"code": "Success", "reasons": said}
	if len(said) > 0 {
		want["code"] = fwk.UnschedulableAndUnresolvable.String()
	}
	if err != nil {
		want = object{"code": fwk.Error.String(), "reasons": []string{err.Error()}}
	}
	write(object{"call": "Filter", "plugin": "VolumeBinding", "preFilter": true, "pod": pod,
		"on":      object{"node": node, "pods": []any{}},
		"cluster": object{"nodes": []any{}, "objects": objectsOf(binder)}, "want": want})
}

func begin(call string, plugin fwk.Plugin) object {
	line := object{"call": call, "plugin": plugin.Name(), "gates": gatesOf(plugin)}
	if o := origins[plugin]; o.args != nil {
		line["args"] = o.args
	}
	return line
}

// The switches of a plugin: its fields enableX, and those of the feature.Features that it keeps.
func gatesOf(plugin fwk.Plugin) map[string]bool {
	gates := map[string]bool{}
	addGates(gates, reflect.Indirect(reflect.ValueOf(plugin)))
	return gates
}

func addGates(gates map[string]bool, value reflect.Value) {
	for i := 0; value.Kind() == reflect.Struct && i < value.NumField(); i++ {
		name := value.Type().Field(i).Name
		switch field := value.Field(i); {
		case field.Kind() == reflect.Bool && strings.HasPrefix(strings.ToLower(name), "enable"):
			gates["enable"+name[len("enable"):]] = field.Bool()
		case field.Type() == reflect.TypeOf(feature.Features{}):
			addGates(gates, field)
		}
	}
}

func scoredState(state fwk.CycleState) *prepared {
	if states[state] == nil {
		states[state] = &prepared{}
	}
	return states[state]
}

// The nodes of the snapshot of the plugin's handle; without one, the given nodes.
func infosOf(plugin fwk.Plugin, given []fwk.NodeInfo) []fwk.NodeInfo {
	handle := origins[plugin].handle
	if handle == nil || reflect.ValueOf(handle).IsNil() {
		return given
	}
	lister := handle.SnapshotSharedLister()
	if lister == nil || reflect.ValueOf(lister).IsNil() {
		return given
	}
	if infos, err := lister.NodeInfos().List(); err == nil && len(infos) > 0 {
		return infos
	}
	return given
}

func infoOf(infos []fwk.NodeInfo, node fwk.NodeInfo) fwk.NodeInfo {
	for _, info := range infos {
		if info.Node() != nil && info.Node().Name == node.Node().Name {
			return info
		}
	}
	return node
}

func filterAll(ctx context.Context, state fwk.CycleState, pod *v1.Pod, infos []fwk.NodeInfo, filter filterFunc) object {
	verdicts := object{}
	for _, info := range infos {
		if filter != nil && info.Node() != nil {
			verdicts[info.Node().Name] = verdict(filter(ctx, state, pod, info))
		}
	}
	return verdicts
}

func verdict(status *fwk.Status) object {
	reasons := []string{}
	if status != nil && status.Reasons() != nil {
		reasons = status.Reasons()
	}
	return object{"code": status.Code().String(), "reasons": reasons}
}

func scoresOf(scores fwk.NodeScoreList) object {
	result := object{}
	for _, each := range scores {
		result[each.Name] = each.Score
	}
	return result
}

func write(line object) {
	if out == nil {
		file, err := os.OpenFile(os.Getenv("PODIUM_TABLES"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			panic(err)
		}
		out = file
	}
	line["test"] = test
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	if _, err := out.Write(append(text, '\n')); err != nil {
		panic(err)
	}
}
