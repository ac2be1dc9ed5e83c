"""Judges whether kube-scheduler could have made a step's decisions. Asks the oracle about the state at each moment."""
import collections

from e2e.replay import volumes
from e2e.replay.claims import allocation_of, unallocated, used_by
from e2e.replay.world import claims_of
from e2e.support import oracle
from e2e.support.oracle import full_name

OFFSET = 1 << 31  # upstream adds this to each priority, so that fewer victims are better than many of low priority


class Outcome:
    """The actions of one scheduler in one step: placed pods {full name: node}, evicted pods, newly bound claims {full name: [claim,
    volume]}, resource claims that got devices {full name: claim}, and those that lost their devices."""

    def __init__(self, placed, evicted, bound, given=(), freed=()):
        self.placed, self.evicted, self.bound = placed, frozenset(evicted), bound
        self.volumes = frozenset((name, claim["spec"]["volumeName"]) for name, (claim, _) in bound.items())
        self.given, self.freed = dict(given), frozenset(freed)

    def same_as(self, other):
        return self.comparable() == other.comparable()

    def comparable(self):
        given = {name: (allocation_of(claim), claim["status"].get("reservedFor")) for name, claim in self.given.items()}
        return self.placed, self.evicted, self.volumes, given, self.freed


class Moment:
    """The point between two decisions of a step: pods placed, evicted and nominated so far, and resource claims that got or lost
    devices."""

    def __init__(self, placed=(), evicted=frozenset(), nominated=(), given=frozenset(), freed=frozenset()):
        self.placed, self.evicted, self.nominated = dict(placed), evicted, dict(nominated)
        self.given, self.freed = given, freed

    def key(self):
        return frozenset(self.placed.items()), self.evicted, frozenset(self.nominated.items()), self.given, self.freed

    def before_it_sees(self, claim):
        """Returns the moment as it is before the deallocation of this claim arrives."""
        return Moment(self.placed, self.evicted, self.nominated, self.given, self.freed - {claim})

    def leads_to(self, outcome):
        """Whether the moment is the step's end."""
        mine = self.placed, self.evicted, self.given, self.freed
        return mine == (outcome.placed, outcome.evicted, outcome.given.keys(), outcome.freed)


# One decision of a step: its moment, its pod, and the preemption that it chose (None: it placed the pod). `late`: more important
# pods that could have been placed or could have preempted then, and did so later in the step.
Decision = collections.namedtuple("Decision", "moment pod way late")


class Judge:
    """Judges one step from the state at its start and the pods that were pending then."""

    def __init__(self, state, pending, directory, counts):
        self.state, self.pending, self.directory, self.counts = state, pending, directory, counts
        self.verdicts = {}

    def explains(self, outcome):
        """Finds a sequence of decisions that kube-scheduler could have made and that leads to the outcome. Returns the decisions or
        None. Prefers the queue's order, by priority."""
        self.tried = set()
        wanted = {claim for name in self.pending for claim in claims_of(self.pod(name))}
        devices = {claim for name in self.pending for claim in used_by(self.pod(name))}
        is_wanted = outcome.bound.keys() <= wanted and outcome.given.keys() | outcome.freed <= devices
        return self.search(outcome, Moment()) if is_wanted else None

    def search(self, outcome, moment):
        if moment.leads_to(outcome):
            return []
        if moment.key() in self.tried:
            return None
        self.tried.add(moment.key())
        verdicts = self.verdict(outcome, moment)
        for name in sorted(verdicts, key=lambda name: (-self.priority(name), name)):
            for after, way in self.decisions(outcome, moment, name, verdicts[name]):
                rest = self.search(outcome, after)
                if rest is not None:
                    return [Decision(moment, name, way, self.late(moment, name, verdicts, rest)), *rest]
        return None

    def late(self, moment, name, verdicts, rest):
        """Returns the more important pods that were decided later. A pod that waits for its victims is not late."""
        return {other for other in {decision.pod for decision in rest} & verdicts.keys() - moment.nominated.keys()
                if self.priority(other) > self.priority(name)
                and (verdicts[other].get("feasible") or self.evictions(verdicts[other]))}

    def decisions(self, outcome, moment, name, verdict):
        """Yields (next moment, preemption or None) for each decision on this pod that can lead to the outcome. A claim that was
        deallocated wakes pods immediately, so they may be tried while the step's victims still exist. PostFilter writes the deallocation
        and does not assume it, so a pod may be tried before the watch shows it."""
        yield from self.decisions_by(outcome, moment, name, verdict)
        for claim in sorted(moment.freed):
            yield from self.decisions_by(outcome, moment, name, self.verdict(outcome, moment.before_it_sees(claim))[name])
        if moment.freed and moment.evicted:
            before = Moment(moment.placed, frozenset(), moment.nominated, moment.given, moment.freed)
            yield from self.decisions_by(outcome, moment, name, self.verdict(outcome, before)[name])

    def decisions_by(self, outcome, moment, name, verdict):
        if verdict.get("feasible"):
            good = self.good_nodes(verdict)
            # The node of a pod that was placed and evicted in the same step is unknown.
            nodes = good if name in outcome.evicted else good & {outcome.placed.get(name)}
            for node in sorted(nodes):
                if name not in outcome.evicted and not self.volumes_explained(outcome, moment, name, node):
                    continue
                given = self.devices_given(outcome, moment, name, node, verdict)
                if given is None:
                    continue
                nominated = {k: v for k, v in moment.nominated.items() if k != name}
                yield Moment({**moment.placed, name: node}, moment.evicted, nominated, moment.given | given, moment.freed), None
            return
        frees = self.deallocations(outcome, moment, name, verdict)
        for node, way in self.evictions(verdict).items():
            victims = frozenset(way["victims"])
            if victims <= outcome.evicted and not victims <= moment.evicted:
                nominated = {k: v for k, v in moment.nominated.items()
                             if v != node or self.priority(k) >= self.priority(name)}
                stay = {k: v for k, v in moment.placed.items() if k not in victims}
                for freed in frees or [frozenset()]:
                    yield Moment(stay, moment.evicted | victims, {**nominated, name: node}, moment.given - freed,
                                 moment.freed | freed), way
        for freed in frees:
            yield Moment(moment.placed, moment.evicted, moment.nominated, moment.given - freed, moment.freed | freed), None

    @staticmethod
    def good_nodes(verdict):
        """Returns the nodes that kube-scheduler draws from for a pod that fits."""
        return {verdict["nominatedNode"]} if verdict.get("nominatedNode") else oracle.best_nodes(verdict)

    def nodes(self, outcome, moment, name):
        return self.good_nodes(self.verdict(outcome, moment)[name])

    def devices_given(self, outcome, moment, name, node, verdict):
        """Returns the pod's claims that get their devices with this node. None if the devices differ from the actual ones, or
        without a reservation."""
        given = (used_by(self.pod(name)) & outcome.given.keys()) - moment.given
        wanted = (verdict.get("allocations") or {}).get(node, {})
        right = all(wanted.get(claim.partition("/")[2]) and
                    allocation_of({"status": {"allocation": wanted[claim.partition("/")[2]]}}) == allocation_of(outcome.given[claim])
                    for claim in given)
        reserved = name in outcome.evicted or all(
            self.pod(name)["metadata"].get("uid") in {user["uid"] for user in outcome.given[claim]["status"].get("reservedFor", [])}
            for claim in given)
        return frozenset(given) if right and reserved else None

    def deallocations(self, outcome, moment, name, verdict):
        """Returns sets of one claim that PostFilter may have deallocated, if it deallocates one: it draws the claim."""
        if not verdict.get("deallocated"):
            return []
        return [frozenset([claim]) for claim in sorted((used_by(self.pod(name)) & outcome.freed) - moment.freed)]

    def volumes_explained(self, outcome, moment, name, node):
        """Whether kube-scheduler could bind this pod's claims in this way, for this node at this moment."""
        taken = self.volumes_of(outcome, moment.placed)
        # For a pod that was placed and evicted in the same step, the moment of its binding is unknown.
        perhaps = self.volumes_of(outcome, outcome.placed, but=True)
        return all(volumes.may_bind(self.state, *outcome.bound[claim], node, taken, perhaps)
                   for claim in claims_of(self.pod(name)) & outcome.bound.keys())

    def volumes_of(self, outcome, names, but=False):
        """Returns volumes bound in this step to claims of these pods; with `but`, to all other claims."""
        claims = {claim for name in names for claim in claims_of(self.pod(name))}
        return {claim["spec"]["volumeName"] for claim, _ in outcome.bound.values() if (full_name(claim) in claims) != but}

    def evictions(self, verdict):
        """Returns {node: candidate}: the best preemption candidates, all equal by kube-scheduler's criteria."""
        ways = {node: way for node, way in (verdict.get("preemptionCandidates") or {}).items() if way}
        if not verdict.get("preemption"):
            return {}
        rank = {node: self.rank(way) for node, way in ways.items()}
        return {node: way for node, way in ways.items() if rank[node] == min(rank.values())}

    def rank(self, way):
        """Source: pkg/scheduler/framework/preemption pickOneNodeForPreemption."""
        priorities = [self.priority(name) for name in way["victims"]]
        earliest = min(self.started(n) for n, p in zip(way["victims"], priorities) if p == max(priorities))
        return way["pdbViolations"], max(priorities), sum(p + OFFSET for p in priorities), len(priorities), -earliest

    # --- the state of a moment ---
    def pod(self, name):
        return self.state.objects["Pod", *name.split("/")]

    def priority(self, name):
        return self.pod(name)["spec"].get("priority", 0)

    def started(self, name):
        """Returns the start time as a number. Pods start a second apart (see Replay.refresh); pods that have not started count as the
        latest."""
        text = self.pod(name).get("status", {}).get("startTime")
        return int("".join(c for c in text if c.isdigit())) if text else 10 ** 14

    def verdict(self, outcome, moment, bound=frozenset()):
        """Returns the oracle's results for the pods pending at the moment. The claims of placed pods and those in `bound` count as
        bound."""
        bound = bound | {claim for name in moment.placed for claim in claims_of(self.pod(name)) if claim in outcome.bound}
        key = (moment.key(), frozenset((claim, outcome.bound[claim][0]["spec"]["volumeName"]) for claim in bound),
               frozenset((claim, repr(allocation_of(outcome.given[claim]))) for claim in moment.given))
        if key not in self.verdicts:
            names = sorted(self.pending - moment.placed.keys() - moment.evicted)
            self.verdicts[key] = self.ask(self.state_at(outcome, moment, bound), names)
        return self.verdicts[key]

    def ask(self, state, names):
        self.counts["verdicts of the oracle"] += len(names)
        return oracle.evaluate(state, names, self.directory, "--preemption-candidates")

    def state_at(self, outcome, moment, bound):
        state = self.state.placed(moment.placed)
        for claim in bound:
            for obj in outcome.bound[claim]:
                state.put(obj)
        for name in moment.evicted:
            state.objects.pop(("Pod", *name.split("/")))
        for name in moment.freed:
            state.put(unallocated(state.objects["ResourceClaim", *name.split("/")]))
        for name in moment.given:
            state.put(outcome.given[name])
        for name, node in moment.nominated.items():
            key = ("Pod", *name.split("/"))
            pod = state.objects[key]
            state.objects[key] = {**pod, "status": {**pod.get("status", {}), "nominatedNodeName": node}}
        return state

    def budgets_mattered(self, outcome, moment, name):
        """Whether the best candidates would differ without disruption budgets."""
        said = self.verdict(outcome, moment)[name]
        free = self.ask(self.state_at(outcome, moment, frozenset()).without("PodDisruptionBudget"), [name])[name]
        ways = [{(node, *way["victims"]) for node, way in self.evictions(verdict).items()} for verdict in (said, free)]
        return ways[0] != ways[1]

    def left(self, outcome):
        """Returns pods that could be placed or could preempt at the end of the step."""
        end = self.end(outcome)
        return {name for name, verdict in self.verdict(outcome, end, frozenset(outcome.bound)).items()
                if verdict.get("feasible") or (verdict.get("preemption") and not verdict.get("nominatedNode"))
                or verdict.get("deallocated")}

    @staticmethod
    def end(outcome):
        return Moment(outcome.placed, outcome.evicted, given=frozenset(outcome.given), freed=outcome.freed)

    def errors(self, outcome):
        """Returns {pod: the error of its attempt at the end of the step}."""
        verdicts = self.verdict(outcome, self.end(outcome), frozenset(outcome.bound))
        return {name: verdict["error"] for name, verdict in verdicts.items() if verdict.get("error")}

    def messages(self, outcome, decisions, name):
        """Returns the filters' messages for this pod at each moment of these decisions."""
        moments = [*(decision.moment for decision in decisions), self.end(outcome)]
        verdicts = [self.verdict(outcome, moment).get(name) for moment in moments]
        return {oracle.filters_message(verdict["message"]) for verdict in verdicts if verdict and verdict.get("message")}

    def describe(self, outcome):
        """Describes the outcome: for each pod the scores of its node and of the best ones, or why it did not fit at the start."""
        words = [f"placed {outcome.placed}, evicted {sorted(outcome.evicted)}, "
                 f"bound {sorted(outcome.volumes)}, given {({n: allocation_of(c) for n, c in outcome.given.items()})}, "
                 f"freed {sorted(outcome.freed)}; at first:"]
        verdicts = self.verdict(outcome, Moment())
        for name in sorted(verdicts):
            node, verdict = outcome.placed.get(name), verdicts[name]
            words.append(f"\n  {name} on {node}: {verdict['rejected'].get(node) or ''} {verdict['message']}"
                         f"{verdict.get('error') or ''} {(verdict.get('allocations') or {}).get(node, '')}")
            for host in [node, *sorted(oracle.best_nodes(verdict) if verdict.get("feasible") else ())]:
                words.append(f"\n    {host}: {verdict['scores'].get(host)}")
            words += [f"\n    {host}: evict {sorted(way['victims'])}" for host, way in self.evictions(verdict).items()]
        return "".join(words)
