#!/usr/bin/env python3
"""Nobody listens: standard streams that are closed, full or broken, terminals that vanish, signals that end a session.

Usage: test_streams.py PROGRAM [CLASS[.test] ...]
"""
import contextlib
import os
import pty
import shlex
import signal
import subprocess
import time
import unittest

from cli_case import PROGRAM, CliCase

LOST = 5  # the exit status of a command whose output is lost


class StreamCase(CliCase):
    def setUp(self):
        super().setUp()
        self.quiet_scene = self.folder / "tiny.toml"
        self.quiet_scene.write_text(self.scene.read_text().replace('duration = "0.1 s"', 'duration = "0.04 s"'))

    def shell(self, command, redirection, **options):
        """Runs `dollop command redirection` by a shell; the exit status is that of dollop."""
        line = f"{shlex.quote(PROGRAM)} {command} {redirection}"
        return subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              **options)

    @contextlib.contextmanager
    def broken_pipe(self):
        end, begin = os.pipe()
        os.close(end)
        try:
            yield begin
        finally:
            os.close(begin)

    def with_broken(self, command, *streams):
        with self.broken_pipe() as pipe:
            chosen = {name: pipe if name in streams else subprocess.DEVNULL for name in ("stdout", "stderr")}
            return subprocess.run([PROGRAM, *shlex.split(command)], cwd=self.folder, timeout=120, **chosen)


class Streams(StreamCase):
    """Every sub-command, with every stream that cannot be written."""

    COMMANDS = {  # command -> its exit status
        "check tiny.toml": 0, "check tiny.toml --json": 0, "check missing.toml": 2, "run missing.toml": 2,
        "resume missing": 2, "plot done": 0, "export done --to ply": 0, "surface done --frames 1": 0,
        "render done --quick --frames 1 --size 64x48": 0, "view missing --no-browser": 2, "materials": 0,
        "materials oobleck": 0, "materials --json": 0, "schema": 0, "schema --markdown": 0, "completion bash": 0,
        "rheometer viscoplastic --rates 1,10": 0, "doctor": 0, "--help": 0, "run --help": 0, "help check": 0,
        "--version": 0, "nonsense": 2, "run": 2, "check --nonsense tiny.toml": 2,
    }

    def setUp(self):
        super().setUp()
        self.assertEqual(self.run_scene("--frames", 1, out=self.folder / "done").returncode, 0)

    def prints(self, command):
        """What the command prints to standard output and standard error when all is well."""
        result = self.shell(command, "")
        self.assertEqual(result.returncode, self.COMMANDS[command], result.stderr)
        return result.stdout, result.stderr

    def test_errors_that_nobody_reads(self):
        for command, status in self.COMMANDS.items():
            stdout = self.prints(command)[0]
            for redirection in ("2>&-", "2>/dev/full", "<&- 2>&-"):
                with self.subTest(command, redirection=redirection):
                    result = self.shell(command, redirection)
                    self.assertEqual(result.returncode, status)
                    # times and the memory that is free change
                    self.assertEqual(len(result.stdout.splitlines()), len(stdout.splitlines()))
            with self.subTest(command, redirection="a broken pipe"):
                self.assertEqual(self.with_broken(command, "stderr").returncode, status)

    def test_output_that_is_lost_is_a_failure(self):
        for command, status in self.COMMANDS.items():
            stdout = self.prints(command)[0]
            lost = LOST if stdout and status == 0 else status
            for redirection in (">&-", ">/dev/full", "<&- >&- 2>&-"):
                with self.subTest(command, redirection=redirection):
                    result = self.shell(command, redirection)
                    self.assertEqual(result.returncode, lost, result.stderr)
                    if lost == LOST and "2>&-" not in redirection:
                        self.assertIn("cannot write to standard output", result.stderr)
            with self.subTest(command, redirection="a broken pipe"):
                self.assertEqual(self.with_broken(command, "stdout", "stderr").returncode, lost)

    def test_a_pipe_to_head_is_quiet(self):
        result = self.shell("schema", "| head -1; exit ${PIPESTATUS[0]}")
        self.assertEqual((result.returncode, result.stderr), (LOST, ""))


class Unheard(StreamCase):
    """Runs that nobody listens to are the same runs."""

    def test_runs_go_on(self):
        self.assertEqual(self.run_scene().returncode, 0)
        reference = self.final_hash()
        for k, redirection in enumerate(("2>&-", "2>/dev/full", ">&- 2>&- <&-", ">/dev/full 2>/dev/full", "--quiet 2>&-")):
            with self.subTest(redirection):
                out = self.folder / f"r{k}"
                result = self.shell(f"run drop.toml -o r{k}", redirection)
                self.assertEqual(result.returncode, LOST if ">&- 2" in redirection or ">/dev/full 2" in redirection else 0)
                self.check_folder(out, reference)
        for streams in (["stderr"], ["stdout", "stderr"]):
            with self.subTest(streams):
                out = self.folder / ("p" + "".join(streams))
                result = self.with_broken(f"run drop.toml -o {out}", *streams)
                self.assertEqual(result.returncode, LOST if "stdout" in streams else 0)
                self.check_folder(out, reference)

    def check_folder(self, out, reference):
        """All is there, and nothing else was printed into a file."""
        self.assertEqual(self.final_hash(out), reference)
        self.assertEqual(len(list((out / "frames").iterdir())), 7)
        for line in (out / "log.txt").read_text().splitlines():
            self.assertRegex(line, r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  ")
        for file in out.rglob("*"):
            self.assertFalse(file.is_file() and b"dollop: " in file.read_bytes(), file)
            self.assertFalse(file.is_file() and b"steps/s" in file.read_bytes(), file)

    def test_a_log_that_cannot_be_written(self):
        self.assertEqual(self.run_scene("--frames", 3).returncode, 0)
        log = self.out / "log.txt"
        log.unlink()
        log.symlink_to("/dev/full")
        result = self.call("resume", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(self.metrics()), 7)

    def test_a_summary_that_is_lost(self):
        result = self.shell("run tiny.toml -o out --json --quiet", ">/dev/full")
        self.assertEqual(result.returncode, LOST)
        self.assertIn("No space left", result.stderr)
        self.edit(self.quiet_scene, 'mass_error = "< 1e-5"', 'max_speed = "< 0"')
        result = self.shell("run tiny.toml -o failed", ">/dev/full")
        self.assertEqual(result.returncode, 4)  # what the run found counts for more


class Hangups(StreamCase):
    """Signals that end a session save a checkpoint, as Ctrl-C does."""

    def setUp(self):
        super().setUp()
        self.assertEqual(self.run_scene(out=self.folder / "reference").returncode, 0)
        self.reference = self.final_hash(self.folder / "reference")

    def start(self, out, *arguments, **options):
        process = subprocess.Popen([PROGRAM, "run", str(self.scene), "-o", str(out), "--set", "output.checkpoint_every=0",
                                    *arguments], cwd=self.folder, **options)
        while process.poll() is None and not (out / "frames/particles.0001.bgeo").exists():
            time.sleep(0.001)
        return process

    def check_resumes(self, out, code):
        if code == 0:
            return  # it was faster
        self.assertEqual(code, 130)
        self.assertTrue(list((out / "checkpoints").iterdir()))
        result = self.call("resume", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.final_hash(out), self.reference)

    def test_signals(self):
        for name in ("SIGHUP", "SIGPIPE", "SIGTERM"):
            for times in (1, 3) if name != "SIGTERM" else (1,):
                with self.subTest(name, times=times):
                    out = self.folder / f"{name}{times}"
                    process = self.start(out, stderr=subprocess.DEVNULL)
                    for _ in range(times):
                        process.send_signal(getattr(signal, name))
                    self.check_resumes(out, process.wait(60))

    def test_hanging_up_and_terminating_is_one_request(self):
        process = self.start(self.out, stderr=subprocess.DEVNULL)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGHUP)
        self.check_resumes(self.out, process.wait(60))

    def test_nohup(self):
        process = self.start(self.out, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
                             stderr=subprocess.DEVNULL)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(self.final_hash(), self.reference)

    def test_a_terminal_that_vanishes(self):
        ours, theirs = pty.openpty()

        def take_terminal():
            import fcntl
            import termios
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        process = self.start(self.out, stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=take_terminal)
        os.close(theirs)
        os.close(ours)
        self.check_resumes(self.out, process.wait(60))


if __name__ == "__main__":
    unittest.main(verbosity=2)
