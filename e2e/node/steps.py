"""The actions of an operator with podium on a cluster, step by step. Each step returns a description of its result, or raises Failed."""
import base64
import json
import pathlib
import time

import yaml

from e2e.node.plane import NODE, SCHEDULER_TOKEN
from e2e.node.world import NAMESPACE, PODIUM, RELEASE, SCHEDULER, STAND_IN, Failed, expect, is_ready
from e2e.support import podium
from e2e.support.control_plane import ROOT, wait_until

REPLICAS = 2
EXAMPLE = ROOT / "examples/static-pod"
KUBE_SCHEDULERS_LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"
STATIC = "kube-scheduler"  # the static pod's name, as kubeadm's
# Kinds whose objects come and go by themselves.
FLEETING = {"events", "events.events.k8s.io", "pods", "endpoints", "endpointslices.discovery.k8s.io",
            "componentstatuses", "replicasets.apps", "controllerrevisions.apps"}
# Objects that an API server creates some moments after it is ready.
MADE_LATE = ("/api/v1/namespaces/kube-node-lease", "/api/v1/namespaces/kube-public",
             "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
             "/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking")
# Objects that an uninstall leaves: charts/podium/README.md names them under "Uninstalling".
LEFT = {("customresourcedefinitions.apiextensions.k8s.io", "schedulingreports.podium.dev"),
        ("apiservices.apiregistration.k8s.io", "v1alpha1.podium.dev"),  # the API server's, for the CRD
        ("namespaces", NAMESPACE), ("leases.coordination.k8s.io", f"{NAMESPACE}/{RELEASE}")}


def install(world):
    """helm install: two replicas become ready"""
    for path in MADE_LATE:
        wait_until(lambda: world.cluster.request("GET", path)[0] == 200, f"{path}, which the API server makes")
    world.before = objects(world)
    world.install_or_upgrade("install")
    world.are_ready(REPLICAS)
    return f"{world.leader()['metadata']['name']} leads, another follows"


def run_a_deployment(world):
    """pods of a Deployment that names podium run"""
    world.app_pods = world.app("app", SCHEDULER, 3)
    expect(all(is_ready(p) for p in world.app_pods), "pods of the Deployment are not ready")
    names = {p["metadata"]["name"] for p in world.app_pods}

    def placed_by():
        events = world.get("/apis/events.k8s.io/v1/namespaces/default/events")["items"]
        by = {e["regarding"]["name"]: e["reportingController"] for e in events
              if e["reason"] == "Scheduled" and e["regarding"].get("name") in names}
        return by if by.keys() == names else None
    by = set(wait_until(placed_by, "the events of their placement").values())
    expect(by == {SCHEDULER}, f"they were placed by {by}")
    return f"{len(names)} pods are ready"


def see_reports(world):
    """each has its report"""
    for pod in world.app_pods:
        name, node = pod["metadata"]["name"], pod["spec"]["nodeName"]
        choice = reported(world, name)["choice"]["nodeName"]
        expect(choice == node, f"{name} runs on {node}, its report says {choice}")
    return world.kubectl("get", "schedulingreports").splitlines()[1]


def ask_what_if(world):
    """a what-if answers"""
    small, large = ("10m", "Fits"), ("1000", "DoesNotFit")
    for cpu, outcome in (small, large):
        name = f"asks-for-{cpu}"
        containers = [{"name": "main", "image": "app:v1", "resources": {"requests": {"cpu": cpu}}}]
        world.cluster.create({"apiVersion": "podium.dev/v1alpha1", "kind": "SchedulingReport",
                              "metadata": {"name": name, "namespace": "default"},
                              "spec": {"dryRun": True, "profile": SCHEDULER,
                                       "template": {"spec": {"containers": containers}}}})
        world.kubectl("wait", "--for=condition=Complete", f"schedulingreport/{name}", "--timeout=120s")
        status = podium.report_of(world.cluster, "default", name)["status"]
        expect(status["outcome"] == outcome, f"{cpu} CPUs: {status}")
    return f"10m CPU fits on {NODE}, 1000 CPUs: {status['message']}"


def open_the_page(world):
    """kubectl podium page, through a port-forward, as a user with the roles view and edit"""
    if not world.node.runs_everything:
        return "not taken: no kubelet forwards ports here"
    name = world.app_pods[0]["metadata"]["name"]
    with world.user("developer") as kubeconfig, world.plugin(kubeconfig, "page") as page:
        url = page.address()
        status, text = page.get(url)
        expect(status == 200 and "<title>" in text, f"the page: {status}: {text[:300]}")
        view = url.removesuffix("/ui/") + f"/v1/namespaces/default/pods/{name}/report"
        status, text = wait_until(lambda: (got := page.get(view))[0] == 200 and got, f"{view}: {page.get(view)}")
        choice = json.loads(text)["status"]["choice"]["nodeName"]
        expect(choice == NODE, f"{name} is on {NODE}, the page's view says {choice}")
        status, text = page.get(url.removesuffix("/ui/") + f"/v1/namespaces/{NAMESPACE}/decisions")
        expect(status == 403 and "developer" in text, f"decisions that are not the user's: {status}: {text}")
        code = page.interrupt()
        expect(code == 0, f"Ctrl-C ends it with {code}: {page.process.tail()}")
        left = world.forwards()
        expect(not left, f"kubectl port-forward goes on: {left}")
    return f"{name}'s view comes through the forwarded port; 403 for another namespace; Ctrl-C ends it"


def helm_test(world):
    """helm test"""
    if not world.node.runs_everything:
        return "not taken: its pods would not run here"
    said = world.helm("test", RELEASE, "--timeout", "300s")
    expect("Phase:" in said and "Failed" not in said, said)
    return f"{said.count('Succeeded')} objects of the tests succeeded"


def upgrade(world):
    """helm upgrade with a changed configuration, under load"""
    before = uids(world.podiums())
    with world.load() as load:
        world.install_or_upgrade("upgrade", {"configuration": {"percentageOfNodesToScore": 100}})
        seen = load.finish()
    world.are_ready(REPLICAS)
    expect("percentageOfNodesToScore: 100" in world.configuration(), world.configuration())
    expect(not before & uids(world.podiums()), "pods with the old configuration are left")
    return seen


def delete_leader(world):
    """the leader's pod is deleted, under load"""
    leader = world.leader()["metadata"]["name"]
    with world.load() as load:
        world.kubectl("-n", NAMESPACE, "delete", "pod", leader, "--wait=false")
        following = world.leader()["metadata"]["name"]
        seen = load.finish()
    expect(following != leader, f"{leader} still leads")
    world.are_ready(REPLICAS)
    return f"{following} follows {leader}; {seen}"


def kill_leader(world):
    """the leader's process is killed, under load"""
    leader = world.leader()
    with world.load() as load:
        world.node.kill(leader)
        seen = load.finish()
    world.are_ready(REPLICAS)
    return seen


def drain(world):
    """the node is drained of podium, under load: one replica stays at any time"""
    before = uids(world.podiums())
    budgets = f"/apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets"
    allowed = lambda: [b["status"].get("disruptionsAllowed") for b in world.get(budgets)["items"]] == [1]
    wait_until(allowed, "the disruption budget allows one eviction")
    kept = lambda: [p for p in world.podiums() if p["metadata"]["uid"] in before]
    with world.load() as load:
        draining = world.drain(NODE, "--pod-selector=app.kubernetes.io/name=podium")
        try:
            # No other node may take the evicted pod, so the budget keeps the last.
            wait_until(lambda: len(kept()) < REPLICAS and "disruption budget" in draining.tail(),
                       "the disruption budget keeps a replica", 120)
            load.bound(10)
            expect(len(kept()) == 1, f"{len(kept())} of {REPLICAS} are left: {draining.tail()}")
            last = kept()[0]["metadata"]["name"]
        except TimeoutError as late:
            raise Failed(f"{late}: {draining.tail()}") from None
        finally:
            draining.stop()
        world.kubectl("uncordon", NODE)
        world.are_ready(REPLICAS)
        world.kubectl("-n", NAMESPACE, "delete", "pod", last, "--wait=false")
        seen = load.finish()
    world.are_ready(REPLICAS)
    expect(not before & uids(world.podiums()), "pods from before the drain are left")
    return f"the disruption budget kept {last} until another was ready; {seen}"


def run_as_static_pod(world):
    """podium as a static pod in kube-scheduler's place, by the shipped manifest; and back"""
    world.kubectl("apply", "-f", EXAMPLE / "rbac.yaml")
    world.cluster.stop_scheduler()
    before = kube_schedulers_holder(world)
    world.node.put_manifest(static_pod(world))
    try:
        wait_until(lambda: kube_schedulers_holder(world) not in ("", before), "it has the lease", 180)
        pods = world.app("by-static-pod", "default-scheduler", 2)
        for pod in pods:
            reported(world, pod["metadata"]["name"])
        if world.node.runs_everything:
            mirror = f"/api/v1/namespaces/kube-system/pods/{STATIC}-{NODE}"
            shown = lambda: world.cluster.request("GET", mirror)
            wait_until(lambda: shown()[0] == 200 and is_ready(world.get(mirror)), "it is ready", 180)
    except Exception as error:
        log = world.node.log_of_static(STATIC)[-3000:]
        raise Failed(f"{error}\n--- the static pod ---\n{log}") from error
    finally:
        world.node.remove_manifest(STATIC)
    if world.node.runs_everything:
        wait_until(lambda: world.cluster.request("GET", mirror)[0] == 404, "the static pod has gone", 180)
    world.cluster.start_scheduler()
    world.app("by-kube-scheduler", "default-scheduler", 1)
    return f"it placed and reported {len(pods)} pods; kube-scheduler took over again"


def rollback(world):
    """helm rollback: the first configuration is back"""
    world.helm("rollback", RELEASE, "1", "--wait", "--timeout", "300s")
    world.are_ready(REPLICAS)
    expect("percentageOfNodesToScore: 100" not in world.configuration(), world.configuration())
    pods = world.app("after-rollback", SCHEDULER, 1)
    return f"{pods[0]['metadata']['name']} runs"


def uninstall(world):
    """helm uninstall leaves the CRD, the reports and the lease, as its README says"""
    world.helm("uninstall", RELEASE, "--wait", "--timeout", "300s")
    wait_until(lambda: not world.podiums(), "podium's pods have gone", 180)
    world.kubectl("delete", "--ignore-not-found", "-f", EXAMPLE / "rbac.yaml")
    world.kubectl("-n", "default", "delete", "deployments", "--all")
    world.kubectl("delete", "node", STAND_IN)
    try:
        wait_until(lambda: left(world) <= LEFT, "", 180)
    except TimeoutError:
        raise Failed(f"also left: {sorted(left(world) - LEFT)}") from None
    reports = world.kubectl("get", "schedulingreports", "-A", "-o", "name").split()
    expect(reports, "no reports are left")
    return f"left: {', '.join(' '.join(each) for each in sorted(left(world)))}, {len(reports)} reports"


STEPS = (install, run_a_deployment, see_reports, ask_what_if, open_the_page, helm_test, upgrade, delete_leader, kill_leader, drain,
         run_as_static_pod, rollback, uninstall)


def take(world):
    """Takes all steps and prints each. Returns whether all succeeded."""
    world.add_stand_in()
    for number, step in enumerate(STEPS, 1):
        began = time.monotonic()
        print(f"{number:3}. {step.__doc__}", flush=True)
        try:
            seen = step(world)
        except Exception as error:  # pylint: disable=broad-except; shown with the cluster's state
            took = time.monotonic() - began
            print(f"     FAILED after {took:.1f} s: {type(error).__name__}: {error}\n{state(world)}", flush=True)
            return False
        print(f"     {seen} ({time.monotonic() - began:.1f} s)", flush=True)
    return True


# --- what the steps use ---
def left(world):
    """Returns the objects that exist now and did not exist before the install, except reports and this test's own objects."""
    return {(kind, name) for kind, name in objects(world) - world.before
            if kind != "schedulingreports.podium.dev" and not name.startswith("load-")
            and not made_by_controllers(kind, name)}


def uids(pods):
    return {pod["metadata"]["uid"] for pod in pods}


def reported(world, pod):
    """Returns the status of a pod's report, once it exists."""
    return podium.status_of(world.cluster, "default", pod, "Scheduled")


def kube_schedulers_holder(world):
    status, lease = world.cluster.request("GET", KUBE_SCHEDULERS_LEASE)
    return lease["spec"].get("holderIdentity", "") if status == 200 else ""


def objects(world):
    """{(kind, namespace/name)} of all objects in the cluster."""
    kinds = world.kubectl("api-resources", "--verbs=list", "-o", "name").split()
    wanted = ",".join(kind for kind in kinds if kind not in FLEETING)
    listed = json.loads(world.kubectl("get", wanted, "-A", "-o", "json"))["items"]
    found = set()
    for item in listed:
        group = item["apiVersion"].rpartition("/")[0]
        meta = item["metadata"]
        name = f"{meta['namespace']}/{meta['name']}" if "namespace" in meta else meta["name"]
        found.add((plural(kinds, item["kind"], group), name))
    return found


def plural(kinds, kind, group):
    """The resource of a kind, as `kubectl api-resources -o name` has it."""
    words = kind.lower()
    suffix = f".{group}" if group else ""
    forms = {form + suffix for form in (words + "s", words + "es", words[:-1] + "ies", words)}
    return next((kind for kind in kinds if kind in forms), words + suffix)


def made_by_controllers(kind, name):
    """Whether a new cluster's own controllers create such an object, sooner or later."""
    if kind == "clustertrustbundles.certificates.k8s.io":
        return name.startswith("kubernetes.io:kube-apiserver-serving:")
    return (kind, name.partition("/")[2]) in {("serviceaccounts", "default"), ("configmaps", "kube-root-ca.crt")} or (
        (kind, name.partition("/")[0]) in {("serviceaccounts", "kube-system"),
                                           ("leases.coordination.k8s.io", "kube-node-lease")})


def static_pod(world):
    """Returns the shipped manifest, with this cluster's kubeconfig and the imported image."""
    kubeconfig = world.cluster.write_kubeconfig(world.cluster.dir / "scheduler.conf", token=SCHEDULER_TOKEN)
    written = json.loads(kubeconfig.read_text())
    server = written["clusters"][0]["cluster"]
    authority = pathlib.Path(server.pop("certificate-authority")).read_bytes()
    server["certificate-authority-data"] = base64.b64encode(authority).decode()  # the pod sees this file alone
    kubeconfig.write_text(json.dumps(written))
    kubeconfig.chmod(0o600)  # as kubeadm's
    pod = yaml.safe_load((EXAMPLE / "kube-scheduler.yaml").read_text())
    pod["spec"]["containers"][0]["image"] = PODIUM
    [volume] = pod["spec"]["volumes"]
    volume["hostPath"]["path"] = str(kubeconfig)
    return pod


def state(world):
    """Describes the cluster after a failure, for a person."""
    shown = []
    for words in ("get nodes,pods -A -o wide", "get events -A --sort-by=.lastTimestamp"):
        done = world.kubectl(*words.split(), check=False)
        lines = (done.stdout + done.stderr).splitlines()[-25:]
        shown.append("\n".join([f"--- kubectl {words} ---", *lines]))
    for pod in world.podiums():
        lines = "\n".join(world.node.log_of(pod).splitlines()[-15:])
        shown.append(f"--- {pod['metadata']['name']} ---\n{lines}")
    return "\n".join([*shown, world.node.show()])
