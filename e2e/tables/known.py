"""The parts of upstream's plugin tests that are not compared, by name and with the reason."""
import collections
import re

PACKAGES = ["noderesources", "nodeaffinity", "tainttoleration", "nodeports", "nodename", "nodeunschedulable",
            "imagelocality", "interpodaffinity", "podtopologyspread", "nodedeclaredfeatures", "schedulinggates",
            "volumezone", "volumerestrictions", "nodevolumelimits", "volumebinding", "dynamicresources"]
# Not a package of upstream: the events that the default profile's plugins register for.
EVENTS = "events"

# Questions of matching tests whose answers differ, and why. A pattern matches the whole test name. `covers` is the number of
# matching questions, of which some may have equal answers: FLOORS bounds that.
Difference = collections.namedtuple("Difference", "package test call covers reason")
REFUSED = "the API server refuses the pod"
WORDS = "the test's listers say «not found» with other words than client-go's"
NO_RESOURCES = "a scoring strategy without resources: the configuration's defaults name some"
GROUPS = "claims of a PodGroup: their gate is off"
GATES = "gates that podium has at their defaults only"
SKIPPED = "PreFilter skips the plugin, so that the framework does not ask its Filter"
RESIZES = "resizes that wait for room: InPlacePodVerticalScalingSchedulerPreemption is off"
NO_EVENT = "the test's object does not change, which is no event"
DIFFERENCES = [
    Difference("noderesources", "TestLeastAllocatedScoringStrategy/Resources_not_set,_pods_scheduled_with_error",
               "PreScore|Score", 3, NO_RESOURCES),
    Difference("noderesources", "TestMostAllocatedScoringStrategy/Resources_not_set,_pods_scheduled_with_error",
               "PreScore|Score", 3, NO_RESOURCES),
    Difference("noderesources", "Test_isSchedulableAfterAssignedPod.*/skip-queue-on-other-pod-.*-different-node-when-deferred", "Hint",
               2, RESIZES),
    Difference("noderesources", "Test_isSchedulableAfterTargetPodScaleUp/skip-queue-on-pod-not-deferred", "Hint", 1, RESIZES),
    Difference("noderesources", "Test_isSchedulableAfterAssignedPodScaleUp/queue-on-same-node-scale-up", "Hint", 1, RESIZES),
    Difference("noderesources", "TestDeferredResizeFit/deferred_pod_resize_fits,_no_other_workloads", "Filter", 1, RESIZES),
    Difference("noderesources", "TestHaveAnyRequestedResourcesIncreased/requested-resources-dra-zero-capacity", "Hint", 1, NO_EVENT),
    *(Difference(package, "Test.*_DeferredResizeSkipped", "Filter", 1, SKIPPED) for package in [
        "nodeports", "interpodaffinity", "podtopologyspread", "nodedeclaredfeatures", "volumerestrictions", "volumebinding",
        "dynamicresources"]),
    Difference("nodeaffinity", "TestNodeAffinityPriority/PreScore_returns_error_when_an_incoming_Pod_has_a_broken_affinity",
               "PreScore", 1, REFUSED),
    Difference("interpodaffinity", "TestRequiredAffinitySingleNode/Pod.*_fails_PreFilter_with_an_invalid_.*_label_syntax/.*",
               "PreFilter", 4, REFUSED),
    Difference("interpodaffinity", "Test_isSchedulableAfterTargetPodUpdateLabel", "Hint", 1, NO_EVENT),
    Difference("interpodaffinity", "TestPreferredAffinity/invalid_(Anti)?Affinity_fails_PreScore", "PreScore", 2, REFUSED),
    Difference("volumezone", "TestWithBinding/unbound_volume_no_storage_class", ".*", 2, WORDS),
    Difference("nodevolumelimits", "TestCSILimits/(ephemeral_volume_missing|don't_skip_Filter_when_the_pod_has_ephemeral_volumes)",
               "Filter", 2, WORDS),
    Difference("volumebinding", "TestIsSchedulableAfterCSIDriverChange/driver_name_in_pod_and_csidriver_name_are_different",
               "Hint", 1, "docs/parity.md: it wakes more"),
    *(Difference("dynamicresources", f"TestPlugin/{case}(/filter/.*)?", ".*", covers, reason) for case, covers, reason in [
        ("podgroup-claim-template", 2, GROUPS),
        ("canceled", 2, "the test cancels the search"),
        ("prebind-fail-with-binding-timeout", 2, "its claim times out ten seconds after the recording"),
        ("node-allocatable-(resource-insufficient-resources-with-multiplier|.*-sharing-rejected)", 6, "cpu and memory of devices: its gate is off"),
        ("(DRA-disabled|.*-without-DRAAdminAccess-.*|tainted-device-disabled|claim-with-prioritized-list-feature-disabled)", 9, GATES),
        ("exhausted-resources-in-flight-claim", 2, "the recorder does not see claims in flight"),
        ("(empty|empty-with-extended-resources-enabled|non-DRA-extended-resource-name-with-zero-allocatable)", 9, SKIPPED)]),
    Difference("dynamicresources", "TestFilterReusesPendingAllocationRequiresDRAOptionalNodeOperations", "PreFilter|Filter", 3, GROUPS),
    Difference("dynamicresources", "TestIsSchedulableAfterTargetPodUpdate/complete", "Hint", 1, "the test leaves out the pod before its update"),
    Difference("podtopologyspread", "TestPreFilterStateRemovePod/remove_a_pod_when_scheduling_node_affinity_matched_pod_.*",
               "Changed", 2, "the test takes a pod from a node that it is not on"),
]

# Questions for which podium has no plugin or hint.
NeverAsked = collections.namedtuple("NeverAsked", "package test call reason")
MADE_UP = "features that the test makes up"
NEVER_ASKED = [
    NeverAsked("nodedeclaredfeatures", "TestPreFilter/.*|TestIsSchedulableAfterTargetPodUpdate/.*", ".*", MADE_UP),
    NeverAsked("nodedeclaredfeatures", "TestFilter/Node_.*", ".*", MADE_UP),
    NeverAsked("nodedeclaredfeatures", "TestFilter/plugin_disabled", ".*", "with the gate off no profile has the plugin"),
    NeverAsked("dynamicresources", "TestPlugin/.*-scoring|TestNormalizeScore/.*", "NormalizeScore",
               "the test normalises the scores of nodes that it does not give: unit tests, parity"),
    NeverAsked("events", "EventsToRegister/(SchedulingGates|DefaultPreemption)", "Events",
               "the queue watches what these wait for: unit/scheduler/queue, unit/scheduler/cycle"),
    NeverAsked("schedulinggates", "TestIsSchedulableAfterUpdateTargetPodSchedulingGatesEliminated", "Hint",
               "the queue watches a pod's own gates: unit/scheduler/queue"),
]

# Test functions without any comparison.
SIGNATURES = "signatures of pods, for batches"
DEVICES = "devices"
INTERNAL = "asks a function inside of the plugin"
LOCKED = "gates that are locked; with the defaults see events"
AHEAD = "an index that narrows the pods before their hints: its gate is off, and the answers are the same"
EXTENDED = "requests for extended resources: unit/scheduler/devices/extended_requests_test.cc"
NODE_ALLOCATABLE = "cpu and memory of devices: the gate is off"
BINDER = "what is assumed of volumes, and written: volume_reservation, cycle/volumes"
NOT_COMPARED = {
    ("noderesources", "TestBalancedAllocationSignPod"): SIGNATURES,
    ("noderesources", "TestFitSignPod"): SIGNATURES,
    ("noderesources", "TestCalculateResourceAllocatableRequest"): DEVICES,
    ("noderesources", "TestComputePodResourceRequestWithNodeAllocatableDRA"): DEVICES,
    ("noderesources", "TestDeviceMatchCaching"): DEVICES,
    ("noderesources", "TestNodeMatchCaching"): DEVICES,
    ("noderesources", "TestNodeMatchesCacheHit"): DEVICES,
    ("noderesources", "TestScorePlacement_Resources"): "scores of placements of pod groups",
    ("noderesources", "TestBrokenLinearFunction"): INTERNAL,
    ("noderesources", "TestEventsToRegister"): LOCKED,
    ("imagelocality", "TestImageSignature"): SIGNATURES,
    ("imagelocality", "TestNormalizedImageName"): INTERNAL,
    ("interpodaffinity", "TestPodAffinitySignature"): SIGNATURES,
    ("interpodaffinity", "TestPreFilterStateClone"): INTERNAL,
    ("interpodaffinity", "Test_isSchedulableAfterTargetPodUpdateLabel"): NO_EVENT,
    ("nodedeclaredfeatures", "TestPreFilter"): MADE_UP,
    ("nodedeclaredfeatures", "TestIsSchedulableAfterTargetPodUpdate"): MADE_UP,
    ("nodedeclaredfeatures", "TestEventsToRegister"): LOCKED,
    **{("volumebinding", test): BINDER for test in [
        "TestAssume", "TestAssumePodVolumes", "TestAssumeUpdateCache", "TestBasicCache", "TestBindAPIUpdate", "TestBindPodVolumes",
        "TestCheckBindings", "TestCheckBindingsWithCSIMigration", "TestConcurrentAssume", "TestDelayedInformerEvent",
        "TestPVAssumeCache", "TestPVCacheWithIndex", "TestRestore", "TestRevertAssumedPodVolumes", "Test_PreBindPreFlight"]},
    ("volumebinding", "TestScore"): INTERNAL,
    ("schedulinggates", "TestIsSchedulableAfterUpdateTargetPodSchedulingGatesEliminated"): "unit/scheduler/queue",
    ("dynamicresources", "TestNormalizeScore"): "scores without claims: unit/scheduler/plugins, parity",
    **{("dynamicresources", test): EXTENDED for test in ["Test_createRequestsAndMappings_mappings", "Test_createRequestsAndMappings_requests"]},
    **{("dynamicresources", test): NODE_ALLOCATABLE for test in [
        "TestBuildNodeAllocatableDRAInfo", "TestClearNodeAllocatableResourceClaimStatus", "TestNodeFitsNativeResources",
        "TestPatchNodeAllocatableResourceClaimStatus", "TestValidateNodeAllocatableDRAClaimSharing", "TestValidatePodLevelResourcesCoverDRA",
        "TestFilterSlicesForNode"]},
    **{("dynamicresources", test): AHEAD for test in [
        "TestPreQueueingHint", "TestPreQueueingHint_DeleteEventWithPodInIndexer", "TestPreQueueingHint_PodNotYetIndexed",
        "TestPreQueueingHint_SharedClaimMultiplePods", "TestPreQueueingHint_WithPodInIndexer"]},
    ("dynamicresources", "TestPodGroupPostFilter"): GROUPS,
    ("dynamicresources", "TestPostFilterNoOpStatusHasNoUserVisibleReason"): "PostFilter: parity, unit/scheduler/plugins",
    **{("dynamicresources", test): INTERNAL for test in [
        "TestAllocatorSelection", "TestGatherAllocatedState", "TestGetPendingAllocation", "TestMaybeRemoveClaimPendingAllocation",
        "TestSignalClaimPendingAllocation", "Test_allocationResultRequiresDRAOptionalNodeOperations", "Test_computesScore"]},
}

NORMALISED = {"NodeAffinity", "TaintToleration", "InterPodAffinity", "PodTopologySpread", "DynamicResources"}


# The maximum number of questions that each rule without a test name may leave out. A person reviews upstream's additions.
UNNORMALISED, WRONG_OBJECT = "a score before it is normalised: compared after", "an event with an object of a wrong type"
NO_NODES = "PreFilter on no nodes, which says nothing yet"
CEILINGS = {UNNORMALISED: 200, WRONG_OBJECT: 44, NO_NODES: 272}

# The minimum number of questions of each package whose answers must be equal.
FLOORS = {"noderesources": 300, "nodeaffinity": 63, "tainttoleration": 41, "nodeports": 26, "nodename": 4, "nodeunschedulable": 12,
          "imagelocality": 20, "interpodaffinity": 413, "podtopologyspread": 366, "nodedeclaredfeatures": 5, "schedulinggates": 2,
          "volumezone": 41, "volumerestrictions": 40, "nodevolumelimits": 56, "volumebinding": 310, "dynamicresources": 190,
          "events": 14}


def never_asked(package, question):
    """Returns why the question is not put to podium; None if it is."""
    if question["call"] == "Score" and question["plugin"] in NORMALISED:
        return UNNORMALISED
    if any(question.get(side) and "object" not in question[side] for side in ("old", "new")):
        return WRONG_OBJECT
    want = question.get("want", {})
    if question["call"] == "PreFilter" and want["code"] == "Success" and not want.get("only") and not want["nodes"]:
        return NO_NODES
    return next((entry.reason for entry in NEVER_ASKED if is_about(entry, package, question)), None)


def bounds(answers, left_out, of_rule):
    """Yields a line for each bound that is broken. answers: by package; left_out: questions by entry of DIFFERENCES; of_rule: by rule."""
    for package, count in answers.items():
        if count < FLOORS[package]:
            yield f"{package}: {count} answers are the same, which were {FLOORS[package]}: fewer are compared (FLOORS)"
    for entry, count in left_out.items():
        if count != entry.covers:
            yield f"{entry.package}: {entry.test} is about {count} questions, not {entry.covers} (DIFFERENCES)"
    for rule, most in CEILINGS.items():
        if of_rule[rule] > most:
            yield f"{of_rule[rule]} questions are left out, not {most}: {rule} (CEILINGS)"


def difference(package, question):
    return next((entry for entry in DIFFERENCES if is_about(entry, package, question)), None)


def is_about(entry, package, question):
    return entry.package == package and re.fullmatch(entry.call, question["call"]) and re.fullmatch(entry.test, question["test"])
