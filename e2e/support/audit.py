"""The API server's own record of the bindings that it received: which pods were bound when, and how often."""
import collections
import datetime
import json

from .control_plane import wait_until

POLICY = """apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [ResponseStarted]
rules:
- {level: Metadata, verbs: [create], resources: [{group: "", resources: [pods/binding]}]}
- {level: None}
"""
RECEIVED = "RequestReceived"  # the stage before all others


class BindingAudit:
    """Makes a control plane, which is not started yet, record its bindings. Threads: any.

    The API server writes that it received a binding before it executes it, and writes the result after its reply: after the scheduler,
    and every client that watches the pod, know the result. So settle() comes before bound() and refused()."""

    def __init__(self, plane):
        self.log = plane.dir / "audit.log"
        policy = plane.dir / "audit-policy.yaml"
        policy.write_text(POLICY)
        plane.api_flags += ["--audit-policy-file", policy, "--audit-log-path", self.log]

    def written(self):
        """Returns all audit events so far, except a line that is being written."""
        return [json.loads(line) for line in lines_of(self.log)]

    def events(self, stage, since=0.0):
        """Returns the audit events of one stage since then, in order."""
        return [e for e in self.written() if e["stage"] == stage and received(e) > since]

    def settle(self, seconds=120):
        """Waits until the log has the result of every binding that has been received so far. Returns self."""
        events = self.written()
        open_ones = {e["auditID"] for e in events if e["stage"] == RECEIVED}

        def all_ended():
            return open_ones <= {e["auditID"] for e in self.written() if e["stage"] != RECEIVED}
        wait_until(all_ended, "the audit log says how each binding ended", seconds)
        return self

    def arrived(self, since=0.0):
        """Returns the names of the pods whose bindings have reached the API server since then."""
        return [e["objectRef"]["name"] for e in self.events(RECEIVED, since)]

    def bound(self):
        """Returns a Counter of (namespace, name): the bindings that succeeded according to the log."""
        return collections.Counter((e["objectRef"]["namespace"], e["objectRef"]["name"])
                                   for e in self.events("ResponseComplete") if e["responseStatus"]["code"] == 201)

    def ended_otherwise(self):
        """Returns the pods of the other bindings. A binding whose client left before the answer may still have taken effect."""
        return {(e["objectRef"]["namespace"], e["objectRef"]["name"])
                for e in self.events("ResponseComplete") if e["responseStatus"]["code"] != 201}

    def refused(self):
        """Returns a Counter of status codes of the other bindings."""
        codes = (e["responseStatus"]["code"] for e in self.events("ResponseComplete"))
        return collections.Counter(code for code in codes if code != 201)


def received(event):
    return datetime.datetime.fromisoformat(event["requestReceivedTimestamp"]).timestamp()


def lines_of(log):
    """Returns the complete lines of an audit log that an API server writes."""
    return log.read_text().rpartition("\n")[0].splitlines() if log.exists() else []
