package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The objects have the fields that those of a cluster have, managedFields included: their bytes are part of the cost.

const (
	created = "2026-01-01T00:00:00Z"
	uid     = "8bbe0000-0000-4a48-a8b4-f3bc73000000"
)

// managedFields as a client's manifest causes them.
func managed(fields string) string {
	return `"managedFields":[{"manager":"keeper","operation":"Update","apiVersion":"v1","time":"` + created +
		`","fieldsType":"FieldsV1","fieldsV1":` + fields + `}]`
}

var (
	podFields = managed(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{` +
		`".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:requests":{".":{},"f:cpu":{},` +
		`"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},` +
		`"f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},` +
		`"f:terminationGracePeriodSeconds":{}}}`)
	nodeFields = managed(`{"f:metadata":{"f:labels":{".":{},"f:kubernetes.io/arch":{},"f:kubernetes.io/hostname":{},` +
		`"f:kubernetes.io/os":{},"f:node.kubernetes.io/instance-type":{},"f:topology.kubernetes.io/region":{},` +
		`"f:topology.kubernetes.io/zone":{}}},"f:status":{"f:allocatable":{},"f:capacity":{},"f:conditions":{},"f:images":{}}}`)
	reportFields = json.RawMessage(`[{"manager":"podium","operation":"Update","apiVersion":"podium.dev/v1alpha1","time":"` +
		created + `","fieldsType":"FieldsV1","fieldsV1":{"f:status":{".":{},"f:attempts":{},"f:choice":{},"f:conditions":{},` +
		`"f:decidedAt":{},"f:expiresAt":{},"f:nodeCounts":{},"f:outcome":{},"f:profile":{},"f:snapshot":{},"f:strategies":{},` +
		`"f:timing":{},"f:topNodes":{}}},"subresource":"status"}]`)
)

// What pods of a kind have besides their requests.
var kinds = map[string]string{
	"basic": "",
	"spread": `"topologySpreadConstraints":[{"maxSkew":5,"topologyKey":"topology.kubernetes.io/zone",` +
		`"whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}}}],`,
}

func nodeJSON(i int) string {
	amounts := `{"cpu":"32","ephemeral-storage":"1Ti","memory":"256Gi","pods":"110"}`
	name := fmt.Sprintf("node-%06d", i)
	return `{"kind":"Node","apiVersion":"v1","metadata":{"name":"` + name + `","uid":"` + uid[:30] + fmt.Sprintf("%06d", i) +
		`","resourceVersion":"1","creationTimestamp":"` + created + `","labels":{"kubernetes.io/hostname":"` + name +
		fmt.Sprintf(`","topology.kubernetes.io/zone":"zone-%d","node.kubernetes.io/instance-type":"type-%d"`, i%3, i%7) +
		`,"topology.kubernetes.io/region":"r1","kubernetes.io/os":"linux","kubernetes.io/arch":"amd64"},` + nodeFields +
		`},"spec":{},"status":{"capacity":` + amounts + `,"allocatable":` + amounts + `,"conditions":[{"type":"Ready",` +
		`"status":"True","lastHeartbeatTime":null,"lastTransitionTime":null,"reason":"KubeletReady"}],` +
		`"images":[{"names":["registry.example/pause:1"],"sizeBytes":700000}]}}`
}

type pod struct {
	namespace, name, node, kind string
	version                     int64
}

func (p *pod) key() string { return p.namespace + "/" + p.name }

func (p *pod) json() string {
	node, conditions := "", ""
	if p.node != "" {
		node = `"nodeName":"` + p.node + `",`
		conditions = `"conditions":[{"type":"PodScheduled","observedGeneration":1,"status":"True","lastProbeTime":null,` +
			`"lastTransitionTime":"` + created + `"}],`
	}
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"%s","namespace":"%s","uid":"%s%s",`+
		`"resourceVersion":"%d","generation":1,"creationTimestamp":"%s","labels":{"app":"web"},%s},"spec":{%s`,
		p.name, p.namespace, uid[:24], strings.Repeat("0", 12-len(p.name))+p.name, p.version, created, podFields, node) +
		`"volumes":[{"name":"kube-api-access-x7k2p","projected":{"sources":[{"serviceAccountToken":{` +
		`"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt",` +
		`"path":"ca.crt"}]}},{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1",` +
		`"fieldPath":"metadata.namespace"}}]}}],"defaultMode":420}}],"containers":[{"name":"main",` +
		`"image":"registry.example/pause:1","resources":{"requests":{"cpu":"100m","memory":"500Mi"}},"volumeMounts":[{` +
		`"name":"kube-api-access-x7k2p","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],` +
		`"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",` +
		`"imagePullPolicy":"IfNotPresent"}],` + kinds[p.kind] + `"restartPolicy":"Always",` +
		`"terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default",` +
		`"serviceAccount":"default","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{` +
		`"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{` +
		`"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],` +
		`"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Pending",` +
		conditions + `"qosClass":"Burstable"}}`
}
