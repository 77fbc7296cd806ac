#!/usr/bin/env python3
"""Inputs that are damaged or no files at all: one clear error, exit status 2, in a short time and little memory.

Usage: test_hostile.py PROGRAM [CLASS[.test] ...]
"""
import json
import os
import resource
import struct
import subprocess
import unittest

from cli_case import PROGRAM, SCENE, CliCase

GIGABYTE = 1 << 30


class HostileCase(CliCase):
    def bounded(self, *arguments, seconds=20, memory=6 * GIGABYTE):
        """The result of a call; the test fails if it takes longer or more memory."""
        try:
            return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, timeout=seconds,
                                  text=True, errors="replace", stdin=subprocess.DEVNULL,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))
        except subprocess.TimeoutExpired:
            self.fail(f"{arguments} takes longer than {seconds} s")

    def assert_refused(self, result, *fragments):
        self.assert_bad_input(result, *fragments)
        self.assertLess(len(result.stderr), 2000)


class SpecialFiles(HostileCase):
    """Pipes and devices, and files that are far too large."""

    def setUp(self):
        super().setUp()
        self.pipe = self.folder / "pipe"
        os.mkfifo(self.pipe)
        self.huge = self.folder / "huge"
        with open(self.huge, "wb") as file:
            file.truncate(1 << 40)
        self.places = [(self.pipe, "is not a regular file"), ("/dev/zero", "is not a regular file"),
                       (self.huge, "can be read")]

    def test_as_scenes(self):
        for place, reason in self.places:
            for command in (["check"], ["run", "-o", self.out], ["rheometer"]):
                self.assert_refused(self.bounded(*command, place), str(place), reason)
        self.assertFalse(self.out.exists())

    def test_as_meshes(self):
        mesh = self.folder / "body.obj"
        self.edit(self.scene, "{ sphere = { center = [0, 0.12, 0], radius = 0.08 } }",
                  '{ mesh = { file = "body.obj" } }')
        for place, reason in self.places:
            mesh.unlink(missing_ok=True)
            mesh.symlink_to(place)
            self.assert_refused(self.bounded("check", self.scene), "drop.toml:13:", "body.obj", reason)

    def test_named_by_meshes(self):
        mesh = self.folder / "body.gltf"
        mesh.write_text('{"asset":{"version":"2.0"},"buffers":[{"uri":"pipe","byteLength":36}],"bufferViews":[{"buffer":0,'
                        '"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],'
                        '"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":'
                        '[0]}],"scene":0}')
        self.edit(self.scene, "{ sphere = { center = [0, 0.12, 0], radius = 0.08 } }",
                  '{ mesh = { file = "body.gltf" } }')
        self.assert_refused(self.bounded("check", self.scene), "body.gltf")

    def test_as_files_of_a_run(self):
        self.assertEqual(self.run_scene("--quiet", "--frames", 1).returncode, 0)
        for name, commands in (("frames/particles.0001.bgeo", (["surface"], ["render", "--quick"], ["export", "--to", "ply"])),
                               ("metrics.jsonl", (["plot"],))):
            file = self.out / name
            for place, reason in self.places:
                file.unlink()
                file.symlink_to(place)
                for command, *options in commands:
                    self.assert_refused(self.bounded(command, self.out, *options), name, reason)
        (self.out / "metrics.jsonl").unlink()
        (self.out / "metrics.jsonl").symlink_to(self.pipe)
        self.assert_refused(self.bounded("resume", self.out, "--quiet"), "metrics.jsonl", "is not a regular file")

    def test_as_measured_points(self):
        for place, reason in self.places:
            self.assert_refused(self.bounded("rheometer", "--fit", place), str(place), reason)


def bgeo_columns(data):
    """The first byte of the rows of a .bgeo file, their length, and the place of each column in them, in bytes."""
    points, attributes = struct.unpack(">I", data[9:13])[0], struct.unpack(">I", data[25:29])[0]
    at, place, columns = 41, 16, {}
    for _ in range(attributes):
        length = struct.unpack(">H", data[at:at + 2])[0]
        name = data[at + 2:at + 2 + length].decode()
        components = struct.unpack(">H", data[at + 2 + length:at + 4 + length])[0]
        columns[name] = place
        at += 8 + length + 4 * components
        place += 4 * components
    return at, place, columns, points


class DamagedFrames(HostileCase):
    """Numbers in a frame that its scene cannot have made."""

    def setUp(self):
        super().setUp()
        self.edit(self.scene, "[output]", '[output]\nattributes = ["velocity", "volume", "J"]')
        self.assertEqual(self.run_scene("--quiet", "--frames", 1).returncode, 0)
        self.frame = self.out / "frames/particles.0001.bgeo"
        self.whole = self.frame.read_bytes()

    def damage(self, column, particle, value, component=0):
        start, row, columns, _ = bgeo_columns(self.whole)
        at = start + particle * row + (columns[column] if column else 0) + 4 * component
        self.frame.write_bytes(self.whole[:at] + struct.pack(">f", value) + self.whole[at + 4:])

    def test_one_impossible_number_is_an_error_that_names_its_particle(self):
        nan = float("nan")
        for column, value in (("volume", 1e38), ("volume", nan), ("volume", -1.0), (None, nan), (None, 1e30), ("v", 1e38),
                              ("v", nan)):
            self.damage(column, 17, value, component=0)
            for command in (["surface", self.out], ["surface", self.out, "--method", "smooth"],
                            ["render", self.out, "--quick"], ["render", self.out, "--samples", "1", "--size", "64x36"],
                            ["export", self.out, "--to", "vdb"], ["export", self.out, "--to", "vdb", "--surface"]):
                with self.subTest(column=column, value=value, command=command[0]):
                    self.assert_refused(self.bounded(*command, "--frames", "1"), "particles.0001.bgeo", "particle 17")

    def test_a_volume_ratio_that_is_no_ratio_changes_no_size(self):
        for value in (-1e30, float("nan"), 1e38, 0.0):
            self.damage("J", 17, value)
            result = self.bounded("surface", self.out, "--frames", "1")
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_columns_that_are_missing_are_named(self):
        for name in (b"material", b"id"):
            self.frame.write_bytes(self.whole.replace(name, name[:-1] + b"q", 1))
            self.assert_refused(self.bounded("render", self.out, "--quick", "--frames", "1"), "particles.0001.bgeo",
                                name.decode() + "s")


class Errors(HostileCase):
    """What errors say, and what is not done after them."""

    def test_a_shape_longer_than_the_period_is_blamed_by_its_place(self):
        self.scene.write_text(SCENE.replace('cell_size = "20 mm"', 'cell_size = "20 mm"\nperiodic = ["x", "z"]').replace(
            "[materials.clay]", "[domain]\nmin = [0, 0, 0]\nmax = [0.08, 1, 0.08]\n[materials.clay]").replace(
            "sphere = { center = [0, 0.12, 0], radius = 0.08 }", "box = { center = [0, 0, 0], size = [1000, 0.1, 0.05] }"))
        for command in (["check"], ["run", "-o", self.out]):
            self.assert_refused(self.bounded(*command, self.scene), "drop.toml:17:1: error:", "far longer than the period")
        self.assertFalse(self.out.exists())

    def test_thousands_of_names_are_not_listed(self):
        more = "".join(f"[materials.other{k}]\nmodel = 'neo-hookean'\nyoung_modulus = 1\n" for k in range(5000))
        self.scene.write_text(SCENE.replace('material = "clay"', 'material = "zzzzzz"', 1) + more)
        self.assert_refused(self.bounded("check", self.scene), "there is no material 'zzzzzz'; there is", "more")

    def test_a_long_line_is_shown_around_its_error(self):
        for before in (10, 5000, 100000):
            line = "gravity = [" + " " * before + "0, 0, q0, " + "0, " * 30000 + "]"
            self.scene.write_text(SCENE.replace("[materials.clay]", line + "\n[materials.clay]"))
            result = self.bounded("check", self.scene)
            self.assert_refused(result, "drop.toml:7:")
            shown, caret = result.stderr.splitlines()[1:3]
            column = int(result.stderr.split("drop.toml:7:")[1].split(":")[0])
            self.assertEqual(shown[caret.index("^")], line[column - 1])

    def test_a_long_word_is_not_repeated_whole(self):
        table = self.folder / "table.csv"
        table.write_text("shear rate [" + "1+" * 3000 + "s],shear stress [Pa]\n0.1,10\n1,12\n10,20\n100,60\n")
        self.assert_refused(self.bounded("rheometer", "--fit", table), "table.csv:1:1:", "the unit")

    def test_many_differences_to_a_checkpoint_are_cut(self):
        self.assertEqual(self.run_scene("--quiet", "--frames", 1).returncode, 0)
        file = self.out / "scene.toml"
        keys = ", ".join(f"[{k}, 0]" for k in range(20000))
        ground = file.read_text().index("[[colliders]]")
        file.write_text(file.read_text()[:ground] + "".join(
            f'[[colliders]]\nname = "c{k}"\nshape = {{ plane = {{ point = [0, {-k}, 0], normal = [0, 1, 0] }} }}\n'
            f"motion = {{ position = [{{ keys = [{keys if k == 0 else '[0, 0]'}] }}, 0, 0] }}\n" for k in range(2000))
            + file.read_text()[ground:])
        result = self.bounded("resume", self.out, seconds=60)
        self.assert_bad_input(result, "was edited since the checkpoint", "and ")
        self.assertLess(len(result.stderr), 8000)

    def test_json_of_a_folder_whose_name_is_not_utf8(self):
        folder = os.fsencode(self.folder) + b"/\xff\xed\xa0\x80\xc3"
        result = subprocess.run([os.fsencode(PROGRAM), b"run", os.fsencode(self.scene), b"-o", folder, b"--json", b"--quiet",
                                 b"--frames", b"1"], capture_output=True, timeout=60)
        self.assertEqual(json.loads(result.stdout.decode("utf-8"))["frame"], 1)

    def test_force_removes_nothing_behind_a_link(self):
        self.assertEqual(self.run_scene("--quiet", "--frames", 1).returncode, 0)
        kept = self.folder / "kept"
        (self.out / "frames").rename(kept)
        (self.out / "frames").symlink_to(kept)
        before = sorted(kept.iterdir())
        self.assert_refused(self.bounded("run", self.scene, "-o", self.out, "--force", "--quiet"), "out/frames",
                            "symbolic link")
        self.assertEqual(sorted(kept.iterdir()), before)
        self.assertEqual(self.bounded("resume", self.out, "--quiet").returncode, 0)  # a run may keep its frames elsewhere

    def test_check_takes_little_memory(self):
        body = "sphere = { center = [0, 0.12, 0], radius = 0.08 }"
        self.edit(self.scene, 'cell_size = "20 mm"', 'cell_size = "5 mm"')
        small = json.loads(self.bounded("check", self.scene, "--json").stdout)
        self.edit(self.scene, body, "box = { center = [0, 1, 0], size = [0.8, 0.8, 0.8] }")
        process = subprocess.Popen([PROGRAM, "check", self.scene, "--json", "--max-memory", "1000GB"], stdout=subprocess.PIPE)
        with process.stdout as out:
            large = json.loads(out.read())
        usage = os.wait4(process.pid, 0)[2]
        process.returncode = 0
        self.assertLess(usage.ru_maxrss, 1 << 20)  # a gigabyte
        self.assertAlmostEqual(large["particles"] / (8 * 160**3), 1, delta=0.01)
        self.assertAlmostEqual(large["dt"] / small["dt"], 1, delta=1e-6)


if __name__ == "__main__":
    unittest.main(verbosity=2)
