#!/usr/bin/env python3
"""The viewer in a browser, and its command. Needs Node.js, npm and Chromium; says so and skips where they are missing.

Usage: test_viewer.py PROGRAM [CLASS[.test] ...].  Screenshots are kept in $DOLLOP_SCREENSHOTS, if it is set.
"""
import json
import contextlib
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

from cli_case import PROGRAM, ROOT, CliCase

BROWSER = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
NODE, NPM = shutil.which("node"), shutil.which("npm")


def missing():
    """Why the page cannot be tested; None if it can."""
    if not NODE or not NPM:
        return "Node.js or npm is missing"
    if not BROWSER:
        return "Chromium is missing"
    return None


def driver_folder():
    """The scripts with playwright-core, in the build folder; made once."""
    folder = pathlib.Path(PROGRAM).parent.parent / "viewer-tests"
    source = ROOT / "tests" / "viewer"
    folder.mkdir(exist_ok=True)
    for file in source.iterdir():
        if file.suffix in (".mjs", ".json"):
            shutil.copy(file, folder)
    wanted = json.loads((source / "package.json").read_text())["dependencies"]["playwright-core"]
    installed = folder / "node_modules" / "playwright-core" / "package.json"
    if not installed.exists() or json.loads(installed.read_text())["version"] != wanted:
        result = subprocess.run([NPM, "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder,
                                capture_output=True, text=True, timeout=300)
        if result.returncode != 0:
            raise unittest.SkipTest(f"playwright-core cannot be installed: {result.stderr[:300]}")
    return folder


class Server:
    """A program that prints where its page is, and goes on."""

    def __init__(self, *arguments, cwd, **options):
        self.process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=cwd, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **options)
        self.lines = []
        self.errors = []
        self.readers = [threading.Thread(target=self.read, args=pair, daemon=True)
                        for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.errors))]
        for reader in self.readers:
            reader.start()
        self.url = self.wait_for(r"^viewer: (http://\S+)$")

    @staticmethod
    def read(stream, lines):
        with contextlib.closing(stream):
            lines.extend(iter(stream.readline, ""))

    def wait_for(self, pattern, seconds=30):
        end = time.time() + seconds
        while time.time() < end:
            for line in list(self.lines):
                if match := re.search(pattern, line):
                    return match[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"no line like {pattern}: {self.lines} {self.errors}")

    def order(self, name):
        """The status of the answer; 0: there was none."""
        request = urllib.request.Request(self.url + f"api/control/{name}", method="POST", headers={"X-Dollop": "view"})
        try:
            return urllib.request.urlopen(request, timeout=10).status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


class ViewCase(CliCase):
    def setUp(self):
        super().setUp()
        result = self.call("view", self.folder / "none")
        if "built without the viewer" in result.stderr:
            self.skipTest("the program was built without the viewer")
        self.servers = []

    def tearDown(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.kill()
            server.process.wait()
            for reader in server.readers:
                reader.join()
        super().tearDown()

    def serve(self, *arguments, **options):
        self.servers.append(Server(*arguments, "--port", 0, "--no-browser", cwd=self.folder, **options))
        return self.servers[-1]


class ViewCommand(ViewCase):
    def test_ctrl_c_ends_it_well(self):
        self.assertEqual(self.run_scene("--quiet", "--frames", 1).returncode, 0)
        server = self.serve("view", self.out)
        self.assertEqual(urllib.request.urlopen(server.url, timeout=10).status, 200)
        start = time.time()
        self.assertEqual(server.end(), 0)
        self.assertLess(time.time() - start, 5)

    def test_other_addresses_get_a_warning_and_a_token(self):
        self.assertEqual(self.run_scene("--quiet", "--frames", 1).returncode, 0)
        server = self.serve("view", self.out, "--host", "0.0.0.0")
        self.assertRegex(server.url, r"\?token=[0-9a-f]{32}$")
        self.assertEqual(server.end(), 0)
        time.sleep(0.1)
        self.assertIn("warning", "".join(server.errors))

    @unittest.skipIf(not NODE, "Node.js is missing")
    def test_the_last_frame_is_at_the_end_of_the_run(self):
        # 1.6 s at 24 frames a second are 38.4 frames; here a twentieth of that
        result = self.run_scene("--quiet", "--set", "simulation.duration=0.08", "--set", "simulation.frame_rate=24",
                                "--set", 'output.particles=["vtp"]')
        self.assertEqual(result.returncode, 0, result.stderr)
        server = self.serve("view", self.out)
        run = json.load(urllib.request.urlopen(server.url + "api/run", timeout=10))["run"]
        self.assertEqual(server.end(), 0)
        self.assertEqual(run["frame_count"], 2)
        script = (f"import {{ frameTime }} from {json.dumps((ROOT / 'viewer/src/format.js').as_uri())};"
                  f"console.log([0, 1, 2].map((k) => frameTime({json.dumps(run)}, k)).join(' '))")
        shown = subprocess.run([NODE, "--input-type=module", "-e", script], capture_output=True, text=True, timeout=60)
        times = [float(word) for word in shown.stdout.split()]
        self.assertEqual(times, [0, 1 / 24, 0.08], shown.stderr)
        self.assertEqual([m["time"] for m in self.metrics()], times)
        listed = re.findall(r'timestep="([^"]+)"', (self.out / "particles.pvd").read_text())
        self.assertEqual([round(float(t), 6) for t in listed], [round(t, 6) for t in times])

    def test_idle_connections_do_not_end_a_run(self):
        def few_descriptors():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

        server = self.serve("run", self.scene, "-o", self.out, "--view", "--set",
                            "simulation.cell_size='10 mm'", preexec_fn=few_descriptors)
        port = int(re.search(r":(\d+)/", server.url)[1])
        idle = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(500)]
        end = time.time() + 60
        while not any("the run has ended" in line for line in server.errors) and time.time() < end:
            self.assertIsNone(server.process.poll(), server.errors)
            time.sleep(0.05)
        start = time.time()
        self.assertEqual(urllib.request.urlopen(server.url + "api/metrics", timeout=10).status, 200)
        self.assertLess(time.time() - start, 1)
        self.assertEqual(server.end(), 0, server.errors)
        self.assertEqual(len(self.metrics()), 7)
        for connection in idle:
            connection.close()

    def test_bad_input(self):
        self.assert_bad_input(self.call("view", self.folder / "none"), "none")
        self.assert_bad_input(self.call("view", self.folder), "scene.toml")
        self.assertNotEqual(self.call("view", self.out, "--port", 70000).returncode, 0)


@unittest.skipIf(missing(), missing())
class ViewPage(ViewCase):
    def drive(self, script, *arguments):
        shots = pathlib.Path(os.environ.get("DOLLOP_SCREENSHOTS", self.folder)) / script.removesuffix(".mjs")
        shots.mkdir(parents=True, exist_ok=True)
        url, rest = arguments[0], arguments[1:]
        result = subprocess.run([NODE, driver_folder() / script, url, BROWSER, shots, *map(str, rest)],
                                capture_output=True, text=True, timeout=280)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_recorded_run(self):
        self.assertEqual(self.run_scene("--quiet").returncode, 0)
        server = self.serve("view", self.out)
        self.drive("recorded.mjs", server.url, server.process.pid)
        self.assertEqual(server.process.wait(timeout=20), 0)

    def paused_run(self):
        """A run that stands still, somewhere in its first frames."""
        self.edit(self.scene, 'cell_size = "20 mm"', 'cell_size = "10 mm"')
        self.edit(self.scene, 'duration = "0.1 s"', 'duration = "0.2 s"')
        server = self.serve("run", self.scene, "-o", self.out, "--view")
        end = time.time() + 20
        while server.order("pause") != 200 and time.time() < end:
            pass
        return server

    def test_live_run_to_its_end(self):
        server = self.paused_run()
        self.drive("live.mjs", server.url, 12)
        self.assertIsNone(server.process.poll())  # the page stays until Ctrl-C
        self.assertEqual(server.end(), 0)
        self.assertEqual(len(self.metrics()), 13)

    def test_live_run_that_is_stopped(self):
        server = self.paused_run()
        self.drive("live.mjs", server.url, "stop")
        self.assertEqual(server.end(), 130)
        self.assertEqual(self.call("resume", self.out).returncode, 0)
        self.assertEqual(len(self.metrics()), 13)


if __name__ == "__main__":
    unittest.main(verbosity=2)
