"""The public Model Context Protocol library, which e2e/mcp/client.py uses. It comes from PyPI in a pinned release."""
import json
import subprocess
import sys

from .control_plane import ROOT

RELEASE = "2.3.0"
HOME = ROOT / ".cache/mcp"


def installed():
    """Returns the library's Python, after installing it if it is missing."""
    python = HOME / "bin/python"
    stamp = HOME / "release"
    if not stamp.exists() or stamp.read_text() != RELEASE:
        subprocess.run([sys.executable, "-m", "venv", "--clear", HOME], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", f"mcp=={RELEASE}"], check=True)
        stamp.write_text(RELEASE)
    return python


def conversation(command, calls, mode="auto"):
    """Returns what e2e/mcp/client.py prints about this server and these calls."""
    run = subprocess.run([installed(), ROOT / "e2e/mcp/client.py", mode, *map(str, command)], input=json.dumps(calls), text=True,
                         capture_output=True, timeout=180)
    if run.returncode != 0:
        raise AssertionError(f"the client failed: {run.stderr[-2000:]}")
    return json.loads(run.stdout)
