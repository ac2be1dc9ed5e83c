"""Seeds drawn by each run."""
import os
import random


def drawn():
    """Draws a seed; PODIUM_TEST_SEED pins it. The caller prints it."""
    pinned = os.environ.get("PODIUM_TEST_SEED")
    return int(pinned) if pinned else random.SystemRandom().randrange(10_000, 1 << 31)
