"""etcd's own interface, which the API server does not expose."""
import json
import urllib.request


def call(plane, path, body):
    """Makes one gRPC call to etcd, as JSON."""
    url = f"http://127.0.0.1:{plane.etcd_port}/v3/{path}"
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.loads(reply.read())


def make_space(plane):
    """Releases the space of deleted data, and ends the alarm, in the order of etcd's maintenance guide."""
    revision = call(plane, "kv/range", {"key": "AA==", "limit": 1})["header"]["revision"]
    call(plane, "kv/compaction", {"revision": revision, "physical": True})
    call(plane, "maintenance/defragment", {})
    for alarm in call(plane, "maintenance/alarm", {"action": "GET"}).get("alarms", []):
        call(plane, "maintenance/alarm", {"action": "DEACTIVATE", "memberID": alarm["memberID"], "alarm": alarm["alarm"]})
