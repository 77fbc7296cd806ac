"""What the tests of the command line share."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())  # the first argument of every test script

SCENE = """title = "A drop"
[simulation]
duration = "0.1 s"
frame_rate = 60
cell_size = "20 mm"
kernel = "quadratic"
[materials.clay]
model = "von-mises"
young_modulus = 4e4
yield_stress = 100
[[bodies]]
material = "clay"
shape = { sphere = { center = [0, 0.12, 0], radius = 0.08 } }
velocity = [0.2, -1.5, 0]
[[emitters]]
material = "clay"
shape = { disc = { center = [0.2, 0.3, 0], normal = [0, -1, 0], radius = 0.03 } }
speed = 1.0
[[colliders]]
name = "ground"
shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }
friction = 0.4
[output]
particles = ["bgeo"]
checkpoint_every = 1
[expect]
mass_error = "< 1e-5"
"""

FIELDS = (
    "frame time steps dt_min dt_max particles mass momentum angular_momentum center_of_mass kinetic_energy "
    "elastic_energy bounds_min bounds_max max_speed min_J max_J weak inserted merged removed removed_mass "
    "inner_iterations wall_s particle_steps_per_s peak_memory_bytes state_hash"
).split()


class CliCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dollop-cli-"))
        self.scene = self.folder / "drop.toml"
        self.scene.write_text(SCENE)
        self.out = self.folder / "out"

    def tearDown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, *arguments, **options):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=300, **options)

    def run_scene(self, *arguments, out=None, **options):
        return self.call("run", self.scene, "-o", out or self.out, *arguments, **options)

    def metrics(self, out=None):
        return [json.loads(line) for line in ((out or self.out) / "metrics.jsonl").read_text().splitlines()]

    def final_hash(self, out=None):
        return self.metrics(out)[-1]["state_hash"]

    def assert_bad_input(self, result, *fragments):
        self.assertEqual(result.returncode, 2, result.stderr)
        for fragment in fragments:
            self.assertIn(fragment, result.stderr)

    def edit(self, file, old, new):
        text = file.read_text()
        self.assertIn(old, text)
        file.write_text(text.replace(old, new))
