#!/usr/bin/env python3
"""What happens to a run that is interrupted, has no room, or finds its checkpoints damaged: nothing is lost.

Usage: test_faults.py PROGRAM [CLASS[.test] ...]
"""
import contextlib
import random
import resource
import signal
import subprocess
import time
import unittest

from cli_case import PROGRAM, CliCase


class Interruptions(CliCase):
    def reference(self):
        out = self.folder / "reference"
        if not out.exists():
            self.assertEqual(self.run_scene(out=out).returncode, 0)
        return self.final_hash(out)

    def stop(self, out, delay, with_signal, threads=0):
        process = subprocess.Popen([PROGRAM, "run", str(self.scene), "-o", str(out), "--quiet", "--threads", str(threads)],
                                   cwd=self.folder, stderr=subprocess.PIPE, text=True)
        if with_signal == signal.SIGINT:  # before a run has begun it ends any program
            while process.poll() is None and not (out / "metrics.jsonl").exists():
                time.sleep(0.001)
        time.sleep(delay)
        process.send_signal(with_signal)
        errors = process.communicate(timeout=60)[1]
        return process.returncode, errors

    def test_ctrl_c_then_resume_is_the_same_run(self):
        reference = self.reference()
        for k, delay in enumerate((0, 0.05, 0.15)):
            out = self.folder / f"c{k}"
            code, errors = self.stop(out, delay, signal.SIGINT)
            if code in (0, -signal.SIGINT):  # the run was faster: the signal met it when all was done, or nobody any more
                self.assertEqual(self.final_hash(out), reference)
                continue
            self.assertEqual(code, 130, errors)
            self.assertIn("dollop resume", errors)
            result = self.call("resume", out)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.final_hash(out), reference)
            self.assertEqual([r["frame"] for r in self.metrics(out)], list(range(7)))

    def test_kill_at_twenty_moments_then_resume_is_the_same_run(self):
        reference = self.reference()
        start = time.time()
        self.assertEqual(self.run_scene("--quiet", out=self.folder / "timing").returncode, 0)
        whole = time.time() - start
        moments = random.Random(1)
        for k in range(20):
            out = self.folder / f"k{k}"
            self.stop(out, moments.uniform(0, whole), signal.SIGKILL, threads=1 + k % 2)
            if not (out / "scene.toml").exists():  # killed before anything was there
                self.assert_bad_input(self.call("resume", out))
                self.assertEqual(self.run_scene(out=out).returncode, 0)
            else:
                result = self.call("resume", out, "--threads", 2 - k % 2)
                self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.final_hash(out), reference, f"kill {k}")
            self.assertEqual([r["frame"] for r in self.metrics(out)], list(range(7)))
            self.assertFalse([p for p in out.rglob("*") if "partial" in p.name])

    def test_resume_of_a_finished_run_changes_nothing(self):
        self.assertEqual(self.run_scene().returncode, 0)
        before = self.final_hash()
        self.assertEqual(self.call("resume", self.out).returncode, 0)
        self.assertEqual(self.final_hash(), before)

    def test_frames_then_resume(self):
        reference = self.reference()
        self.assertEqual(self.run_scene("--frames", 3).returncode, 0)
        self.assertEqual(len(self.metrics()), 4)
        self.assertEqual(self.call("resume", self.out).returncode, 0)
        self.assertEqual(self.final_hash(), reference)


class Folders(CliCase):
    def test_existing_run_is_refused_unless_forced(self):
        self.assertEqual(self.run_scene("--frames", 2).returncode, 0)
        before = (self.out / "metrics.jsonl").read_bytes()
        self.assert_bad_input(self.run_scene("--frames", 1), "--force", "dollop resume")
        self.assertEqual((self.out / "metrics.jsonl").read_bytes(), before)
        self.assertEqual(self.run_scene("--frames", 1, "--force").returncode, 0)
        self.assertEqual(len(self.metrics()), 2)
        self.assertFalse((self.out / "frames/particles.0002.bgeo").exists())

    def test_folder_of_something_else_is_never_touched(self):
        self.out.mkdir()
        (self.out / "thesis.tex").write_text("years of work")
        for force in ([], ["--force"]):
            self.assert_bad_input(self.run_scene(*force), "other files")
        self.assertEqual([p.name for p in self.out.iterdir()], ["thesis.tex"])
        file = self.folder / "plain"
        file.write_text("x")
        self.assert_bad_input(self.run_scene(out=file), "not a folder")

    def test_what_was_killed_in_its_first_moment_is_free(self):
        for room in ("frames", "checkpoints"):
            (self.out / room).mkdir(parents=True)
        (self.out / ".scene.toml.partial-999999999-0").write_text("title")
        self.assertEqual(self.run_scene("--frames", 1).returncode, 0)
        self.assertFalse([p for p in self.out.rglob("*") if "partial" in p.name])
        other = self.folder / "other"
        (other / "frames").mkdir(parents=True)
        (other / "frames/holiday.png").write_text("sun")
        self.assert_bad_input(self.run_scene(out=other), "holds other files")

    def test_what_was_killed_before_its_first_line_goes_on(self):
        self.assertEqual(self.run_scene(out=self.folder / "reference").returncode, 0)
        resolved = (self.folder / "reference/scene.toml").read_text()
        for name in ("resumed", "forced", "mixed"):
            for room in ("frames", "checkpoints"):
                (self.folder / name / room).mkdir(parents=True)
            (self.folder / name / "scene.toml").write_text(resolved)
        self.assert_bad_input(self.run_scene(out=self.folder / "resumed"), "holds a run already")
        self.assertEqual(self.call("resume", self.folder / "resumed", "--quiet").returncode, 0)
        self.assertEqual(self.final_hash(self.folder / "resumed"), self.final_hash(self.folder / "reference"))
        self.assertEqual(self.run_scene("--force", "--frames", 1, out=self.folder / "forced").returncode, 0)
        (self.folder / "mixed/checkpoints/weights.bin").write_text("years of training")
        for result in (self.run_scene("--force", out=self.folder / "mixed"), self.call("resume", self.folder / "mixed")):
            self.assert_bad_input(result, "other files")
        self.assertTrue((self.folder / "mixed/checkpoints/weights.bin").exists())

    def test_resume_of_nothing(self):
        self.assert_bad_input(self.call("resume", self.folder / "nowhere"), "there is no folder")
        self.out.mkdir()
        self.assert_bad_input(self.call("resume", self.out), "holds no run")

    def test_two_processes_do_not_share_a_folder(self):
        first = subprocess.Popen([PROGRAM, "run", str(self.scene), "-o", str(self.out), "--quiet", "--set",
                                  "simulation.duration=5"], cwd=self.folder)
        try:
            while not (self.out / "metrics.jsonl").exists():
                time.sleep(0.01)
            self.assert_bad_input(self.call("resume", self.out), "another process")
        finally:
            first.kill()
            first.wait()

    def test_file_size_limit_stops_cleanly_and_resumes(self):
        reference = self.folder / "reference"
        self.assertEqual(self.run_scene(out=reference).returncode, 0)
        size = (reference / "frames/particles.0003.bgeo").stat().st_size

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size - 1, size - 1))

        result = self.run_scene("--set", "output.checkpoint_every=0", preexec_fn=limit)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("File too large", result.stderr)
        self.assertTrue((self.out / "frames/particles.0001.bgeo").exists())
        self.assertFalse((self.out / "frames/particles.0003.bgeo").exists())
        last = max(p.name for p in (self.out / "frames").iterdir())
        self.assertIn(f"everything up to frame {int(last.split('.')[1])} is in", result.stderr)
        self.assertEqual(self.call("resume", self.out).returncode, 0)
        self.assertEqual(self.final_hash(), self.final_hash(reference))

    def test_a_first_frame_that_is_too_large_is_not_said_to_be_there(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        result = self.run_scene("--frames", 3, preexec_fn=limit)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(list((self.out / "frames").iterdir()), [])
        self.assertIn("no frame was kept", result.stderr)
        self.assertNotIn("everything up to", result.stderr)
        result = self.call("resume", self.out, "--frames", 3)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(list((self.out / "frames").iterdir())), 4)

    @contextlib.contextmanager
    def small_disk(self, options):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("cannot mount a disk here")
        try:
            yield disk
        finally:
            subprocess.run(["umount", str(disk)])

    def test_full_disk(self):
        with self.small_disk("size=600k") as disk:
            result = self.run_scene(out=disk / "out")
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("No space left", result.stderr)
            self.assertFalse([p for p in disk.rglob("*") if "partial" in p.name])
            subprocess.run(["mount", "-o", "remount,size=50m", str(disk)], check=True)
            resumed = self.call("resume", disk / "out")
            self.assertEqual(resumed.returncode, 0, resumed.stderr)
            self.assertEqual(self.run_scene().returncode, 0)
            self.assertEqual(self.final_hash(disk / "out"), self.final_hash())

    def test_read_only_folder(self):
        with self.small_disk("size=600k,ro") as disk:
            self.assert_bad_input(self.run_scene(out=disk / "out"), "Read-only")


class Checkpoints(CliCase):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.run_scene("--frames", 4).returncode, 0)
        self.files = sorted((self.out / "checkpoints").iterdir())
        self.assertEqual(len(self.files), 2)

    def test_damage_is_refused_and_the_previous_one_offered(self):
        data = bytearray(self.files[-1].read_bytes())
        data[len(data) // 2] ^= 1
        self.files[-1].write_bytes(data)
        self.assert_bad_input(self.call("resume", self.out), "damaged", self.files[0].name, "--previous")
        result = self.call("resume", self.out, "--previous")
        self.assertEqual(result.returncode, 0, result.stderr)
        other = self.folder / "whole"
        self.assertEqual(self.run_scene(out=other).returncode, 0)
        self.assertEqual(self.final_hash(), self.final_hash(other))

    def test_truncated_and_foreign_files(self):
        whole = self.files[-1].read_bytes()
        self.files[-1].write_bytes(whole[:-10])
        self.assert_bad_input(self.call("resume", self.out), self.files[-1].name)
        self.files[-1].write_bytes(b"")
        self.assert_bad_input(self.call("resume", self.out), self.files[-1].name)
        self.files[-1].write_bytes(b"DOLLOPCP" + (99).to_bytes(4, "little") + whole[12:])
        self.assert_bad_input(self.call("resume", self.out), "format 99")

    def test_edited_scene_says_which_keys_differ(self):
        scene = self.out / "scene.toml"
        text = scene.read_text()
        self.assertRegex(text, r"yield_stress = 100")
        scene.write_text(text.replace("yield_stress = 100", "yield_stress = 200"))
        self.assert_bad_input(self.call("resume", self.out), "materials.clay.yield_stress", "100", "200", "--stored-scene")
        result = self.call("resume", self.out, "--stored-scene")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(self.metrics()), 7)
        # the folder says what was run, and the edit is not lost
        self.assertIn("is the scene of the checkpoint again", result.stderr)
        self.assertEqual(scene.read_text(), text)
        self.assertIn("yield_stress = 200", (self.out / "scene.edited.toml").read_text())
        self.assertNotIn("again", self.call("resume", self.out, "--stored-scene").stderr)
        # nor is it by a second one; a new run has nothing to do with either
        scene.write_text(text.replace("yield_stress = 100", "yield_stress = 300"))
        self.assertIn("scene.edited-2.toml", self.call("resume", self.out, "--stored-scene").stderr)
        self.assertIn("yield_stress = 200", (self.out / "scene.edited.toml").read_text())
        self.assertIn("yield_stress = 300", (self.out / "scene.edited-2.toml").read_text())
        self.assertEqual(self.run_scene("--force").returncode, 0)
        self.assertEqual(sorted(self.out.glob("scene.*")), [scene])

    def test_looks_and_cameras_may_change(self):
        scene = self.out / "scene.toml"
        text = scene.read_text()
        self.assertIn("yield_stress = 100\n", text)
        text = text.replace("yield_stress = 100\n", 'yield_stress = 100\nlook = "sand"\ncolor = [1, 0, 0]\n')
        scene.write_text(text.replace("[output]\n", "[camera]\neye = [1, 1, 1]\ntarget = [0, 0, 0]\n[output]\n"))
        result = self.call("resume", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(self.metrics()), 7)

    def test_a_longer_duration_is_welcome(self):
        scene = self.out / "scene.toml"
        text = scene.read_text()
        self.assertRegex(text, r"duration = 0\.1\n")
        scene.write_text(text.replace("duration = 0.1\n", "duration = 0.15\n"))
        result = self.call("resume", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(self.metrics()), 10)

    # a duration of 5.4 frames ends with a short frame, which a longer run does not have
    def test_a_short_last_frame_is_done_anew(self):
        def hashes(folder):
            return [m["state_hash"] for m in self.metrics(folder)]

        self.run_scene("--force", "--set", "simulation.duration=0.15")
        whole = hashes(self.out)
        for every in (0, 1):
            part = self.folder / f"part{every}"
            options = ("--set", "simulation.duration=0.09", "--set", f"output.checkpoint_every={every}")
            self.assertEqual(self.call("run", self.scene, "-o", part, *options).returncode, 0)
            self.assertNotEqual(hashes(part)[-1], whole[6])
            self.edit(part / "scene.toml", "duration = 0.09\n", "duration = 0.15\n")
            result = self.call("resume", part)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("done anew", result.stderr)
            self.assertEqual(hashes(part), whole)

    def expect(self, lines):
        self.edit(self.out / "scene.toml", 'mass_error = ["< 1e-5"]\n', lines)
        return self.call("resume", self.out)

    def test_edited_expectations_are_judged_from_frame_0(self):
        start = self.metrics()[0]["center_of_mass"][1]
        self.assertLess(self.metrics()[1]["center_of_mass"][1], start - 1e-3)
        result = self.expect(f'center_of_mass.y = ["< {start - 1e-3} always", "< {start + 1} always", '
                             f'"== {start} sometime", "== {start} at 0 s"]\n')
        self.assertEqual(result.returncode, 4, result.stderr)
        verdicts = [line.split()[0] for line in result.stdout.splitlines() if "center_of_mass" in line]
        self.assertEqual(verdicts, ["FAIL", "pass", "pass", "pass"])
        self.assertEqual(len(self.metrics()), 7)

    def test_expectations_on_what_earlier_frames_lack_do_not_pass(self):
        result = self.expect('pieces = [">= 0 always", ">= 0"]\n')
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertRegex(result.stdout, "FAIL  pieces >= 0 always +found no value at 0.06667 s in metrics.jsonl")
        self.assertRegex(result.stdout, "pass  pieces >= 0 +found")

    def test_what_is_decided_before_the_run_is_cut_short_is_said(self):
        speeds = '["< 0.1 always", "< 99 always", "> 0.1 at 0.05 s", "< 0.1 at 0.09 s", "< 0.1"]'
        result = self.run_scene("--force", "--frames", 4, "--set", f"expect.max_speed={speeds}")
        self.assertEqual(result.returncode, 4, result.stderr)
        verdicts = [line.split("found")[0].split() for line in result.stdout.splitlines() if "max_speed" in line]
        self.assertEqual([" ".join(words) for words in verdicts],
                         ["FAIL max_speed < 0.1 always", "pass max_speed > 0.1 at 0.05 s"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
