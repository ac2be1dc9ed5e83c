"""Base of the tests of `kubectl podium`: a plain user with the view and edit roles in one namespace runs it."""
import os
import subprocess

from e2e.support import podium
from e2e.support.authorization import await_rights
from e2e.support.control_plane import BIN
from e2e.tests.base import REPORTS, Live

USER = "developer"
# No controller runs that would aggregate "view" and "edit": these are their parts.
ROLES = ("system:aggregate-to-view", "system:aggregate-to-edit", "podium-system:podium:view", "podium-system:podium:edit")


class Plugin(Live):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        plane = cls.plane
        plane.kubectl("create", "serviceaccount", USER, "-n", "default")
        for role in ROLES:
            plane.kubectl("create", "rolebinding", f"{USER}-{role.replace(':', '-')}", "-n", "default",
                          f"--serviceaccount=default:{USER}", f"--clusterrole={role}")
        await_rights(plane)
        token = plane.kubectl("create", "token", USER, "-n", "default").strip()
        cls.user = plane.write_kubeconfig(plane.dir / "developer.kubeconfig", token=token)
        plugins = plane.dir / "plugins"
        plugins.mkdir()
        (plugins / "kubectl-podium").symlink_to(podium.PROGRAM)
        cls.path = f"{plugins}:{BIN}:{os.environ['PATH']}"

    def environment(self, kubeconfig):
        return {**os.environ, "PATH": self.path, "KUBECONFIG": str(kubeconfig or self.user)}

    def ask(self, *args, stdin=None, kubeconfig=None, code=0):
        """Returns the standard output of `kubectl podium ARGS` by the user; checks the exit code. If `code` is not 0, adds standard
        error."""
        done = subprocess.run(["kubectl", "podium", *map(str, args)], input=stdin, text=True, capture_output=True, timeout=180,
                              env=self.environment(kubeconfig))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stdout + done.stderr

    def questions(self):
        return [r["metadata"]["name"] for r in self.plane.get(REPORTS)["items"] if r["spec"].get("dryRun")]
