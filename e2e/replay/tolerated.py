"""What a replay lets pass although kube-scheduler's state alone does not explain it, and how much of it: a run that counts more
fails. What the two do differently is chance, since both draw among equal nodes, and most of it is in the first steps, when there
is room everywhere: 11 steps of the first 150 of seed 1, 20 of 3,000. The other counts are 0 as a rule."""
import collections

NOT_WOKEN = "pods that could be placed, that nothing woke in either"
DIFFERENT_STEPS = "steps in which they did different things"
LATE = "decisions of {} before a more important pod's"
MESSAGES = "messages of {} in steered steps that no moment explains"

# At most `share` of what `of` counts, and `least` in short runs.
Bound = collections.namedtuple("Bound", "what of share least")


def bounds(sides=("podium", "kube-scheduler")):
    yield Bound(NOT_WOKEN, "reasons compared", 0.01, 5)
    yield Bound(DIFFERENT_STEPS, "decisions of podium", 0.3, 20)
    for side in sides:
        yield Bound(LATE.format(side), f"decisions of {side}", 0.05, 3)
        yield Bound(MESSAGES.format(side), f"messages of {side} judged in steered steps", 0.2, 3)


def exceeded(counts):
    """Lines, one for each bound that these counts exceed."""
    for bound in bounds():
        most = max(bound.least, bound.share * counts[bound.of])
        if counts[bound.what] > most:
            yield f"{counts[bound.what]} {bound.what}: more than the {most:.0f} that are tolerated ({bound.of}: {counts[bound.of]})"
