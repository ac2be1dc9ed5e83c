"""Separates the steps that differ by chance from all others.

Both schedulers draw among the nodes with the best total, each for itself. Two equal histories part at such a draw with the probability
1 - 1/k, where k is the number of the best nodes (selectHost in pkg/scheduler/schedule_one.go draws uniformly). So the oracle's verdicts
say how many steps of a run should differ, and a count that chance does not explain fails the run.
"""
import math

SAME = "same"
DRAW = "by a draw among equal nodes"
VICTIMS = "by a draw among equal victims"  # kube-scheduler takes them from a Go map, whose order is random, but not uniform
ORDER = "by the order of pods"
OTHER = "for another reason"

DEVIATIONS = 4  # one run of 30,000 fails by chance


class Chance:
    """The draws of a run: how many parted, and how many should."""

    def __init__(self):
        self.parted, self.expected, self.variance = 0, 0.0, 0.0

    def part(self, judge, ours, theirs):
        """Adds a step: ours and theirs are (outcome, decisions) of the two schedulers, from the same state. Returns how they parted."""
        # The node of a pod that was placed and evicted in one step is not known.
        unknown = ours[0].evicted | theirs[0].evicted
        for mine, other in zip(choices(judge, *ours), choices(judge, *theirs)):
            if mine.pod != other.pod:
                return ORDER
            if mine.node and other.node and mine.pod not in unknown:
                self.draw(judge.nodes(ours[0], mine.moment, mine.pod))
            if mine.taken() != other.taken():
                self.parted += bool(mine.node and other.node)
                return DRAW if mine.node and other.node else VICTIMS if mine.victims and other.victims else OTHER
        return SAME if ours[0].same_as(theirs[0]) else OTHER

    def draw(self, nodes):
        self.expected += 1 - 1 / len(nodes)
        self.variance += (1 - 1 / len(nodes)) / len(nodes)

    def unlikely(self):
        """Yields a line if chance does not explain how many draws parted."""
        if abs(self.parted - self.expected) > DEVIATIONS * math.sqrt(self.variance) + 1:
            yield f"{self.parted} draws among equal nodes parted; {self}"

    def __str__(self):
        return f"chance gives {self.expected:.1f}, with a standard deviation of {math.sqrt(self.variance):.1f}"


class Choice:
    """What one decision took: a node, victims, or the devices of a claim."""

    def __init__(self, decision, after):
        before = decision.moment
        self.moment, self.pod = before, decision.pod
        self.node = None if decision.pod in before.placed else after.placed.get(decision.pod)
        self.victims, self.freed = after.evicted - before.evicted, after.freed - before.freed

    def taken(self):
        return self.node, self.victims, self.freed


def choices(judge, outcome, decisions):
    moments = [*(decision.moment for decision in decisions), judge.end(outcome)]
    return [Choice(decision, after) for decision, after in zip(decisions, moments[1:])]
