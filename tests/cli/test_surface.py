#!/usr/bin/env python3
"""Surfaces from the frames of a run: files, options and bad input.

Usage: test_surface.py PROGRAM [CLASS[.test] ...]
"""
import os
import struct
import unittest

from cli_case import CliCase

SAND = '\nlook = "sand"\n'


class SurfaceCase(CliCase):
    def make_run(self):
        result = self.run_scene("--frames", "2", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)

    def surface(self, *arguments):
        return self.call("surface", self.out, *arguments)

    def fine(self, *arguments):
        result = self.surface(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def surfaces(self, folder=None):
        return sorted(p.name for p in (folder or self.out / "frames").glob("surface.*"))

    def counts(self, file):
        """Vertices and faces of a PLY file."""
        header = file.read_bytes().split(b"end_header")[0].decode()
        words = [line.split() for line in header.splitlines()]
        return [int(next(w[2] for w in words if w[:2] == ["element", name])) for name in ("vertex", "face")]


class Surfaces(SurfaceCase):
    def test_meshes_of_all_frames_by_default(self):
        self.make_run()
        result = self.fine()
        self.assertEqual(self.surfaces(), [f"surface.000{n}.ply" for n in range(3)])
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 4)
        for line in lines[:3]:
            self.assertIn("triangles", line)
            error = float(line.split("m^3,")[1].split("%")[0])
            self.assertLess(abs(error), 2)
        vertices, faces = self.counts(self.out / "frames/surface.0000.ply")
        self.assertGreater(vertices, 500)
        self.assertEqual(faces % 2, 0)
        self.assertFalse([p for p in (self.out / "frames").iterdir() if "partial" in p.name])

    def test_formats_frames_and_folder(self):
        self.make_run()
        out = self.folder / "meshes"
        result = self.fine("--to", "vdb,obj,usda", "--frames", "1:2", "-o", out)
        self.assertEqual(self.surfaces(out), [f"surface.000{n}.{e}" for n in (1, 2) for e in ("obj", "usda", "vdb")])
        self.assertEqual(self.surfaces(), [])
        self.assertIn("6 files", result.stdout)
        self.assertTrue((out / "surface.0001.usda").read_text().startswith("#usda"))
        self.assertEqual(struct.unpack("<q", (out / "surface.0001.vdb").read_bytes()[:8])[0], 0x56444220)

    def test_methods_and_cells(self):
        self.make_run()
        file = self.out / "frames/surface.0001.ply"
        faces = {}
        for method in ("fast", "smooth", "sharp"):
            self.fine("--method", method, "--frames", "1", "--quiet")
            faces[method] = self.counts(file)[1]
        self.assertEqual(len(set(faces.values())), 3)
        self.fine("--cell", "12 mm", "--frames", "1")
        self.assertLess(self.counts(file)[1], faces["fast"])

    def test_cells_that_are_too_narrow_are_announced_once(self):
        self.make_run()
        result = self.fine("--cell", "1 um", "--frames", "0:1", "--to", "ply,vdb")
        self.assertEqual(result.stderr.count("\n"), 1)
        self.assertRegex(result.stderr, r"--cell 1 um: cells are 1\.2\d* mm wide instead, 1/8 of")  # spacing: 10 mm
        self.assertIn("1/16 of", self.fine("--cell", "1 um", "--frames", "0", "--method", "sharp").stderr)
        self.assertEqual(self.fine("--cell", "2 mm", "--frames", "0").stderr, "")
        self.assertEqual(self.fine("--cell", "1 um", "--frames", "0", "--quiet").stderr, "")

    def test_the_same_bytes_at_any_number_of_threads(self):
        self.make_run()
        file = self.out / "frames/surface.0002.ply"
        found = []
        for processors in ({min(os.sched_getaffinity(0))}, os.sched_getaffinity(0)):
            result = self.call("surface", self.out, "--frames", "2", "--value", "speed",
                               preexec_fn=lambda: os.sched_setaffinity(0, processors))
            self.assertEqual(result.returncode, 0, result.stderr)
            found.append(file.read_bytes())
        self.assertEqual(found[0], found[1])

    def test_quiet_says_nothing(self):
        self.make_run()
        result = self.fine("--quiet")
        self.assertEqual(result.stdout + result.stderr, "")


class SurfaceInput(SurfaceCase):
    def test_bad_options_write_nothing(self):
        self.make_run()
        for arguments, words in (
            (("--to", "stl"), ("'stl'", "vdb ply obj usda")),
            (("--method", "quick"), ("'quick'", "fast smooth sharp")),
            (("--cell", "2 s"), ("--cell", "length")),
            (("--cell", "0"), ("--cell", "positive")),
            (("--cell", "-1 mm"), ("--cell", "positive")),
            (("--frames", "7"), ("--frames",)),
            (("--frames", "x"), ("--frames", "'x'")),
            (("--value", "warmth"), ("--value", "'warmth'", "speed")),
        ):
            self.assert_bad_input(self.surface(*arguments), *words)
        self.assertEqual(self.surfaces(), [])

    def test_no_run_there(self):
        self.assert_bad_input(self.call("surface", self.folder / "none"), "none")

    def test_grains_have_no_surface(self):
        self.edit(self.scene, "yield_stress = 100", "yield_stress = 100" + SAND)
        self.make_run()
        self.assert_bad_input(self.surface(), "grains", "look")
        self.assertEqual(self.surfaces(), [])

    def test_a_file_in_the_way(self):
        self.make_run()
        (self.folder / "file").write_text("")
        self.assert_bad_input(self.surface("-o", self.folder / "file" / "below"), "file")

    def test_help(self):
        result = self.call("surface", "--help")
        self.assertEqual(result.returncode, 0)
        self.assertIn("Examples:", result.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
