"""The API server's own record of the bindings that it was sent: who was bound when, and how often."""
import collections
import datetime
import json

POLICY = """apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [ResponseStarted]
rules:
- {level: Metadata, verbs: [create], resources: [{group: "", resources: [pods/binding]}]}
- {level: None}
"""


class BindingAudit:
    """Makes a control plane that has not been started record its bindings. Threads: any."""

    def __init__(self, plane):
        self.log = plane.dir / "audit.log"
        policy = plane.dir / "audit-policy.yaml"
        policy.write_text(POLICY)
        plane.api_flags += ["--audit-policy-file", policy, "--audit-log-path", self.log]

    def events(self, stage, since=0.0):
        """The audit events of one stage that were received since then, in their order."""
        # But for a line that is being written.
        written = self.log.read_text().rpartition("\n")[0] if self.log.exists() else ""
        events = [json.loads(line) for line in written.splitlines()]
        return [e for e in events if e["stage"] == stage and received(e) > since]

    def arrived(self, since=0.0):
        """The names of the pods whose bindings have reached the API server since then."""
        return [e["objectRef"]["name"] for e in self.events("RequestReceived", since)]

    def bound(self):
        """Counter of (namespace, name): the bindings that the API server has carried out."""
        return collections.Counter((e["objectRef"]["namespace"], e["objectRef"]["name"])
                                   for e in self.events("ResponseComplete") if e["responseStatus"]["code"] == 201)

    def refused(self):
        """Counter of status codes of the other bindings."""
        codes = (e["responseStatus"]["code"] for e in self.events("ResponseComplete"))
        return collections.Counter(code for code in codes if code != 201)


def received(event):
    return datetime.datetime.fromisoformat(event["requestReceivedTimestamp"]).timestamp()
