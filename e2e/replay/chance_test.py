"""Tests which steps count as parted by chance."""
import random
import unittest

from e2e.replay import chance
from e2e.replay.chance import Chance
from e2e.replay.judge_test import Table, fits, full, makes_room, outcome, pod


class Parting(unittest.TestCase):
    def part(self, says, ours, theirs, pods=(pod("first"), pod("second"))):
        judge, self.chance = Table(says, *pods), Chance()
        sides = [(side, judge.explains(side)) for side in (ours, theirs)]
        self.assertNotIn(None, [decisions for _, decisions in sides])
        return self.chance.part(judge, *sides)

    def test_equal_steps(self):
        step = outcome({"shop/first": "n1", "shop/second": "n2"})
        self.assertEqual(self.part(lambda *_: fits("n1", "n2"), step, step), chance.SAME)
        self.assertEqual((self.chance.parted, self.chance.expected), (0, 1.0))

    def test_another_of_the_best_nodes(self):
        self.assertEqual(self.part(lambda *_: fits("n1", "n2", "n3", "n4"), outcome({"shop/first": "n1", "shop/second": "n1"}),
                                   outcome({"shop/first": "n2", "shop/second": "n1"})), chance.DRAW)
        # What follows a draw that parts is not compared: the clusters differ.
        self.assertEqual((self.chance.parted, self.chance.expected), (1, 0.75))

    def test_a_single_best_node_is_not_a_draw(self):
        step = outcome({"shop/first": "n1", "shop/second": "n1"})
        self.part(lambda *_: fits("n1"), step, step)
        self.assertEqual((self.chance.expected, self.chance.variance), (0, 0))

    def test_another_order(self):
        def says(name, placed, _):
            return fits("n1") if "n1" not in placed.values() else full()
        self.assertEqual(self.part(says, outcome({"shop/first": "n1"}), outcome({"shop/second": "n1"})), chance.ORDER)

    def test_a_pod_that_one_has_not_tried(self):
        self.assertEqual(self.part(lambda *_: fits("n1"), outcome({"shop/first": "n1"}), outcome()), chance.OTHER)

    def test_other_victims(self):
        def says(name, placed, evicted):
            return fits("n1") if evicted else {**makes_room("n1", "shop/a"), "preemptionCandidates": {
                node: {"victims": [victim], "pdbViolations": 0} for node, victim in (("n1", "shop/a"), ("n2", "shop/b"))}}
        victims = [pod("a"), pod("b")]
        for each in victims:
            each["spec"]["nodeName"] = "n1"
        self.assertEqual(self.part(says, outcome(evicted={"shop/a"}), outcome(evicted={"shop/b"}), (pod("vip", 10), *victims)),
                         chance.VICTIMS)
        self.assertEqual(self.chance.expected, 0)


class Counts(unittest.TestCase):
    def unlikely(self, draws, nodes, differ):
        """Whether the count of parted draws is unlikely, if each draw parts when differ() says so."""
        counted = Chance()
        for _ in range(draws):
            counted.draw(nodes)
            counted.parted += differ()
        return bool(list(counted.unlikely()))

    def test_fair_draws_are_likely(self):
        drawn = random.Random(1)
        self.assertFalse(self.unlikely(200, "abc", lambda: drawn.choice("abc") != drawn.choice("abc")))

    def test_fewer_than_chance(self):
        self.assertTrue(self.unlikely(200, "abc", lambda: False))

    def test_more_than_chance(self):
        self.assertTrue(self.unlikely(200, "abc", lambda: True))
