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

{{- define "podium.configuration" -}}
{{- $defaults := dict
  "apiVersion" "kubescheduler.config.k8s.io/v1"
  "kind" "KubeSchedulerConfiguration"
  "profiles" (list (dict "schedulerName" .Values.schedulerName))
  "leaderElection" (dict "leaderElect" .Values.leaderElection.leaderElect "resourceName" (include "podium.name" .) "resourceNamespace" .Release.Namespace) -}}
{{- toYaml (mergeOverwrite $defaults (deepCopy .Values.configuration)) }}
---
{{ toYaml (merge (dict "apiVersion" "config.podium.dev/v1alpha1" "kind" "PodiumConfiguration") .Values.podium) }}
{{- end }}
