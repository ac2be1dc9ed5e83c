"""What of upstream's plugin tests is not compared, by name, and why."""
import collections
import re

PACKAGES = ["noderesources", "nodeaffinity", "tainttoleration", "nodeports", "nodename", "nodeunschedulable",
            "imagelocality", "interpodaffinity", "podtopologyspread", "nodedeclaredfeatures", "schedulinggates",
            "volumezone", "volumerestrictions", "nodevolumelimits", "volumebinding"]
# Not a package of upstream's: which events the default profile's plugins register for.
EVENTS = "events"

# Questions of tests that match are answered differently, for this reason; each has to be. A pattern matches the whole test.
Difference = collections.namedtuple("Difference", "package test call reason")
DRA = "extended resources that devices back"
REFUSED = "the API server refuses the pod"
WORDS = "the test's listers say «not found» with other words than client-go's"
NO_RESOURCES = "a scoring strategy without resources: the configuration's defaults name some"
DIFFERENCES = [
    Difference("noderesources", "TestNodeResourcesBalancedAllocation/include_DRA_resource_on_a_node_.*", "PreScore|Score", DRA),
    Difference("noderesources", "TestEnoughRequests/extended_resource_backed_by_DRA", "Filter", DRA),
    Difference("noderesources", "TestEnoughRequests/extended_resource_was_backed_by_Device_Plugin_.*", "Filter", DRA),
    Difference("noderesources", "TestFitScore/test_case_for_ScoringStrategy_LeastAllocated_with_Extended_resources.*",
               "PreScore|Score", DRA),
    Difference("noderesources", "TestLeastAllocatedScoringStrategy/Resources_not_set,_pods_scheduled_with_error",
               "PreScore|Score", NO_RESOURCES),
    Difference("noderesources", "TestMostAllocatedScoringStrategy/Resources_not_set,_pods_scheduled_with_error",
               "PreScore|Score", NO_RESOURCES),
    Difference("noderesources", "TestRestartableInitContainers/.*_if_sidecar_containers_is_disabled", "PreFilter",
               "SidecarContainers off: locked to on"),
    Difference("noderesources", "Test_isSchedulableAfterPodChange/skip-queue-on-disable-inplace-pod-vertical-scaling", "Hint",
               "InPlacePodVerticalScaling off: locked to on"),
    Difference("nodeaffinity", "TestNodeAffinityPriority/PreScore_returns_error_when_an_incoming_Pod_has_a_broken_affinity",
               "PreScore", REFUSED),
    Difference("interpodaffinity", "TestRequiredAffinitySingleNode/Pod.*_fails_PreFilter_with_an_invalid_.*_label_syntax",
               "PreFilter", REFUSED),
    Difference("interpodaffinity", "TestPreferredAffinity/invalid_(Anti)?Affinity_fails_PreScore", "PreScore", REFUSED),
    Difference("volumezone", "TestWithBinding/unbound_volume_no_storage_class", ".*", WORDS),
    Difference("nodevolumelimits", "TestCSILimits/(ephemeral_volume_missing|don't_skip_Filter_when_the_pod_has_ephemeral_volumes)",
               "Filter", WORDS),
    Difference("volumebinding", "TestIsSchedulableAfterCSIDriverChange/driver_name_in_pod_and_csidriver_name_are_different",
               "Hint", "docs/parity.md: it wakes more"),
    Difference("podtopologyspread", "TestPreFilterStateRemovePod/remove_a_pod_when_scheduling_node_affinity_matched_pod_.*",
               "Changed", "the test takes a pod from a node that it is not on"),
]

# Questions that are not asked: podium has nothing that they could be asked of.
NeverAsked = collections.namedtuple("NeverAsked", "package test call reason")
MADE_UP = "features that the test makes up"
NEVER_ASKED = [
    NeverAsked("noderesources", "Test_isSchedulableAfterDeviceClassChange/.*", "Hint", "device classes"),
    NeverAsked("nodedeclaredfeatures", "TestPreFilter/.*|TestEnqueueExtensionsPodUpdate/.*", ".*", MADE_UP),
    NeverAsked("nodedeclaredfeatures", "TestFilter/Node_.*", ".*", MADE_UP),
    NeverAsked("nodedeclaredfeatures", "TestFilter/plugin_disabled", ".*", "with the gate off no profile has the plugin"),
    NeverAsked("events", "EventsToRegister/DynamicResources", "Events", "devices"),
    NeverAsked("events", "EventsToRegister/(SchedulingGates|DefaultPreemption)", "Events",
               "the queue watches what these wait for: unit/scheduler/queue, unit/scheduler/cycle"),
    NeverAsked("schedulinggates", "Test_isSchedulableAfterPodChange/.*", "Hint",
               "the queue watches a pod's own gates: unit/scheduler/queue"),
]

# Test functions of which nothing is compared.
SIGNATURES = "signatures of pods, for batches"
DEVICES = "devices"
INTERNAL = "asks a function inside of the plugin"
BINDER = "what is assumed of volumes, and written: volume_reservation, cycle/volumes"
NOT_COMPARED = {
    ("noderesources", "TestBalancedAllocationSignPod"): SIGNATURES,
    ("noderesources", "TestFitSignPod"): SIGNATURES,
    ("noderesources", "TestCalculateResourceAllocatableRequest"): DEVICES,
    ("noderesources", "TestComputePodResourceRequestWithNodeAllocatableDRA"): DEVICES,
    ("noderesources", "TestDeviceMatchCaching"): DEVICES,
    ("noderesources", "TestNodeMatchCaching"): DEVICES,
    ("noderesources", "TestNodeMatchesCacheHit"): DEVICES,
    ("noderesources", "Test_isSchedulableAfterDeviceClassChange"): DEVICES,
    ("noderesources", "TestScorePlacement_Resources"): "scores of placements of pod groups",
    ("noderesources", "TestBrokenLinearFunction"): INTERNAL,
    ("noderesources", "TestEventsToRegister"): "gates that are locked; with the defaults see events",
    ("imagelocality", "TestImageSignature"): SIGNATURES,
    ("imagelocality", "TestNormalizedImageName"): INTERNAL,
    ("interpodaffinity", "TestPodAffinitySignature"): SIGNATURES,
    ("interpodaffinity", "TestPreFilterStateClone"): INTERNAL,
    ("nodedeclaredfeatures", "TestPreFilter"): MADE_UP,
    ("nodedeclaredfeatures", "TestEnqueueExtensionsPodUpdate"): MADE_UP,
    **{("volumebinding", test): BINDER for test in [
        "TestAssume", "TestAssumePodVolumes", "TestAssumeUpdateCache", "TestBasicCache", "TestBindAPIUpdate", "TestBindPodVolumes",
        "TestCheckBindings", "TestCheckBindingsWithCSIMigration", "TestConcurrentAssume", "TestDelayedInformerEvent",
        "TestPVAssumeCache", "TestPVCacheWithIndex", "TestRestore", "TestRevertAssumedPodVolumes", "Test_PreBindPreFlight"]},
    ("volumebinding", "TestScore"): INTERNAL,
    ("schedulinggates", "Test_isSchedulableAfterPodChange"): "unit/scheduler/queue",
}

NORMALISED = {"NodeAffinity", "TaintToleration", "InterPodAffinity", "PodTopologySpread"}


def never_asked(package, question):
    """Why there is no such question here; None where there is."""
    if question["call"] == "Score" and question["plugin"] in NORMALISED:
        return "a score before it is normalised: compared after"
    if any(question.get(side) and "object" not in question[side] for side in ("old", "new")):
        return "an event with an object of a wrong type"
    want = question.get("want", {})
    if question["call"] == "PreFilter" and want["code"] == "Success" and not want.get("only") and not want["nodes"]:
        return "PreFilter on no nodes, which says nothing yet"
    return next((entry.reason for entry in NEVER_ASKED if is_about(entry, package, question)), None)


def difference(package, question):
    return next((entry for entry in DIFFERENCES if is_about(entry, package, question)), None)


def is_about(entry, package, question):
    return entry.package == package and re.fullmatch(entry.call, question["call"]) and re.fullmatch(entry.test, question["test"])
