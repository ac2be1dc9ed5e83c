"""Bounds on the outcomes that a replay tolerates: those that kube-scheduler's state alone does not explain. A run that exceeds a bound
fails. The counts are usually 0. Steps that differ by a draw among equal nodes are not tolerated but expected: see chance.py."""
import collections

from e2e.replay.chance import ORDER, OTHER, VICTIMS

NOT_WOKEN = "pods that could be placed, that nothing woke in either"
DIFFERENT_STEPS = "steps in which they did different things"
LATE = "decisions of {} before a more important pod's"
OTHER_MOMENTS = "steps with the same decisions and messages of different moments"
OTHER_ERROR = "pods that fail, with one of several nodes' errors"
MESSAGES = "messages of {} in steered steps that no moment explains"

# At most this `share` of the count of `of`, and `least` in short runs.
Bound = collections.namedtuple("Bound", "what of share least")


def bounds(sides=("podium", "kube-scheduler")):
    yield Bound(NOT_WOKEN, "reasons compared", 0.01, 5)
    yield Bound(OTHER_MOMENTS, "decisions of podium", 0.05, 3)
    yield Bound(OTHER_ERROR, "reasons compared", 0.01, 3)
    for how in (ORDER, VICTIMS, OTHER):
        yield Bound(f"{DIFFERENT_STEPS} {how}", "decisions of podium", 0.01, 3)
    for side in sides:
        yield Bound(LATE.format(side), f"decisions of {side}", 0.05, 3)
        yield Bound(MESSAGES.format(side), f"messages of {side} judged in steered steps", 0.2, 3)


def exceeded(counts):
    """Yields a line for each bound that these counts exceed."""
    for bound in bounds():
        most = max(bound.least, bound.share * counts[bound.of])
        if counts[bound.what] > most:
            yield f"{counts[bound.what]} {bound.what}: more than the {most:.0f} that are tolerated ({bound.of}: {counts[bound.of]})"
