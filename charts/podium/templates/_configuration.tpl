{{- /* The KubeSchedulerConfiguration, with the values' `configuration` merged over the chart's. If podium serves
default-scheduler, its lease is kube-scheduler's, so that only one of them places pods and either can take over. */ -}}
{{- define "podium.kubeSchedulerConfiguration" -}}
{{- $given := deepCopy (.Values.configuration | default dict) -}}
{{- $profiles := $given.profiles | default (list (dict "schedulerName" .Values.schedulerName)) -}}
{{- $lease := dict "leaderElect" .Values.leaderElection.leaderElect "resourceName" (include "podium.name" .) "resourceNamespace" .Release.Namespace -}}
{{- range $profiles -}}
{{- if eq (.schedulerName | default "default-scheduler") "default-scheduler" -}}
{{- $_ := set $lease "resourceName" "kube-scheduler" -}}
{{- $_ := set $lease "resourceNamespace" "kube-system" -}}
{{- end -}}
{{- end -}}
{{- $chart := dict
  "apiVersion" "kubescheduler.config.k8s.io/v1"
  "kind" "KubeSchedulerConfiguration"
  "profiles" $profiles
  "leaderElection" $lease -}}
{{- toYaml (mergeOverwrite $chart $given) }}
{{- end }}

{{- /* Its leader election, which RBAC follows. */ -}}
{{- define "podium.election" -}}
{{- toYaml (include "podium.kubeSchedulerConfiguration" . | fromYaml).leaderElection }}
{{- end }}

{{- /* {names: [the spec.schedulerName that podium serves, …]} */ -}}
{{- define "podium.served" -}}
{{- $names := list -}}
{{- range (include "podium.kubeSchedulerConfiguration" . | fromYaml).profiles -}}
{{- $names = append $names (.schedulerName | default "default-scheduler") -}}
{{- end -}}
{{- toYaml (dict "names" $names) }}
{{- end }}

{{- define "podium.configuration" -}}
{{ include "podium.kubeSchedulerConfiguration" . }}
---
{{ toYaml (merge (dict "apiVersion" "config.podium.dev/v1alpha1" "kind" "PodiumConfiguration") (.Values.podium | default dict)) }}
{{- end }}

{{- /* The part of the configuration that is read at a start only: podium reads reports and events again when the file changes. */ -}}
{{- define "podium.startConfiguration" -}}
{{ include "podium.kubeSchedulerConfiguration" . }}
---
{{ toYaml (omit (.Values.podium | default dict) "reports" "events") }}
{{- end }}

{{- /* What of podium is on. */ -}}
{{- define "podium.features" -}}
{{- $podium := .Values.podium | default dict -}}
reports: {{ dig "enabled" true ($podium.reports | default dict) }}
whatIfs: {{ dig "enabled" true ($podium.whatIf | default dict) }}
events: {{ dig "enabled" true ($podium.events | default dict) }}
{{- end }}
