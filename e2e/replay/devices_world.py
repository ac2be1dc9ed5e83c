"""The objects of dynamic resource allocation: drivers with pools of every form, device classes, the requests of claims, and their pods.
Pure; callers pass a random.Random.

Left out until podium has them: binding conditions, which would be fields of gpu(), and extended resources behind a class, which
would be a field of classes() and requests of lab_pod().
"""
import collections
import random

from e2e.demo import cluster

GROUP = "resource.k8s.io/v1"
API = "/apis/resource.k8s.io/v1"
LAB = "lab"  # the namespace of all claims; it may have admin access
ADMIN = "resource.kubernetes.io/admin-access"
CLAIMS, SLICES, CLASSES = f"{API}/namespaces/{LAB}/resourceclaims", f"{API}/resourceslices", f"{API}/deviceclasses"
RULES = f"{API}/devicetaintrules"
FINALIZER = "resource.kubernetes.io/delete-protection"
POD_CLAIM = "resource.kubernetes.io/pod-claim-name"
GPU, NIC, NO_DRIVER = "gpu.example.com", "nic.example.com", "nobody.example.com"
NUMA = "resource.example.com/numa"
OWN_CLAIMS = 10     # claims that pods name, by number
IMPORTANCE = [None, None, "low", "important", "urgent"]
SELDOM = "seldom"   # a class that is created and deleted
WATCHED = "watched"  # of a slice and of a class: once the metrics count a change of these, earlier changes are handled


class Pool(collections.namedtuple("Pool", "driver name where form")):
    """A pool of a driver: its name, its nodes, and its form."""

    def __hash__(self):
        return hash((self.driver, self.name))


FORMS = ("one slice", "two slices", "counters", "one slice")


def pools():
    """Returns all pools of both drivers."""
    for i, node in enumerate(sorted(gpu_nodes())):
        yield Pool(GPU, node, {"nodeName": node}, FORMS[i % len(FORMS)])
    yield Pool(NIC, "fabric", {"allNodes": True}, "one slice")
    for zone in cluster.ZONES[:2]:
        term = {"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}]}
        yield Pool(NIC, zone, {"nodeSelector": {"nodeSelectorTerms": [term]}}, "two slices")
    yield Pool(NIC, "each", {"perDeviceNodeSelection": True}, "one slice")


def gpu_nodes():
    """Returns some nodes of each kind that the replay keeps (see world.some_nodes)."""
    return [f"{kind}-{i:02}" for kind, count in (("general", 4), ("memory", 2), ("gpu", 3)) for i in range(count)]


# --- slices ---
def slices_of(pool, generation, chance):
    """Returns the slices that the driver publishes for the pool, by number."""
    if pool.form == "counters":
        specs = [{"sharedCounters": [{"name": "board", "counters": {"memory": {"value": chance.choice(["16Gi", "24Gi"])}}}]},
                 {"devices": devices(pool, chance)}]
    elif pool.form == "two slices" and chance.random() < 0.8:
        all_of_it = devices(pool, chance)
        specs = [{"devices": all_of_it[1:]}, {"devices": all_of_it[:1]}]  # the second comes first, by the devices' names
    else:
        specs = [{"devices": devices(pool, chance)}]
    return [{"apiVersion": GROUP, "kind": "ResourceSlice", "metadata": {"name": f"{pool.driver.split('.')[0]}-{pool.name}-{i}"},
             "spec": {"driver": pool.driver, **pool.where, **spec,
                      "pool": {"name": pool.name, "generation": generation, "resourceSliceCount": len(specs)}}}
            for i, spec in enumerate(specs)]


def devices(pool, chance):
    if pool.driver == NIC:
        return [nic(f"port-{i}", pool, chance) for i in range(chance.randint(3, 6))]
    return [gpu(f"gpu-{i}", pool, chance) for i in range(chance.randint(3, 6))]


def nic(name, pool, chance):
    made = {"name": name, "attributes": {NUMA: {"int": chance.randrange(2)}, "speed": {"int": chance.choice([100, 200, 400])}}}
    if "perDeviceNodeSelection" in pool.where:
        made["nodeName"] = chance.choice(gpu_nodes())
    return made


def gpu(name, pool, chance):
    made = {"name": name, "attributes": {
        "size": {"string": chance.choice(["big", "small"])}, "index": {"int": chance.randrange(4)},
        "fast": {"bool": chance.random() < 0.5}, "driverVersion": {"version": chance.choice(["1.2.3", "1.10.0", "2.0.0-rc.1"])},
        NUMA: {"int": chance.randrange(2)}}, "capacity": {"memory": {"value": chance.choice(["4Gi", "8Gi", "8192Mi"])}}}
    if chance.random() < 0.03:
        del made["attributes"]["size"]
    if chance.random() < 0.1:
        made["taints"] = [taint(chance)]
    if pool.form == "counters":
        share = chance.choice(["4Gi", "6Gi"])
        made["consumesCounters"] = [{"counterSet": "board", "counters": {"memory": {"value": share}}}]
    elif chance.random() < 0.3:
        made["allowMultipleAllocations"] = True
        policies = [{"default": "1Gi", "validRange": {"min": "1Gi", "step": "512Mi"}},
                    {"default": "1Gi", "validValues": ["1Gi", "3Gi"]}, None]
        policy = chance.choice(policies)
        if policy:
            made["capacity"]["memory"]["requestPolicy"] = policy
    return made


def taint(chance):
    return {"key": "example.com/state", "value": chance.choice(["broken", "hot"]),
            "effect": chance.choice(["NoSchedule", "NoExecute", "None"])}


def taint_rule(name, driver, pool, device, chance):
    return {"apiVersion": GROUP, "kind": "DeviceTaintRule", "metadata": {"name": name},
            "spec": {"deviceSelector": {"driver": driver, "pool": pool, "device": device}, "taint": taint(chance)}}


# --- classes ---
def classes():
    yield device_class("any-gpu", f'device.driver == "{GPU}"')
    yield device_class("big-gpu", f'device.driver == "{GPU}"', f'device.attributes["{GPU}"].?size.orValue("") == "big"')
    of_nic = device_class("any-nic", f'device.driver == "{NIC}"')
    of_nic["spec"]["config"] = [parameters(NIC, "class")]
    yield of_nic
    yield device_class("any")
    yield seldom()
    yield device_class(WATCHED, changes(0))


def seldom():
    return device_class(SELDOM, f'device.driver == "{GPU}"', f'device.attributes["{GPU}"].fast')


def device_class(name, *expressions):
    return {"apiVersion": GROUP, "kind": "DeviceClass", "metadata": {"name": name},
            "spec": {"selectors": selectors(*expressions)}}


def selectors(*expressions):
    return [{"cel": {"expression": expression}} for expression in expressions]


def changes(number):
    """Returns an expression that counts the changes of the watched class."""
    return f'device.driver == "{NO_DRIVER}-{number}"'


def parameters(driver, of):
    return {"opaque": {"driver": driver, "parameters": {"of": of}}}


# --- requests of claims ---
EXPRESSIONS = (f'device.attributes["{GPU}"].fast', f'device.attributes["{GPU}"].index > 0',
               f'device.attributes["{GPU}"].?size.orValue("none") != "small"',
               f'device.attributes["{GPU}"].driverVersion.isLessThan(semver("2.0.0"))',
               f'device.capacity["{GPU}"].memory.compareTo(quantity("8Gi")) >= 0', f'"size" in device.attributes["{GPU}"]')
MAY_FAIL = (f'device.attributes["{GPU}"].size == "big"', f'device.attributes["{NIC}"].speed >= 200')


def claim_spec(chance):
    wanted = []
    for i in range(chance.choice([1, 1, 1, 2, 2, 3])):
        request = {"name": f"r{i}"}
        if chance.random() < 0.25:
            request["firstAvailable"] = [{"name": f"s{j}", **what(chance)} for j in range(chance.choice([2, 3]))]
        else:
            request["exactly"] = what(chance)
            if chance.random() < 0.07:
                request["exactly"]["adminAccess"] = True
        wanted.append(request)
    spec = {"requests": wanted}
    if chance.random() < 0.25:
        kind = "distinctAttribute" if chance.random() < 0.3 else "matchAttribute"
        constraint = {kind: chance.choice([NUMA, f"{GPU}/size", f"{GPU}/index"])}
        if chance.random() < 0.3:
            constraint["requests"] = [wanted[0]["name"]]
        spec["constraints"] = [constraint]
    if chance.random() < 0.2:
        spec["config"] = [parameters(GPU, "claim")]
        if chance.random() < 0.5:
            spec["config"][0]["requests"] = [request["name"] for request in wanted]
    return {"devices": spec}


def what(chance):
    """Returns a request for devices of one class."""
    of = chance.choice(["any-gpu"] * 5 + ["any-nic"] * 3 + ["big-gpu", "any", SELDOM])
    made = {"deviceClassName": of}
    draw = chance.random()
    if draw < 0.2:
        made["count"] = chance.choice([2, 3])
    elif draw < 0.26:
        made["allocationMode"] = "All"
    if of == "any-gpu" and chance.random() < 0.35:
        made["selectors"] = selectors(chance.choice(EXPRESSIONS))
    elif chance.random() < 0.03:
        made["selectors"] = selectors(chance.choice(MAY_FAIL))
    if chance.random() < 0.2:
        only_hot = {"operator": "Equal", "value": "hot"}
        made["tolerations"] = [{"key": "example.com/state", **(only_hot if chance.random() < 0.5 else {"operator": "Exists"})}]
    if of == "any-gpu" and chance.random() < 0.25:
        name = chance.choice(["memory", "memory", "memory", "cores"])
        made["capacity"] = {"requests": {name: chance.choice(["1Gi", "1500Mi", "6Gi"])}}
    return made


def own_claim(number, chance):
    """Returns a claim that pods name."""
    return {"apiVersion": GROUP, "kind": "ResourceClaim", "metadata": {"name": f"own-{number}", "namespace": LAB},
            "spec": claim_spec(chance)}


# --- pods ---
def lab_pod(number, entries, chance):
    """entries: [(name, the named claim, or None for a claim created for the pod)]. The caller that plays the claim controller knows the
    created claims."""
    where = {} if chance.random() < 0.7 else {"nodeSelector": chance.choice([{"disk": "ssd"}, {"disk": "hdd"}, *(
        {"topology.kubernetes.io/zone": zone} for zone in cluster.ZONES)])}
    tolerates = [{"key": "gpu", "operator": "Exists"}] if number % 2 else []
    cpu = ("250m", "1", "500m")[number % 3]
    made = cluster.pod(LAB, f"lab-{number}", "lab", cpu, "256Mi", tolerations=tolerates, **where, resourceClaims=[
        {"name": name, **({"resourceClaimName": of} if of else {"resourceClaimTemplateName": "drawn"})} for name, of in entries])
    made["spec"]["containers"][0]["resources"]["claims"] = [{"name": name} for name, _ in entries]
    return made


def beginning():
    """Returns the objects before the first step, in addition to the world's."""
    chance = random.Random(1)
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": LAB, "labels": {ADMIN: "true"}}}
    yield from classes()
    for pool in pools():
        yield from slices_of(pool, 1, chance)
    yield {"apiVersion": GROUP, "kind": "ResourceSlice", "metadata": {"name": WATCHED}, "spec": {
        "driver": NO_DRIVER, "allNodes": True, "devices": [], "pool": {"name": WATCHED, "generation": 1, "resourceSliceCount": 1}}}
