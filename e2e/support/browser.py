"""Chromium without a window, driven through the DevTools protocol over a pair of pipes."""
import base64
import json
import os
import pathlib
import select
import shutil
import time

from .control_plane import wait_until
from .processes import Process

PROGRAM = "chromium"
# It only uses the loopback, and sends no requests of its own.
FLAGS = ["--headless=new", "--remote-debugging-pipe", "--ignore-certificate-errors", "--no-proxy-server",
         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run", "--no-default-browser-check", "--disable-extensions", "--disable-gpu",
         "--disable-dev-shm-usage", "--metrics-recording-only", "--window-size=1280,900"]
KEYS = {"Tab": 9, "Enter": 13, "Space": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "/": 191}
TEXT = {"Enter": "\r", "Space": " ", "/": "/"}


class Browser:
    """One tab. `requests` are the addresses of its requests, `problems` the errors in its console."""

    def __init__(self, directory):
        self.dir = pathlib.Path(directory)
        self.process, self.pipes, self.rest, self.number, self.session = None, [], b"", 0, None
        self.replies, self.requests, self.problems = {}, [], []

    def start(self):
        for name in ("to", "from"):
            os.mkfifo(self.dir / name)
            # Separate for reading and writing, so that neither side waits for the other.
            self.pipes.append(os.open(self.dir / name, os.O_RDWR | os.O_CLOEXEC))
        flags = [*FLAGS, f"--user-data-dir={self.dir}/profile", *(["--no-sandbox"] if os.geteuid() == 0 else []), "about:blank"]
        script = f'exec "$@" 3<"{self.dir}/to" 4>"{self.dir}/from"'
        self.process = Process(["sh", "-c", script, "sh", PROGRAM, *flags], self.dir / "log", env={**os.environ, "HOME": str(self.dir)})
        pages = lambda: [one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page"]
        tabs = wait_until(pages, "the browser has a tab")
        self.session = self.call("Target.attachToTarget", targetId=tabs[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def stop(self):
        if self.process:
            self.process.stop()
            wait_until(self._forgets, "the browser's last process has let go of the profile")
        for pipe in self.pipes:
            os.close(pipe)
        self.pipes = []

    def _forgets(self):
        """Removes the profile. The browser's own processes may write to it for a moment after the browser ended."""
        shutil.rmtree(self.dir / "profile", ignore_errors=True)
        return not (self.dir / "profile").exists()

    def call(self, method, seconds=90, **parameters):
        """Returns the result of a DevTools method."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters, **({"sessionId": self.session} if self.session else {})}
        os.write(self.pipes[0], json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + seconds
        while self.number not in self.replies:
            if not self._read(deadline - time.monotonic()):
                raise TimeoutError(f"{method}: no reply; the browser's log: {self.process.tail()}")
        reply = self.replies.pop(self.number)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return reply["result"]

    def _read(self, seconds):
        """Takes what has arrived. False: nothing, or the browser has ended."""
        readable = select.select([self.pipes[1]], [], [], max(0, min(seconds, 1)))[0]
        if not readable:
            return seconds > 0 and self.process.alive()
        *messages, self.rest = (self.rest + os.read(self.pipes[1], 1 << 20)).split(b"\0")
        for text in messages:
            message = json.loads(text)
            if "id" in message:
                self.replies[message["id"]] = message
            else:
                self._event(message["method"], message["params"])
        return True

    def _event(self, method, what):
        if method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(one.get("value", one.get("description"))) for one in what["args"]))
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"{what['entry']['text']} ({what['entry'].get('url', '')})")

    def run(self, script):
        """Returns the value of an expression of the page."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, script, what, seconds=90):
        """Returns the expression's value, once it is true."""
        deadline = time.monotonic() + seconds
        while not (value := self.run(script)):
            if time.monotonic() > deadline:
                raise AssertionError(f"no {what} after {seconds} s; the page says:\n{self.run('document.body.innerText')}\n{self.problems}")
            time.sleep(0.02)
        return value

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && !!document.querySelector('main h1')", "page")

    def texts(self, selector):
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.innerText)")

    def text(self, selector):
        return self.wait(f"document.querySelector({json.dumps(selector)})?.innerText", selector)

    def press(self, key, times=1, shift=False):
        for _ in range(times):
            parameters = {"key": " " if key == "Space" else key, "code": key, "windowsVirtualKeyCode": KEYS[key], "modifiers": 8 if shift else 0}
            self.call("Input.dispatchKeyEvent", type="keyDown", **parameters, **({"text": TEXT[key]} if key in TEXT else {}))
            self.call("Input.dispatchKeyEvent", type="keyUp", **parameters)

    def type(self, text):
        """Types into the focused field, in place of its text."""
        self.run("document.activeElement.select?.()")
        self.call("Input.insertText", text=text)

    def tab_to(self, script, most=60):
        """Presses Tab until the expression, of `here`, the element with the focus, is true."""
        for _ in range(most):
            self.press("Tab")
            if self.run(f"((here) => {script})(document.activeElement)"):
                return
        raise AssertionError(f"Tab does not lead to: {script}")

    def show(self, scheme="light", width=1280, height=900, media=""):
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def screenshot(self, path, scheme="light", width=1280, height=900, media=""):
        self.show(scheme, width, height, media)
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
