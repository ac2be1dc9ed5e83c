"""Rights that a test has just granted or removed: the API server decides by caches, which get a change a little later."""
import itertools

from .control_plane import wait_until

GROUP = "rbac.authorization.k8s.io"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
_numbers = itertools.count(1)


def is_allowed(plane, user, **attributes):
    """Returns the current answer of the API server's authorizer; `attributes` as in a SubjectAccessReview."""
    kind = "nonResourceAttributes" if "path" in attributes else "resourceAttributes"
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {"user": user, kind: attributes}}
    status, answer = plane.request("POST", REVIEWS, review)
    return status == 201 and answer["status"]["allowed"]


def await_rights(plane):
    """Waits until the API server decides by all roles and bindings that have been written so far. Each kind has one cache, which gets
    changes in order: once it has this role and this binding, it has all earlier writes."""
    name = f"known-{next(_numbers)}"
    made = []
    for prefix, where in (("Cluster", "rbac.authorization.k8s.io/v1"), ("", "rbac.authorization.k8s.io/v1/namespaces/default")):
        about = {"apiVersion": f"{GROUP}/v1", "metadata": {"name": name}}
        rule = {"nonResourceURLs": [f"/{name}"]} if prefix else {"apiGroups": [GROUP], "resources": [name]}
        subject = {"apiGroup": GROUP, "kind": "User", "name": name}
        for kind, rest in ((f"{prefix}Role", {"rules": [{**rule, "verbs": ["get"]}]}),
                           (f"{prefix}RoleBinding", {"roleRef": {"apiGroup": GROUP, "kind": f"{prefix}Role", "name": name},
                                                     "subjects": [subject]})):
            collection = f"/apis/{where}/{kind.lower()}s"
            status, reply = plane.request("POST", collection, {**about, "kind": kind, **rest})
            if status != 201:
                raise RuntimeError(f"create {kind} {name}: {status}: {reply}")
            made.append(f"{collection}/{name}")
    wait_until(lambda: is_allowed(plane, name, path=f"/{name}", verb="get"), "the API server knows the cluster's roles")
    wait_until(lambda: is_allowed(plane, name, group=GROUP, resource=name, verb="get", namespace="default"),
               "the API server knows the namespaces' roles")
    for path in made:
        plane.request("DELETE", path)


def account(plane, name, *roles):
    """Returns a token of a ServiceAccount with the chart's roles in its namespace, "default": no controller runs here that would
    aggregate them."""
    plane.kubectl("create", "serviceaccount", name, "-n", "default")
    for role in roles:
        plane.kubectl("create", "rolebinding", f"{name}-{role}", "-n", "default", f"--serviceaccount=default:{name}",
                      f"--clusterrole=podium-system:podium:{role}")
    await_rights(plane)
    return plane.kubectl("create", "token", name, "-n", "default", "--duration", "1h").strip()
