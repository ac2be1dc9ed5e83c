"""Compares an answer of podium with kube-scheduler's."""


def same(want, got):
    if "answer" in want:
        # A hint that fails counts as Queue. Source: pkg/scheduler/backend/queue isPodWorthRequeuing.
        return got.get("answer") == ("Queue" if want.get("error") else want["answer"])
    if "request" in want:
        return want == got
    if "events" in want:
        return events(want) == events(got)
    if want["code"] == "Skip":
        return skips(got)
    return (verdict(want) == verdict(got) and sorted(want.get("only") or []) == sorted(got.get("only") or [])
            and ("only" in want) == ("only" in got) and (not want.get("nodes") or nodes(want) == nodes(got))
            and want.get("scores") == got.get("scores") and want.get("score") == got.get("score"))


def verdict(answer):
    """podium may answer Skip if kube-scheduler checks every node and rejects none."""
    code = "Success" if answer["code"] == "Skip" and "nodes" in answer else answer["code"]
    return code, sorted(answer["reasons"])


def skips(got):
    return got["code"] == "Skip" or got["code"] == "Success" and all(
        verdict["code"] == "Success" for verdict in got.get("nodes", {"": {"code": "not asked"}}).values())


def nodes(answer):
    return {name: verdict(each) for name, each in (answer.get("nodes") or {}).items()}


def events(answer):
    """{resource: actions}."""
    return {resource: sorted(actions) for resource, actions in answer["events"].items()}
