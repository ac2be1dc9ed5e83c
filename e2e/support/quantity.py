"""Kubernetes' quantities as exact numbers."""
import fractions
import re

SCALES = {"": 1, "n": fractions.Fraction(1, 10**9), "u": fractions.Fraction(1, 10**6), "m": fractions.Fraction(1, 1000),
          **{letter: 1000**power for power, letter in enumerate("kMGTPE", 1)},
          **{letter + "i": 1024**power for power, letter in enumerate("KMGTPE", 1)}}


def parse(text):
    """Returns the value of a quantity such as 100m, 1.5Gi or 2e3."""
    match = re.fullmatch(r"([+-]?[0-9.]+)(?:([eE][+-]?[0-9]+)|([a-zA-Z]*))", str(text))
    if not match or (match[3] or "") not in SCALES:
        raise ValueError(f"{text!r} is no quantity")
    return fractions.Fraction(match[1] + (match[2] or "")) * SCALES[match[3] or ""]
