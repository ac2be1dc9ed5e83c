"""The modelled API server of simulate/ answers as the real one does, in all that podium reads.

Each step sends its request to both. A later step may refer to values of an earlier answer: "${web.uid}", "${web.rv}".
"""
import json
import re
import subprocess
import unittest
import urllib.error
import urllib.request

from e2e.support import podium
from e2e.support.control_plane import ADMIN_TOKEN, ROOT, ControlPlane, environment, wait_until

PROGRAM = ROOT / "build/release/simulate/podium_simulate"
PODS, POLICED = "/api/v1/namespaces/shop/pods", "/api/v1/namespaces/policed/pods"
REPORTS = "/apis/podium.dev/v1alpha1/namespaces/shop/schedulingreports"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/shop/leases"
VOLUMES, VOLUME_CLAIMS = "/api/v1/persistentvolumes", "/api/v1/namespaces/shop/persistentvolumeclaims"
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims"
JSON_PATCH, MERGE, STRATEGIC = (f"application/{kind}+json" for kind in ("json-patch", "merge-patch", "strategic-merge-patch"))
BRIEF = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json"
BRIEF_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json"


def pod(name, ns="shop", **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": ns},
            "spec": {"containers": [{"name": "main", "image": "app:v1"}], **spec}}


def binding(name, uid):
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name, "namespace": "shop", "uid": uid},
            "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}}


def report(name, uid="pod-1", **spec):
    return {"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
            "metadata": {"name": name, "namespace": "shop", "labels": {"podium.dev/report": "decision"}},
            "spec": {"podRef": {"name": name, "uid": uid}, "dryRun": False, **spec}}


def replace_status(tests, status):
    return [*({"op": "test", "path": path, "value": value} for path, value in tests.items()),
            {"op": "add", "path": "/status", "value": status}]


def fill(uid, before, **status):
    """Returns the PATCH of a report's status, as controller/report/report_requests.cc makes it."""
    return replace_status({"/spec/podRef/uid": uid, "/spec/dryRun": False, **before}, status)


def answer(uid, before, **status):
    """Returns the PATCH of a what-if's status, as controller/what_if/answer_patch.cc makes it."""
    return replace_status({"/metadata/uid": uid, **before}, {"outcome": "Fits", "observedGeneration": 2, **status})


def lease(holder, rv=None, uid=None):
    read = {field: value for field, value in (("resourceVersion", rv), ("uid", uid)) if value}
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l", "namespace": "shop", **read},
            "spec": {"holderIdentity": holder, "leaseDurationSeconds": 15, "leaseTransitions": 0}}


def claim(name, **metadata):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": name, "namespace": "shop", **metadata},
            "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount",
                                                                          "count": 1}}]}}}


def volume(name):
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local",
                     "csi": {"driver": "disk.example.com", "volumeHandle": "h"}}}


def volume_claim(name):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "shop"},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "local",
                     "resources": {"requests": {"storage": "1Gi"}}}}


def reserved(*pods, **allocation):
    """Returns a claim's status, as scheduler/plugins/dynamic_resources/reservation.cc writes it."""
    return {"reservedFor": [{"resource": "pods", "name": pod, "uid": f"uid-{pod}"} for pod in pods], **allocation}


def given(device):
    return {"allocation": {"devices": {"results": [{"request": "gpu", "driver": "gpu.example.com", "pool": "n1", "device": device}]},
                           "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
                               {"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]},
                           "allocationTimestamp": "2026-01-01T00:00:00Z"}}


def withdrawn(pod):
    return {"reservedFor": [{"$patch": "delete", "uid": f"uid-{pod}"}]}


def deletion(**preconditions):
    return {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions}


def ask(name, method, target, body=None, **how):
    return name, {"method": method, "target": target, "body": body, **how}


def patch(name, target, body, kind):
    return ask(name, "PATCH", target, body, type=kind)


def watch(name, target):
    return name, {"watch": target}


FIRST, SECOND = ({"decidedAt": f"2026-01-01T00:00:0{n}Z", "attempts": n, "outcome": "Unschedulable",
                  "summary": {"node": "", "score": "", "reason": "no"}} for n in (1, 2))
NO_STATUS = {"/status": None}
AFTER_FIRST = {"/status/decidedAt": FIRST["decidedAt"], "/status/attempts": 1, "/status/outcome": "Unschedulable",
               "/status/summary/reason": "no"}
UNDATED = {"/status/decidedAt": None, "/status/observedGeneration": 2}
AS_REWRITTEN = {"uid": "${report.uid}", "resourceVersion": "${rewrite.rv}"}
FINALIZER = "resource.kubernetes.io/delete-protection"
NO_ALLOCATION = {"reservedFor": None, "allocation": None, "devices": None}


def of_claim(step):
    """Returns the UID and the resourceVersion of a claim's answer, as preconditions."""
    return {"uid": f"${{{step}.uid}}", "resourceVersion": f"${{{step}.rv}}"}


def claim_status(name, status, step=None):
    return patch(name, f"{CLAIMS}/c1/status", {**({"metadata": of_claim(step)} if step else {}), "status": status}, STRATEGIC)


def reserve(name, **metadata):
    """Returns the PATCH of a volume, as scheduler/plugins/volumes/reservation.cc makes it."""
    return patch(name, f"{VOLUMES}/v1", {
        "metadata": {**metadata, "annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
        "spec": {"claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "shop", "name": "c1",
                              "uid": "${volume-claim.uid}", "resourceVersion": "${volume-claim.rv}"}}}, MERGE)


def choose(name, claim="c1", **metadata):
    """Returns the PATCH of a claim for a volume, as scheduler/plugins/volumes/reservation.cc makes it."""
    return patch(name, f"{VOLUME_CLAIMS}/{claim}",
                 {"metadata": {**metadata, "annotations": {"volume.kubernetes.io/selected-node": "n1"}}}, MERGE)


CONDITION = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no"}

STEPS = [
    # Pods, bindings, evictions.
    ask("web", "POST", PODS, pod("web")),
    ask("again", "POST", PODS, pod("web")),
    ask("read", "GET", f"{PODS}/web"),
    ask("nobody", "GET", f"{PODS}/nobody"),
    patch("condition", f"{PODS}/web/status", {"status": {"conditions": [CONDITION], "nominatedNodeName": "n1"}}, STRATEGIC),
    patch("condition-again", f"{PODS}/web/status", {"status": {"conditions": [{**CONDITION, "message": "still"}]}}, STRATEGIC),
    patch("condition-of-another", f"{PODS}/web/status",
          {"metadata": {"uid": "another"}, "status": {"conditions": [CONDITION]}}, STRATEGIC),
    ask("bind-another-uid", "POST", f"{PODS}/web/binding", binding("web", "another")),
    ask("bind", "POST", f"{PODS}/web/binding", binding("web", "${web.uid}")),
    ask("bound", "GET", f"{PODS}/web"),
    ask("bind-twice", "POST", f"{PODS}/web/binding", binding("web", "${web.uid}")),
    ask("bind-nobody", "POST", f"{PODS}/nobody/binding", binding("nobody", "x")),
    ask("gated", "POST", PODS, pod("gated", schedulingGates=[{"name": "g"}])),
    ask("bind-gated", "POST", f"{PODS}/gated/binding", binding("gated", "${gated.uid}")),
    ask("evict-another", "DELETE", f"{PODS}/web", deletion(uid="another")),
    ask("evict", "DELETE", f"{PODS}/web", deletion(uid="${web.uid}")),
    ask("evict-again", "DELETE", f"{PODS}/web", deletion(uid="${web.uid}")),
    ask("evicted", "GET", f"{PODS}/web"),
    ask("delete-pending", "DELETE", f"{PODS}/gated", deletion(uid="${gated.uid}")),
    ask("deleted", "GET", f"{PODS}/gated"),
    ask("delete-nobody", "DELETE", f"{PODS}/nobody", deletion(uid="x")),
    ask("refused", "POST", POLICED, pod("p", "policed")),
    # Reports: both requests of a new one, late and repeated ones, edits, labels, deletions.
    ask("report", "POST", REPORTS, report("r1"), accept=BRIEF),
    ask("report-again", "POST", REPORTS, report("r1"), accept=BRIEF),
    patch("fill-of-another", f"{REPORTS}/r1/status", fill("pod-2", NO_STATUS, **FIRST), JSON_PATCH),
    patch("fill-too-early", f"{REPORTS}/r1/status", fill("pod-1", AFTER_FIRST, **SECOND), JSON_PATCH),
    patch("fill", f"{REPORTS}/r1/status", fill("pod-1", NO_STATUS, **FIRST), JSON_PATCH),
    patch("fill-twice", f"{REPORTS}/r1/status", fill("pod-1", NO_STATUS, **FIRST), JSON_PATCH),
    patch("rewrite", f"{REPORTS}/r1/status", fill("pod-1", AFTER_FIRST, **SECOND), JSON_PATCH),
    patch("rewrite-late", f"{REPORTS}/r1/status", fill("pod-1", AFTER_FIRST, **FIRST), JSON_PATCH),
    patch("merge", f"{REPORTS}/r1/status",
          {"metadata": AS_REWRITTEN, "status": {"outcome": "Scheduled", "attempts": None}}, MERGE),
    patch("merge-late", f"{REPORTS}/r1/status", {"metadata": AS_REWRITTEN, "status": {"outcome": "Failed"}}, MERGE),
    patch("merge-another", f"{REPORTS}/r1/status", {"metadata": {"uid": "another"}, "status": {"outcome": "Failed"}}, MERGE),
    patch("label-late", f"{REPORTS}/r1", {"metadata": {**AS_REWRITTEN, "labels": {"podium.dev/outcome": "Failed"}}}, MERGE),
    patch("label", f"{REPORTS}/r1",
          {"metadata": {"labels": {"podium.dev/outcome": "Scheduled", "podium.dev/report": None}}}, MERGE),
    patch("status-by-the-object", f"{REPORTS}/r1", {"status": {"outcome": "Forged"}}, MERGE),
    ask("what-if", "POST", REPORTS, {**report("w1"), "spec": {"dryRun": True, "replicas": 1, "podRef": {"name": "web"}}}),
    patch("what-if-changed", f"{REPORTS}/w1", {"spec": {"replicas": 2}}, MERGE),
    patch("what-if-answered", f"{REPORTS}/w1/status", {"status": {"outcome": "Fits", "observedGeneration": 2}}, MERGE),
    patch("answer-of-another", f"{REPORTS}/w1/status", answer("another", UNDATED), JSON_PATCH),
    patch("answer-of-an-earlier-read", f"{REPORTS}/w1/status", answer("${what-if.uid}", NO_STATUS), JSON_PATCH),
    patch("answer", f"{REPORTS}/w1/status", answer("${what-if.uid}", UNDATED, decidedAt=FIRST["decidedAt"]), JSON_PATCH),
    patch("answer-late", f"{REPORTS}/w1/status", answer("${what-if.uid}", UNDATED), JSON_PATCH),
    patch("label-another", f"{REPORTS}/w1", {"metadata": {"uid": "another", "labels": {"a": "b"}}}, MERGE),
    patch("fill-a-what-if", f"{REPORTS}/w1/status", fill("pod-1", NO_STATUS, **FIRST), JSON_PATCH),
    patch("patch-nobody", f"{REPORTS}/nobody/status", fill("pod-1", NO_STATUS, **FIRST), JSON_PATCH),
    # Lists, paged and brief, with selectors.
    ask("more-1", "POST", REPORTS, report("r2")),
    ask("more-2", "POST", REPORTS, report("r3")),
    ask("page-1", "GET", f"{REPORTS}?limit=2"),
    ask("page-2", "GET", f"{REPORTS}?limit=2&continue=${{page-1.continue}}"),
    ask("decisions", "GET", f"{REPORTS}?fieldSelector=spec.dryRun!%3Dtrue", accept=BRIEF_LIST),
    ask("questions", "GET", f"{REPORTS}?fieldSelector=spec.dryRun%3Dtrue"),
    ask("labelled", "GET", f"{REPORTS}?labelSelector=podium.dev/report%3Ddecision"),
    ask("running", "GET", f"{PODS}?fieldSelector=status.phase!%3DSucceeded,status.phase!%3DFailed"),
    # Volumes and claims for them.
    ask("volume", "POST", VOLUMES, volume("v1")),
    ask("volume-claim", "POST", VOLUME_CLAIMS, volume_claim("c1")),
    reserve("reserve-another", uid="another"),
    reserve("reserve", **of_claim("volume")),
    reserve("reserve-late", **of_claim("volume")),
    ask("reserved", "GET", f"{VOLUMES}/v1"),
    choose("choose-another", uid="another"),
    choose("choose", **of_claim("volume-claim")),
    choose("choose-late", **of_claim("volume-claim")),
    choose("choose-nobody", claim="nobody"),
    ask("chosen", "GET", f"{VOLUME_CLAIMS}/c1"),
    # Leases.
    ask("no-lease", "GET", f"{LEASES}/l"),
    ask("lease-that-was", "PUT", f"{LEASES}/l", lease("a", "1", "another")),
    ask("lease", "POST", LEASES, lease("a")),
    ask("lease-taken", "POST", LEASES, lease("b")),
    ask("take", "PUT", f"{LEASES}/l", lease("b", "${lease.rv}", "${lease.uid}")),
    ask("take-late", "PUT", f"{LEASES}/l", lease("c", "${lease.rv}", "${lease.uid}")),
    ask("take-another", "PUT", f"{LEASES}/l", lease("c", "${take.rv}", "another")),
    ask("release", "PUT", f"{LEASES}/l", lease("", "${take.rv}", "${lease.uid}")),
    # Claims: both writes of PreBind, conflicts, Unreserve, PostFilter, a deletion that waits for the finalizer.
    ask("claim", "POST", CLAIMS, claim("c1")),
    patch("finalizer", f"{CLAIMS}/c1", {"metadata": {**of_claim("claim"), "finalizers": [FINALIZER]}}, STRATEGIC),
    patch("finalizer-late", f"{CLAIMS}/c1", {"metadata": {**of_claim("claim"), "finalizers": [FINALIZER]}}, STRATEGIC),
    patch("finalizer-twice", f"{CLAIMS}/c1", {"metadata": {"finalizers": [FINALIZER]}}, STRATEGIC),
    patch("claim-of-another", f"{CLAIMS}/c1", {"metadata": {"uid": "another", "finalizers": [FINALIZER]}}, STRATEGIC),
    claim_status("reserve-only", reserved("a"), "finalizer"),
    claim_status("allocate-late", reserved("a", **given("gpu-0")), "claim"),
    claim_status("allocate", reserved("a", **given("gpu-0")), "finalizer"),
    claim_status("allocate-twice", reserved("a", **given("gpu-0")), "finalizer"),
    claim_status("allocate-the-same", reserved("a", **given("gpu-0")), "allocate"),
    claim_status("allocate-another", reserved("a", **given("gpu-1")), "allocate"),
    claim_status("share", reserved("b"), "allocate"),
    claim_status("share-late", reserved("c"), "allocate"),
    claim_status("withdraw", withdrawn("a")),
    claim_status("withdraw-twice", withdrawn("a")),
    claim_status("withdraw-late", withdrawn("b"), "share"),
    claim_status("withdraw-the-last", withdrawn("b")),
    claim_status("take-back-late", NO_ALLOCATION, "withdraw"),
    claim_status("take-back", NO_ALLOCATION, "withdraw-the-last"),
    claim_status("allocate-anew", reserved("a", **given("gpu-1")), "take-back"),
    ask("delete-claim", "DELETE", f"{CLAIMS}/c1", deletion(uid="${claim.uid}")),
    ask("leaving", "GET", f"{CLAIMS}/c1"),
    claim_status("share-while-it-leaves", reserved("b"), "leaving"),
    claim_status("take-back-while-it-leaves", NO_ALLOCATION, "leaving"),
    claim_status("allocate-while-it-leaves", reserved("a", **given("gpu-1")), "take-back-while-it-leaves"),
    patch("another-finalizer", f"{CLAIMS}/c1", {"metadata": {"finalizers": ["example.com/other"]}}, STRATEGIC),
    ask("put-late", "PUT", f"{CLAIMS}/c1", claim("c1", **of_claim("claim"))),
    ask("put", "PUT", f"{CLAIMS}/c1", claim("c1", **of_claim("take-back-while-it-leaves"))),
    ask("gone", "GET", f"{CLAIMS}/c1"),
    ask("put-nobody", "PUT", f"{CLAIMS}/c1", claim("c1", **of_claim("claim"))),
    ask("claim-2", "POST", CLAIMS, claim("c2")),
    ask("put-status", "PUT", f"{CLAIMS}/c2/status", {**claim("c2", **of_claim("claim-2")), "status": reserved("a", **given("gpu-2"))}),
    ask("claims", "GET", CLAIMS),
    # Watches: a streaming list, resumed ones.
    watch("claims-stream", f"{CLAIMS}?watch=true&resourceVersion=${{claim.rv}}"),
    watch("stream", f"{REPORTS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
    watch("resume", f"{REPORTS}?watch=true&resourceVersion=${{what-if.rv}}"),
    watch("questions", f"{REPORTS}?watch=true&resourceVersion=${{what-if.rv}}&fieldSelector=spec.dryRun%3Dtrue"),
    ask("delete-another", "DELETE", f"{REPORTS}/r1", deletion(uid="another")),
    ask("delete-as-it-was", "DELETE", f"{REPORTS}/r1", deletion(uid="${report.uid}", resourceVersion="${report.rv}")),
    ask("as-it-is", "GET", f"{REPORTS}/r1"),
    ask("delete", "DELETE", f"{REPORTS}/r1", deletion(uid="${report.uid}", resourceVersion="${as-it-is.rv}")),
    ask("delete-again", "DELETE", f"{REPORTS}/r1", deletion(uid="${report.uid}")),
    ask("delete-by-label", "DELETE",
        f"{REPORTS}?limit=1&labelSelector=podium.dev/report%3Ddecision&fieldSelector=spec.dryRun!%3Dtrue",
        {"apiVersion": "v1", "kind": "DeleteOptions"}, accept=BRIEF_LIST),
    ask("left", "GET", REPORTS),
    watch("deletions", f"{REPORTS}?watch=true&resourceVersion=${{more-2.rv}}"),
]

# After the history is compacted: a watch that resumes, and one that does not.
EXPIRED = [
    watch("expired", f"{REPORTS}?watch=true&resourceVersion=${{what-if.rv}}"),
    watch("again", f"{REPORTS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
]


class Model:
    """The modelled API server."""

    def __init__(self):
        self.process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "--", PROGRAM, "--answer"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment())

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def stop(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class Real:
    """The real one."""

    def __init__(self, plane):
        self.plane = plane

    def ask(self, request):
        if "watch" in request:
            return self.watch(request["watch"])
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": request.get("type") or "application/json",
                   "Accept": request.get("accept") or "application/json"}
        body = None if request["body"] is None else json.dumps(request["body"]).encode()
        return self.send(urllib.request.Request(self.plane.url + request["target"], body, headers, method=request["method"]))

    def send(self, request):
        try:
            with urllib.request.urlopen(request, context=self.plane._tls, timeout=90) as reply:
                return {"status": reply.status, "body": json.loads(reply.read())}
        except urllib.error.HTTPError as error:
            with error:
                return {"status": error.code, "body": json.loads(error.read())}

    def watch(self, target):
        """Returns the events until the server ends the watch, after two seconds. Leaves out bookmarks, except the end of the first
        list."""
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
        request = urllib.request.Request(f"{self.plane.url}{target}&timeoutSeconds=2", headers=headers)
        try:
            with urllib.request.urlopen(request, context=self.plane._tls, timeout=90) as reply:
                return {"status": reply.status, "events": [json.loads(line) for line in reply.read().splitlines() if line]}
        except urllib.error.HTTPError as error:
            with error:
                return {"status": error.code, "body": json.loads(error.read())}


class Side:
    """One of both servers, and its answers. Names UIDs and resourceVersions in the order in which they appear."""

    def __init__(self, server):
        self.server, self.known, self.uids, self.versions = server, {}, {}, {}

    def ask(self, name, request):
        filled = re.sub(r"\$\{([\w-]+)\.(\w+)\}", lambda found: self.known[found[1]][found[2]], json.dumps(request))
        answer = self.server.ask(json.loads(filled))
        body = answer.get("body") or {}
        metadata = body.get("metadata", {}) if isinstance(body, dict) else {}
        self.known[name] = {"uid": metadata.get("uid", ""), "rv": metadata.get("resourceVersion", ""),
                            "continue": metadata.get("continue", "")}
        if answer["status"] == 200 and request.get("method") == "DELETE" and "items" not in body:
            return 200, "deleted"
        return self.read(answer)

    def read(self, answer):
        """Returns the parts of the answer that podium reads. A refused watch and a watch that ends with an error are the same."""
        if "events" in answer:
            events = [event for event in answer["events"] if not plain_bookmark(event)]
            if [event["type"] for event in events] == ["ERROR"]:
                return self.read({"status": events[0]["object"]["code"], "body": events[0]["object"]})
            return answer["status"], [self.event(event) for event in events]
        body = answer["body"]
        if "items" in body:
            metadata = body["metadata"]
            return answer["status"], [self.object(item) for item in body["items"]], bool(metadata.get("continue"))
        if body.get("kind") == "Status":
            return answer["status"], body.get("status"), body.get("reason"), body.get("code")
        return answer["status"], self.object(body)

    def event(self, event):
        what = event["object"]
        if event["type"] == "BOOKMARK":
            return "BOOKMARK", what["metadata"]["annotations"]["k8s.io/initial-events-end"]
        return event["type"], self.object(what)

    def object(self, value):
        metadata, spec, status = value["metadata"], value.get("spec", {}), value.get("status", {})
        uid = self.uids.setdefault(metadata["uid"], f"uid {len(self.uids)}")
        versions = self.versions.setdefault(uid, [])
        if metadata["resourceVersion"] not in versions:
            versions.append(metadata["resourceVersion"])
        seen = {"name": metadata["name"], "ns": metadata.get("namespace"), "uid": uid,
                "version": versions.index(metadata["resourceVersion"]), "labels": metadata.get("labels", {}),
                "going": "deletionTimestamp" in metadata}
        if value.get("kind") == "SchedulingReport":
            seen.update(generation=metadata["generation"], spec=spec, status=status)
        elif "devices" in spec:
            seen.update(status=status, finalizers=metadata.get("finalizers", []))
        elif "capacity" in spec:
            reference = spec.get("claimRef", {})
            seen.update(claim=reference.get("name"), of=self.uids.get(reference.get("uid")),
                        annotations=metadata.get("annotations"))
        elif "storageClassName" in spec:
            seen.update(volume=spec.get("volumeName"), annotations=metadata.get("annotations"))
        elif "holderIdentity" in spec:
            seen.update(spec=spec)
        else:
            seen.update(node=spec.get("nodeName"), gates=spec.get("schedulingGates"), phase=status.get("phase"),
                        nominated=status.get("nominatedNodeName"),
                        conditions=[[c.get(field) for field in ("type", "status", "reason", "message")]
                                    for c in status.get("conditions", [])])
        return seen


def plain_bookmark(event):
    return event["type"] == "BOOKMARK" and "k8s.io/initial-events-end" not in event["object"]["metadata"].get("annotations", {})


class ModelAndServer(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane().start()
        cls.addClassCleanup(cls.plane.stop)
        cls.plane.kubectl("create", "-f", podium.CRDS)
        wait_until(lambda: cls.plane.request("GET", REPORTS)[0] == 200, "the CRD is served")
        for ns in ("shop", "policed"):
            cls.plane.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}})
        cls.plane.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "none", "namespace": "policed"},
                          "spec": {"hard": {"pods": "0"}}})
        # As the quota controller does.
        cls.plane.request("PATCH", "/api/v1/namespaces/policed/resourcequotas/none/status",
                          {"status": {"hard": {"pods": "0"}, "used": {"pods": "0"}}}, content_type=MERGE)
        wait_until(lambda: cls.plane.request("POST", f"{POLICED}?dryRun=All", pod("p", "policed"))[0] == 403,
                   "the quota refuses pods")

    def test_each_answer_is_the_same(self):
        model = Model()
        self.addCleanup(model.stop)
        modelled, real = Side(model), Side(Real(self.plane))
        self.compare(modelled, real, STEPS)
        model.ask({"compact": True})
        self.plane.api.stop(60)  # a new API server refuses watches from versions before its start as too old
        self.plane.start_api()
        # Its watches are refused with 429 until its caches are filled.
        wait_until(lambda: real.server.ask(EXPIRED[1][1])["status"] == 200, "watches are served")
        self.compare(modelled, real, EXPIRED)

    def compare(self, modelled, real, steps):
        for name, request in steps:
            with self.subTest(name):
                expected, got = modelled.ask(name, request), real.ask(name, request)
                for _ in range(20):  # on a busy machine, an event may reach a watch after the two seconds in which it is read
                    if "watch" not in request or got == expected:
                        break
                    got = real.ask(name, request)
                self.assertEqual(expected, got)


if __name__ == "__main__":
    unittest.main()
