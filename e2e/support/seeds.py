"""Seeds that no run has seen yet."""
import os
import random


def drawn():
    """A seed that is drawn anew by each run; PODIUM_TEST_SEED repeats one. The caller prints it."""
    pinned = os.environ.get("PODIUM_TEST_SEED")
    return int(pinned) if pinned else random.SystemRandom().randrange(10_000, 1 << 31)
