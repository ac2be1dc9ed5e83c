{{- define "podium.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "podium.selector" -}}
app.kubernetes.io/name: podium
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "podium.labels" -}}
{{ include "podium.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- /* Names of cluster-wide objects: two releases in two namespaces do not collide. */ -}}
{{- define "podium.clusterName" -}}
{{ printf "%s:%s" .Release.Namespace (include "podium.name" .) }}
{{- end }}

{{- /* The KubeSchedulerConfiguration, with the values' `configuration` merged over the chart's. */ -}}
{{- define "podium.kubeSchedulerConfiguration" -}}
{{- $chart := dict
  "apiVersion" "kubescheduler.config.k8s.io/v1"
  "kind" "KubeSchedulerConfiguration"
  "profiles" (list (dict "schedulerName" .Values.schedulerName))
  "leaderElection" (dict "leaderElect" .Values.leaderElection.leaderElect "resourceName" (include "podium.name" .) "resourceNamespace" .Release.Namespace) -}}
{{- toYaml (mergeOverwrite $chart (deepCopy (.Values.configuration | default dict))) }}
{{- end }}

{{- /* Its leader election, which RBAC follows. */ -}}
{{- define "podium.election" -}}
{{- toYaml (include "podium.kubeSchedulerConfiguration" . | fromYaml).leaderElection }}
{{- end }}

{{- define "podium.configuration" -}}
{{ include "podium.kubeSchedulerConfiguration" . }}
---
{{ toYaml (merge (dict "apiVersion" "config.podium.dev/v1alpha1" "kind" "PodiumConfiguration") (.Values.podium | default dict)) }}
{{- end }}
