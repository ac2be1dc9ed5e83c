"""Could kube-scheduler have done that? Asks the oracle about the state of each moment of one step."""
import collections

from e2e.replay import volumes
from e2e.replay.world import claims_of
from e2e.support import oracle
from e2e.support.oracle import full_name

OFFSET = 1 << 31  # what upstream adds to each priority, so that fewer victims are better than many of low priority


class Outcome:
    """What one scheduler did in one step: pods that it placed, by full name, pods that it evicted, and what has become of
    claims: by full name, those that are bound now and were not, each with its volume."""

    def __init__(self, placed, evicted, bound):
        self.placed, self.evicted, self.bound = placed, frozenset(evicted), bound
        self.volumes = frozenset((name, claim["spec"]["volumeName"]) for name, (claim, _) in bound.items())

    def same_as(self, other):
        return (self.placed, self.evicted, self.volumes) == (other.placed, other.evicted, other.volumes)


class Moment:
    """Between two decisions of one step: who has been placed, who evicted, who is nominated to which node."""

    def __init__(self, placed=(), evicted=frozenset(), nominated=()):
        self.placed, self.evicted, self.nominated = dict(placed), evicted, dict(nominated)

    def key(self):
        return frozenset(self.placed.items()), self.evicted, frozenset(self.nominated.items())


# One decision of a step: when it was made, of which pod, and how it made room (None: it placed the pod). `late`: more important
# pods that could have been placed or have made room then, and did so later in the step.
Decision = collections.namedtuple("Decision", "moment pod way late")


class Judge:
    """Of one step: the state that it began with, and the pods that were pending then."""

    def __init__(self, state, pending, directory, counts):
        self.state, self.pending, self.directory, self.counts = state, pending, directory, counts
        self.verdicts = {}

    def explains(self, outcome):
        """Is there an order of decisions, each of which kube-scheduler could have made at its moment, that ends there? None, or
        the decisions. The order is the queue's, by priority, where there is such a one."""
        self.tried = set()
        wanted = {claim for name in self.pending for claim in claims_of(self.pod(name))}
        return self.goes_on(outcome, Moment()) if outcome.bound.keys() <= wanted else None

    def goes_on(self, outcome, moment):
        if moment.placed == outcome.placed and moment.evicted == outcome.evicted:
            return []
        if moment.key() in self.tried:
            return None
        self.tried.add(moment.key())
        verdicts = self.verdict(outcome, moment)
        for name in sorted(verdicts, key=lambda name: (-self.priority(name), name)):
            for after, way in self.decisions(outcome, moment, name, verdicts[name]):
                rest = self.goes_on(outcome, after)
                if rest is not None:
                    return [Decision(moment, name, way, self.late(moment, name, verdicts, rest)), *rest]
        return None

    def late(self, moment, name, verdicts, rest):
        """A pod that has made room and waits for its victims to go is not late."""
        return {other for other in {decision.pod for decision in rest} & verdicts.keys() - moment.nominated.keys()
                if self.priority(other) > self.priority(name)
                and (verdicts[other].get("feasible") or self.evictions(verdicts[other]))}

    def decisions(self, outcome, moment, name, verdict):
        """(moment, how it made room): what may follow when this pod is tried, as far as that leads to the outcome."""
        if verdict.get("feasible"):
            good = {verdict["nominatedNode"]} if verdict.get("nominatedNode") else oracle.best_nodes(verdict)
            # One that was placed and then evicted, in the same step: nobody saw where it was.
            nodes = good if name in outcome.evicted else good & {outcome.placed.get(name)}
            for node in sorted(nodes):
                if name not in outcome.evicted and not self.right_volumes(outcome, moment, name, node):
                    continue
                nominated = {k: v for k, v in moment.nominated.items() if k != name}
                yield Moment({**moment.placed, name: node}, moment.evicted, nominated), None
            return
        for node, way in self.evictions(verdict).items():
            victims = frozenset(way["victims"])
            if victims <= outcome.evicted and not victims <= moment.evicted:
                nominated = {k: v for k, v in moment.nominated.items()
                             if v != node or self.priority(k) >= self.priority(name)}
                stay = {k: v for k, v in moment.placed.items() if k not in victims}
                yield Moment(stay, moment.evicted | victims, {**nominated, name: node}), way

    def right_volumes(self, outcome, moment, name, node):
        """Are the claims of this pod bound as kube-scheduler would bind them for a pod on this node at this moment?"""
        taken = self.volumes_of(outcome, moment.placed)
        # Of a pod that was placed and evicted in the same step nobody knows when it took its volume.
        perhaps = self.volumes_of(outcome, outcome.placed, but=True)
        return all(volumes.right(self.state, *outcome.bound[claim], node, taken, perhaps)
                   for claim in claims_of(self.pod(name)) & outcome.bound.keys())

    def volumes_of(self, outcome, names, but=False):
        """Volumes that the claims of these pods have got in this step; but: those of the others."""
        claims = {claim for name in names for claim in claims_of(self.pod(name))}
        return {claim["spec"]["volumeName"] for claim, _ in outcome.bound.values() if (full_name(claim) in claims) != but}

    def evictions(self, verdict):
        """{node: what it costs}: the best ways to make room, all equally good by kube-scheduler's criteria."""
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
        """Pods are started a second apart (see Replay.run_kubelets), and those that were not yet, after all others."""
        text = self.pod(name).get("status", {}).get("startTime")
        return int("".join(c for c in text if c.isdigit())) if text else 10 ** 14

    def verdict(self, outcome, moment, bound=frozenset()):
        """What the oracle says of each pod that is pending at the moment; claims of placed pods are bound by then, and `bound`."""
        bound = bound | {claim for name in moment.placed for claim in claims_of(self.pod(name)) if claim in outcome.bound}
        key = moment.key(), frozenset((claim, outcome.bound[claim][0]["spec"]["volumeName"]) for claim in bound)
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
        for name, node in moment.nominated.items():
            key = ("Pod", *name.split("/"))
            pod = state.objects[key]
            state.objects[key] = {**pod, "status": {**pod.get("status", {}), "nominatedNodeName": node}}
        return state

    def minded_budgets(self, outcome, moment, name):
        """Would this pod have made room in other ways if there were no disruption budgets?"""
        said = self.verdict(outcome, moment)[name]
        free = self.ask(self.state_at(outcome, moment, frozenset()).without("PodDisruptionBudget"), [name])[name]
        ways = [{(node, *way["victims"]) for node, way in self.evictions(verdict).items()} for verdict in (said, free)]
        return ways[0] != ways[1]

    def left(self, outcome):
        """Pods that could be placed, or make room, in the end, and were not."""
        end = Moment(outcome.placed, outcome.evicted)
        return {name for name, verdict in self.verdict(outcome, end, frozenset(outcome.bound)).items()
                if verdict.get("feasible") or (verdict.get("preemption") and not verdict.get("nominatedNode"))}

    def messages(self, outcome, decisions, name):
        """What the filters say of this pod at each moment of these decisions."""
        moments = [*(decision.moment for decision in decisions), Moment(outcome.placed, outcome.evicted)]
        verdicts = [self.verdict(outcome, moment).get(name) for moment in moments]
        return {oracle.filters_message(verdict["message"]) for verdict in verdicts if verdict and verdict.get("message")}

    def words(self, outcome):
        """Of each pod that was placed: the scores of its node and of the best ones, or why it fitted nowhere at first."""
        words = [f"placed {outcome.placed}, evicted {sorted(outcome.evicted)}, "
                 f"bound {sorted(outcome.volumes)}; at first:"]
        verdicts = self.verdict(outcome, Moment())
        for name in sorted(verdicts):
            node, verdict = outcome.placed.get(name), verdicts[name]
            words.append(f"\n  {name} on {node}: {verdict['rejected'].get(node) or ''} {verdict['message']}")
            for host in [node, *sorted(oracle.best_nodes(verdict) if verdict.get("feasible") else ())]:
                words.append(f"\n    {host}: {verdict['scores'].get(host)}")
            words += [f"\n    {host}: evict {sorted(way['victims'])}" for host, way in self.evictions(verdict).items()]
        return "".join(words)
