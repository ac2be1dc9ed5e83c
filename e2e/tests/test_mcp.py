"""`podium mcp`: an agent's questions through the public client library, as a plain user on a cluster, and on a dump of it."""
import json
import os
import signal
import subprocess
import unittest

from e2e.support import mcp_client, podium
from e2e.support.control_plane import wait_until
from e2e.tests.base import node, pod
from e2e.tests.kubectl_plugin import Plugin

TOOLS = ["why", "why_not", "what_if", "how_many_fit", "what_could_run", "what_would_help", "what_waits", "drain", "nodes_for_pending", "nodes_that_could_go", "compare_weights"]


def words(result):
    return "".join(part["text"] for part in result["content"])


class Agent(Plugin):
    nodes = [node("a1", cpu="4"), node("b1", cpu="4"), node("full", cpu="2", taints=[{"key": "full", "effect": "NoSchedule"}])]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.create(pod("there"))
        cls.plane.create(pod("waits", cpu="9"))
        wait_until(lambda: podium.report_of(cls.plane, "default", "waits"), "the report of waits")
        wait_until(lambda: podium.report_of(cls.plane, "default", "there"), "the report of there")

    def talk(self, *calls, flags=(), mode="auto"):
        # The library starts servers without most of its own environment, as other clients do.
        said = mcp_client.conversation([podium.PROGRAM, "mcp", *(flags or ("--kubeconfig", self.user))], calls, mode)
        self.assertEqual([tool["name"] for tool in said["tools"]], TOOLS)
        return said

    def answers(self, *calls, **more):
        results = self.talk(*calls, **more)["results"]
        for call, result in zip(calls, results):
            self.assertFalse(result.get("isError"), (call, result))
        return results

    def test_both_handshakes(self):
        newest = self.talk(["why", {"name": "there"}])
        self.assertEqual(newest["revision"], "2026-07-28")
        self.assertEqual(newest["server"]["name"], "podium")
        self.assertIn("ask it instead of adding up requests", newest["instructions"])
        before = self.talk(["why", {"name": "there"}], mode="legacy")
        self.assertEqual(before["revision"], "2025-11-25")
        self.assertEqual(before["results"][0]["structuredContent"], newest["results"][0]["structuredContent"])

    def test_answers_are_those_of_the_plugin(self):
        manifest = json.dumps(pod("asked", cpu="1"))
        why, why_not, what_if, fits, helps, could, waits, drain, wanted, spare, compared = self.answers(
            ["why", {"name": "waits", "namespace": "default"}], ["why_not", {"name": "there", "node": "full"}],
            ["what_if", {"manifest": manifest, "replicas": 9}], ["how_many_fit", {"manifest": manifest}],
            ["what_would_help", {"name": "pod/waits"}], ["what_could_run", {"requests": "cpu=1"}], ["what_waits", {}],
            ["drain", {"nodes": ["a1"]}], ["nodes_for_pending", {}], ["nodes_that_could_go", {}],
            ["compare_weights", {"weights": "NodeResourcesFit=5"}])
        self.assertIn("5 cpu short", words(why))
        self.assertEqual(why["structuredContent"]["status"]["outcome"], "Unschedulable")
        self.assertIn("What default could still run", words(could))
        self.assertIn("full", words(why_not))
        self.assertEqual(what_if["structuredContent"]["status"]["outcome"], "PartlyFits")
        self.assertEqual(words(fits), self.ask("capacity", "-f", "-", stdin=manifest))
        self.assertEqual(helps["structuredContent"]["kind"], "SchedulingReport")
        self.assertEqual(waits["structuredContent"]["items"][0]["pods"], ["waits"])
        self.assertIn("a1", words(drain))
        self.assertIn("asks for 9 cpu, and the largest shape has 4", words(wanted))
        self.assertIn("can be removed", words(spare))
        self.assertIn("again with the current weights", words(compared))
        self.assertEqual(self.questions(), [], "no question stays")

    def test_on_a_dump(self):
        dump = self.plane.dir / "dump.yaml"
        dump.write_text(self.ask("dump", kubeconfig=self.plane.kubeconfig))
        flags = ["--cluster", dump]
        what_if, waits = self.answers(["what_if", {"manifest": json.dumps(pod("asked"))}], ["what_waits", {"allNamespaces": True}],
                                      flags=flags)
        self.assertEqual(what_if["structuredContent"]["status"]["outcome"], "Fits")
        self.assertIn("waits", words(waits))

    def test_errors_are_results(self):
        typo, missing, unknown = self.talk(["why", {"name": "their"}], ["why", {}], ["remove", {}])["results"]
        self.assertTrue(typo["isError"])
        self.assertIn("Did you mean there?", words(typo))
        self.assertTrue(missing["isError"])
        self.assertIn("name: missing", words(missing))
        self.assertIn("Unknown tool: remove", unknown["error"])

    def test_a_user_without_rights_gets_none(self):
        result = self.talk(["what_waits", {"allNamespaces": True}])["results"][0]
        self.assertTrue(result["isError"])
        self.assertIn("forbidden", words(result).lower())

    def test_it_ends_with_its_client(self):
        for end in ("input", "signal"):
            process = subprocess.Popen([podium.PROGRAM, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       env={**os.environ, "KUBECONFIG": str(self.user)})
            with process:
                process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["result"], {})
                if end == "input":
                    process.stdin.close()
                else:
                    process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(timeout=20), 0)


if __name__ == "__main__":
    unittest.main()
