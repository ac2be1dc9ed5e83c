// The fields of manifest kinds in the API of Kubernetes 1.37 and 1.36. tools/known_fields.py writes them from
// the API's Go types. One type per line, followed by its fields; indented lines continue the line before.
// "field:Type" is an object of that type, "field:[Type]" a list of such objects, "field:*Type" a map to them.
// "field=s" is a string, "field=i" an integer, "field=b" a boolean, "field=[s]" a list of strings, and
// "field={s}" a map to them. Fields without a type are not checked.
#include "api/decode/known_fields.h"

namespace podium::api::detail {

extern const char kKnownFields[];
const char kKnownFields[] = R"(
Pod kind=s apiVersion=s metadata:ObjectMeta spec:PodSpec status:PodStatus
Node kind=s apiVersion=s metadata:ObjectMeta spec:NodeSpec status:NodeStatus
Namespace kind=s apiVersion=s metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus
Service kind=s apiVersion=s metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus
ReplicationController kind=s apiVersion=s metadata:ObjectMeta spec:ReplicationControllerSpec
  status:ReplicationControllerStatus
ReplicaSet kind=s apiVersion=s metadata:ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus
StatefulSet kind=s apiVersion=s metadata:ObjectMeta spec:StatefulSetSpec status:StatefulSetStatus
Deployment kind=s apiVersion=s metadata:ObjectMeta spec:DeploymentSpec status:DeploymentStatus
DaemonSet kind=s apiVersion=s metadata:ObjectMeta spec:DaemonSetSpec status:DaemonSetStatus
Job kind=s apiVersion=s metadata:ObjectMeta spec:JobSpec status:JobStatus
CronJob kind=s apiVersion=s metadata:ObjectMeta spec:CronJobSpec status:CronJobStatus
PersistentVolumeClaim kind=s apiVersion=s metadata:ObjectMeta spec:PersistentVolumeClaimSpec
  status:PersistentVolumeClaimStatus
LimitRange kind=s apiVersion=s metadata:ObjectMeta spec:LimitRangeSpec
RuntimeClass kind=s apiVersion=s metadata:ObjectMeta handler=s overhead:Overhead scheduling:Scheduling
PriorityClass kind=s apiVersion=s metadata:ObjectMeta value=i globalDefault=b description=s
  preemptionPolicy=s
PodDisruptionBudget kind=s apiVersion=s metadata:ObjectMeta spec:PodDisruptionBudgetSpec
  status:PodDisruptionBudgetStatus
PersistentVolume kind=s apiVersion=s metadata:ObjectMeta spec:PersistentVolumeSpec
  status:PersistentVolumeStatus
StorageClass kind=s apiVersion=s metadata:ObjectMeta provisioner=s parameters={s} reclaimPolicy=s
  mountOptions=[s] allowVolumeExpansion=b volumeBindingMode=s allowedTopologies:[TopologySelectorTerm]
CSINode kind=s apiVersion=s metadata:ObjectMeta spec:CSINodeSpec status:CSINodeStatus
CSIDriver kind=s apiVersion=s metadata:ObjectMeta spec:CSIDriverSpec
CSIStorageCapacity kind=s apiVersion=s metadata:ObjectMeta nodeTopology:LabelSelector storageClassName=s
  capacity maximumVolumeSize
VolumeAttachment kind=s apiVersion=s metadata:ObjectMeta spec:VolumeAttachmentSpec
  status:VolumeAttachmentStatus
ResourceSlice kind=s apiVersion=s metadata:ObjectMeta spec:ResourceSliceSpec
DeviceTaintRule kind=s apiVersion=s metadata:ObjectMeta spec:DeviceTaintRuleSpec
  status:DeviceTaintRuleStatus
DeviceClass kind=s apiVersion=s metadata:ObjectMeta spec:DeviceClassSpec
ResourceClaim kind=s apiVersion=s metadata:ObjectMeta spec:ResourceClaimSpec status:ResourceClaimStatus
ResourceClaimTemplate kind=s apiVersion=s metadata:ObjectMeta spec:ResourceClaimTemplateSpec
ObjectMeta name=s generateName=s namespace=s selfLink=s uid=s resourceVersion=s generation=i
  creationTimestamp deletionTimestamp deletionGracePeriodSeconds=i labels={s} annotations={s}
  ownerReferences:[OwnerReference] finalizers=[s] managedFields:[ManagedFieldsEntry]
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
PodStatus observedGeneration=i phase=s conditions:[PodCondition] message=s reason=s nominatedNodeName=s
  hostIP=s hostIPs:[HostIP] podIP=s podIPs:[PodIP] startTime initContainerStatuses:[ContainerStatus]
  containerStatuses:[ContainerStatus] qosClass=s ephemeralContainerStatuses:[ContainerStatus] resize=s
  resourceClaimStatuses:[PodResourceClaimStatus]
  extendedResourceClaimStatus:PodExtendedResourceClaimStatus allocatedResources
  resources:ResourceRequirements
  nodeAllocatableResourceClaimStatuses:[NodeAllocatableResourceClaimStatus]
  volumeHealth:[PodVolumeHealth]
NodeSpec podCIDR=s podCIDRs=[s] providerID=s unschedulable=b taints:[Taint]
  configSource:NodeConfigSource externalID=s podPreemptionPolicy:NodePodPreemptionPolicy
NodeStatus capacity allocatable phase=s conditions:[NodeCondition] addresses:[NodeAddress]
  daemonEndpoints:NodeDaemonEndpoints nodeInfo:NodeSystemInfo images:[ContainerImage] volumesInUse=[s]
  volumesAttached:[AttachedVolume] config:NodeConfigStatus runtimeHandlers:[NodeRuntimeHandler]
  features:NodeFeatures declaredFeatures=[s]
NamespaceSpec finalizers=[s]
NamespaceStatus phase=s conditions:[NamespaceCondition]
ServiceSpec ports:[ServicePort] selector={s} clusterIP=s clusterIPs=[s] type=s externalIPs=[s]
  sessionAffinity=s loadBalancerIP=s loadBalancerSourceRanges=[s] externalName=s externalTrafficPolicy=s
  healthCheckNodePort=i publishNotReadyAddresses=b sessionAffinityConfig:SessionAffinityConfig
  ipFamilies=[s] ipFamilyPolicy=s allocateLoadBalancerNodePorts=b loadBalancerClass=s
  internalTrafficPolicy=s trafficDistribution=s
ServiceStatus loadBalancer:LoadBalancerStatus conditions:[Condition]
ReplicationControllerSpec replicas=i minReadySeconds=i selector={s} template:PodTemplateSpec
ReplicationControllerStatus replicas=i fullyLabeledReplicas=i readyReplicas=i availableReplicas=i
  observedGeneration=i conditions:[ReplicationControllerCondition]
ReplicaSetSpec replicas=i minReadySeconds=i selector:LabelSelector template:PodTemplateSpec
ReplicaSetStatus replicas=i fullyLabeledReplicas=i readyReplicas=i availableReplicas=i
  terminatingReplicas=i observedGeneration=i conditions:[ReplicaSetCondition]
StatefulSetSpec replicas=i selector:LabelSelector template:PodTemplateSpec
  volumeClaimTemplates:[PersistentVolumeClaim] serviceName=s podManagementPolicy=s
  updateStrategy:StatefulSetUpdateStrategy revisionHistoryLimit=i minReadySeconds=i
  persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy
  ordinals:StatefulSetOrdinals
StatefulSetStatus observedGeneration=i replicas=i readyReplicas=i currentReplicas=i updatedReplicas=i
  currentRevision=s updateRevision=s collisionCount=i conditions:[StatefulSetCondition]
  availableReplicas=i
DeploymentSpec replicas=i selector:LabelSelector template:PodTemplateSpec strategy:DeploymentStrategy
  minReadySeconds=i revisionHistoryLimit=i paused=b progressDeadlineSeconds=i
DeploymentStatus observedGeneration=i replicas=i updatedReplicas=i readyReplicas=i availableReplicas=i
  unavailableReplicas=i terminatingReplicas=i conditions:[DeploymentCondition] collisionCount=i
DaemonSetSpec selector:LabelSelector template:PodTemplateSpec updateStrategy:DaemonSetUpdateStrategy
  minReadySeconds=i revisionHistoryLimit=i
DaemonSetStatus currentNumberScheduled=i numberMisscheduled=i desiredNumberScheduled=i numberReady=i
  observedGeneration=i updatedNumberScheduled=i numberAvailable=i numberUnavailable=i collisionCount=i
  conditions:[DaemonSetCondition]
JobSpec parallelism=i completions=i activeDeadlineSeconds=i podFailurePolicy:PodFailurePolicy
  successPolicy:SuccessPolicy backoffLimit=i backoffLimitPerIndex=i maxFailedIndexes=i
  selector:LabelSelector manualSelector=b template:PodTemplateSpec ttlSecondsAfterFinished=i
  completionMode=s suspend=b podReplacementPolicy=s managedBy=s scheduling:JobSchedulingConfiguration
JobStatus conditions:[JobCondition] startTime completionTime active=i succeeded=i failed=i terminating=i
  completedIndexes=s failedIndexes=s uncountedTerminatedPods:UncountedTerminatedPods ready=i
CronJobSpec schedule=s timeZone=s startingDeadlineSeconds=i concurrencyPolicy=s suspend=b
  jobTemplate:JobTemplateSpec successfulJobsHistoryLimit=i failedJobsHistoryLimit=i
CronJobStatus active:[ObjectReference] lastScheduleTime lastSuccessfulTime
PersistentVolumeClaimSpec accessModes=[s] selector:LabelSelector resources:VolumeResourceRequirements
  volumeName=s storageClassName=s volumeMode=s dataSource:TypedLocalObjectReference
  dataSourceRef:TypedObjectReference volumeAttributesClassName=s
PersistentVolumeClaimStatus phase=s accessModes=[s] capacity conditions:[PersistentVolumeClaimCondition]
  allocatedResources allocatedResourceStatuses={s} currentVolumeAttributesClassName=s
  modifyVolumeStatus:ModifyVolumeStatus healthStatus:VolumeHealthStatus
LimitRangeSpec limits:[LimitRangeItem]
Overhead podFixed
Scheduling nodeSelector={s} tolerations:[Toleration]
PodDisruptionBudgetSpec minAvailable selector:LabelSelector maxUnavailable unhealthyPodEvictionPolicy=s
PodDisruptionBudgetStatus observedGeneration=i disruptedPods disruptionsAllowed=i currentHealthy=i
  desiredHealthy=i expectedPods=i conditions:[Condition]
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
PersistentVolumeStatus phase=s message=s reason=s lastPhaseTransitionTime
TopologySelectorTerm matchLabelExpressions:[TopologySelectorLabelRequirement]
CSINodeSpec drivers:[CSINodeDriver]
CSINodeStatus storageHealth:[StorageHealth]
CSIDriverSpec attachRequired=b podInfoOnMount=b volumeLifecycleModes=[s] storageCapacity=b
  fsGroupPolicy=s tokenRequests:[TokenRequest] requiresRepublish=b seLinuxMount=b
  nodeAllocatableUpdatePeriodSeconds=i serviceAccountTokenInSecrets=b preventPodSchedulingIfMissing=b
LabelSelector matchLabels={s} matchExpressions:[LabelSelectorRequirement]
VolumeAttachmentSpec attacher=s source:VolumeAttachmentSource nodeName=s
VolumeAttachmentStatus attached=b attachmentMetadata={s} attachError:VolumeError detachError:VolumeError
ResourceSliceSpec driver=s pool:ResourcePool nodeName=s nodeSelector:NodeSelector allNodes=b
  devices:[Device] perDeviceNodeSelection=b sharedCounters:[CounterSet] partitionTypeAttribute=s
  skipNodeOperations=[s]
DeviceTaintRuleSpec deviceSelector:DeviceTaintSelector taint:DeviceTaint
DeviceTaintRuleStatus conditions:[Condition]
DeviceClassSpec selectors:[DeviceSelector] config:[DeviceClassConfiguration] extendedResourceName=s
ResourceClaimSpec devices:DeviceClaim
ResourceClaimStatus allocation:AllocationResult reservedFor:[ResourceClaimConsumerReference]
  devices:[AllocatedDeviceStatus]
ResourceClaimTemplateSpec metadata:ObjectMeta spec:ResourceClaimSpec
OwnerReference apiVersion=s kind=s name=s uid=s controller=b blockOwnerDeletion=b
ManagedFieldsEntry manager=s operation=s apiVersion=s time fieldsType=s fieldsV1 subresource=s
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
Container name=s image=s command=[s] args=[s] workingDir=s ports:[ContainerPort] envFrom:[EnvFromSource]
  env:[EnvVar] resources:ResourceRequirements resizePolicy:[ContainerResizePolicy] restartPolicy=s
  restartPolicyRules:[ContainerRestartRule] volumeMounts:[VolumeMount] volumeDevices:[VolumeDevice]
  livenessProbe:Probe readinessProbe:Probe startupProbe:Probe lifecycle:Lifecycle
  terminationMessagePath=s terminationMessagePolicy=s imagePullPolicy=s securityContext:SecurityContext
  stdin=b stdinOnce=b tty=b
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
LocalObjectReference name=s
Affinity nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
Toleration key=s operator=s value=s effect=s tolerationSeconds=i
HostAlias ip=s hostnames=[s]
PodDNSConfig nameservers=[s] searches=[s] options:[PodDNSConfigOption]
PodReadinessGate conditionType=s
TopologySpreadConstraint maxSkew=i topologyKey=s whenUnsatisfiable=s labelSelector:LabelSelector
  minDomains=i nodeAffinityPolicy=s nodeTaintsPolicy=s matchLabelKeys=[s]
PodOS name=s
PodSchedulingGate name=s
PodResourceClaim name=s resourceClaimName=s resourceClaimTemplateName=s
ResourceRequirements limits requests claims:[ResourceClaimOfCore]
PodSchedulingGroup podGroupName=s
EvictionResponder name=s priority=i
PodCondition type=s observedGeneration=i status=s lastProbeTime lastTransitionTime reason=s message=s
HostIP ip=s
PodIP ip=s
ContainerStatus name=s state:ContainerState lastState:ContainerState ready=b restartCount=i image=s
  imageID=s containerID=s started=b allocatedResources resources:ResourceRequirements
  volumeMounts:[VolumeMountStatus] user:ContainerUser allocatedResourcesStatus:[ResourceStatus]
  stopSignal=s
PodResourceClaimStatus name=s resourceClaimName=s
PodExtendedResourceClaimStatus requestMappings:[ContainerExtendedResourceRequest] resourceClaimName=s
NodeAllocatableResourceClaimStatus resourceClaimName=s containers=[s]
  mapping:[NodeAllocatableMappedResources] overhead:[NodeAllocatableOverheadResources] resources
PodVolumeHealth name=s healthConditions:[VolumeHealthCondition] lastTransitionTime
Taint key=s value=s effect=s timeAdded
NodeConfigSource configMap:ConfigMapNodeConfigSource
NodePodPreemptionPolicy disableResizePreemption=[s]
NodeCondition type=s status=s lastHeartbeatTime lastTransitionTime reason=s message=s
NodeAddress type=s address=s
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint
NodeSystemInfo machineID=s systemUUID=s bootID=s kernelVersion=s osImage=s containerRuntimeVersion=s
  kubeletVersion=s kubeProxyVersion=s operatingSystem=s architecture=s swap:NodeSwapStatus
  runningInUserNamespace=b
ContainerImage names=[s] sizeBytes=i
AttachedVolume name=s devicePath=s
NodeConfigStatus assigned:NodeConfigSource active:NodeConfigSource lastKnownGood:NodeConfigSource
  error=s
NodeRuntimeHandler name=s features:NodeRuntimeHandlerFeatures
NodeFeatures supplementalGroupsPolicy=b
NamespaceCondition type=s status=s lastTransitionTime reason=s message=s
ServicePort name=s protocol=s appProtocol=s port=i targetPort nodePort=i
SessionAffinityConfig clientIP:ClientIPConfig
LoadBalancerStatus ingress:[LoadBalancerIngress]
Condition type=s status=s observedGeneration=i lastTransitionTime reason=s message=s
PodTemplateSpec metadata:ObjectMeta spec:PodSpec
ReplicationControllerCondition type=s status=s lastTransitionTime reason=s message=s
ReplicaSetCondition type=s status=s lastTransitionTime reason=s message=s
StatefulSetUpdateStrategy type=s rollingUpdate:RollingUpdateStatefulSetStrategy
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted=s whenScaled=s
StatefulSetOrdinals start=i
StatefulSetCondition type=s status=s lastTransitionTime reason=s message=s
DeploymentStrategy type=s rollingUpdate:RollingUpdateDeployment
DeploymentCondition type=s status=s lastUpdateTime lastTransitionTime reason=s message=s
DaemonSetUpdateStrategy type=s rollingUpdate:RollingUpdateDaemonSet
DaemonSetCondition type=s status=s lastTransitionTime reason=s message=s
PodFailurePolicy rules:[PodFailurePolicyRule]
SuccessPolicy rules:[SuccessPolicyRule]
JobSchedulingConfiguration schedulingPolicy:WorkloadPodGroupSchedulingPolicy
  schedulingConstraints:WorkloadPodGroupSchedulingConstraints
  disruptionMode:WorkloadPodGroupDisruptionMode resourceClaims:[WorkloadPodGroupResourceClaim]
JobCondition type=s status=s lastProbeTime lastTransitionTime reason=s message=s
UncountedTerminatedPods succeeded=[s] failed=[s]
JobTemplateSpec metadata:ObjectMeta spec:JobSpec
ObjectReference kind=s namespace=s name=s uid=s apiVersion=s resourceVersion=s fieldPath=s
VolumeResourceRequirements limits requests
TypedLocalObjectReference apiGroup=s kind=s name=s
TypedObjectReference apiGroup=s kind=s name=s namespace=s
PersistentVolumeClaimCondition type=s status=s lastProbeTime lastTransitionTime reason=s message=s
ModifyVolumeStatus targetVolumeAttributesClassName=s status=s
VolumeHealthStatus healthConditions:[VolumeHealthCondition] lastTransitionTime
LimitRangeItem type=s max min default defaultRequest maxLimitRequestRatio
GCEPersistentDiskVolumeSource pdName=s fsType=s partition=i readOnly=b
AWSElasticBlockStoreVolumeSource volumeID=s fsType=s partition=i readOnly=b
HostPathVolumeSource path=s type=s
GlusterfsPersistentVolumeSource endpoints=s path=s readOnly=b endpointsNamespace=s
NFSVolumeSource server=s path=s readOnly=b
RBDPersistentVolumeSource monitors=[s] image=s fsType=s pool=s user=s keyring=s
  secretRef:SecretReference readOnly=b
ISCSIPersistentVolumeSource targetPortal=s iqn=s lun=i iscsiInterface=s fsType=s readOnly=b portals=[s]
  chapAuthDiscovery=b chapAuthSession=b secretRef:SecretReference initiatorName=s
CinderPersistentVolumeSource volumeID=s fsType=s readOnly=b secretRef:SecretReference
CephFSPersistentVolumeSource monitors=[s] path=s user=s secretFile=s secretRef:SecretReference
  readOnly=b
FCVolumeSource targetWWNs=[s] lun=i fsType=s readOnly=b wwids=[s]
FlockerVolumeSource datasetName=s datasetUUID=s
FlexPersistentVolumeSource driver=s fsType=s secretRef:SecretReference readOnly=b options={s}
AzureFilePersistentVolumeSource secretName=s shareName=s readOnly=b secretNamespace=s
VsphereVirtualDiskVolumeSource volumePath=s fsType=s storagePolicyName=s storagePolicyID=s
QuobyteVolumeSource registry=s volume=s readOnly=b user=s group=s tenant=s
AzureDiskVolumeSource diskName=s diskURI=s cachingMode=s fsType=s readOnly=b kind=s
PhotonPersistentDiskVolumeSource pdID=s fsType=s
PortworxVolumeSource volumeID=s fsType=s readOnly=b
ScaleIOPersistentVolumeSource gateway=s system=s secretRef:SecretReference sslEnabled=b
  protectionDomain=s storagePool=s storageMode=s volumeName=s fsType=s readOnly=b
LocalVolumeSource path=s fsType=s
StorageOSPersistentVolumeSource volumeName=s volumeNamespace=s fsType=s readOnly=b
  secretRef:ObjectReference
CSIPersistentVolumeSource driver=s volumeHandle=s readOnly=b fsType=s volumeAttributes={s}
  controllerPublishSecretRef:SecretReference nodeStageSecretRef:SecretReference
  nodePublishSecretRef:SecretReference controllerExpandSecretRef:SecretReference
  nodeExpandSecretRef:SecretReference
VolumeNodeAffinity required:NodeSelector
TopologySelectorLabelRequirement key=s values=[s]
CSINodeDriver name=s nodeID=s topologyKeys=[s] allocatable:VolumeNodeResources
StorageHealth name=s healthConditions:[StorageHealthCondition]
TokenRequest audience=s expirationSeconds=i
LabelSelectorRequirement key=s operator=s values=[s]
VolumeAttachmentSource persistentVolumeName=s inlineVolumeSpec:PersistentVolumeSpec
VolumeError time message=s errorCode=i
ResourcePool name=s generation=i resourceSliceCount=i
NodeSelector nodeSelectorTerms:[NodeSelectorTerm]
Device name=s attributes:*DeviceAttribute capacity:*DeviceCapacity
  consumesCounters:[DeviceCounterConsumption] nodeName=s nodeSelector:NodeSelector allNodes=b
  taints:[DeviceTaint] bindsToNode=b bindingConditions=[s] bindingFailureConditions=[s]
  allowMultipleAllocations=b nodeAllocatableResources:*NodeAllocatableResource
  nodeAllocatableResourceMappings
CounterSet name=s counters:*Counter
DeviceTaintSelector driver=s pool=s device=s
DeviceTaint key=s value=s effect=s timeAdded
DeviceSelector cel:CELDeviceSelector
DeviceClassConfiguration opaque:OpaqueDeviceConfiguration
DeviceClaim requests:[DeviceRequest] constraints:[DeviceConstraint] config:[DeviceClaimConfiguration]
AllocationResult devices:DeviceAllocationResult nodeSelector:NodeSelector allocationTimestamp
ResourceClaimConsumerReference apiGroup=s resource=s name=s uid=s
AllocatedDeviceStatus driver=s pool=s device=s shareID=s conditions:[Condition] data
  networkData:NetworkDeviceData
EmptyDirVolumeSource medium=s sizeLimit mode=i
GitRepoVolumeSource repository=s revision=s directory=s
SecretVolumeSource secretName=s items:[KeyToPath] defaultMode=i optional=b defaultUser=i
ISCSIVolumeSource targetPortal=s iqn=s lun=i iscsiInterface=s fsType=s readOnly=b portals=[s]
  chapAuthDiscovery=b chapAuthSession=b secretRef:LocalObjectReference initiatorName=s
GlusterfsVolumeSource endpoints=s path=s readOnly=b
PersistentVolumeClaimVolumeSource claimName=s readOnly=b
RBDVolumeSource monitors=[s] image=s fsType=s pool=s user=s keyring=s secretRef:LocalObjectReference
  readOnly=b
FlexVolumeSource driver=s fsType=s secretRef:LocalObjectReference readOnly=b options={s}
CinderVolumeSource volumeID=s fsType=s readOnly=b secretRef:LocalObjectReference
CephFSVolumeSource monitors=[s] path=s user=s secretFile=s secretRef:LocalObjectReference readOnly=b
DownwardAPIVolumeSource items:[DownwardAPIVolumeFile] defaultMode=i defaultUser=i
AzureFileVolumeSource secretName=s shareName=s readOnly=b
ConfigMapVolumeSource name=s items:[KeyToPath] defaultMode=i optional=b defaultUser=i
ProjectedVolumeSource sources:[VolumeProjection] defaultMode=i defaultUser=i
ScaleIOVolumeSource gateway=s system=s secretRef:LocalObjectReference sslEnabled=b protectionDomain=s
  storagePool=s storageMode=s volumeName=s fsType=s readOnly=b
StorageOSVolumeSource volumeName=s volumeNamespace=s fsType=s readOnly=b secretRef:LocalObjectReference
CSIVolumeSource driver=s readOnly=b fsType=s volumeAttributes={s}
  nodePublishSecretRef:LocalObjectReference
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate
ImageVolumeSource reference=s pullPolicy=s
ContainerPort name=s hostPort=i containerPort=i protocol=s hostIP=s
EnvFromSource prefix=s configMapRef:ConfigMapEnvSource secretRef:SecretEnvSource
EnvVar name=s value=s valueFrom:EnvVarSource
ContainerResizePolicy resourceName=s restartPolicy=s
ContainerRestartRule action=s exitCodes:ContainerRestartRuleOnExitCodes
VolumeMount name=s readOnly=b recursiveReadOnly=s mountPath=s subPath=s mountPropagation=s subPathExpr=s
  bindMountOptions=[s]
VolumeDevice name=s devicePath=s
Probe exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction grpc:GRPCAction
  initialDelaySeconds=i timeoutSeconds=i periodSeconds=i successThreshold=i failureThreshold=i
  terminationGracePeriodSeconds=i
Lifecycle postStart:LifecycleHandler preStop:LifecycleHandler stopSignal=s
SecurityContext capabilities:Capabilities privileged=b seLinuxOptions:SELinuxOptions
  windowsOptions:WindowsSecurityContextOptions runAsUser=i runAsGroup=i runAsNonRoot=b
  readOnlyRootFilesystem=b allowPrivilegeEscalation=b procMount=s seccompProfile:SeccompProfile
  appArmorProfile:AppArmorProfile
SELinuxOptions user=s role=s type=s level=s
WindowsSecurityContextOptions gmsaCredentialSpecName=s gmsaCredentialSpec=s runAsUserName=s
  hostProcess=b
Sysctl name=s value=s
SeccompProfile type=s localhostProfile=s
AppArmorProfile type=s localhostProfile=s
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
PodDNSConfigOption name=s value=s
ResourceClaimOfCore name=s request=s
ContainerState waiting:ContainerStateWaiting running:ContainerStateRunning
  terminated:ContainerStateTerminated
VolumeMountStatus name=s mountPath=s readOnly=b recursiveReadOnly=s volumeStatus:VolumeStatus
ContainerUser linux:LinuxContainerUser
ResourceStatus name=s resources:[ResourceHealth]
ContainerExtendedResourceRequest containerName=s resourceName=s requestName=s
NodeAllocatableMappedResources name=s quantity
NodeAllocatableOverheadResources name=s perPod perContainer
VolumeHealthCondition status=s reason=s message=s
ConfigMapNodeConfigSource namespace=s name=s uid=s resourceVersion=s kubeletConfigKey=s
DaemonEndpoint Port=i
NodeSwapStatus capacity=i
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts=b userNamespaces=b
ClientIPConfig timeoutSeconds=i
LoadBalancerIngress ip=s hostname=s ipMode=s ports:[PortStatus]
RollingUpdateStatefulSetStrategy partition=i maxUnavailable
RollingUpdateDeployment maxUnavailable maxSurge
RollingUpdateDaemonSet maxUnavailable maxSurge
PodFailurePolicyRule action=s onExitCodes:PodFailurePolicyOnExitCodesRequirement
  onPodConditions:[PodFailurePolicyOnPodConditionsPattern]
SuccessPolicyRule succeededIndexes=s succeededCount=i
WorkloadPodGroupSchedulingPolicy basic:WorkloadPodGroupBasicSchedulingPolicy
  gang:WorkloadPodGroupGangSchedulingPolicy
WorkloadPodGroupSchedulingConstraints topology:[TopologyConstraint]
WorkloadPodGroupDisruptionMode single:WorkloadPodGroupSingleDisruptionMode
  all:WorkloadPodGroupAllDisruptionMode
WorkloadPodGroupResourceClaim name=s resourceClaimName=s resourceClaimTemplateName=s
SecretReference name=s namespace=s
VolumeNodeResources count=i
StorageHealthCondition status=s reason=s message=s accessMode=s volumeMode=s lastTransitionTime
NodeSelectorTerm matchExpressions:[NodeSelectorRequirement] matchFields:[NodeSelectorRequirement]
DeviceAttribute int=i bool=b string=s version=s ints=[i] bools=[b] strings=[s] versions=[s]
DeviceCapacity value requestPolicy:CapacityRequestPolicy
DeviceCounterConsumption counterSet=s counters:*Counter compatibilityGroups=[s]
NodeAllocatableResource mapping:NodeAllocatableMapping overhead:NodeAllocatableOverhead
Counter value
CELDeviceSelector expression=s
OpaqueDeviceConfiguration driver=s parameters
DeviceRequest name=s exactly:ExactDeviceRequest firstAvailable:[DeviceSubRequest]
DeviceConstraint requests=[s] matchAttribute=s distinctAttribute=s
DeviceClaimConfiguration requests=[s] opaque:OpaqueDeviceConfiguration
DeviceAllocationResult results:[DeviceRequestAllocationResult] config:[DeviceAllocationConfiguration]
NetworkDeviceData interfaceName=s ips=[s] hardwareAddress=s
KeyToPath key=s path=s mode=i user=i
DownwardAPIVolumeFile path=s fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector mode=i
  user=i
VolumeProjection secret:SecretProjection downwardAPI:DownwardAPIProjection configMap:ConfigMapProjection
  serviceAccountToken:ServiceAccountTokenProjection clusterTrustBundle:ClusterTrustBundleProjection
  podCertificate:PodCertificateProjection
PersistentVolumeClaimTemplate metadata:ObjectMeta spec:PersistentVolumeClaimSpec
ConfigMapEnvSource name=s optional=b
SecretEnvSource name=s optional=b
EnvVarSource fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector
  configMapKeyRef:ConfigMapKeySelector secretKeyRef:SecretKeySelector fileKeyRef:FileKeySelector
ContainerRestartRuleOnExitCodes operator=s values=[i]
ExecAction command=[s]
HTTPGetAction path=s port host=s scheme=s httpHeaders:[HTTPHeader] protocol=s
TCPSocketAction port host=s
GRPCAction port=i service=s mode=s
LifecycleHandler exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction sleep:SleepAction
Capabilities add=[s] drop=[s]
PreferredSchedulingTerm weight=i preference:NodeSelectorTerm
PodAffinityTerm labelSelector:LabelSelector namespaces=[s] topologyKey=s namespaceSelector:LabelSelector
  matchLabelKeys=[s] mismatchLabelKeys=[s]
WeightedPodAffinityTerm weight=i podAffinityTerm:PodAffinityTerm
ContainerStateWaiting reason=s message=s
ContainerStateRunning startedAt
ContainerStateTerminated exitCode=i signal=i reason=s message=s startedAt finishedAt containerID=s
VolumeStatus image:ImageVolumeStatus
LinuxContainerUser uid=i gid=i supplementalGroups=[i]
ResourceHealth resourceID=s health=s message=s
PortStatus port=i protocol=s error=s
PodFailurePolicyOnExitCodesRequirement containerName=s operator=s values=[i]
PodFailurePolicyOnPodConditionsPattern type=s status=s
WorkloadPodGroupBasicSchedulingPolicy
WorkloadPodGroupGangSchedulingPolicy minCount=i
TopologyConstraint key=s
WorkloadPodGroupSingleDisruptionMode
WorkloadPodGroupAllDisruptionMode
NodeSelectorRequirement key=s operator=s values=[s]
CapacityRequestPolicy default validValues validRange:CapacityRequestPolicyRange
NodeAllocatableMapping capacityKey=s capacityMultiplier deviceMultiplier
NodeAllocatableOverhead perPod perContainer
ExactDeviceRequest deviceClassName=s selectors:[DeviceSelector] allocationMode=s count=i adminAccess=b
  tolerations:[DeviceToleration] capacity:CapacityRequirements
  derivedAttributes:[DeviceDerivedAttribute]
DeviceSubRequest name=s deviceClassName=s selectors:[DeviceSelector] allocationMode=s count=i
  tolerations:[DeviceToleration] capacity:CapacityRequirements
  derivedAttributes:[DeviceDerivedAttribute]
DeviceRequestAllocationResult request=s driver=s pool=s device=s adminAccess=b
  tolerations:[DeviceToleration] bindingConditions=[s] bindingFailureConditions=[s] shareID=s
  consumedCapacity skipNodeOperations=[s]
DeviceAllocationConfiguration source=s requests=[s] opaque:OpaqueDeviceConfiguration
ObjectFieldSelector apiVersion=s fieldPath=s
ResourceFieldSelector containerName=s resource=s divisor
SecretProjection name=s items:[KeyToPath] optional=b
DownwardAPIProjection items:[DownwardAPIVolumeFile]
ConfigMapProjection name=s items:[KeyToPath] optional=b
ServiceAccountTokenProjection audience=s expirationSeconds=i path=s user=i
ClusterTrustBundleProjection name=s signerName=s labelSelector:LabelSelector optional=b path=s user=i
PodCertificateProjection signerName=s keyType=s maxExpirationSeconds=i credentialBundlePath=s keyPath=s
  certificateChainPath=s userAnnotations={s} user=i
ConfigMapKeySelector name=s key=s optional=b
SecretKeySelector name=s key=s optional=b
FileKeySelector volumeName=s path=s key=s optional=b
HTTPHeader name=s value=s
SleepAction seconds=i
ImageVolumeStatus imageRef=s
CapacityRequestPolicyRange min max step
DeviceToleration key=s operator=s value=s effect=s tolerationSeconds=i
CapacityRequirements requests
DeviceDerivedAttribute name=s expression=s
)";

}  // namespace podium::api::detail
