// The fields of manifest kinds in the API of Kubernetes 1.37 and 1.36. One type per line, followed by its
// fields; indented lines continue the line before. "field:Type" is an object of that type, "field:[Type]" a
// list of such objects, "field:*Type" a map to them. "field=s" is a string, "field=i" an integer, "field=b" a
// boolean, "field=[s]" a list of strings, "field={s}" a map to them. Fields without a type are not checked.
#include "api/decode/known_fields.h"

namespace podium::api::detail {

extern const char kKnownFields[];
const char kKnownFields[] = R"(
Pod kind=s apiVersion=s metadata:ObjectMeta spec:PodSpec status:PodStatus
ObjectMeta name=s generateName=s namespace=s selfLink=s uid=s resourceVersion=s generation=i
  creationTimestamp deletionTimestamp deletionGracePeriodSeconds=i labels={s} annotations={s}
  ownerReferences:[OwnerReference] finalizers=[s] managedFields:[ManagedFieldsEntry]
OwnerReference apiVersion=s kind=s name=s uid=s controller=b blockOwnerDeletion=b
ManagedFieldsEntry manager=s operation=s apiVersion=s time fieldsType=s fieldsV1 subresource=s
PodSpec volumes:[Volume] initContainers:[Container] containers:[Container]
  ephemeralContainers:[EphemeralContainer] restartPolicy=s terminationGracePeriodSeconds=i
  activeDeadlineSeconds=i dnsPolicy=s nodeSelector={s} serviceAccountName=s serviceAccount=s
  automountServiceAccountToken=b nodeName=s hostNetwork=b hostPID=b hostIPC=b shareProcessNamespace=b
  securityContext:PodSecurityContext imagePullSecrets:[LocalObjectReference] hostname=s subdomain=s
  affinity:Affinity schedulerName=s tolerations:[Toleration] hostAliases:[HostAlias] priorityClassName=s
  priority=i dnsConfig:PodDNSConfig readinessGates:[PodReadinessGate] runtimeClassName=s
  enableServiceLinks=b preemptionPolicy=s overhead topologySpreadConstraints:[TopologySpreadConstraint]
  setHostnameAsFQDN=b os:PodOS hostUsers=b schedulingGates:[PodSchedulingGate]
  resourceClaims:[PodResourceClaim] resources:ResourceRequirements hostnameOverride=s
  schedulingGroup:PodSchedulingGroup evictionResponders:[EvictionResponder]
Volume name=s hostPath:HostPathVolumeSource emptyDir:EmptyDirVolumeSource
  gcePersistentDisk:GCEPersistentDiskVolumeSource awsElasticBlockStore:AWSElasticBlockStoreVolumeSource
  gitRepo:GitRepoVolumeSource secret:SecretVolumeSource nfs:NFSVolumeSource iscsi:ISCSIVolumeSource
  glusterfs:GlusterfsVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource
  rbd:RBDVolumeSource flexVolume:FlexVolumeSource cinder:CinderVolumeSource cephfs:CephFSVolumeSource
  flocker:FlockerVolumeSource downwardAPI:DownwardAPIVolumeSource fc:FCVolumeSource
  azureFile:AzureFileVolumeSource configMap:ConfigMapVolumeSource
  vsphereVolume:VsphereVirtualDiskVolumeSource quobyte:QuobyteVolumeSource
  azureDisk:AzureDiskVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource
  projected:ProjectedVolumeSource portworxVolume:PortworxVolumeSource scaleIO:ScaleIOVolumeSource
  storageos:StorageOSVolumeSource csi:CSIVolumeSource ephemeral:EphemeralVolumeSource
  image:ImageVolumeSource
HostPathVolumeSource path=s type=s
EmptyDirVolumeSource medium=s sizeLimit mode=i
GCEPersistentDiskVolumeSource pdName=s fsType=s partition=i readOnly=b
AWSElasticBlockStoreVolumeSource volumeID=s fsType=s partition=i readOnly=b
GitRepoVolumeSource repository=s revision=s directory=s
SecretVolumeSource secretName=s items:[KeyToPath] defaultMode=i optional=b defaultUser=i
KeyToPath key=s path=s mode=i user=i
NFSVolumeSource server=s path=s readOnly=b
ISCSIVolumeSource targetPortal=s iqn=s lun=i iscsiInterface=s fsType=s readOnly=b portals=[s]
  chapAuthDiscovery=b chapAuthSession=b secretRef:LocalObjectReference initiatorName=s
LocalObjectReference name=s
GlusterfsVolumeSource endpoints=s path=s readOnly=b
PersistentVolumeClaimVolumeSource claimName=s readOnly=b
RBDVolumeSource monitors=[s] image=s fsType=s pool=s user=s keyring=s secretRef:LocalObjectReference
  readOnly=b
FlexVolumeSource driver=s fsType=s secretRef:LocalObjectReference readOnly=b options={s}
CinderVolumeSource volumeID=s fsType=s readOnly=b secretRef:LocalObjectReference
CephFSVolumeSource monitors=[s] path=s user=s secretFile=s secretRef:LocalObjectReference readOnly=b
FlockerVolumeSource datasetName=s datasetUUID=s
DownwardAPIVolumeSource items:[DownwardAPIVolumeFile] defaultMode=i defaultUser=i
DownwardAPIVolumeFile path=s fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector mode=i
  user=i
ObjectFieldSelector apiVersion=s fieldPath=s
ResourceFieldSelector containerName=s resource=s divisor
FCVolumeSource targetWWNs=[s] lun=i fsType=s readOnly=b wwids=[s]
AzureFileVolumeSource secretName=s shareName=s readOnly=b
ConfigMapVolumeSource name=s items:[KeyToPath] defaultMode=i optional=b defaultUser=i
VsphereVirtualDiskVolumeSource volumePath=s fsType=s storagePolicyName=s storagePolicyID=s
QuobyteVolumeSource registry=s volume=s readOnly=b user=s group=s tenant=s
AzureDiskVolumeSource diskName=s diskURI=s cachingMode=s fsType=s readOnly=b kind=s
PhotonPersistentDiskVolumeSource pdID=s fsType=s
ProjectedVolumeSource sources:[VolumeProjection] defaultMode=i defaultUser=i
VolumeProjection secret:SecretProjection downwardAPI:DownwardAPIProjection configMap:ConfigMapProjection
  serviceAccountToken:ServiceAccountTokenProjection clusterTrustBundle:ClusterTrustBundleProjection
  podCertificate:PodCertificateProjection
SecretProjection name=s items:[KeyToPath] optional=b
DownwardAPIProjection items:[DownwardAPIVolumeFile]
ConfigMapProjection name=s items:[KeyToPath] optional=b
ServiceAccountTokenProjection audience=s expirationSeconds=i path=s user=i
ClusterTrustBundleProjection name=s signerName=s labelSelector:LabelSelector optional=b path=s user=i
LabelSelector matchLabels={s} matchExpressions:[LabelSelectorRequirement]
LabelSelectorRequirement key=s operator=s values=[s]
PodCertificateProjection signerName=s keyType=s maxExpirationSeconds=i credentialBundlePath=s keyPath=s
  certificateChainPath=s userAnnotations={s} user=i
PortworxVolumeSource volumeID=s fsType=s readOnly=b
ScaleIOVolumeSource gateway=s system=s secretRef:LocalObjectReference sslEnabled=b protectionDomain=s
  storagePool=s storageMode=s volumeName=s fsType=s readOnly=b
StorageOSVolumeSource volumeName=s volumeNamespace=s fsType=s readOnly=b secretRef:LocalObjectReference
CSIVolumeSource driver=s readOnly=b fsType=s volumeAttributes={s}
  nodePublishSecretRef:LocalObjectReference
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate metadata:ObjectMeta spec:PersistentVolumeClaimSpec
PersistentVolumeClaimSpec accessModes=[s] selector:LabelSelector resources:VolumeResourceRequirements
  volumeName=s storageClassName=s volumeMode=s dataSource:TypedLocalObjectReference
  dataSourceRef:TypedObjectReference volumeAttributesClassName=s
VolumeResourceRequirements limits requests
TypedLocalObjectReference apiGroup=s kind=s name=s
TypedObjectReference apiGroup=s kind=s name=s namespace=s
ImageVolumeSource reference=s pullPolicy=s
Container name=s image=s command=[s] args=[s] workingDir=s ports:[ContainerPort] envFrom:[EnvFromSource]
  env:[EnvVar] resources:ResourceRequirements resizePolicy:[ContainerResizePolicy] restartPolicy=s
  restartPolicyRules:[ContainerRestartRule] volumeMounts:[VolumeMount] volumeDevices:[VolumeDevice]
  livenessProbe:Probe readinessProbe:Probe startupProbe:Probe lifecycle:Lifecycle
  terminationMessagePath=s terminationMessagePolicy=s imagePullPolicy=s securityContext:SecurityContext
  stdin=b stdinOnce=b tty=b
ContainerPort name=s hostPort=i containerPort=i protocol=s hostIP=s
EnvFromSource prefix=s configMapRef:ConfigMapEnvSource secretRef:SecretEnvSource
ConfigMapEnvSource name=s optional=b
SecretEnvSource name=s optional=b
EnvVar name=s value=s valueFrom:EnvVarSource
EnvVarSource fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector
  configMapKeyRef:ConfigMapKeySelector secretKeyRef:SecretKeySelector fileKeyRef:FileKeySelector
ConfigMapKeySelector name=s key=s optional=b
SecretKeySelector name=s key=s optional=b
FileKeySelector volumeName=s path=s key=s optional=b
ResourceRequirements limits requests claims:[ResourceClaimOfContainer]
ResourceClaimOfContainer name=s request=s
ContainerResizePolicy resourceName=s restartPolicy=s
ContainerRestartRule action=s exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator=s values=[i]
VolumeMount name=s readOnly=b recursiveReadOnly=s mountPath=s subPath=s mountPropagation=s subPathExpr=s
  bindMountOptions=[s]
VolumeDevice name=s devicePath=s
Probe exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction grpc:GRPCAction
  initialDelaySeconds=i timeoutSeconds=i periodSeconds=i successThreshold=i failureThreshold=i
  terminationGracePeriodSeconds=i
ExecAction command=[s]
HTTPGetAction path=s port host=s scheme=s httpHeaders:[HTTPHeader] protocol=s
HTTPHeader name=s value=s
TCPSocketAction port host=s
GRPCAction port=i service=s mode=s
Lifecycle postStart:LifecycleHandler preStop:LifecycleHandler stopSignal=s
LifecycleHandler exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction sleep:SleepAction
SleepAction seconds=i
SecurityContext capabilities:Capabilities privileged=b seLinuxOptions:SELinuxOptions
  windowsOptions:WindowsSecurityContextOptions runAsUser=i runAsGroup=i runAsNonRoot=b
  readOnlyRootFilesystem=b allowPrivilegeEscalation=b procMount=s seccompProfile:SeccompProfile
  appArmorProfile:AppArmorProfile
Capabilities add=[s] drop=[s]
SELinuxOptions user=s role=s type=s level=s
WindowsSecurityContextOptions gmsaCredentialSpecName=s gmsaCredentialSpec=s runAsUserName=s
  hostProcess=b
SeccompProfile type=s localhostProfile=s
AppArmorProfile type=s localhostProfile=s
EphemeralContainer name=s image=s command=[s] args=[s] workingDir=s ports:[ContainerPort]
  envFrom:[EnvFromSource] env:[EnvVar] resources:ResourceRequirements
  resizePolicy:[ContainerResizePolicy] restartPolicy=s restartPolicyRules:[ContainerRestartRule]
  volumeMounts:[VolumeMount] volumeDevices:[VolumeDevice] livenessProbe:Probe readinessProbe:Probe
  startupProbe:Probe lifecycle:Lifecycle terminationMessagePath=s terminationMessagePolicy=s
  imagePullPolicy=s securityContext:SecurityContext stdin=b stdinOnce=b tty=b targetContainerName=s
PodSecurityContext seLinuxOptions:SELinuxOptions windowsOptions:WindowsSecurityContextOptions
  runAsUser=i runAsGroup=i runAsNonRoot=b supplementalGroups=[i] supplementalGroupsPolicy=s fsGroup=i
  sysctls:[Sysctl] fsGroupChangePolicy=s seccompProfile:SeccompProfile appArmorProfile:AppArmorProfile
  seLinuxChangePolicy=s
Sysctl name=s value=s
Affinity nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]
NodeSelector nodeSelectorTerms:[NodeSelectorTerm]
NodeSelectorTerm matchExpressions:[NodeSelectorRequirement] matchFields:[NodeSelectorRequirement]
NodeSelectorRequirement key=s operator=s values=[s]
PreferredSchedulingTerm weight=i preference:NodeSelectorTerm
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
PodAffinityTerm labelSelector:LabelSelector namespaces=[s] topologyKey=s namespaceSelector:LabelSelector
  matchLabelKeys=[s] mismatchLabelKeys=[s]
WeightedPodAffinityTerm weight=i podAffinityTerm:PodAffinityTerm
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
Toleration key=s operator=s value=s effect=s tolerationSeconds=i
HostAlias ip=s hostnames=[s]
PodDNSConfig nameservers=[s] searches=[s] options:[PodDNSConfigOption]
PodDNSConfigOption name=s value=s
PodReadinessGate conditionType=s
TopologySpreadConstraint maxSkew=i topologyKey=s whenUnsatisfiable=s labelSelector:LabelSelector
  minDomains=i nodeAffinityPolicy=s nodeTaintsPolicy=s matchLabelKeys=[s]
PodOS name=s
PodSchedulingGate name=s
PodResourceClaim name=s resourceClaimName=s resourceClaimTemplateName=s
PodSchedulingGroup podGroupName=s
PodStatus observedGeneration=i phase=s conditions:[PodCondition] message=s reason=s nominatedNodeName=s
  hostIP=s hostIPs:[HostIP] podIP=s podIPs:[PodIP] startTime initContainerStatuses:[ContainerStatus]
  containerStatuses:[ContainerStatus] qosClass=s ephemeralContainerStatuses:[ContainerStatus] resize=s
  resourceClaimStatuses:[PodResourceClaimStatus]
  extendedResourceClaimStatus:PodExtendedResourceClaimStatus allocatedResources
  resources:ResourceRequirements
  nodeAllocatableResourceClaimStatuses:[NodeAllocatableResourceClaimStatus]
  volumeHealth:[PodVolumeHealth]
PodCondition type=s observedGeneration=i status=s lastProbeTime lastTransitionTime reason=s message=s
HostIP ip=s
PodIP ip=s
ContainerStatus name=s state:ContainerState lastState:ContainerState ready=b restartCount=i image=s
  imageID=s containerID=s started=b allocatedResources resources:ResourceRequirements
  volumeMounts:[VolumeMountStatus] user:ContainerUser allocatedResourcesStatus:[ResourceStatus]
  stopSignal=s
ContainerState waiting:ContainerStateWaiting running:ContainerStateRunning
  terminated:ContainerStateTerminated
ContainerStateWaiting reason=s message=s
ContainerStateRunning startedAt
ContainerStateTerminated exitCode=i signal=i reason=s message=s startedAt finishedAt containerID=s
VolumeMountStatus name=s mountPath=s readOnly=b recursiveReadOnly=s volumeStatus:VolumeStatus
VolumeStatus image:ImageVolumeStatus
ImageVolumeStatus imageRef=s
ContainerUser linux:LinuxContainerUser
LinuxContainerUser uid=i gid=i supplementalGroups=[i]
ResourceStatus name=s resources:[ResourceHealth]
ResourceHealth resourceID=s health=s message=s
PodResourceClaimStatus name=s resourceClaimName=s
PodExtendedResourceClaimStatus requestMappings:[ContainerExtendedResourceRequest] resourceClaimName=s
ContainerExtendedResourceRequest containerName=s resourceName=s requestName=s
NodeAllocatableResourceClaimStatus resourceClaimName containers resources
  mapping:[NodeAllocatableResourceAmount] overhead:[NodeAllocatableResourceOverheadAmount]
NodeAllocatableResourceAmount name=s quantity
NodeAllocatableResourceOverheadAmount name=s perPod perContainer
EvictionResponder name=s priority=i
PodVolumeHealth name=s healthConditions:[VolumeHealthCondition] lastTransitionTime
VolumeHealthCondition status=s reason=s message=s
Node kind=s apiVersion=s metadata:ObjectMeta spec:NodeSpec status:NodeStatus
NodeSpec podCIDR=s podCIDRs=[s] providerID=s unschedulable=b taints:[Taint]
  configSource:NodeConfigSource externalID=s podPreemptionPolicy:NodePodPreemptionPolicy
Taint key=s value=s effect=s timeAdded
NodeConfigSource configMap:ConfigMapNodeConfigSource
ConfigMapNodeConfigSource namespace=s name=s uid=s resourceVersion=s kubeletConfigKey=s
NodeStatus capacity allocatable phase=s conditions:[NodeCondition] addresses:[NodeAddress]
  daemonEndpoints:NodeDaemonEndpoints nodeInfo:NodeSystemInfo images:[ContainerImage] volumesInUse=[s]
  volumesAttached:[AttachedVolume] config:NodeConfigStatus runtimeHandlers:[NodeRuntimeHandler]
  features:NodeFeatures declaredFeatures=[s]
NodeCondition type=s status=s lastHeartbeatTime lastTransitionTime reason=s message=s
NodeAddress type=s address=s
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint
DaemonEndpoint Port=i
NodeSystemInfo machineID=s systemUUID=s bootID=s kernelVersion=s osImage=s containerRuntimeVersion=s
  kubeletVersion=s kubeProxyVersion=s operatingSystem=s architecture=s swap:NodeSwapStatus
  runningInUserNamespace=b
NodePodPreemptionPolicy disableResizePreemption=[s]
NodeSwapStatus capacity=i
ContainerImage names=[s] sizeBytes=i
AttachedVolume name=s devicePath=s
NodeConfigStatus assigned:NodeConfigSource active:NodeConfigSource lastKnownGood:NodeConfigSource
  error=s
NodeRuntimeHandler name=s features:NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts=b userNamespaces=b
NodeFeatures supplementalGroupsPolicy=b
Namespace kind=s apiVersion=s metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus
NamespaceSpec finalizers=[s]
NamespaceStatus phase=s conditions:[NamespaceCondition]
NamespaceCondition type=s status=s lastTransitionTime reason=s message=s
Service kind=s apiVersion=s metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus
ServiceSpec ports:[ServicePort] selector={s} clusterIP=s clusterIPs=[s] type=s externalIPs=[s]
  sessionAffinity=s loadBalancerIP=s loadBalancerSourceRanges=[s] externalName=s externalTrafficPolicy=s
  healthCheckNodePort=i publishNotReadyAddresses=b sessionAffinityConfig:SessionAffinityConfig
  ipFamilies=[s] ipFamilyPolicy=s allocateLoadBalancerNodePorts=b loadBalancerClass=s
  internalTrafficPolicy=s trafficDistribution=s
ServicePort name=s protocol=s appProtocol=s port=i targetPort nodePort=i
SessionAffinityConfig clientIP:ClientIPConfig
ClientIPConfig timeoutSeconds=i
ServiceStatus loadBalancer:LoadBalancerStatus conditions:[Condition]
LoadBalancerStatus ingress:[LoadBalancerIngress]
LoadBalancerIngress ip=s hostname=s ipMode=s ports:[PortStatus]
PortStatus port=i protocol=s error=s
Condition type=s status=s observedGeneration=i lastTransitionTime reason=s message=s
ReplicationController kind=s apiVersion=s metadata:ObjectMeta spec:ReplicationControllerSpec
  status:ReplicationControllerStatus
ReplicationControllerSpec replicas=i minReadySeconds=i selector={s} template:PodTemplateSpec
PodTemplateSpec metadata:ObjectMeta spec:PodSpec
ReplicationControllerStatus replicas=i fullyLabeledReplicas=i readyReplicas=i availableReplicas=i
  observedGeneration=i conditions:[ReplicationControllerCondition]
ReplicationControllerCondition type=s status=s lastTransitionTime reason=s message=s
ReplicaSet kind=s apiVersion=s metadata:ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus
ReplicaSetSpec replicas=i minReadySeconds=i selector:LabelSelector template:PodTemplateSpec
ReplicaSetStatus replicas=i fullyLabeledReplicas=i readyReplicas=i availableReplicas=i
  terminatingReplicas=i observedGeneration=i conditions:[ReplicaSetCondition]
ReplicaSetCondition type=s status=s lastTransitionTime reason=s message=s
StatefulSet kind=s apiVersion=s metadata:ObjectMeta spec:StatefulSetSpec status:StatefulSetStatus
StatefulSetSpec replicas=i selector:LabelSelector template:PodTemplateSpec
  volumeClaimTemplates:[PersistentVolumeClaim] serviceName=s podManagementPolicy=s
  updateStrategy:StatefulSetUpdateStrategy revisionHistoryLimit=i minReadySeconds=i
  persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy
  ordinals:StatefulSetOrdinals
Deployment kind=s apiVersion=s metadata:ObjectMeta spec:DeploymentSpec status:DeploymentStatus
DeploymentSpec replicas=i selector:LabelSelector template:PodTemplateSpec strategy:DeploymentStrategy
  minReadySeconds=i revisionHistoryLimit=i paused=b progressDeadlineSeconds=i
DeploymentStrategy type=s rollingUpdate:RollingUpdate
RollingUpdate maxUnavailable maxSurge
DeploymentStatus observedGeneration=i replicas=i updatedReplicas=i readyReplicas=i availableReplicas=i
  unavailableReplicas=i terminatingReplicas=i conditions:[DeploymentCondition] collisionCount=i
DeploymentCondition type=s status=s lastUpdateTime lastTransitionTime reason=s message=s
DaemonSet kind=s apiVersion=s metadata:ObjectMeta spec:DaemonSetSpec status:DaemonSetStatus
DaemonSetSpec selector:LabelSelector template:PodTemplateSpec updateStrategy:DaemonSetUpdateStrategy
  minReadySeconds=i revisionHistoryLimit=i
DaemonSetUpdateStrategy type=s rollingUpdate:RollingUpdate
DaemonSetStatus currentNumberScheduled=i numberMisscheduled=i desiredNumberScheduled=i numberReady=i
  observedGeneration=i updatedNumberScheduled=i numberAvailable=i numberUnavailable=i collisionCount=i
  conditions:[DaemonSetCondition]
DaemonSetCondition type=s status=s lastTransitionTime reason=s message=s
Job kind=s apiVersion=s metadata:ObjectMeta spec:JobSpec status:JobStatus
JobSpec parallelism=i completions=i activeDeadlineSeconds=i podFailurePolicy:PodFailurePolicy
  successPolicy:SuccessPolicy backoffLimit=i backoffLimitPerIndex=i maxFailedIndexes=i
  selector:LabelSelector manualSelector=b template:PodTemplateSpec ttlSecondsAfterFinished=i
  completionMode=s suspend=b podReplacementPolicy=s managedBy=s scheduling:JobScheduling
JobScheduling schedulingPolicy:JobSchedulingPolicy schedulingConstraints:JobSchedulingConstraints
  disruptionMode:JobDisruptionMode resourceClaims:[PodResourceClaim]
JobSchedulingPolicy basic gang:JobGang
JobGang minCount=i
JobSchedulingConstraints topology:[JobTopology]
JobTopology key=s
JobDisruptionMode single all
CronJob kind=s apiVersion=s metadata:ObjectMeta spec:CronJobSpec status
CronJobSpec schedule=s timeZone=s startingDeadlineSeconds=i concurrencyPolicy=s suspend=b
  jobTemplate:JobTemplateSpec successfulJobsHistoryLimit=i failedJobsHistoryLimit=i
JobTemplateSpec metadata:ObjectMeta spec:JobSpec
PodFailurePolicy rules:[PodFailurePolicyRule]
PodFailurePolicyRule action=s onExitCodes:PodFailurePolicyOnExitCodes
  onPodConditions:[PodFailurePolicyOnPodConditions]
PodFailurePolicyOnExitCodes containerName=s operator=s values=[i]
PodFailurePolicyOnPodConditions type=s status=s
SuccessPolicy rules:[SuccessPolicyRule]
SuccessPolicyRule succeededIndexes=s succeededCount=i
JobStatus conditions:[JobCondition] startTime completionTime active=i succeeded=i failed=i terminating=i
  completedIndexes=s failedIndexes=s uncountedTerminatedPods:UncountedTerminatedPods ready=i
JobCondition type=s status=s lastProbeTime lastTransitionTime reason=s message=s
UncountedTerminatedPods succeeded=[s] failed=[s]
PersistentVolumeClaim kind=s apiVersion=s metadata:ObjectMeta spec:PersistentVolumeClaimSpec
  status:PersistentVolumeClaimStatus
PersistentVolumeClaimStatus phase=s accessModes=[s] capacity conditions:[PersistentVolumeClaimCondition]
  allocatedResources allocatedResourceStatuses={s} currentVolumeAttributesClassName=s
  modifyVolumeStatus:ModifyVolumeStatus healthStatus:VolumeHealthStatus
VolumeHealthStatus healthConditions:[VolumeHealthCondition] lastTransitionTime
PersistentVolumeClaimCondition type=s status=s lastProbeTime lastTransitionTime reason=s message=s
ModifyVolumeStatus targetVolumeAttributesClassName=s status=s
StatefulSetUpdateStrategy type=s rollingUpdate:RollingUpdateStatefulSetStrategy
RollingUpdateStatefulSetStrategy partition=i maxUnavailable
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted=s whenScaled=s
StatefulSetOrdinals start=i
StatefulSetStatus observedGeneration=i replicas=i readyReplicas=i currentReplicas=i updatedReplicas=i
  currentRevision=s updateRevision=s collisionCount=i conditions:[StatefulSetCondition]
  availableReplicas=i
StatefulSetCondition type=s status=s lastTransitionTime reason=s message=s
LimitRange kind=s apiVersion=s metadata:ObjectMeta spec:LimitRangeSpec
LimitRangeSpec limits:[LimitRangeItem]
LimitRangeItem type=s max min default defaultRequest maxLimitRequestRatio
RuntimeClass kind=s apiVersion=s metadata:ObjectMeta handler=s overhead:Overhead scheduling:Scheduling
Overhead podFixed
Scheduling nodeSelector={s} tolerations:[Toleration]
PriorityClass kind=s apiVersion=s metadata:ObjectMeta value=i globalDefault=b description=s
  preemptionPolicy=s
PodDisruptionBudget kind=s apiVersion=s metadata:ObjectMeta spec:PodDisruptionBudgetSpec
  status:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec minAvailable selector:LabelSelector maxUnavailable unhealthyPodEvictionPolicy=s
PodDisruptionBudgetStatus observedGeneration=i disruptedPods disruptionsAllowed=i currentHealthy=i
  desiredHealthy=i expectedPods=i conditions:[Condition]
PersistentVolume kind=s apiVersion=s metadata:ObjectMeta spec:PersistentVolumeSpec
  status:PersistentVolumeStatus
PersistentVolumeSpec capacity gcePersistentDisk:GCEPersistentDiskVolumeSource
  awsElasticBlockStore:AWSElasticBlockStoreVolumeSource hostPath:HostPathVolumeSource
  glusterfs:GlusterfsPersistentVolumeSource nfs:NFSVolumeSource rbd:RBDPersistentVolumeSource
  iscsi:ISCSIPersistentVolumeSource cinder:CinderPersistentVolumeSource
  cephfs:CephFSPersistentVolumeSource fc:FCVolumeSource flocker:FlockerVolumeSource
  flexVolume:FlexPersistentVolumeSource azureFile:AzureFilePersistentVolumeSource
  vsphereVolume:VsphereVirtualDiskVolumeSource quobyte:QuobyteVolumeSource
  azureDisk:AzureDiskVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource
  portworxVolume:PortworxVolumeSource scaleIO:ScaleIOPersistentVolumeSource local:LocalVolumeSource
  storageos:StorageOSPersistentVolumeSource csi:CSIPersistentVolumeSource accessModes=[s]
  claimRef:ObjectReference persistentVolumeReclaimPolicy=s storageClassName=s mountOptions=[s]
  volumeMode=s nodeAffinity:VolumeNodeAffinity volumeAttributesClassName=s
GlusterfsPersistentVolumeSource endpoints=s path=s readOnly=b endpointsNamespace=s
RBDPersistentVolumeSource monitors=[s] image=s fsType=s pool=s user=s keyring=s
  secretRef:SecretReference readOnly=b
SecretReference name=s namespace=s
ISCSIPersistentVolumeSource targetPortal=s iqn=s lun=i iscsiInterface=s fsType=s readOnly=b portals=[s]
  chapAuthDiscovery=b chapAuthSession=b secretRef:SecretReference initiatorName=s
CinderPersistentVolumeSource volumeID=s fsType=s readOnly=b secretRef:SecretReference
CephFSPersistentVolumeSource monitors=[s] path=s user=s secretFile=s secretRef:SecretReference
  readOnly=b
FlexPersistentVolumeSource driver=s fsType=s secretRef:SecretReference readOnly=b options={s}
AzureFilePersistentVolumeSource secretName=s shareName=s readOnly=b secretNamespace=s
ScaleIOPersistentVolumeSource gateway=s system=s secretRef:SecretReference sslEnabled=b
  protectionDomain=s storagePool=s storageMode=s volumeName=s fsType=s readOnly=b
LocalVolumeSource path=s fsType=s
StorageOSPersistentVolumeSource volumeName=s volumeNamespace=s fsType=s readOnly=b
  secretRef:ObjectReference
ObjectReference kind=s namespace=s name=s uid=s apiVersion=s resourceVersion=s fieldPath=s
CSIPersistentVolumeSource driver=s volumeHandle=s readOnly=b fsType=s volumeAttributes={s}
  controllerPublishSecretRef:SecretReference nodeStageSecretRef:SecretReference
  nodePublishSecretRef:SecretReference controllerExpandSecretRef:SecretReference
  nodeExpandSecretRef:SecretReference
VolumeNodeAffinity required:NodeSelector
PersistentVolumeStatus phase=s message=s reason=s lastPhaseTransitionTime
StorageClass kind=s apiVersion=s metadata:ObjectMeta provisioner=s parameters={s} reclaimPolicy=s
  mountOptions=[s] allowVolumeExpansion=b volumeBindingMode=s allowedTopologies:[TopologySelectorTerm]
TopologySelectorTerm matchLabelExpressions:[TopologySelectorLabelRequirement]
TopologySelectorLabelRequirement key=s values=[s]
CSINode kind=s apiVersion=s metadata:ObjectMeta spec:CSINodeSpec status:CSINodeStatus
CSINodeStatus storageHealth:[CSIStorageHealth]
CSIStorageHealth name=s healthConditions:[CSIStorageHealthCondition]
CSIStorageHealthCondition status=s reason=s message=s accessMode=s volumeMode=s lastTransitionTime
CSINodeSpec drivers:[CSINodeDriver]
CSINodeDriver name=s nodeID=s topologyKeys=[s] allocatable:VolumeNodeResources
VolumeNodeResources count=i
CSIDriver kind=s apiVersion=s metadata:ObjectMeta spec:CSIDriverSpec
CSIDriverSpec attachRequired=b podInfoOnMount=b volumeLifecycleModes=[s] storageCapacity=b
  fsGroupPolicy=s tokenRequests:[TokenRequest] requiresRepublish=b seLinuxMount=b
  nodeAllocatableUpdatePeriodSeconds=i serviceAccountTokenInSecrets=b preventPodSchedulingIfMissing=b
TokenRequest audience=s expirationSeconds=i
CSIStorageCapacity kind=s apiVersion=s metadata:ObjectMeta nodeTopology:LabelSelector storageClassName=s
  capacity maximumVolumeSize
VolumeAttachment kind=s apiVersion=s metadata:ObjectMeta spec:VolumeAttachmentSpec
  status:VolumeAttachmentStatus
VolumeAttachmentSpec attacher=s source:VolumeAttachmentSource nodeName=s
VolumeAttachmentSource persistentVolumeName=s inlineVolumeSpec:PersistentVolumeSpec
VolumeAttachmentStatus attached=b attachmentMetadata={s} attachError:VolumeError detachError:VolumeError
VolumeError time message=s errorCode=i
ResourceSlice kind=s apiVersion=s metadata:ObjectMeta spec:ResourceSliceSpec
ResourceSliceSpec driver=s pool:ResourcePool nodeName=s nodeSelector:NodeSelector allNodes=b
  devices:[Device] perDeviceNodeSelection=b sharedCounters:[CounterSet] partitionTypeAttribute=s
  skipNodeOperations=[s]
ResourcePool name=s generation=i resourceSliceCount=i
CounterSet name=s counters:*Counter
Counter value
Device name attributes:*DeviceAttribute capacity:*DeviceCapacity
  consumesCounters:[DeviceCounterConsumption] nodeName nodeSelector:NodeSelector allNodes
  taints:[DeviceTaint] bindsToNode bindingConditions bindingFailureConditions allowMultipleAllocations
  nodeAllocatableResourceMappings:*NodeAllocatableResourceMapping
  nodeAllocatableResources:*NodeAllocatableResource
NodeAllocatableResource mapping:NodeAllocatableMapping overhead:NodeAllocatableOverhead
NodeAllocatableMapping capacityKey=s capacityMultiplier deviceMultiplier
NodeAllocatableOverhead perPod perContainer
NodeAllocatableResourceMapping capacityKey allocationMultiplier
DeviceCounterConsumption counterSet=s counters:*Counter compatibilityGroups=[s]
DeviceCapacity value requestPolicy:CapacityRequestPolicy
CapacityRequestPolicy default validValues validRange:CapacityRequestPolicyRange
CapacityRequestPolicyRange min max step
DeviceAttribute int=i bool=b string=s version=s ints=[i] bools=[b] strings=[s] versions=[s]
DeviceTaint key=s value=s effect=s timeAdded
DeviceTaintRule kind=s apiVersion=s metadata:ObjectMeta spec:DeviceTaintRuleSpec
  status:DeviceTaintRuleStatus
DeviceTaintRuleSpec deviceSelector:DeviceTaintSelector taint:DeviceTaint
DeviceTaintSelector driver=s pool=s device=s
DeviceTaintRuleStatus conditions:[Condition]
DeviceClass kind=s apiVersion=s metadata:ObjectMeta spec:DeviceClassSpec
DeviceClassSpec selectors:[DeviceSelector] config:[DeviceConfiguration] extendedResourceName=s
DeviceSelector cel:CELDeviceSelector
CELDeviceSelector expression=s
DeviceConfiguration opaque:OpaqueDeviceConfiguration
OpaqueDeviceConfiguration driver=s parameters
ResourceClaim kind=s apiVersion=s metadata:ObjectMeta spec:ResourceClaimSpec status:ResourceClaimStatus
ResourceClaimSpec devices:DeviceClaim
DeviceClaim requests:[DeviceRequest] constraints:[DeviceConstraint] config:[DeviceClaimConfiguration]
DeviceRequest name=s exactly:ExactDeviceRequest firstAvailable:[DeviceSubRequest]
ExactDeviceRequest deviceClassName=s selectors:[DeviceSelector] allocationMode=s count=i adminAccess=b
  tolerations:[DeviceToleration] capacity:CapacityRequirements
  derivedAttributes:[DeviceDerivedAttribute]
DeviceSubRequest name=s deviceClassName=s selectors:[DeviceSelector] allocationMode=s count=i
  tolerations:[DeviceToleration] capacity:CapacityRequirements
  derivedAttributes:[DeviceDerivedAttribute]
DeviceDerivedAttribute name=s expression=s
CapacityRequirements requests
DeviceConstraint requests=[s] matchAttribute=s distinctAttribute=s
DeviceClaimConfiguration requests=[s] opaque:OpaqueDeviceConfiguration
DeviceToleration key=s operator=s value=s effect=s tolerationSeconds=i
ResourceClaimStatus allocation:AllocationResult reservedFor:[ResourceClaimConsumerReference]
  devices:[AllocatedDeviceStatus]
ResourceClaimConsumerReference apiGroup=s resource=s name=s uid=s
AllocationResult devices:DeviceAllocationResult nodeSelector:NodeSelector allocationTimestamp
DeviceAllocationResult results:[DeviceRequestAllocationResult] config:[DeviceAllocationConfiguration]
DeviceRequestAllocationResult request=s driver=s pool=s device=s adminAccess=b
  tolerations:[DeviceToleration] bindingConditions=[s] bindingFailureConditions=[s] shareID=s
  consumedCapacity skipNodeOperations=[s]
DeviceAllocationConfiguration source=s requests=[s] opaque:OpaqueDeviceConfiguration
AllocatedDeviceStatus driver=s pool=s device=s shareID=s conditions:[Condition] data
  networkData:NetworkDeviceData
NetworkDeviceData interfaceName=s ips=[s] hardwareAddress=s
ResourceClaimTemplate kind=s apiVersion=s metadata:ObjectMeta spec:ResourceClaimTemplateSpec
ResourceClaimTemplateSpec metadata:ObjectMeta spec:ResourceClaimSpec
)";

}  // namespace podium::api::detail
