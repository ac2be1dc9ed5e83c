// Command known_fields prints the fields of the kinds that podium reads from manifests: as the lines of
// api/decode/known_fields_table.cc, into which known_fields.py writes them.
package main

import (
	"fmt"
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var kinds = []any{
	corev1.Pod{}, corev1.Node{}, corev1.Namespace{}, corev1.Service{}, corev1.ReplicationController{},
	appsv1.ReplicaSet{}, appsv1.StatefulSet{}, appsv1.Deployment{}, appsv1.DaemonSet{}, batchv1.Job{}, batchv1.CronJob{},
	corev1.PersistentVolumeClaim{}, corev1.LimitRange{}, nodev1.RuntimeClass{}, schedulingv1.PriorityClass{},
	policyv1.PodDisruptionBudget{}, corev1.PersistentVolume{}, storagev1.StorageClass{}, storagev1.CSINode{},
	storagev1.CSIDriver{}, storagev1.CSIStorageCapacity{}, storagev1.VolumeAttachment{}, resourcev1.ResourceSlice{},
	resourcev1.DeviceTaintRule{}, resourcev1.DeviceClass{}, resourcev1.ResourceClaim{}, resourcev1.ResourceClaimTemplate{},
}

// These have a form of their own in JSON.
var freeForm = map[reflect.Type]bool{
	reflect.TypeFor[resource.Quantity]():       true,
	reflect.TypeFor[metav1.Time]():             true,
	reflect.TypeFor[metav1.MicroTime]():        true,
	reflect.TypeFor[metav1.FieldsV1]():         true,
	reflect.TypeFor[intstr.IntOrString]():      true,
	reflect.TypeFor[runtime.RawExtension]():    true,
	reflect.TypeFor[metav1.GroupVersionKind](): true,
}

// Fields of v1.36 that v1.37 no longer has, by their type.
var earlier = map[string]string{
	"Device":                             "nodeAllocatableResourceMappings",
	"NodeAllocatableResourceClaimStatus": "resources",
}

// table has the types in the order in which they are found.
type table struct {
	names map[reflect.Type]string
	taken map[string]bool
	order []reflect.Type
}

// name returns the name of a type. Two packages have a type ResourceClaim, and a kind keeps its name.
func (t *table) name(of reflect.Type) string {
	if name, ok := t.names[of]; ok {
		return name
	}
	name := of.Name()
	if t.taken[name] {
		parts := strings.Split(of.PkgPath(), "/")
		name += "Of" + strings.ToUpper(parts[len(parts)-2][:1]) + parts[len(parts)-2][1:]
	}
	t.names[of], t.taken[name] = name, true
	t.order = append(t.order, of)
	return name
}

// fields returns the fields of a struct and of those that it embeds, as the table has them.
func (t *table) fields(of reflect.Type) []string {
	var out []string
	for i := range of.NumField() {
		field := of.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && (field.Anonymous || strings.Contains(options, "inline")):
			out = append(out, t.fields(field.Type)...)
		default:
			out = append(out, name+t.value(field.Type))
		}
	}
	return out
}

// value returns what follows a field's name.
func (t *table) value(of reflect.Type) string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if freeForm[of] {
		return ""
	}
	switch of.Kind() {
	case reflect.Struct:
		return ":" + t.name(of)
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return "=s" // base64
		}
		return around(t.value(of.Elem()), "[%s]")
	case reflect.Map:
		value := t.value(of.Elem())
		if name, isStruct := strings.CutPrefix(value, ":"); isStruct {
			return ":*" + name
		}
		return around(value, "{%s}")
	case reflect.String:
		return "=s"
	case reflect.Bool:
		return "=b"
	case reflect.Int32, reflect.Int64, reflect.Uint8:
		return "=i"
	}
	panic(of.String() + " is not known")
}

func around(value, format string) string {
	if value == "" {
		return ""
	}
	return value[:1] + fmt.Sprintf(format, value[1:])
}

func main() {
	t := table{names: map[reflect.Type]string{}, taken: map[string]bool{}}
	for _, kind := range kinds {
		t.name(reflect.TypeOf(kind))
	}
	for i := 0; i < len(t.order); i++ {
		line := t.names[t.order[i]]
		fields := t.fields(t.order[i])
		if field, ok := earlier[line]; ok {
			fields = append(fields, field)
		}
		for _, field := range fields {
			if len(line)+1+len(field) > 104 {
				fmt.Println(line)
				line = " "
			}
			line += " " + field
		}
		fmt.Println(line)
	}
}
