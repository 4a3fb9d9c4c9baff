"""Servers on the loopback that misbehave, and clients that do, for `run`."""

import os, select, socket, ssl, struct, subprocess, tempfile, threading

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n"
# The beginning of a TLS record with a server's greeting.
HALF_TLS = b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03"
# PostgreSQL: authenticated, the key of the connection, ready for a query.
READY = b"R" + struct.pack(">II", 8, 0) + b"K" + struct.pack(">III", 12, 7, 7) + b"Z" + struct.pack(">I", 5) + b"I"
# Parsed, parameters and columns described: one column, of text.
COLUMNS = b"T" + struct.pack(">IH", 6 + 2 + 18, 1) + b"n\0" + struct.pack(">IHIHIH", 0, 0, 25, 65535, 0xFFFFFFFF, 0)
ROWS = b"1" + struct.pack(">I", 4) + b"t" + struct.pack(">IH", 6, 0) + COLUMNS + b"2" + struct.pack(">I", 4)
HALF_ROW = b"D" + struct.pack(">IHI", 100, 1, 90) + b"half"


def read_until(connection, end):
    data = b""
    while end not in data:
        part = connection.recv(65536)
        if not part: return data
        data += part
    return data


class Servers:
    def __init__(self):
        self.sockets = []
        self.reached = threading.Condition()
        self.pending = 0
        self.certificate = None
        self.certificates = threading.Lock()

    def open(self, way):
        """The port of a server that misbehaves in this way."""
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        self.sockets.append(listener)
        port = listener.getsockname()[1]
        if way.endswith("-backlog"):
            listener.listen(0)
            self.fill(port)
        else:
            listener.listen(16)
            # The first connection of each way has to come to its end. A server that closes gets several.
            self.expect(2 if way.endswith("-pool") else 0 if "closing" in way else 1)
            threading.Thread(target=self.accept, args=(listener, way), daemon=True).start()
        return port

    def fill(self, port):
        """Connects until the kernel answers no more."""
        while True:
            client = socket.socket()
            client.setblocking(False)
            self.sockets.append(client)
            try: client.connect(("127.0.0.1", port))
            except BlockingIOError: pass
            if not select.select([], [client], [], 0.5)[1]: break

    def expect(self, count):
        with self.reached: self.pending += count

    def reach(self):
        with self.reached:
            self.pending -= 1
            self.reached.notify_all()

    def wait(self):
        with self.reached:
            if not self.reached.wait_for(lambda: self.pending <= 0, 60): raise SystemExit("a server did not come so far")

    def accept(self, listener, way):
        while True:
            try: connection, _ = listener.accept()
            except OSError: return
            self.sockets.append(connection)
            threading.Thread(target=self.serve, args=(connection, way), daemon=True).start()

    def serve(self, connection, way):
        try: self.misbehave(connection, way)
        except OSError: return
        self.reach()

    def misbehave(self, connection, way):
        if way in ("http-upload", "http-upload-stream"):
            connection.recv(100)
            return
        if way == "http-silent-tls":
            connection = self.secured(connection)
        if way.startswith("http-") and "tls" in way and way != "http-silent-tls":
            connection.recv(65536)
            if way == "http-half-tls": connection.sendall(HALF_TLS)
            if way == "http-closing-tls": connection.close()
        elif way.startswith("http"):
            read_until(connection, b"\r\n\r\n")
            if way == "http-half-head": connection.sendall(HEAD[:40])
            if way in ("http-half-body", "http-parked"): connection.sendall(HEAD + b"half")
        elif way.startswith("postgres"):
            connection.recv(65536)
            if way.endswith("tls"):
                connection.sendall(b"S")
                connection.recv(65536)
                if way == "postgres-half-tls": connection.sendall(HALF_TLS)
            elif way != "postgres-silent":
                connection.sendall(READY)
                if way == "postgres-parked": return
                read_until(connection, b"S\0\0\0\4")
                if way == "postgres-half-row": connection.sendall(ROWS + HALF_ROW)

    def secured(self, connection):
        with self.certificates:
            if self.certificate is None:
                self.certificate = tempfile.TemporaryDirectory()
                key, certificate = (os.path.join(self.certificate.name, name) for name in ("key", "certificate"))
                subprocess.run(
                    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", key]
                    + ["-out", certificate], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(self.certificate.name, "certificate"), os.path.join(self.certificate.name, "key"))
        secured = context.wrap_socket(connection, server_side=True)
        self.sockets.append(secured)
        return secured

    def connect(self, way, port, upstream):
        """A client of the program's server that misbehaves."""
        client = socket.socket()
        if way in ("server-unread", "server-closing"): client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", port))
        self.sockets.append(client)
        if way == "server-slow":
            client.sendall(b"POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf")
        else:
            path = way.removeprefix("server-") + (f"/{upstream}" if upstream else "")
            client.sendall(f"GET /{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        if way == "server-closing": client.shutdown(socket.SHUT_WR)

    def close(self):
        for one in self.sockets:
            try: one.close()
            except OSError: pass
        if self.certificate: self.certificate.cleanup()
