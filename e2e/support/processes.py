"""Child processes that never outlive the program that started them, and services built from them."""
import atexit
import concurrent.futures
import contextlib
import os
import pathlib
import queue
import select
import signal
import subprocess
import sys
import threading


class _Spawner:
    """Starts all children from one thread that lives as long as the program. The kernel sends a child its parent-death signal when
    the thread that forked it ends."""

    def __init__(self):
        self.orders = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.thread = None

    def popen(self, argv, **how):
        # setpriv replaces itself with the program: the pid is the program's.
        argv = ["setpriv", "--pdeathsig", "KILL", "--", *argv]
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self._run, name="spawner", daemon=True)
                self.thread.start()
        started = concurrent.futures.Future()
        self.orders.put((started, argv, how))
        return started.result()

    def _run(self):
        while True:
            started, argv, how = self.orders.get()
            try:
                started.set_result(subprocess.Popen(argv, **how))
            except BaseException as error:  # pylint: disable=broad-except; the caller gets it
                started.set_exception(error)


_spawner = _Spawner()


class Process:
    """A child process in its own session, with its output in a file. A terminal's Ctrl-C reaches only the program that started the
    child, which stops the child in order. stop() sends SIGTERM, then SIGKILL. The child dies with that program, even after a SIGKILL."""

    def __init__(self, argv, log, env=None):
        self.log = pathlib.Path(log)
        self.name = pathlib.Path(str(argv[0])).name
        with open(self.log, "ab") as out:
            self.popen = _spawner.popen([str(a) for a in argv], stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                        env=env, start_new_session=True)

    @property
    def pid(self):
        return self.popen.pid

    def alive(self):
        return self.popen.poll() is None

    def signal(self, number):
        if self.alive():
            self.popen.send_signal(number)

    def wait(self, seconds=120):
        return self.popen.wait(seconds)

    def stop(self, seconds=90):
        if self.alive():
            self.popen.send_signal(signal.SIGCONT)
            self.popen.terminate()
            try:
                self.popen.wait(seconds)
            except subprocess.TimeoutExpired:
                self.popen.kill()
                self.popen.wait()
        return self.popen.returncode

    def kill(self):
        self.popen.kill()
        self.popen.wait()

    def tail(self, lines=30):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def how_it_ended(self):
        code = self.popen.returncode
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"has ended with {code}"


class Ended(Exception):
    """A process that should be running is not."""

    def __init__(self, process):
        super().__init__(f"{process.name} {process.how_it_ended()}")
        self.process = process


def check_alive(processes):
    """Raises Ended for the first of these processes that has ended."""
    for process in processes:
        if not process.alive():
            raise Ended(process)


def wait_for_an_end(processes):
    """Blocks until one of these processes ends, then raises Ended."""
    with contextlib.ExitStack() as stack:
        poll = select.poll()
        for process in processes:
            check_alive([process])
            fd = os.pidfd_open(process.pid)
            stack.callback(os.close, fd)
            poll.register(fd, select.POLLIN)
        while True:
            poll.poll()
            check_alive(processes)


_started = []  # services, in the order of their start


@atexit.register
def _stop_what_runs():
    """Stops all running services: an interrupted test runner does not run clean-ups. stop() may be called twice."""
    for service in reversed(_started):
        try:
            service.stop()
        except Exception as error:  # pylint: disable=broad-except; the others must be stopped too
            print(f"stopping {service}: {error}", file=sys.stderr)


class Service:
    """A service that tests start and stop: a context manager, or start(), which returns self, and stop(). _start() may fail or be
    interrupted at any point; stop() then stops the parts that it has started. At the program's end every running service is stopped."""

    def start(self, **how):
        _started.append(self)
        try:
            self._start(**how)
        except BaseException:
            self.stop()
            raise
        return self

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


class Interrupted(KeyboardInterrupt):
    """A signal asked this program to end. Test runners do not catch it, like a Ctrl-C."""

    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.number = number


interrupted = threading.Event()  # for threads, which get no exception


def unwind_on_signals():
    """Turns the first SIGINT, SIGTERM or SIGHUP into an exception of the main thread, so that services are stopped. Ignores further
    signals, which must not interrupt the stop: `timeout` sends two."""
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def end(number, _):
        for each in signals:
            signal.signal(each, signal.SIG_IGN)
        interrupted.set()
        raise Interrupted(number)
    for number in signals:
        signal.signal(number, end)  # SIGINT too: a shell's background jobs start with it ignored


def run_program(main):
    """Runs a script's main() and exits with its return value. Signals unwind it."""
    unwind_on_signals()
    try:
        sys.exit(main())
    except Interrupted as interruption:
        sys.exit(128 + interruption.number)
