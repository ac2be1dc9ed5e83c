{{- /* Names. A release's name may have dots, a Service's may not. */ -}}
{{- define "podium.name" -}}
{{- $release := .Release.Name | replace "." "-" }}
{{- if contains .Chart.Name $release }}{{ $release | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" $release .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- /* Names of cluster-wide objects: two releases in two namespaces do not collide. RBAC's names may have colons. */ -}}
{{- define "podium.clusterName" -}}
{{ printf "%s:%s" .Release.Namespace (include "podium.name" .) }}
{{- end }}

{{- /* The same for kinds whose names are DNS names. A namespace has no dot, so the first dot ends it. */ -}}
{{- define "podium.clusterDnsName" -}}
{{ printf "%s.%s" .Release.Namespace (include "podium.name" .) }}
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

{{- define "podium.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* The Secret with the serving certificate; empty: podium makes its own. */ -}}
{{- define "podium.certificateSecret" -}}
{{- if eq .Values.certificate.source "secret" }}{{ .Values.certificate.secretName }}{{ else if eq .Values.certificate.source "certManager" }}{{ include "podium.name" . }}-tls{{ end }}
{{- end }}

{{- /* Pod and container settings of the restricted Pod Security Standard. */ -}}
{{- define "podium.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "podium.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}
