"""With withholdNodeNames, no report and no answer contains the name of a node: what-ifs of all kinds, decisions, and the HTTPS API for
users who may not list nodes. Users who may list nodes get the names over HTTPS."""
import json
import unittest

from e2e.support import podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import REPORTS, Live, node, pod, what_if
from e2e.tests.test_http_api import api_call

NAMES = ["quartz", "basalt", "granite", "marble"]
ZONE = "topology.kubernetes.io/zone"


def template(cpu):
    return {"spec": {"containers": [{"name": "main", "image": "app:v1", "resources": {"requests": {"cpu": cpu}}}]}}


class Withheld(Live):
    values = [*Live.values, "podium.withholdNodeNames=true"]
    nodes = [node(name, cpu="4", labels={ZONE: "zone-a"},
                  **({"taints": [{"key": "stone", "value": "hard", "effect": "NoSchedule"}]} if name == "granite" else {}))
             for name in NAMES]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tokens = {}
        for account in ("tenant", "operator"):
            cls.plane.kubectl("create", "serviceaccount", account, "-n", "default")
            cls.plane.kubectl("create", "rolebinding", account, "-n", "default", f"--serviceaccount=default:{account}",
                              "--clusterrole=podium-system:podium:edit")
            cls.plane.kubectl("create", "rolebinding", f"{account}-view", "-n", "default", f"--serviceaccount=default:{account}",
                              "--clusterrole=podium-system:podium:view")
            cls.tokens[account] = cls.plane.kubectl("create", "token", account, "-n", "default", "--duration", "1h").strip()
        cls.plane.kubectl("create", "clusterrole", "list-nodes", "--verb=list", "--resource=nodes")
        cls.plane.kubectl("create", "clusterrolebinding", "list-nodes", "--clusterrole=list-nodes", "--serviceaccount=default:operator")

    def names_in(self, answer):
        return sorted(name for name in NAMES if name in json.dumps(answer))

    def test_answers(self):
        questions = {
            "one": (template("1"), {}, []),
            "many": (template("1"), {"replicas": 30, "fixes": True}, []),
            "none": (template("100"), {"fixes": True}, []),
            "group": (template("1"), {"minCount": 2, "topologyKey": "kubernetes.io/hostname"}, []),
            "named": (template("1"), {"nodes": ["granite", "nobody"], "fixes": True}, ["granite"]),
            "drain": (template("1"), {"changes": [{"type": "DrainNode", "nodeName": "basalt"}]}, ["basalt"]),
            "new": (template("4"), {"replicas": 4, "changes": [{"type": "AddNodes", "like": "quartz", "count": 1}]}, ["quartz"]),
            "unknown": (template("1"), {"changes": [{"type": "CordonNode", "nodeName": "slate"}]}, []),
        }
        for name, (made, spec, known) in questions.items():
            self.plane.create(what_if(name, made, **spec))
            with self.subTest(name):
                status = self.answer(name)
                self.assertEqual(set(self.names_in(status)) - set(known), set(), status)
                if name == "one":
                    self.assertEqual(status["placements"], [{"nodeName": "withheld-1", "count": 1}])
                if name == "many":
                    self.assertEqual((status["replicas"]["asked"], sum(p["count"] for p in status["placements"])),
                                     (30, status["replicas"]["fitting"]))
                    self.assertTrue(status["fixes"])
                if name == "unknown":
                    self.assertIn("slate", podium.condition({"status": status}, "Accepted")["message"])

    def test_decisions(self):
        self.plane.create(pod("web"))
        its = self.bound("web")
        self.assertEqual(self.report("web", "Scheduled")["status"]["choice"]["nodeName"], its)
        self.plane.create(pod("huge", cpu="100"))
        self.assertEqual(self.names_in(self.report("huge", "Unschedulable")), [])
        self.assertEqual(self.names_in(self.report("web", "Scheduled")), [its])
        self.assertEqual(self.names_in(self.plane.get(f"{REPORTS}/web")), [its])

        def ask(account, path, body=None):
            reply = api_call(self.podium.port, path, self.tokens[account], body)
            return reply[2] if reply[0] == 200 else None
        path = "/v1/namespaces/default/pods/{}/report"
        for name, names in (("web", [its]), ("huge", [])):
            answer = wait_until(lambda: ask("tenant", path.format(name)), f"the decision on {name}")
            self.assertEqual(self.names_in(answer), names)
            self.assertGreater(len(self.names_in(ask("operator", path.format(name)))), 1)
        self.assertEqual(self.names_in(ask("tenant", "/v1/namespaces/default/decisions")), [its])
        question = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "asked"}, **template("1")}
        self.assertEqual(self.names_in(ask("tenant", "/v1/namespaces/default/whatif/report", question)), [])
        self.assertGreater(len(self.names_in(ask("operator", "/v1/namespaces/default/whatif/report", question))), 1)


if __name__ == "__main__":
    unittest.main()
