"""Makes a replay's two clusters equal again after both schedulers made right but different decisions."""
from e2e.replay.side import waiting
from e2e.replay.storage import bare
from e2e.replay.world import claims_of
from e2e.replay.writes import post
from e2e.support.control_plane import wait_until
from e2e.support.oracle import path_of

PATIENCE = 120  # seconds for a pod to be gone


class Steering:
    """Part of Replay."""

    def steer(self):
        """Copies podium's outcome to kube-scheduler's cluster, without pending pods, which could take the capacity in the meantime.
        Then recreates all pending pods in both, since they were tried in different states."""
        for pod in self.theirs.pods().values():
            if waiting(pod):
                self.theirs.remove(pod)
        claims = self.bindings(self.ours), self.bindings(self.theirs)
        odd = {name for name in claims[0] if claims[0][name] != claims[1][name]}
        there, here = self.ours.pods(), self.theirs.pods()
        for name, pod in here.items():
            wanted = there.get(name)
            if not wanted or wanted["spec"].get("nodeName") != pod["spec"].get("nodeName") or claims_of(pod) & odd:
                self.theirs.remove(pod)
                self.wait_gone(self.theirs, pod)
        if odd:
            self.theirs.storage.recreate(self.ours.storage.claims(), self.ours.storage.volumes())
        here = self.theirs.pods()
        for name, pod in there.items():
            if name not in here and pod["spec"].get("nodeName"):
                self.theirs.create(bare(pod), path_of(pod).rpartition("/")[0])
                if "startTime" in pod["status"]:
                    self.theirs.patch(path_of(pod) + "/status", {"status": {"startTime": pod["status"]["startTime"]}})
        again = {name: pod for name, pod in there.items() if waiting(pod)}
        for pod in again.values():
            self.ours.remove(pod)
        for pod in again.values():
            self.wait_gone(self.ours, pod)
        if self.with_devices:
            self.both(lambda side: side.claims.erase_made_for(again))
            self.theirs.claims.become(self.ours.claims)
        self.both(lambda side: side.settle())
        self.refresh()
        self.make(again)

    @staticmethod
    def bindings(side):
        return {name: claim["spec"].get("volumeName") for name, claim in side.storage.claims().items()}

    @staticmethod
    def wait_gone(side, pod):
        """Polls: a pod that was already being deleted ends in its own time."""
        wait_until(lambda: side.api.request("GET", path_of(pod))[0] == 404, f"{path_of(pod)} is gone", PATIENCE, 0.01)

    def make(self, pods):
        """Recreates these pods one by one and judges each."""
        for name in sorted(pods):
            self.counts["pending pods made anew"] += 1
            fresh = bare(pods[name])
            fresh["spec"].pop("nodeName", None)
            self.write([post(fresh, path_of(pods[name]).rpartition("/")[0])])
            self.judge()
