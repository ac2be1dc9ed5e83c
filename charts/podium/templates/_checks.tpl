{{- /* Refuses values that render, but cannot work. The schema refuses the rest. */ -}}
{{- define "podium.checks" -}}
{{- $election := include "podium.election" . | fromYaml -}}
{{- $served := (include "podium.served" . | fromYaml).names -}}

{{- if and (gt (int .Values.replicas) 1) (not $election.leaderElect) }}
{{- fail "replicas: several replicas need leader election: set leaderElection.leaderElect=true, or replicas=1" }}
{{- end }}

{{- if ne (len $served) (len (uniq $served)) }}
{{- fail (printf "configuration.profiles: two profiles have the same schedulerName: %s" (join ", " $served)) }}
{{- end }}

{{- /* Two releases with one schedulerName place the same pods. A rendering without a cluster finds no others. */ -}}
{{- $role := include "podium.clusterName" . -}}
{{- range (lookup "rbac.authorization.k8s.io/v1" "ClusterRole" "" "").items }}
{{- if ne .metadata.name $role }}
{{- $other := .metadata }}
{{- range splitList "," (dig "podium.dev/scheduler-names" "" (.metadata.annotations | default dict)) }}
{{- if has . $served }}
{{- fail (printf "schedulerName: the release %s in namespace %s already serves %q, and both would place its pods. Choose another schedulerName, or uninstall that release. For more than one replica set replicas" (dig "app.kubernetes.io/instance" "?" ($other.labels | default dict)) (splitList ":" $other.name | first) .) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* podium must not wait for podium. kube-scheduler's lease avoids that: only one of the two leads, and
kube-scheduler places podium's pods while podium does not lead. */ -}}
{{- $shared := and $election.leaderElect (eq $election.resourceName "kube-scheduler") (eq $election.resourceNamespace "kube-system") -}}
{{- if and (has .Values.podSchedulerName $served) (not .Values.nodeName) }}
{{- if ne .Values.podSchedulerName "default-scheduler" }}
{{- fail (printf "podSchedulerName: podium itself serves %q, so its first pod would wait for itself forever: name another scheduler, or set nodeName" .Values.podSchedulerName) }}
{{- else if not $shared }}
{{- fail "podSchedulerName: podium itself serves \"default-scheduler\", without kube-scheduler's lease: its first pod would wait for itself forever, and a kube-scheduler that runs would place the same pods. Leave leaderElection and configuration.leaderElection as they are, so that podium shares the lease kube-system/kube-scheduler and kube-scheduler stands by. Where no kube-scheduler runs: set podSchedulerName to another scheduler, or nodeName to a node, or run podium as a static pod" }}
{{- end }}
{{- end }}

{{- $certificate := .Values.certificate -}}
{{- if and (eq $certificate.source "secret") (not $certificate.secretName) }}
{{- fail "certificate.secretName: certificate.source=secret needs the name of a Secret of type kubernetes.io/tls" }}
{{- end }}
{{- if and (ne $certificate.source "secret") $certificate.secretName }}
{{- fail (printf "certificate.secretName: has no meaning with certificate.source=%s; set certificate.source=secret" $certificate.source) }}
{{- end }}
{{- if and (eq $certificate.source "certManager") (not $certificate.issuerRef.name) }}
{{- fail "certificate.issuerRef.name: certificate.source=certManager needs an Issuer or ClusterIssuer" }}
{{- end }}

{{- if and .Values.affinity (ne .Values.antiAffinity "none") }}
{{- fail "affinity: replaces the chart's own anti-affinity: set antiAffinity=none too" }}
{{- end }}

{{- with .Values.serviceMonitor.prometheus }}
{{- if ne (empty .serviceAccount) (empty .namespace) }}
{{- fail "serviceMonitor.prometheus: needs both serviceAccount and namespace" }}
{{- end }}
{{- end }}

{{- $own := dict
  "config" "configuration and podium" "write-config-to" "" "kubeconfig" "" "help" "" "version" ""
  "secure-port" "" "bind-address" "" "cert-dir" "certificate" "tls-cert-file" "certificate" "tls-private-key-file" "certificate"
  "leader-elect" "leaderElection" "v" "verbosity" "feature-gates" "featureGates" "decision-log" "" -}}
{{- range .Values.extraArgs }}
{{- $flag := . | trimPrefix "-" | trimPrefix "-" | splitList "=" | first }}
{{- if hasPrefix "leader-elect-" $flag }}
{{- fail (printf "extraArgs: %s would change the lease without its RBAC: set configuration.leaderElection" .) }}
{{- end }}
{{- if hasKey $own $flag }}
{{- fail (printf "extraArgs: the chart sets %s itself%s" . (get $own $flag | empty | ternary "" (printf ": use %s" (get $own $flag)))) }}
{{- end }}
{{- end }}
{{- end }}
