#!/usr/bin/env python3
"""What the program says by itself: the last lines of a run, notes on scenes that are hardly meant, signs of life.

Usage: test_advice.py PROGRAM [CLASS[.test] ...]
"""
import json
import re
import signal
import subprocess
import threading
import time
import unittest

from cli_case import PROGRAM, SCENE, CliCase

# a heap that its own weight presses together: K is 20 times rho g h
SOFT = """[simulation]
duration = "0.1 s"
frame_rate = 60
cell_size = "20 mm"
kernel = "quadratic"
gravity = [0, -200, 0]
[materials.yogurt]
model = "herschel-bulkley"
density = 1000
shear_modulus = 2000
bulk_modulus = 2e5
tau_y = 30
consistency = 10
flow_index = 0.5
[[bodies]]
material = "yogurt"
shape = { box = { center = [0.1, 0.15, 0.1], size = [0.2, 0.3, 0.2] } }
[[colliders]]
shape = { plane = { } }
[[colliders]]
shape = { box = { center = [-0.5, 0.0, 0.0], size = [1.0, 2.0, 2.0] } }
contact = "slip"
[[colliders]]
shape = { box = { center = [0.6, 0.0, 0.0], size = [0.8, 2.0, 2.0] } }
contact = "slip"
[[colliders]]
shape = { box = { center = [0.0, 0.0, -0.5], size = [2.0, 2.0, 1.0] } }
contact = "slip"
[[colliders]]
shape = { box = { center = [0.0, 0.0, 0.6], size = [2.0, 2.0, 0.8] } }
contact = "slip"
[output]
particles = []
"""


class Summaries(CliCase):
    def test_a_run_ends_with_a_summary_and_the_next_commands(self):
        out = self.folder / "a drop"
        result = self.run_scene(out=out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"6 frames in .*a drop, in \d+ s\n")
        self.assertRegex(result.stdout, r"volume  changed by up to [\d.]+ % on average \('clay', at 0\.\d+ s\); J of a particle from ")
        self.assertRegex(result.stdout, r"mass    changed by up to ")
        self.assertRegex(result.stdout, r"steps   [\d,]+, the shortest [\d.e-]+ s, at 0\.\d+ s; \d+ rejected\n")
        for command in ("view", "render", "plot"):
            self.assertIn(f"dollop {command} '{out}'", result.stdout)
        self.assertNotIn("warning", result.stderr)
        records = self.metrics(out)
        told = json.loads(self.run_scene("--json", "--quiet").stdout)
        self.assertEqual(told["steps"], records[-1]["steps"])
        self.assertEqual(told["shortest_step"]["value"], min(r["dt_min"] for r in records if r["dt_min"] > 0))
        self.assertEqual(told["volume_change"]["clay"]["value"], max(r["volume_change"]["clay"] for r in records))
        self.assertEqual(told["min_J"]["value"], min(r["min_J"] for r in records))
        self.assertEqual(told["warnings"], [])
        self.assertGreater(told["seconds"], 0)

    def test_a_material_that_loses_volume_gets_a_warning_and_a_remedy(self):
        self.scene.write_text(SOFT)
        result = self.run_scene()
        self.assertEqual(result.returncode, 0, result.stderr)
        found = re.search(r"warning: the volume of 'yogurt' changed by up to [\d.]+ % on average, at [\d.]+ s, and by more "
                          r"than 3 % in \d+ of 7 frames; in \[materials\.yogurt\], bulk_modulus = (\S+) instead of 2e\+05 \(Pa\)", result.stderr)
        self.assertTrue(found, result.stderr)
        self.assertIn("time steps", result.stderr)
        self.assertEqual(result.stderr.count("warning"), 1)
        self.assertIn("warning: the volume", (self.out / "log.txt").read_text())
        # the remedy works
        better = self.run_scene("--force", "--set", f"materials.yogurt.bulk_modulus={found[1]}", "--json")
        told = json.loads(better.stdout)
        self.assertEqual(told["warnings"], [])
        self.assertLess(told["volume_change"]["yogurt"]["value"], 0.02)
        # by moduli that the file does not give
        text = SOFT.replace("shear_modulus = 2000\nbulk_modulus = 2e5\n", "young_modulus = 6000\npoisson_ratio = 0.495\n")
        self.scene.write_text(text)
        self.assertRegex(self.run_scene("--force").stderr, r"shear_modulus = 2007 and bulk_modulus = \S+, which is 2e\+05 now")

    def test_a_run_that_fails_says_how_far_it_got(self):
        self.edit(self.scene, "friction = 0.4",
                  'friction = 0.4\nmotion = { position = { expression = ["0", "1e-4/(0.05003-t)-2e-3", "0"] } }')
        result = self.run_scene()
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertRegex(result.stdout, r"volume  .*\nmass    .*\nsteps   [\d,]+, the shortest ")
        self.assertNotIn("dollop view", result.stdout)

    def test_an_impact_is_no_loss(self):
        thrown = SCENE.replace("young_modulus = 4e4", "shear_modulus = 1e4\nbulk_modulus = 1.5e5").replace(
            "velocity = [0.2, -1.5, 0]", "velocity = [0, -6, 0]").replace("speed = 1.0", "speed = 1.0\nfrom = 5\nuntil = 6")
        self.scene.write_text(thrown.replace('"0.1 s"', '"0.2 s"'))
        told = json.loads(self.run_scene("--json").stdout)
        self.assertGreater(told["volume_change"]["clay"]["value"], 0.06)
        self.assertEqual(told["warnings"], [])

    def test_the_warning_survives_resuming(self):
        self.scene.write_text(SOFT.replace("[output]", "[output]\ncheckpoint_every = 1"))
        whole = json.loads(self.run_scene("--json").stdout)
        self.assertEqual(self.run_scene("--force", "--frames", 2, "--quiet").returncode, 0)
        told = json.loads(self.call("resume", self.out, "--json").stdout)
        for key in ("steps", "rejected_steps", "shortest_step", "volume_change", "min_J", "max_J", "mass_error"):
            self.assertEqual(told[key], whole[key], key)
        self.assertEqual(len(told["warnings"]), 1)

    def test_what_changes_its_volume_by_law_or_on_purpose_gets_no_warning(self):
        sand = SOFT.replace('model = "herschel-bulkley"', 'model = "drucker-prager"').replace(
            "shear_modulus = 2000\nbulk_modulus = 2e5\ntau_y = 30\nconsistency = 10\nflow_index = 0.5",
            "young_modulus = 3e5")
        rubber = SOFT.replace('model = "herschel-bulkley"', 'model = "neo-hookean"').replace(
            "shear_modulus = 2000\nbulk_modulus = 2e5\ntau_y = 30\nconsistency = 10\nflow_index = 0.5",
            "young_modulus = 3e5\npoisson_ratio = 0.3")
        for text in (sand, rubber):
            self.scene.write_text(text)
            result = self.run_scene("--force", "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            told = json.loads(result.stdout)
            self.assertGreater(told["volume_change"]["yogurt"]["value"], 0.01)
            self.assertEqual(told["warnings"], [])

    def test_expectations_may_be_about_the_volume(self):
        self.scene.write_text(SOFT + '[expect]\n"volume_change.yogurt" = "< 3 % always"\n')
        result = self.run_scene()
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("FAIL  volume_change.yogurt < 3 % always", result.stdout)
        self.scene.write_text(SOFT + '[expect]\n"volume_change.yoghurt" = "< 3 % always"\n')
        self.assert_bad_input(self.call("check", self.scene), "did you mean 'volume_change.yogurt'?")


class Notes(CliCase):
    def note(self, *overrides):
        options = [word for override in overrides for word in ("--set", override)]
        result = self.call("check", self.scene, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stderr

    def test_bodies_of_few_cells(self):
        self.assertEqual(self.note(), "")
        said = self.note("simulation.cell_size=0.08")
        self.assertIn("bodies[0] is about 2 cells thick, 0.16 m: too few", said)
        self.assertIn("cell_size = 0.02 makes that 8 cells", said)
        self.assertEqual(self.note("simulation.cell_size=0.06"), "")
        plate = "bodies[0].shape={ box = { center = [0.5, 0.115, 0.5], size = [1.0, 0.03, 1.0] } }"
        self.assertIn("1.5 cells thick", self.note(plate))
        result = self.run_scene("--set", "simulation.cell_size=0.08", "--frames", 0)
        self.assertIn("2 cells thick", result.stderr)

    def test_very_many_steps(self):
        said = self.note("materials.clay.young_modulus=200e9", "simulation.duration=100")
        self.assertRegex(said, r"note: [\d,]{9,} steps of \S+ s: the time step is that of \[materials\.clay\], in which waves travel at")
        self.assertRegex(said, r"a material [\d,]+ times softer still deforms by about 1 % only, and takes \d+ times fewer steps")
        said = self.note("simulation.duration=5000", "simulation.frame_rate=0.01")
        self.assertIn("larger cells, or solver = ", said)

    def test_densities(self):
        said = self.note("materials.clay.density=0.08")
        self.assertIn('[materials.clay] has density 0.08 kg/m^3, less than air', said)
        self.assertIn('write density = "0.08 g/cm^3"', said)
        self.assertIn("more than any metal", self.note("materials.clay.density=1e5"))
        self.assertEqual(self.note('materials.clay.density="0.08 g/cm^3"'), "")

    def test_disk_space(self):
        result = self.call("check", self.scene)
        self.assertRegex(result.stdout, r"disk       about [\d.]+ MiB of [\d.]+ [MG]iB free in runs/drop\n")
        data = json.loads(self.call("check", self.scene, "--json", "-o", self.out).stdout)
        self.assertGreater(data["disk_free_bytes"], 1e6)
        self.assertEqual(self.run_scene("--quiet").returncode, 0)
        written = sum(p.stat().st_size for p in self.out.rglob("*") if p.is_file())
        self.assertLess(abs(data["disk_bytes"] / written - 1), 0.35, written)
        # an hour of many frames
        huge = ("--set", "simulation.duration=1e5", "--set", "simulation.frame_rate=99", "--set", "emitters[0].until=1")
        self.assertIn("that are free in runs/drop; fewer frames", self.call("check", self.scene, *huge).stdout)
        self.assertIn("note: disk space: about", self.run_scene("--frames", 0, "--force", *huge).stderr)

    def test_decimal_commas(self):
        self.assert_bad_input(self.call("check", self.scene, "--set", 'simulation.cell_size="0,01 m"'),
                              "a number has a decimal point: write \"0.01 m\"")
        self.edit(self.scene, 'cell_size = "20 mm"', 'cell_size = 0,02')
        self.assert_bad_input(self.call("check", self.scene), "drop.toml:5:14: error: a number has a decimal point, such as 0.01")

    def test_names_that_are_not_known(self):
        self.edit(self.scene, "friction = 0.4",
                  'friction = 0.4\nmotion = { position = { expression = ["0.1*sine(t)", "0", "0"] } }')
        self.assert_bad_input(self.call("check", self.scene), "did you mean 'sin'?")
        self.edit(self.scene, "sine", "sin")
        self.edit(self.scene, 'model = "von-mises"', 'preset = "sand"')
        self.assert_bad_input(self.call("check", self.scene), 'there is no preset "sand"',
                              "did you mean 'dry-sand', 'sand-castle', 'sand-20' or 'sand-25'?")
        for command in ("materials", "rheometer"):
            self.assert_bad_input(self.call(command, "cream"), "did you mean 'stiff-cream', 'shaving-cream', 'pie-cream' or 'cherry-cream'?")

    def test_a_huge_domain_is_blamed_itself(self):
        text = self.scene.read_text()
        for low, high, axes in ((-1e6, 1e6, ""), (-1e15, 1e15, ""), (0, 1e5, 'periodic = ["x"]\n')):
            self.scene.write_text(text.replace("cell_size", axes + "cell_size") +
                                  f"[domain]\nmin = [{low}, -1, -1]\nmax = [{high}, 1, 1]\n")
            result = self.call("check", self.scene)
            self.assert_bad_input(result, "drop.toml:", "the domain is ", "cells long along x", "max = [")
            self.assertNotIn("this shape lies too far", result.stderr)


class SignsOfLife(CliCase):
    def test_long_frames_show_that_they_go_on(self):
        arguments = ["run", self.scene, "-o", self.out, "--set", "simulation.max_dt=1e-7", "--set", "simulation.frame_rate=1"]
        run = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        lines = []
        reader = threading.Thread(target=lambda: lines.extend(iter(run.stderr.readline, "")))
        reader.start()
        try:
            deadline = time.time() + 60
            while time.time() < deadline and not any("frame 0/1" in line for line in lines):
                time.sleep(0.2)
        finally:
            run.send_signal(signal.SIGTERM)
            run.wait(60)
            reader.join()
            run.stderr.close()
        self.assertTrue(any("frame 0/1" in line and "ETA" in line for line in lines), lines)


if __name__ == "__main__":
    unittest.main(verbosity=2)
