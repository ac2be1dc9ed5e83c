"""A stream of pods, as the controllers of a busy cluster create it."""
import threading
import time

from .connections import Connections
from .control_plane import ADMIN_TOKEN, Service


class Stream(Service):
    """Creates the pods of an iterator at a rate per second, until the iterator ends or stop() is called. With `keep`, deletes the
    oldest bound pod whenever more pods are bound, as a rolling update does. Threads: one of its own."""

    def __init__(self, plane, pods, per_second, keep=None):
        self.api = Connections(plane.api_port, plane._tls, ADMIN_TOKEN)
        self.pods, self.period, self.keep = iter(pods), 1 / per_second, keep
        self.paths = []  # of the pods that have been created and not been deleted, oldest first
        self.created = 0
        self.error = None
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run, name="stream", daemon=True)

    def _start(self):
        self.thread.start()

    def stop(self):
        self.stopping.set()
        if self.thread.is_alive():
            self.thread.join()

    def finish(self):
        """Waits until all pods have been created."""
        self.thread.join()
        if self.error:
            raise self.error

    def _run(self):
        began = time.monotonic()
        try:
            for number, pod in enumerate(self.pods):
                if self.stopping.wait(max(0, began + number * self.period - time.monotonic())):
                    return
                self._create(pod)
        except Exception as error:  # pylint: disable=broad-except; finish() raises it
            self.error = error
        finally:
            self.api.close()

    def _create(self, pod):
        collection = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods"
        self._send("POST", collection, pod)
        self.paths.append(f"{collection}/{pod['metadata']['name']}")
        self.created += 1
        while self.keep is not None and len(self.paths) > self.keep and self._bound(self.paths[0]):
            self._send("DELETE", self.paths.pop(0) + "?gracePeriodSeconds=0")

    def _bound(self, path):
        return b'"nodeName"' in self._send("GET", path)

    def _send(self, method, path, body=None):
        status, text = self.api.request(method, path, body)
        if status not in (200, 201):
            raise RuntimeError(f"{method} {path}: {status}: {text[:300]!r}")
        return text
