"""A proxy between podium and the API server that injects faults: lost replies, held or refused requests, connections that are reset or
stop carrying data. It terminates TLS with the control plane's certificate, so that it can read requests, and forwards them
unchanged, with their bearer tokens.

Threads: one asyncio loop in its own thread; the methods may be called from any thread.
"""
import asyncio
import re
import ssl
import threading
import time

from .control_plane import Service


class Rule:
    """A fault for the first `times` matching requests after `after` others. `seen` has all matching
    requests as (time, path)."""

    def __init__(self, method, pattern, times, action, reply=None, after=0):
        self.method, self.pattern, self.times, self.action, self.reply = method, re.compile(pattern), times, action, reply
        self.after = after
        self.seen = []
        self.opened, self.dropped = threading.Event(), threading.Event()

    def matches(self, method, path):
        return method == self.method and self.pattern.search(path)

    def release(self):
        """Forwards the held requests."""
        self.opened.set()

    def acts(self):
        return self.after <= len(self.seen) < self.after + self.times and not self.dropped.is_set()

    def drop(self):
        """Resets the connections of the held requests, which the API server never sees. Then holds no further requests."""
        self.dropped.set()


class Connection:
    def __init__(self, writer):
        self.writer = writer
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.lose_reply = False


class FaultProxy(Service):
    def __init__(self, plane):
        self.plane = plane
        self.rules, self.connections = [], set()
        self.parted = False
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.server = self.port = None

    def _start(self):
        self.thread.start()
        self._call(self._listen())

    def stop(self):
        if self.loop.is_closed():
            return
        for rule in self.rules:
            rule.release()
        self._call(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}"

    # --- faults; each returns its Rule ---
    def watch(self, method, pattern):
        """No fault; only records."""
        return self._rule(method, pattern, 0, "pass")

    def lose_reply(self, method, pattern, times=1):
        """The API server gets the request and replies; the proxy drops the reply and resets the connection."""
        return self._rule(method, pattern, times, "lose")

    def hold(self, method, pattern, times=1, after=0):
        """Holds the request until the rule is released or dropped."""
        return self._rule(method, pattern, times, "hold", None, after)

    def answer(self, method, pattern, status, body="{}", headers=(), times=1):
        """The proxy answers; the API server does not see the request."""
        lines = [f"HTTP/1.1 {status} Fault", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
        return self._rule(method, pattern, times, "answer", ("\r\n".join(lines) + "\r\n\r\n" + body).encode())

    def go_silent(self):
        """Existing connections stay open and carry no more data; new ones work. Returns the number of silenced connections."""
        async def silence():
            for connection in self.connections:
                connection.flowing.clear()
            return len(self.connections)
        return self._call(silence())

    def part(self):
        """Existing and new connections stay open and carry no more data, as behind a firewall that drops packets."""
        self.parted = True
        self.go_silent()

    def cut(self):
        """Resets all connections."""
        async def abort():
            for connection in self.connections:
                connection.writer.transport.abort()
        self._call(abort())

    # --- on the loop ---
    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(120)

    def _rule(self, *args):
        rule = Rule(*args)
        self.rules = [*self.rules, rule]
        return rule

    async def _listen(self):
        server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server_side.load_cert_chain(self.plane.dir / "server.crt", self.plane.dir / "server.key")
        self.client_side = ssl.create_default_context(cafile=self.plane.dir / "ca.crt")
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=server_side)
        self.port = self.server.sockets[0].getsockname()[1]

    async def _close(self):
        if self.server:
            self.server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader, writer):
        connection = Connection(writer)
        self.connections.add(connection)
        if self.parted:
            connection.flowing.clear()
        upstream = pump = None
        try:
            from_server, upstream = await asyncio.open_connection("127.0.0.1", self.plane.api_port, ssl=self.client_side)
            pump = asyncio.ensure_future(self._relay_replies(connection, from_server))
            while await self._relay_request(connection, reader, upstream):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.connections.discard(connection)
            if pump:
                pump.cancel()
            for end in (writer, upstream):
                if end:
                    end.transport.abort()

    async def _relay_request(self, connection, reader, upstream):
        head = await reader.readuntil(b"\r\n\r\n")
        method, path = head.split(b" ", 2)[:2]
        length = re.search(rb"\r\ncontent-length: *(\d+)", head, re.I)
        body = await reader.readexactly(int(length[1])) if length else b""
        await connection.flowing.wait()
        rule = self._next_rule(method.decode(), path.decode())
        if rule and rule.action == "answer":
            connection.writer.write(rule.reply)
            await connection.writer.drain()
            return True
        if rule and rule.action == "hold":
            while not rule.opened.is_set():
                if rule.dropped.is_set():
                    return False
                await asyncio.sleep(0.01)
        connection.lose_reply = bool(rule and rule.action == "lose")
        upstream.write(head + body)
        await upstream.drain()
        return True

    def _next_rule(self, method, path):
        acting = None
        for rule in self.rules:
            if rule.matches(method, path):
                if acting is None and rule.acts():
                    acting = rule
                rule.seen.append((time.monotonic(), path))
        return acting

    async def _relay_replies(self, connection, from_server):
        try:
            while piece := await from_server.read(1 << 16):
                await connection.flowing.wait()
                if connection.lose_reply:
                    break
                connection.writer.write(piece)
                await connection.writer.drain()
        except OSError:
            pass
        connection.writer.transport.abort()
