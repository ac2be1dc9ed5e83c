"""Rights as the chart renders them, and as the API server's audit log shows their use: (group, resource, verb)."""
import json

import yaml

from e2e.support import podium
from e2e.support.audit import lines_of

# These rights are not requests: the admission policy checks the first, and the API server checks the other together with
# resourceclaims/status.
RECORD, BINDING = ("podium.dev", "schedulingreports", "record"), ("resource.k8s.io", "resourceclaims/binding", "patch")
NO_REQUESTS = {RECORD, BINDING}


def objects(*values, **where):
    return [d for d in yaml.safe_load_all(podium.render(values, crds=False, **where)) if d]


def each_of(role):
    return [(group, resource, verb) for rule in role["rules"] if "apiGroups" in rule
            for group in rule["apiGroups"] for resource in rule["resources"] for verb in rule["verbs"]]


def scheduler_role(manifests):
    [role] = [d for d in manifests if d["kind"] == "ClusterRole" and d["metadata"]["name"].count(":") == 1]
    return role


def election_role(manifests):
    [role] = [d for d in manifests if d["kind"] == "Role"]
    return role


def without(role, right):
    """Returns the role's rules without this right."""
    group, resource, verb = right
    rules = []
    for rule in role["rules"]:
        if group in rule["apiGroups"] and resource in rule["resources"] and verb in rule["verbs"]:
            others = [r for r in rule["resources"] if r != resource]
            rules += [{**rule, "resources": others}] if others else []
            rest = [v for v in rule["verbs"] if v != verb]
            rules += [{**rule, "resources": [resource], "verbs": rest}] if rest else []
        else:
            rules.append(rule)
    return rules


AUDIT_POLICY = """apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, userGroups: ["system:serviceaccounts"]}
- {level: None}
"""


def used(audit_log, user):
    """Returns {right: the API server's decision} for every right that this user has requested. The API server writes this after its
    reply, so callers wait for the entries that they expect."""
    found = {}
    for line in lines_of(audit_log):
        event = json.loads(line)
        if event["user"]["username"] != user or "objectRef" not in event:
            continue
        of = event["objectRef"]
        resource = of["resource"] + (f"/{of['subresource']}" if "subresource" in of else "")
        found[(of.get("apiGroup", ""), resource, event["verb"])] = event["annotations"]["authorization.k8s.io/decision"]
    return found
