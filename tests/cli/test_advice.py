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

from cli_case import PROGRAM, CliCase

# a heap that its own weight presses together: K is 20 times rho g h
SOFT = """[simulation]
duration = "0.1 s"
frame_rate = 30
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
        found = re.search(r"warning: the volume of 'yogurt' changed by [\d.]+ % on average at [\d.]+ s; in "
                          r"\[materials\.yogurt\], bulk_modulus = (\S+) instead of 2e\+05 \(Pa\)", result.stderr)
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
