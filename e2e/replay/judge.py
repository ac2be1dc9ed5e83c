"""Could kube-scheduler have done that? Asks the oracle about the state of each moment of one step."""
from e2e.support import oracle

OFFSET = 1 << 31  # what upstream adds to each priority, so that fewer victims are better than many of low priority


class Outcome:
    """What one scheduler did in one step: pods that it placed, by full name, and pods that it evicted."""

    def __init__(self, placed, evicted, objects):
        self.placed, self.evicted = placed, frozenset(evicted)
        self.objects = objects  # claims and volumes as they are in the end, by pod that uses them
        self.volumes = frozenset((name, claim["spec"]["volumeName"]) for name, (claim, _) in objects.items())

    def same_as(self, other):
        return (self.placed, self.evicted, self.volumes) == (other.placed, other.evicted, other.volumes)


class Moment:
    """Between two decisions of one step: who has been placed, who evicted, who is nominated to which node."""

    def __init__(self, placed=(), evicted=frozenset(), nominated=()):
        self.placed, self.evicted, self.nominated = dict(placed), evicted, dict(nominated)

    def key(self):
        return frozenset(self.placed.items()), self.evicted, frozenset(self.nominated.items())


class Judge:
    """Of one step: the state that it began with, and the pods that were pending then."""

    def __init__(self, state, pending, directory, counts):
        self.state, self.pending, self.directory, self.counts = state, pending, directory, counts
        self.verdicts = {}

    def explains(self, outcome):
        """Is there an order of decisions, each of which kube-scheduler could have made at its moment, that ends there?"""
        self.tried = set()
        return self.goes_on(outcome, Moment())

    def goes_on(self, outcome, moment):
        if moment.placed == outcome.placed and moment.evicted == outcome.evicted:
            return True
        if moment.key() in self.tried:
            return False
        self.tried.add(moment.key())
        verdicts = self.verdict(outcome, moment)
        for name in sorted(verdicts, key=lambda name: (-self.priority(name), name)):
            for after in self.decisions(outcome, moment, name, verdicts[name]):
                if self.goes_on(outcome, after):
                    return True
        return False

    def decisions(self, outcome, moment, name, verdict):
        """The moments that may follow when this pod is tried, as far as they lead to the outcome."""
        if verdict.get("feasible"):
            good = {verdict["nominatedNode"]} if verdict.get("nominatedNode") else oracle.best_nodes(verdict)
            # One that was placed and then evicted, in the same step: nobody saw where it was.
            nodes = good if name in outcome.evicted else good & {outcome.placed.get(name)}
            for node in sorted(nodes):
                nominated = {k: v for k, v in moment.nominated.items() if k != name}
                yield Moment({**moment.placed, name: node}, moment.evicted, nominated)
            return
        for node, victims in self.evictions(verdict):
            if victims <= outcome.evicted and not victims <= moment.evicted:
                nominated = {k: v for k, v in moment.nominated.items()
                             if v != node or self.priority(k) >= self.priority(name)}
                stay = {k: v for k, v in moment.placed.items() if k not in victims}
                yield Moment(stay, moment.evicted | victims, {**nominated, name: node})

    def evictions(self, verdict):
        """(node, victims): the best ways to make room, all equally good by kube-scheduler's criteria."""
        ways = {node: way for node, way in verdict.get("preemptionCandidates", {}).items() if way}
        if not verdict.get("preemption"):
            return []
        rank = {node: self.rank(way) for node, way in ways.items()}
        return [(node, frozenset(way["victims"])) for node, way in ways.items() if rank[node] == min(rank.values())]

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

    def verdict(self, outcome, moment):
        key = moment.key(), outcome.volumes if moment.placed else None
        if key not in self.verdicts:
            names = sorted(self.pending - moment.placed.keys() - moment.evicted)
            self.counts["verdicts of the oracle"] += len(names)
            self.verdicts[key] = oracle.evaluate(self.state_at(outcome, moment), names, self.directory,
                                                 "--preemption-candidates")
        return self.verdicts[key]

    def state_at(self, outcome, moment):
        state = self.state.placed(moment.placed)
        for name in moment.placed:
            for obj in outcome.objects.get(name, ()):
                state.put(obj)
        for name in moment.evicted:
            state.objects.pop(("Pod", *name.split("/")))
        for name, node in moment.nominated.items():
            key = ("Pod", *name.split("/"))
            pod = state.objects[key]
            state.objects[key] = {**pod, "status": {**pod.get("status", {}), "nominatedNodeName": node}}
        return state

    def left(self, outcome):
        """Pods that could be placed, or make room, in the end, and were not."""
        end = Moment(outcome.placed, outcome.evicted)
        return {name for name, verdict in self.verdict(outcome, end).items()
                if verdict.get("feasible") or (verdict.get("preemption") and not verdict.get("nominatedNode"))}

    def words(self, outcome):
        """Of each pod that was placed: the scores of its node and of the best ones, or why it fitted nowhere at first."""
        words = [f"placed {outcome.placed}, evicted {sorted(outcome.evicted)}; at first:"]
        verdicts = self.verdict(outcome, Moment())
        for name in sorted(verdicts):
            node, verdict = outcome.placed.get(name), verdicts[name]
            words.append(f"\n  {name} on {node}: {verdict['rejected'].get(node) or ''} {verdict['message']}")
            for host in [node, *sorted(oracle.best_nodes(verdict) if verdict.get("feasible") else ())]:
                words.append(f"\n    {host}: {verdict['scores'].get(host)}")
            words += [f"\n    {way[0]}: evict {sorted(way[1])}" for way in self.evictions(verdict)]
        return "".join(words)
