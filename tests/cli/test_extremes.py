#!/usr/bin/env python3
"""Scenes beyond what their materials can bear: every number of every frame and of every line of metrics stays finite.

Usage: test_extremes.py PROGRAM [CLASS[.test] ...]
"""
import array
import json
import math
import unittest

from cli_case import CliCase

STRESSED = ["strain", "kirchhoff"]
FOAM = ["volume_change", "strain"]
TORN = ["total", "weak"]
SAND = STRESSED + ["plastic_strain", "cone_growth", "volume_gain"]

# material -> its keys, and the columns of its state
MATERIALS = {
    "rubber": ('model = "neo-hookean"', ["strain"]),
    "gelatin": ('preset = "gelatin"', ["strain"]),
    "hencky": ('model = "hencky"', STRESSED),
    "cushion": ('preset = "cushion-foam"', STRESSED),
    "clay": ('preset = "soft-clay"', STRESSED + ["plastic_strain"]),
    "stiff-cream": ('preset = "stiff-cream"', STRESSED + ["plastic_strain"]),
    "torn-clay": ('preset = "stiff-cream"\ntear_threshold = 0.5\nrecovery_time = 0.1', STRESSED + ["plastic_strain"] + TORN),
    "cream": ('preset = "shaving-cream"', FOAM + TORN),
    "crust": ('preset = "smore-exterior"', FOAM + TORN),
    "free-crust": ('preset = "smore-exterior"\nweak_strain = "free"\nweak_volume = "free"\nweak_stress = "kept"', FOAM + TORN),
    "published-crust": ('preset = "smore-exterior"\nweak_volume = "published"\nweak_strain = "balanced"', FOAM + TORN),
    "oobleck": ('preset = "oobleck"', FOAM + TORN),
    "bingham": ('preset = "viscoplastic"\ntear_threshold = 0\nrenormalise = "stress"', FOAM),
    "elastic-foam": ('model = "herschel-bulkley"\nyield_stress = 1e12', FOAM),
    "sand": ('preset = "dry-sand"', SAND),
    "plain-sand": ('preset = "sand-30"\nvolume_correction = "off"', SAND),
    "steep-sand": ('model = "drucker-prager"\nfriction_angle = "85 deg"\ncone = "tan"\ncohesion = 1e4', SAND),
    "fast-sand": ('model = "drucker-prager"\nfriction_angle = "20 deg"\ngrain_size = 0.001', SAND),
}

# what happens to a cube of 0.1 m: (text of the scene, time that it takes), by a strength
BODY = """[[bodies]]
material = "thing"
shape = {{ box = {{ center = [0, 0.055, 0], size = [0.1, 0.1, 0.1] }} }}
velocity = [0, {velocity}, 0]
[[colliders]]
name = "floor"
shape = {{ plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }} }}
"""
PLATE = """[[colliders]]
name = "plate"
shape = {{ box = {{ center = [0, 0.16, 0], size = [0.4, 0.08, 0.4] }} }}
motion = {{ velocity = [0, {velocity}, 0] }}
"""
BULLET = """[[colliders]]
name = "bullet"
shape = {{ sphere = {{ center = [0.13, 0.055, 0], radius = 0.06 }} }}
motion = {{ velocity = [{velocity}, 0, 0] }}
"""


def impact(speed):
    return BODY.format(velocity=-speed), "[0, -9.81, 0]", 0.3 / speed


def gravity(g):
    return BODY.format(velocity=0), f"[0, {-g}, 0]", 4 * math.sqrt(0.2 / g)


def plate(speed):
    return BODY.format(velocity=0) + PLATE.format(velocity=-speed), "[0, -9.81, 0]", 0.14 / speed


def bullet(speed):
    return BODY.format(velocity=0) + BULLET.format(velocity=-speed), "[0, -9.81, 0]", 0.4 / speed


def flight(speed):  # grains that fly apart in free space
    return BODY.format(velocity=-speed) + 'contact = "slip"\n', "[0, -9.81, 0]", 3 / speed


DOUBLE, NEWTON, FLIP = 'precision = "double"', 'solver = "newton"', 'transfer = "flip"'
CUBIC, QUADRATIC = 'kernel = "cubic"', 'kernel = "quadratic"'
RESAMPLED = "resample_strain = 0.3"

# the mildest that once failed, and one for each law
SHORT = [
    ("oobleck", impact, 100), ("sand", impact, 200), ("sand", plate, 30), ("hencky", plate, 30),
    ("hencky", plate, 10, NEWTON), ("oobleck", gravity, 1e5), ("rubber", plate, 100), ("stiff-cream", impact, 100),
    ("crust", bullet, 300, QUADRATIC), ("steep-sand", bullet, 100, DOUBLE), ("oobleck", impact, 100, DOUBLE),
]
LONG = [
    *((name, impact, speed) for name in MATERIALS for speed in (100, 1000)),
    *((name, plate, 60) for name in MATERIALS),
    *((name, gravity, 1e5, DOUBLE) for name in ("rubber", "hencky", "cream", "oobleck", "sand", "torn-clay")),
    *((name, plate, 10, NEWTON) for name in ("rubber", "hencky", "clay", "bingham", "sand", "crust")),
    ("sand", plate, 10, NEWTON, DOUBLE), ("oobleck", impact, 50, NEWTON), ("sand", flight, 50), ("sand", flight, 50, DOUBLE),
    ("crust", flight, 100, FLIP), ("free-crust", flight, 100), ("oobleck", bullet, 500, FLIP), ("sand", bullet, 500, FLIP),
    ("gelatin", bullet, 500, QUADRATIC), ("cream", bullet, 200, RESAMPLED), ("oobleck", plate, 50, RESAMPLED),
    ("published-crust", bullet, 200, CUBIC), ("torn-clay", bullet, 200, DOUBLE),
]


def table_of(ply):
    """Name -> values of the columns of 32-bit floats in a .ply file."""
    head, _, rows = ply.read_bytes().partition(b"end_header\n")
    lines = head.decode().splitlines()
    count = int(next(line for line in lines if line.startswith("element vertex")).split()[2])
    properties = [line.split()[1:] for line in lines if line.startswith("property")]
    assert all(kind in ("float", "uint", "int") for kind, _ in properties), properties
    numbers = array.array("f", rows)
    assert len(numbers) == count * len(properties)
    return {name: numbers[k::len(properties)] for k, (kind, name) in enumerate(properties) if kind == "float"}


def is_finite(values):
    return math.isfinite(math.fsum(map(abs, values)))


def numbers_of(value):
    """Whatever a line of metrics holds, as a list."""
    if isinstance(value, dict):
        return [n for v in value.values() for n in numbers_of(v)]
    if isinstance(value, list):
        return [n for v in value for n in numbers_of(v)]
    return [value]


class ExtremeCase(CliCase):
    def run_extreme(self, material, action, strength, *settings):
        keys, columns = MATERIALS[material]
        scene, g, duration = action(strength)
        frames = 8
        kernel = "" if any("kernel" in s for s in settings) else QUADRATIC
        self.scene.write_text("\n".join([
            "[simulation]", f"duration = {duration}", f"frame_rate = {frames / duration}", "cell_size = 0.025",
            f"gravity = {g}", kernel, *settings, "[materials.thing]", keys, scene, "[output]", 'particles = ["ply"]',
            f'attributes = {json.dumps(["velocity", "mass", "volume", "J", "stress", "stretch", *columns])}',
            "checkpoint_every = 0"]))
        self.out = self.folder / "-".join([material, action.__name__, str(strength), str(len(settings))])
        result = self.run_scene("--quiet", "--force")
        self.assertIn(result.returncode, (0, 3), result.stderr)
        if result.returncode == 3:
            self.assertIn("the simulation cannot go on", result.stderr)
        records = self.metrics()
        self.assertGreaterEqual(len(records), 1)
        for record in records:
            self.assertEqual([n for n in numbers_of(record) if n is None], [], record)
            self.assertTrue(is_finite(n for n in numbers_of(record) if not isinstance(n, str)), record)
            self.assertGreater(record["min_J"], 0)
            table = table_of(self.out / f"frames/particles.{record['frame']:04}.ply")
            for name, values in table.items():
                self.assertTrue(is_finite(values), f"{name} of frame {record['frame']}")
            self.assertGreater(min(table["J"]), 0)
        return result, records

    def run_all(self, cases):
        for case in cases:
            name = " ".join(x.__name__ if callable(x) else str(x) for x in case)
            with self.subTest(name):
                self.run_extreme(*case)


class Extremes(ExtremeCase):
    def test_numbers_stay_finite(self):
        self.run_all(SHORT)


class LongExtremes(ExtremeCase):
    def test_numbers_stay_finite(self):
        self.run_all(LONG)


if __name__ == "__main__":
    unittest.main(verbosity=2)
