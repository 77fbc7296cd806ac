#!/usr/bin/env python3
"""The program as a person or a script uses it: files, exit status, interruptions, damage.

Usage: test_cli.py PROGRAM [CLASS[.test] ...]
"""
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ""

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
    "solver_iterations wall_s particle_steps_per_s peak_memory_bytes state_hash"
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


class Runs(CliCase):
    def test_writes_a_whole_folder(self):
        result = self.run_scene()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("pass  mass_error < 1e-5", result.stdout)
        for frame in range(7):
            self.assertTrue((self.out / f"frames/particles.{frame:04}.bgeo").is_file())
        records = self.metrics()
        self.assertEqual([r["frame"] for r in records], list(range(7)))
        for record in records:
            self.assertEqual(list(record)[: len(FIELDS)], FIELDS)
            self.assertEqual(len(record["center_of_mass"]), 3)
            self.assertRegex(record["state_hash"], r"^[0-9a-f]{16}$")
        self.assertAlmostEqual(records[-1]["time"], 0.1, places=12)
        self.assertIn("ground", records[-1]["contact_forces"])
        self.assertTrue((self.out / "scene.toml").read_text().startswith("# dollop "))
        self.assertTrue((self.out / "log.txt").is_file())
        self.assertFalse([p for p in self.out.rglob("*") if "partial" in p.name])
        self.assertLessEqual(len(list((self.out / "checkpoints").iterdir())), 2)

    def test_the_resolved_scene_runs_to_the_same_state(self):
        self.assertEqual(self.run_scene().returncode, 0)
        again = self.folder / "again"
        self.assertEqual(self.call("run", self.out / "scene.toml", "-o", again).returncode, 0)
        self.assertEqual(self.final_hash(), self.final_hash(again))

    def test_threads_do_not_change_a_bit(self):
        hashes = set()
        for threads in (1, 2, 3):
            out = self.folder / f"t{threads}"
            self.assertEqual(self.run_scene("--threads", threads, out=out).returncode, 0)
            hashes.add(self.final_hash(out))
        self.assertEqual(len(hashes), 1)

    def test_default_folder_and_quiet(self):
        result = self.call("run", self.scene, "--quiet", "--frames", 2)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(len(self.metrics(self.folder / "runs/drop")), 3)

    def test_other_formats_and_attributes(self):
        result = self.run_scene("--frames", 1, "--set", 'output.particles=["vtp","ply"]', "--set",
                                'output.attributes=["velocity","stress","plastic_strain"]')
        self.assertEqual(result.returncode, 0, result.stderr)
        names = sorted(p.name for p in (self.out / "frames").iterdir())
        self.assertEqual(names, ["particles.0000.ply", "particles.0000.vtp", "particles.0001.ply", "particles.0001.vtp"])
        self.assertIn("frames/particles.0001.vtp", (self.out / "particles.pvd").read_text())
        self.assertIn(b"plastic_strain", (self.out / "frames/particles.0001.ply").read_bytes()[:2000])

    def test_unknown_attribute_writes_nothing(self):
        result = self.run_scene("--set", 'output.attributes=["velocty"]')
        self.assert_bad_input(result, "velocity")
        self.assertFalse(self.out.exists())

    def test_preview_makes_pictures_and_a_movie(self):
        result = self.run_scene("--frames", 3, "--set", "output.preview=true")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.out / "frames/preview.0003.png").read_bytes()[:4], b"\x89PNG")
        if shutil.which("ffmpeg"):
            self.assertIn(f"movie: {self.out}/preview.mp4", result.stdout)
            self.assertGreater((self.out / "preview.mp4").stat().st_size, 1000)

    def test_set_and_sweep(self):
        result = self.run_scene("--frames", 1, "--set", "simulation.gravity=[0,0,0]", "--sweep",
                                "materials.clay.density=500,2000", "--sweep", "simulation.kernel=quadratic,cubic")
        self.assertEqual(result.returncode, 0, result.stderr)
        names = sorted(p.name for p in self.out.iterdir())
        self.assertEqual(names, [f"density={d},kernel={k}" for d in (2000, 500) for k in ("cubic", "quadratic")])
        masses = [self.metrics(self.out / n)[0]["mass"] for n in names]
        self.assertAlmostEqual(masses[0] / masses[2], 4, places=5)

    def test_json_summary(self):
        result = self.run_scene("--json", "--quiet")
        summary = json.loads(result.stdout)
        self.assertEqual(summary["status"], "finished")
        self.assertEqual(summary["state_hash"], self.final_hash())
        self.assertTrue(summary["expectations"][0]["passed"])

    def test_failed_expectation_exits_4(self):
        result = self.run_scene("--set", 'expect.max_speed="< 0.1 always"', "--set",
                                'expect."center_of_mass.y"="> 0.05 at 0.05 s"')
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertRegex(result.stdout, r"FAIL\s+max_speed < 0.1 always")
        self.assertRegex(result.stdout, r"pass\s+center_of_mass.y > 0.05 at 0.05 s")

    def test_diverging_run_keeps_the_last_good_state(self):
        self.edit(self.scene, "friction = 0.4",
                  'friction = 0.4\nmotion = { position = { expression = ["0", "1e-4/(0.05-t)-2e-3", "0"] } }')
        result = self.run_scene()
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("cannot go on", result.stderr)
        self.assertIn("dollop resume", result.stderr)
        self.assertGreaterEqual(self.metrics()[-1]["frame"], 2)
        self.assertTrue(list((self.out / "checkpoints").iterdir()))


class Scenes(CliCase):
    """Every scene of the project states what it must show, and its small variant shows it."""

    def test_small_variants(self):
        scenes = sorted((ROOT / "scenes").rglob("*.toml"))
        self.assertGreaterEqual(len(scenes), 2)
        for scene in scenes:
            with self.subTest(scene.name):
                text = scene.read_text()
                self.assertIn("[expect]", text)
                self.assertIn("[variants.small]", text)
                self.assertEqual(self.call("check", scene).returncode, 0)
                result = self.call("run", scene, "--variant", "small", "--quiet", "-o", self.folder / scene.stem)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_unknown_variant(self):
        result = self.call("run", ROOT / "scenes/start/first.toml", "--variant", "tiny")
        self.assert_bad_input(result, "tiny", "small")


class Meshes(CliCase):
    CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "".join(
        "f " + " ".join(str(i + 1) for i in face) + "\n"
        for face in ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)))

    def setUp(self):
        super().setUp()
        (self.folder / "cube.obj").write_text(self.CUBE)
        self.scene.write_text("""[simulation]
duration = "0.2 s"
frame_rate = 50
cell_size = "20 mm"
gravity = [0, 0, 0]
[materials.clay]
model = "von-mises"
density = 1500
young_modulus = 2e4
yield_stress = 200
[[bodies]]
material = "clay"
shape = { mesh = { file = "cube.obj" }, scale = 0.2, translate = [-0.1, -0.1, -0.1] }
[[colliders]]
name = "thrown"
shape = { mesh = { file = "cube.obj" }, scale = 0.1, translate = [-0.35, -0.05, -0.05] }
motion = { velocity = [1.5, 0, 0], angular_velocity = [0, 0, "1 rev/s"], pivot = [-0.3, 0, 0] }
[output]
particles = []
""")

    def test_a_thrown_and_turning_mesh_strikes_a_mesh_body(self):
        result = self.run_scene()
        self.assertEqual(result.returncode, 0, result.stderr)
        records = self.metrics()
        # 20 particles an edge; what the mesh gives is what the body gets
        self.assertEqual(records[0]["particles"], 8000)
        self.assertAlmostEqual(records[0]["mass"], 1500 * 0.2**3, places=5)
        self.assertEqual(records[-1]["particles"], 8000)
        self.assertEqual(records[-1]["mass"], records[0]["mass"])
        given = [0.0, 0.0, 0.0]
        for before, after in zip(records, records[1:]):
            for d in range(3):
                given[d] += after["contact_forces"]["thrown"]["force"][d] * (after["time"] - before["time"])
        self.assertGreater(records[-1]["momentum"][0], 1)  # it was hit hard
        for d in range(3):
            self.assertAlmostEqual(records[-1]["momentum"][d], -given[d], delta=1e-4)

    def test_open_mesh_names_the_fix(self):
        (self.folder / "cube.obj").write_text("\n".join(self.CUBE.splitlines()[:-1]))
        self.assert_bad_input(self.run_scene(), "drop.toml:13:27", "not closed")
        self.assertFalse(self.out.exists())

    def test_resume_from_another_folder_finds_the_mesh(self):
        self.assertEqual(self.run_scene("--frames", 2).returncode, 0)
        result = subprocess.run([PROGRAM, "resume", str(self.out), "--quiet"], cwd="/", capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)


class Interruptions(CliCase):
    def reference(self):
        out = self.folder / "reference"
        if not out.exists():
            self.assertEqual(self.run_scene(out=out).returncode, 0)
        return self.final_hash(out)

    def stop(self, out, delay, with_signal, threads=0):
        process = subprocess.Popen([PROGRAM, "run", str(self.scene), "-o", str(out), "--quiet", "--threads", str(threads)],
                                   cwd=self.folder, stderr=subprocess.PIPE, text=True)
        time.sleep(delay)
        process.send_signal(with_signal)
        errors = process.communicate(timeout=60)[1]
        return process.returncode, errors

    def test_ctrl_c_then_resume_is_the_same_run(self):
        reference = self.reference()
        for k, delay in enumerate((0.1, 0.2, 0.35)):
            out = self.folder / f"c{k}"
            code, errors = self.stop(out, delay, signal.SIGINT)
            if code == 0:
                continue  # it was faster
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
        self.assertEqual(self.call("resume", self.out).returncode, 0)
        self.assertEqual(self.final_hash(), self.final_hash(reference))

    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("cannot mount a small disk here")
        try:
            result = self.run_scene(out=disk / "out")
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("No space left", result.stderr)
            self.assertFalse([p for p in disk.rglob("*") if "partial" in p.name])
            subprocess.run(["mount", "-o", "remount,size=50m", str(disk)], check=True)
            resumed = self.call("resume", disk / "out")
            self.assertEqual(resumed.returncode, 0, resumed.stderr)
            self.assertEqual(self.run_scene().returncode, 0)
            self.assertEqual(self.final_hash(disk / "out"), self.final_hash())
        finally:
            subprocess.run(["umount", str(disk)])

    def test_read_only_folder(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k,ro", "tmpfs", str(disk)], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("cannot mount a read-only disk here")
        try:
            self.assert_bad_input(self.run_scene(out=disk / "out"), "Read-only")
        finally:
            subprocess.run(["umount", str(disk)])


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

    def test_a_longer_duration_is_welcome(self):
        scene = self.out / "scene.toml"
        text = scene.read_text()
        self.assertRegex(text, r"duration = 0\.1\n")
        scene.write_text(text.replace("duration = 0.1\n", "duration = 0.15\n"))
        result = self.call("resume", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(self.metrics()), 10)


class BadInput(CliCase):
    def test_every_bad_scene_exits_2_and_writes_nothing(self):
        scenes = sorted((ROOT / "tests/scene/bad").glob("*.toml"))
        self.assertGreaterEqual(len(scenes), 60)
        for scene in scenes:
            with self.subTest(scene.name):
                empty = self.folder / "empty"
                empty.mkdir()
                result = subprocess.run([PROGRAM, "run", str(scene)], cwd=empty, capture_output=True, text=True,
                                        timeout=60, errors="replace")
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertRegex(result.stderr.splitlines()[0], re.escape(str(scene)) + r":\d+:\d+: error: .+")
                self.assertEqual(result.stderr.count("error:"), 1, result.stderr)
                self.assertEqual(list(empty.iterdir()), [])
                empty.rmdir()

    def test_missing_scene_and_folder_as_scene(self):
        self.assert_bad_input(self.call("run", "nowhere.toml"), "nowhere.toml")
        self.assert_bad_input(self.call("run", self.folder), str(self.folder))
        self.assertFalse((self.folder / "runs").exists())

    def test_bad_overrides(self):
        for override, fragment in (("simulation.cell_sise=1", "cell_size"), ("nonsense", "key=value"),
                                   ("simulation.cell_size=-1", "cell_size"), ("bodies[7].material=clay", "bodies")):
            self.assert_bad_input(self.run_scene("--set", override), f"--set {override}", fragment)
        self.assert_bad_input(self.run_scene("--sweep", "simulation.cell_size"), "KEY=A,B,C")

    def test_too_much_memory_is_refused(self):
        self.assert_bad_input(self.run_scene("--set", "simulation.cell_size=1e-5"), "memory", "cell_size")
        self.assert_bad_input(self.run_scene("--max-memory", "1MB"), "--max-memory")
        self.assertFalse(self.out.exists())
        self.assertEqual(self.run_scene("--max-memory", "1GB", "--frames", 1).returncode, 0)

    def test_usage(self):
        self.assert_bad_input(self.call("rnu", "x"), "did you mean 'run'")
        self.assert_bad_input(self.call("run"), "SCENE")
        self.assert_bad_input(self.call("run", self.scene, "--frmes", 3), "--frmes")
        self.assert_bad_input(self.call(), "")
        self.assert_bad_input(self.call("completion", "tcsh"), "tcsh")


class Information(CliCase):
    def test_check(self):
        result = self.call("check", self.scene)
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ("particles", "memory", "time step", "frames", "is fine"):
            self.assertIn(word, result.stdout)
        data = json.loads(self.call("check", self.scene, "--json").stdout)
        self.run_scene("--frames", 0)
        self.assertEqual(data["particles"], self.metrics()[0]["particles"])
        self.assertEqual(data["frames"], 6)

    def test_schema_accepts_the_scenes(self):
        schema = json.loads(self.call("schema").stdout)
        self.assertIn("simulation", schema["properties"])
        self.assertEqual(self.call("schema", "--markdown").stdout, (ROOT / "docs/scene-reference.md").read_text())

    def test_materials(self):
        self.assertIn("von-mises", self.call("materials").stdout)
        self.assertIn("yield_stress", self.call("materials", "von-mises").stdout)
        data = json.loads(self.call("materials", "--json").stdout)
        self.assertIn("von-mises", [m["name"] for m in data["models"]])
        self.assert_bad_input(self.call("materials", "von-mieses"), "von-mises")

    def test_doctor(self):
        self.assertIn("instructions", self.call("doctor").stdout)
        self.assertGreater(json.loads(self.call("doctor", "--json").stdout)["threads"], 0)

    def test_help_everywhere(self):
        self.assertIn("run", self.call("--help").stdout)
        for command in "run resume check materials schema bench doctor completion".split():
            result = self.call(command, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn("xample", result.stdout, command)

    def test_completions_parse(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.call("completion", shell).stdout
            for word in ("resume", "max-memory"):
                self.assertIn(word, script)
            if shutil.which(shell):
                self.assertEqual(subprocess.run([shell, "-n"], input=script, text=True).returncode, 0)
        words = subprocess.run(
            ["bash", "-c", f'source <({PROGRAM} completion bash); COMP_WORDS=(dollop re); COMP_CWORD=1; _dollop; '
             'echo "${COMPREPLY[@]}"; COMP_WORDS=(dollop run --max); COMP_CWORD=2; _dollop; echo "${COMPREPLY[@]}"'],
            capture_output=True, text=True).stdout
        self.assertEqual(words, "resume\n--max-memory\n")


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
