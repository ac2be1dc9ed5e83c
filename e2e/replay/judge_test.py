"""Tests the judge on right outcomes and on slightly changed ones. A table replaces the oracle."""
import collections
import unittest

from e2e.replay import claims, tolerated
from e2e.replay.judge import Judge, Outcome
from e2e.replay.storage import SELECTED_NODE
from e2e.replay.world import claim, volume
from e2e.support.oracle import State


def pod(name, priority=0, claim_name=None):
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": claim_name}}] if claim_name else []
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": name},
            "spec": {"priority": priority, "volumes": volumes}, "status": {}}


def fits(*nodes):
    return {"feasible": list(nodes), "scores": {node: {"total": 1} for node in nodes}, "rejected": {}, "message": ""}


def full(message="0/2 nodes are available: 2 Insufficient cpu."):
    return {"feasible": [], "scores": {}, "rejected": {}, "message": message}


def makes_room(node, *victims):
    return {**full(), "preemption": {"node": node},
            "preemptionCandidates": {node: {"victims": list(victims), "pdbViolations": 0}}}


class Table(Judge):
    """A Judge whose verdicts come from says(pod, placed, evicted)."""

    def __init__(self, says, *objects):
        state = State()
        for obj in objects:
            state.put(obj)
        pending = {f"shop/{o['metadata']['name']}" for o in objects if o["kind"] == "Pod" and "nodeName" not in o["spec"]}
        super().__init__(state, pending, None, collections.Counter())
        self.says = says

    def verdict(self, outcome, moment, bound=frozenset()):
        return {name: self.says(name, moment.placed, moment.evicted) for name in self.pending - moment.placed.keys() - moment.evicted}


def outcome(placed=(), evicted=(), bound=(), given=(), freed=()):
    return Outcome(dict(placed), evicted, dict(bound), given, freed)


def devices(device):
    return {"devices": {"results": [{"request": "r", "driver": "d", "pool": "p", "device": device, "shareID": f"drawn-{device}"}]}}


def resource_claim(name, device=None, users=()):
    status = {"allocation": devices(device), "reservedFor": [{"name": user, "uid": f"uid-{user}"} for user in users]} if device else {}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"namespace": "shop", "name": name}, "spec": {},
            "status": status}


def pod_with(name, claim_name):
    made = pod(name)
    made["metadata"]["uid"] = f"uid-{name}"
    made["spec"]["resourceClaims"] = [{"name": "c", "resourceClaimName": claim_name}]
    return made


class Placements(unittest.TestCase):
    def judge(self, *pods):
        """A judge for two pods: one fits on n1; the other fits on n2 once the first is placed."""
        def says(name, placed, _):
            if name == "shop/first":
                return fits("n1")
            return fits("n2") if placed.get("shop/first") == "n1" else full()
        return Table(says, *pods)

    def test_a_right_outcome_is_explained(self):
        judge = self.judge(pod("first"), pod("second"))
        decisions = judge.explains(outcome({"shop/first": "n1", "shop/second": "n2"}))
        self.assertEqual([decision.pod for decision in decisions], ["shop/first", "shop/second"])
        self.assertEqual(judge.explains(outcome()), [])

    def test_swapped_nodes_are_not(self):
        judge = self.judge(pod("first"), pod("second"))
        self.assertIsNone(judge.explains(outcome({"shop/first": "n2", "shop/second": "n1"})))

    def test_a_pod_that_could_not_be_placed_yet_is_not(self):
        self.assertIsNone(self.judge(pod("first"), pod("second")).explains(outcome({"shop/second": "n2"})))

    def test_one_that_is_left_is_named(self):
        self.assertEqual(self.judge(pod("first"), pod("second")).left(outcome()), {"shop/first"})

    def test_a_node_with_a_lower_total_is_not(self):
        verdict = {**fits("n1", "n2"), "scores": {"n1": {"total": 2}, "n2": {"total": 1}}}
        judge = Table(lambda *_: verdict, pod("first"))
        self.assertIsNotNone(judge.explains(outcome({"shop/first": "n1"})))
        self.assertIsNone(judge.explains(outcome({"shop/first": "n2"})))


class Orders(unittest.TestCase):
    def late(self, says, low=0, high=10):
        judge = Table(says, pod("low", low), pod("high", high))
        decisions = judge.explains(outcome({"shop/low": "n1", "shop/high": "n2"}))
        return [(decision.pod, decision.late) for decision in decisions]

    def test_the_queue_s_order_is_found(self):
        self.assertEqual(self.late(lambda name, *_: fits("n1") if name == "shop/low" else fits("n2")),
                         [("shop/high", set()), ("shop/low", set())])

    def test_a_more_important_pod_that_is_decided_later_is_reported(self):
        def says(name, placed, _):
            if name == "shop/high":
                return fits("n2") if "shop/low" in placed else fits("n1")
            return fits("n1")
        self.assertEqual(self.late(says), [("shop/low", {"shop/high"}), ("shop/high", set())])

    def test_one_that_does_not_fit_before_is_not_late(self):
        def says(name, placed, _):
            if name == "shop/high":
                return fits("n2") if "shop/low" in placed else full()
            return fits("n1")
        self.assertEqual(self.late(says), [("shop/low", set()), ("shop/high", set())])


class Preemptions(unittest.TestCase):
    def judge(self):
        def says(name, _, evicted):
            return fits("n1") if "shop/victim" in evicted else makes_room("n1", "shop/victim")
        victim, other = pod("victim"), pod("other")
        for each in (victim, other):
            each["spec"]["nodeName"] = "n1"
        return Table(says, pod("vip", 10), victim, other)

    def test_the_best_victims(self):
        decisions = self.judge().explains(outcome({"shop/vip": "n1"}, {"shop/victim"}))
        self.assertEqual([bool(decision.way) for decision in decisions], [True, False])

    def test_others_are_not_explained(self):
        self.assertIsNone(self.judge().explains(outcome({"shop/vip": "n1"}, {"shop/other"})))
        self.assertIsNone(self.judge().explains(outcome({"shop/vip": "n1"}, {"shop/victim", "shop/other"})))
        self.assertIsNone(self.judge().explains(outcome({"shop/vip": "n1"})))


class Volumes(unittest.TestCase):
    def judged(self, claim_name, bound_to, node="n1", annotations=None, more=()):
        """Whether the judge explains that the pod's claim is bound to this volume."""
        disks = [volume("small", "n1", 1), volume("fitting", "n1", 2), volume("large", "n1", 4), volume("elsewhere", "n2", 2)]
        made = claim(claim_name)
        bound = {**made, "metadata": {**made["metadata"], "annotations": annotations or {}},
                 "spec": {**made["spec"], "volumeName": bound_to}}
        chosen = next((disk for disk in disks if disk["metadata"]["name"] == bound_to), volume(bound_to, node, 2))
        judge = Table(lambda *_: fits("n1", "n2"), pod("store", claim_name=claim_name), made, *disks, *more)
        return judge.explains(outcome({"shop/store": node}, bound={f"shop/{claim_name}": [bound, chosen]})) is not None

    def test_the_smallest_local_volume_of_the_node_that_fits(self):
        self.assertTrue(self.judged("local-1", "fitting"))  # it requests 2Gi
        for wrong in ("small", "large", "elsewhere", "unknown"):
            self.assertFalse(self.judged("local-1", wrong), wrong)
        self.assertTrue(self.judged("local-1", "elsewhere", node="n2"))

    def test_a_volume_is_made_for_the_node_of_the_pod(self):
        self.assertTrue(self.judged("fast-0", "made", annotations={SELECTED_NODE: "n1"}))
        self.assertFalse(self.judged("fast-0", "made", annotations={SELECTED_NODE: "n2"}))
        self.assertFalse(self.judged("fast-0", "made"))

    def test_a_binding_without_a_pod_is_wrong(self):
        made, disk = claim("local-1"), volume("fitting", "n1", 2)
        judge = Table(lambda *_: fits("n1"), pod("store"), made, disk)
        bound = {**made, "spec": {**made["spec"], "volumeName": "fitting"}}
        self.assertIsNone(judge.explains(outcome({"shop/store": "n1"}, bound={"shop/local-1": [bound, disk]})))


class Bounds(unittest.TestCase):
    def test_each_is_a_bound(self):
        for bound in tolerated.bounds():
            counts = collections.Counter({bound.of: 1000, bound.what: max(bound.least, int(1000 * bound.share))})
            self.assertEqual(list(tolerated.exceeded(counts)), [])
            counts[bound.what] += 1
            self.assertEqual(len(list(tolerated.exceeded(counts))), 1, bound)


class Devices(unittest.TestCase):
    """One pod fits on n1, where its claim gets x, and on n2, where it gets y."""
    verdict = {**fits("n1", "n2"), "allocations": {"n1": {"c": devices("x")}, "n2": {"c": devices("y")}}}

    def explained(self, node, claim, verdict=None):
        judge = Table(lambda *_: verdict or self.verdict, pod_with("first", "c"), resource_claim("c"))
        return judge.explains(outcome({"shop/first": node}, given={"shop/c": claim} if claim else {})) is not None

    def test_the_devices_of_the_chosen_node(self):
        self.assertTrue(self.explained("n1", resource_claim("c", "x", ["first"])))
        self.assertTrue(self.explained("n2", resource_claim("c", "y", ["first"])))

    def test_devices_of_another_node(self):
        self.assertFalse(self.explained("n1", resource_claim("c", "y", ["first"])))

    def test_devices_that_are_not_reserved(self):
        self.assertFalse(self.explained("n1", resource_claim("c", "x")))
        self.assertFalse(self.explained("n1", resource_claim("c", "x", ["other"])))

    def test_devices_of_a_pod_that_fits_nowhere(self):
        judge = Table(lambda *_: full(), pod_with("first", "c"), resource_claim("c"))
        self.assertIsNone(judge.explains(outcome(given={"shop/c": resource_claim("c", "x", ["first"])})))

    def test_devices_of_a_claim_that_no_pending_pod_has(self):
        judge = Table(lambda *_: self.verdict, pod_with("first", "c"), resource_claim("c"), resource_claim("other"))
        self.assertIsNone(judge.explains(outcome({"shop/first": "n1"}, given={
            "shop/c": resource_claim("c", "x", ["first"]), "shop/other": resource_claim("other", "z", ["first"])})))

    def freed(self, verdict, evicted=()):
        judge = Table(lambda *_: verdict, pod_with("first", "c"), resource_claim("c", "x"), pod("old", -1))
        judge.pending = {"shop/first"}
        return judge.explains(outcome(evicted=evicted, freed={"shop/c"})) is not None

    def test_a_claim_is_deallocated_where_post_filter_does(self):
        self.assertTrue(self.freed({**full(), "deallocated": ["shop/c"]}))
        self.assertFalse(self.freed(full()))

    def test_one_attempt_may_deallocate_and_preempt(self):
        # Then the message has the preemption only.
        self.assertTrue(self.freed({**makes_room("n1", "shop/old"), "deallocated": ["shop/c"]}, {"shop/old"}))
        self.assertFalse(self.freed(makes_room("n1", "shop/old"), {"shop/old"}))

    def test_after_a_deallocation_a_pod_may_be_tried_while_its_victims_are_there(self):
        class Lingering(Judge):
            def verdict(self, outcome, moment, bound=frozenset()):
                taken = {**makes_room("n1", "shop/old"), "deallocated": ["shop/c"]}
                nominated = {**fits("n1", "n2"), "nominatedNode": "n1"} if moment.evicted else fits("n2")
                said = {**nominated, "allocations": {node: {"c": devices(node)} for node in ("n1", "n2")}} if moment.freed else taken
                return {} if moment.placed else {"shop/first": said}

        def explained(node, evicted):
            state = State()
            for obj in (pod_with("first", "c"), pod("old", -1), resource_claim("c", "x")):
                state.put(obj)
            judge = Lingering(state, {"shop/first"}, None, collections.Counter())
            given = {"shop/c": resource_claim("c", node, ["first"])}
            return judge.explains(outcome({"shop/first": node}, evicted, given=given, freed={"shop/c"})) is not None
        self.assertTrue(explained("n1", ["shop/old"]))
        self.assertTrue(explained("n2", ["shop/old"]))
        self.assertTrue(explained("n2", []))
        self.assertFalse(explained("n1", []))

    def test_a_pod_may_be_tried_before_the_watch_shows_a_deallocation(self):
        """first's claim c is deallocated, and then third's claim d. second is placed last: on n1 if it sees both, on n2 if it does
        not see the second one."""
        class Waiting(Judge):
            def verdict(self, outcome, moment, bound=frozenset()):
                seen = {name.partition("/")[2] for name in moment.freed}
                said = {"shop/first": {**full(), "deallocated": [] if seen else ["shop/c"]},
                        "shop/second": fits("n1") if seen == {"c", "d"} else fits("n2") if seen == {"c"} else full(),
                        "shop/third": {**full(), "deallocated": ["shop/d"] if seen == {"c"} and not moment.placed else []}}
                return {name: verdict for name, verdict in said.items() if name not in moment.placed}

        def explained(node):
            state = State()
            for obj in (pod_with("first", "c"), pod("second"), pod_with("third", "d"), resource_claim("c", "x"),
                        resource_claim("d", "y")):
                state.put(obj)
            judge = Waiting(state, {"shop/first", "shop/second", "shop/third"}, None, collections.Counter())
            return judge.explains(outcome({"shop/second": node}, freed=("shop/c", "shop/d"))) is not None
        self.assertTrue(explained("n1"))
        self.assertTrue(explained("n2"))
        self.assertFalse(explained("n3"))

    def test_a_pod_whose_claim_could_be_deallocated_is_left(self):
        judge = Table(lambda *_: {**full(), "deallocated": ["shop/c"]}, pod_with("first", "c"), resource_claim("c", "x"))
        self.assertEqual(judge.left(outcome()), {"shop/first"})

    def test_share_ids_and_times_are_drawn(self):
        one, two = resource_claim("c", "x"), resource_claim("c", "x")
        two["status"]["allocation"]["allocationTimestamp"] = "2026-01-02T03:04:05Z"
        two["status"]["allocation"]["devices"]["results"][0]["shareID"] = "another"
        self.assertEqual(claims.allocation_of(one), claims.allocation_of(two))
        two["status"]["allocation"]["devices"]["results"][0]["device"] = "y"
        self.assertNotEqual(claims.allocation_of(one), claims.allocation_of(two))

    def test_references_to_pods_compare_the_pod_and_its_existence(self):
        pods = {"shop/first": pod_with("first", "c")}
        ours, theirs = resource_claim("c", "x", ["first"]), resource_claim("c", "x", ["first"])
        their_pods = {"shop/first": {**pods["shop/first"], "metadata": {**pods["shop/first"]["metadata"], "uid": "drawn"}}}
        self.assertNotEqual(claims.comparable_claim(ours, pods), claims.comparable_claim(theirs, their_pods))
        theirs["status"]["reservedFor"][0]["uid"] = "drawn"
        self.assertEqual(claims.comparable_claim(ours, pods), claims.comparable_claim(theirs, their_pods))


if __name__ == "__main__":
    unittest.main()
