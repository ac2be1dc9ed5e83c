"""Quantities compared with Go's: podium reads generated texts as k8s.io/apimachinery does. PODIUM_TEST_SEED repeats a run."""
import os
import random
import re
import subprocess
import unittest

from e2e.support import oracle
from e2e.support.control_plane import ROOT

FUZZERS = ROOT / "build/asan/fuzz/podium_fuzz"
COUNT = 5000
SUFFIXES = ["", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]
WRONG = ["K", "ki", "mi", "e", "E+", "ee3", "x", " ", "i", "Zi", "0x1", "+-"]
# Go takes minutes for these: it computes all digits of the exponent. podium saturates.
ENDLESS = re.compile(r"[eE][-+]?[0-9]{4}")
LARGEST = 2 ** 63 - 1
POWERS_OF_NANOS = {"n": 0, "u": 3, "m": 6, "": 9, "k": 12, "M": 15, "G": 18, "T": 21, "P": 24, "E": 27}


def digits(draw):
    kind = draw.random()
    if kind < 0.4:
        return str(draw.randrange(2000))
    if kind < 0.6:  # about a power of two or ten, where types end
        return str(abs(draw.choice([2, 10]) ** draw.randrange(70) + draw.randrange(-2, 3)))
    return "".join(draw.choice("0123456789") for _ in range(draw.randrange(1, 30)))


def quantity(draw):
    text = draw.choice(["", "", "", "-", "+"]) + digits(draw)
    if draw.random() < 0.4:
        text += "." + ("" if draw.random() < 0.1 else digits(draw))
    if draw.random() < 0.2:
        text += draw.choice("eE") + draw.choice(["", "-", "+"]) + str(draw.randrange(25 if draw.random() < 0.9 else 1000))
    else:
        text += draw.choice(SUFFIXES)
    if draw.random() < 0.1:
        at = draw.randrange(len(text) + 1)
        text = text[:at] + draw.choice(WRONG) + text[at:]
    if draw.random() < 0.02:
        text = text[:draw.randrange(len(text) + 1)]
    return quantity(draw) if ENDLESS.search(text) else text


def nanos(text):
    """Returns a quantity as podium prints it, in nano-units."""
    number = text.rstrip("numkMGTPE")
    return int(number) * 10 ** POWERS_OF_NANOS[text[len(number):]]


def same(our, their):
    """Whether both have the same quantity. Over int64, Go's value wraps around and podium saturates. Go rounds the value of
    a negative quantity to the wrong side or loses its upper half; an API server refuses those."""
    if "-" in (our, their):
        return our == their
    shown, value, milli = our.split()
    want, want_value, want_milli = (int(each) for each in their.split())
    if abs(want) >= LARGEST * 10 ** 9:
        return abs(int(value)) >= LARGEST and (int(value) > 0) == (want > 0)
    # podium keeps 38 digits, and Go keeps all.
    if abs(nanos(shown) - want) * 10 ** 18 > abs(want):
        return False
    if want < 0:
        return int(value) < 0 and int(milli) < 0
    if int(value) != want_value:
        return False
    return int(milli) == want_milli if abs(want) <= LARGEST * 10 ** 6 else abs(int(milli)) >= LARGEST


class Quantities(unittest.TestCase):
    def test_a_difference_is_detected(self):
        for our, their, want in (("1500m 2 1500", "1500000000 2 1500", True), ("-", "-", True), ("1 1 1000", "-", False),
                                 ("-", "1000000000 1 1000", False), ("1 1 1000", "2000000000 1 1000", False),
                                 ("1 1 1000", "1000000000 2 1000", False), ("1 1 1000", "1000000000 1 1001", False),
                                 ("-1 -1 -1000", "1000000000 1 1000", False), ("1n 0 1", "1 1 1", False)):
            with self.subTest(our=our, their=their):
                self.assertIs(same(our, their), want)

    def test_podium_reads_what_go_reads(self):
        oracle.build()
        if not FUZZERS.exists():
            subprocess.run([ROOT / "tools/build.sh", "asan", "podium_fuzz"], cwd=ROOT, check=True)
        seed = int(os.environ.get("PODIUM_TEST_SEED") or random.randrange(10 ** 9))
        print(f"PODIUM_TEST_SEED={seed}", flush=True)
        draw = random.Random(seed)
        texts = [quantity(draw) for _ in range(COUNT)]
        ours = self._lines([FUZZERS, "quantities"], texts)
        theirs = self._lines([oracle.PROGRAM, "quantities"], texts)
        different = [f"{text!r}: podium has {our}, Go has {their}" for text, our, their in zip(texts, ours, theirs, strict=True)
                     if not same(our, their)]
        self.assertEqual(different, [])
        read = COUNT - theirs.count("-")
        self.assertTrue(COUNT / 2 < read < COUNT, f"{read} of {COUNT} are quantities")

    def _lines(self, program, texts):
        done = subprocess.run(program, input="".join(f"{text}\n" for text in texts), text=True, capture_output=True,
                              cwd=ROOT, check=True, timeout=300)
        return done.stdout.splitlines()
