"""Tests that the exceptions of the tables are bounded."""
import collections
import unittest

from e2e.tables import known


class Bounds(unittest.TestCase):
    def exceeded(self, answers=(), covered=(), of_rule=()):
        return list(known.bounds(dict(answers), dict(covered), collections.Counter(dict(of_rule))))

    def test_the_current_counts_are_within_the_bounds(self):
        covered = {entry: entry.covers for entry in known.DIFFERENCES}
        self.assertEqual(self.exceeded(known.FLOORS, covered, known.CEILINGS), [])

    def test_each_package_has_a_floor(self):
        self.assertEqual(set(known.FLOORS), {*known.PACKAGES, known.EVENTS})
        for package, floor in known.FLOORS.items():
            self.assertEqual(len(self.exceeded({package: floor - 1})), 1, package)

    def test_each_entry_is_about_as_many_questions_as_it_says(self):
        for entry in known.DIFFERENCES:
            for change in (-1, 1):
                self.assertEqual(len(self.exceeded(covered={entry: entry.covers + change})), 1, entry)

    def test_each_rule_has_a_ceiling(self):
        for rule, most in known.CEILINGS.items():
            self.assertEqual(len(self.exceeded(of_rule={rule: most + 1})), 1, rule)


if __name__ == "__main__":
    unittest.main()
