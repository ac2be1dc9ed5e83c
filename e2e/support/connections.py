"""HTTPS connections that stay open, since a TLS handshake costs more than a request."""
import functools
import http.client
import json
import select
import ssl
import threading
import time

# Without spaces: an API server keeps the parameters of a claim's configuration unchanged, and refuses later changes in JSON if their
# format differs from its own.
COMPACT = (",", ":")
IDLE_SECONDS = 30  # less than the idle timeout of the servers, so that no request meets a closing connection


@functools.cache
def unverified(*certificate):
    """Returns a TLS context for servers with self-signed certificates; with the files of a client certificate, it shows that one. It
    does not load the system's certificates, which takes longer than a request."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if certificate:
        context.load_cert_chain(*certificate)
    return context


def is_closing(sock):
    """True if the server has ended this idle connection: it has sent something, which without a request is the end."""
    return sock is None or bool(select.select([sock], [], [], 0)[0])


class Connections:
    """Connections to one server on this machine. Threads: any; each has its own connection."""

    def __init__(self, port, tls=None, token=None):
        self.port, self.tls = port, tls or unverified()
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.local = threading.local()

    def request(self, method, path, body=None, content_type="application/json", token=None):
        """Returns (status, text); an HTTP error is a status. After an exception the next request opens a new connection. With a token:
        that one in place of the connection's."""
        connection, self.local.connection = self._connection(), None
        data = None if body is None else json.dumps(body, separators=COMPACT)
        headers = {"Authorization": f"Bearer {token}"} if token else self.headers
        connection.request(method, path, data, {**headers, "Content-Type": content_type})
        reply = connection.getresponse()
        text = reply.read()
        self.local.connection, self.local.used = connection, time.monotonic()
        return reply.status, text

    def close(self):
        """Closes this thread's connection."""
        if connection := getattr(self.local, "connection", None):
            connection.close()
            self.local.connection = None

    def _connection(self):
        connection = getattr(self.local, "connection", None)
        if connection and time.monotonic() - self.local.used < IDLE_SECONDS and not is_closing(connection.sock):
            return connection
        if connection:
            connection.close()
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=90)
