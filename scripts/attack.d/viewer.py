"""Hostile requests to the viewer's server, and connections that are slow, many or silent."""
import re
import select
import signal
import socket
import subprocess
import time

from inputs import SCENE
from tools import Finding, mutated_text

REQUESTS = ["GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /api/run HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /api/frames/1/particles?attribute=speed&ids=1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /api/frames/2/surface?attribute=J HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-1,5-\r\n\r\n",
            "GET /api/frames/1/particle/3 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nConnection: close\r\n\r\n",
            "GET /api/colliders/0/mesh?frame=1 HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\r\n",
            "POST /api/control/save HTTP/1.1\r\nHost: localhost\r\nX-Dollop: view\r\nContent-Length: 3\r\n\r\nabc",
            "POST /api/control/stop HTTP/1.1\r\nHost: localhost\r\nX-Dollop: view\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n",
            "HEAD /api/metrics HTTP/1.1\r\nHost: localhost\r\n\r\nGET /assets/viewer.js HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /../secret.txt HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /%2e%2e/secret.txt HTTP/1.1\r\nHost: [::1]\r\n\r\n",
            "GET /api/frames/..%2f..%2fsecret.txt/particles HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n"]
SECRET = b"this-file-is-secret"


class Viewer:
    unit = "hostile requests"

    def __init__(self, tools):
        self.tools = tools
        (tools.folder / "scene.toml").write_text(SCENE.replace("FORMATS", '"bgeo"'))
        (tools.folder / "secret.txt").write_bytes(SECRET)
        tools.call("run", "scene.toml", "-o", "run", "--quiet", "--force", allowed=(0,))
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.tools.program, "view", "run", "--port", "0", "--no-browser"],
                                        cwd=self.tools.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        match = re.search(r"http://\S+:(\d+)/", self.process.stdout.readline())
        if not match:
            raise RuntimeError("the viewer does not start: " + self.process.communicate()[1])
        self.port = int(match[1])

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Finding("the viewer does not end after SIGINT") from None
        if status != 0:
            raise Finding(f"the viewer ends with {status}: {self.process.stderr.read()[-600:]}")

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        connection.setblocking(False)
        return connection

    def ask(self):
        """The start of the answer to a good request, and how long it took."""
        start = time.time()
        try:
            return self.answer(), time.time() - start
        except OSError as error:
            raise Finding(f"a good request gets no answer in {time.time() - start:.1f} s: {error}") from None

    def answer(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall(b"GET /api/metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return connection.recv(20)

    def ask_in_time(self, others, alone):
        answer, taken = self.ask()
        if not answer.startswith(b"HTTP/1.1 200") or taken > 1 + 5 * alone:  # where the machine is busy, alone takes long too
            raise Finding(f"beside {others} a good request takes {taken:.1f} s, alone {alone:.2f} s: {answer!r}")

    def attack(self, random):
        """A batch of connections, some of which stay silent, and then a good request."""
        if self.process.poll() is not None:
            raise Finding(f"the viewer died: {self.process.returncode}: {self.process.stderr.read()[-600:]}")
        alone = self.ask()[1]
        connections, sent = [], 0
        mode = random.choice(("mutants", "mutants", "slow", "silent", "deaf"))
        for _ in range(random.choice((20, 60, 200)) if mode != "mutants" else 60):
            try:
                connection = self.connect()
            except OSError:
                continue  # refused where there are too many
            request = {"silent": b"", "deaf": REQUESTS[2].encode() * 4}.get(mode)
            if request is None:
                request = mutated_text(random, random.choice(REQUESTS), REQUESTS)
                if mode == "slow":
                    request = request[:random.randrange(len(request) + 1)]
            try:
                connection.send(request)
            except OSError:
                pass  # closed by the server
            connections.append(connection)
            sent += 1
        if mode == "mutants":
            self.read_answers(connections)
        self.ask_in_time(f"{len(connections)} {mode}", alone)
        for connection in connections:
            connection.close()
        if random.random() < 0.02:
            self.end()
            self.start()
        return sent

    def read_answers(self, connections):
        end = time.time() + 0.5
        waiting = set(connections)
        while waiting and time.time() < end:
            for connection in select.select(list(waiting), [], [], 0.1)[0]:
                try:
                    answer = connection.recv(1 << 16)
                except OSError:
                    answer = b""
                if SECRET in answer:
                    raise Finding("a request got a file")
                if not answer:
                    waiting.discard(connection)

    def close(self):
        self.end()
