#!/usr/bin/env python3
"""The program as a person or a script uses it: files, exit status, bad input.

Usage: test_cli.py PROGRAM [CLASS[.test] ...]
"""
import json
import math
import os
import re
import shutil
import subprocess
import unittest

from cli_case import FIELDS, PROGRAM, ROOT, SCENE, CliCase


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
                                'output.attributes=["velocity","stress","plastic_strain","stretch"]')
        self.assertEqual(result.returncode, 0, result.stderr)
        names = sorted(p.name for p in (self.out / "frames").iterdir())
        self.assertEqual(names, ["particles.0000.ply", "particles.0000.vtp", "particles.0001.ply", "particles.0001.vtp"])
        self.assertIn("frames/particles.0001.vtp", (self.out / "particles.pvd").read_text())
        for name in (b"plastic_strain", b"stretch_xx", b"stretch_yz"):
            self.assertIn(name, (self.out / "frames/particles.0001.ply").read_bytes()[:2000])
        self.assertIn(b'Name="stretch" NumberOfComponents="6"', (self.out / "frames/particles.0001.vtp").read_bytes())

    def test_unknown_attribute_writes_nothing(self):
        result = self.run_scene("--set", 'output.attributes=["velocty"]')
        self.assert_bad_input(result, "velocity")
        self.assertFalse(self.out.exists())

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
                  'friction = 0.4\nmotion = { position = { expression = ["0", "1e-4/(0.05003-t)-2e-3", "0"] } }')
        result = self.run_scene()
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("cannot go on", result.stderr)
        self.assertIn("dollop resume", result.stderr)
        self.assertGreaterEqual(self.metrics()[-1]["frame"], 2)
        self.assertTrue(list((self.out / "checkpoints").iterdir()))


class SceneCase(CliCase):
    def run_small_variants(self, *arguments):
        scenes = sorted((ROOT / "scenes").rglob("*.toml"))
        self.assertGreaterEqual(len(scenes), 2)
        for scene in scenes:
            text = scene.read_text()
            variants = re.findall(r"^\[variants\.(small[a-z-]*)\]", text, re.MULTILINE)
            with self.subTest(scene.name):
                self.assertIn("[expect]", text)
                self.assertIn("small", variants)
            for variant in variants:
                with self.subTest(scene.name, variant=variant):
                    folder = self.folder / f"{scene.stem}-{variant}"
                    result = self.call("run", scene, "--variant", variant, "-o", folder, *arguments)
                    self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                    self.assertNotIn("note:", result.stderr)


class HeavyScenes(SceneCase):
    """Every scene of the project states what it must show, and its small variants show it."""

    def test_small_variants(self):
        self.run_small_variants()

    def test_full_size(self):
        for scene in (ROOT / "scenes").rglob("*.toml"):
            with self.subTest(scene.name):
                result = self.call("check", scene)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(result.stderr, "")


class Scenes(SceneCase):
    def test_small_variants_begin(self):
        self.run_small_variants("--frames", 2)

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
        # a fault of the last of several runs keeps the first from starting
        for sweep, fragment in (("materials.clay.density=500,-2", "--sweep materials.clay.density=-2: error: "),
                                ("materials.clay.density=500,heavy", "--sweep materials.clay.density=heavy: error: ")):
            self.assert_bad_input(self.run_scene("--sweep", sweep), fragment)
        self.assert_bad_input(self.run_scene("--sweep", "simulation.cfl=0.5,0.6", "--sweep", "simulation.cfl=0.1,0.2"),
                              "swept twice")
        self.assertFalse(self.out.exists())

    def test_bad_options(self):
        for option, value in (("--frames", -1), ("--frames", "1e3"), ("--max-memory", -1), ("--threads", -3)):
            result = self.run_scene(option, value)
            self.assert_bad_input(result, option)
            self.assertLess(len(result.stderr), 300)
        self.assert_bad_input(self.run_scene("--set", "simulation.duration=1e30"), "--set simulation.duration=1e30",
                              "10 million frames")
        self.assertFalse(self.out.exists())

    def test_notes_on_resampling(self):
        self.edit(self.scene, 'kernel = "quadratic"', 'kernel = "quadratic"\nresample_every = 20')
        body = 'material = "clay"\nshape = { sphere'
        for key, fragment in (("", None), ("particles_per_cell = 4\n", "bodies[0] has 4 particles a cell; resampling"),
                              ("particles_per_cell = 27\n", "bodies[0] has 27 particles a cell; resampling"),
                              ('seeding = "jittered"\n', "bodies[0] is not seeded as a lattice")):
            text = self.scene.read_text()
            self.scene.write_text(text.replace(body, key + body))
            for command in (("check", self.scene), ("run", self.scene, "-o", self.out, "--force", "--frames", 0)):
                result = self.call(*command)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual("note:" in result.stderr, fragment is not None)
                self.assertIn(fragment or "", result.stderr)
            self.assertNotIn("note:", self.call("check", self.scene, "--json").stderr)
            self.scene.write_text(text)

    def test_notes_on_tearing(self):
        material = "yield_stress = 100\n"
        for keys, fragment in (("recovery_time = 0.3\nremoval_ratio = 1e-5\n",
                                "[materials.clay] does not tear without tear_threshold: no effect of recovery_time, "
                                "removal_ratio\n"),
                               ('weak_volume = "free"\n', "no effect of weak_volume\n"),
                               ("recovery_time = 0.3\ntear_threshold = 2\n", None), ("removal_ratio = 0\n", None)):
            text = self.scene.read_text()
            self.scene.write_text(text.replace(material, material + keys))
            result = self.call("check", self.scene)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual("note:" in result.stderr, fragment is not None, result.stderr)
            self.assertIn(fragment or "", result.stderr)
            self.scene.write_text(text)
        # a preset that tears, told not to
        self.edit(self.scene, 'model = "von-mises"\nyoung_modulus = 4e4\nyield_stress = 100\n', 'preset = "pie"\n')
        self.assertNotIn("note:", self.call("check", self.scene, "--set", "materials.clay.tear_threshold=0").stderr)

    def test_notes_on_overlaps(self):
        self.assertNotIn("note:", self.call("check", self.scene).stderr)
        self.edit(self.scene, "point = [0, 0, 0]", "point = [0, 0.1, 0]")
        for command in (("check", self.scene), ("run", self.scene, "-o", self.out, "--frames", 0)):
            result = self.call(*command)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("% of bodies[0] is inside the collider 'ground' at the start", result.stderr)
        self.assertNotIn("note:", self.call("check", self.scene, "--json").stderr)

    def test_options_that_were_not_typed_are_not_blamed(self):
        lacking = self.folder / "lacking.toml"
        lacking.write_text("[materials.clay]\nmodel = \"von-mises\"\n")
        for option in (("--threads", 1), ("--precision", "double"), ("--set", "simulation.threads=1")):
            result = self.call("run", lacking, *option)
            self.assert_bad_input(result, "lacking.toml:1:1: error: [simulation] is missing")
            self.assertNotIn("--set", result.stderr)
        for option in (("--threads", 5000), ("--precision", "half")):
            result = self.run_scene(*option)
            self.assert_bad_input(result, option[0], str(option[1]))
            self.assertNotIn("--set", result.stderr)
        for command in ("run", "check"):
            result = self.call(command, self.scene, "--variant", "nope")
            self.assert_bad_input(result, "--variant nope: error: the scene has no variant 'nope'")
        self.assertFalse(self.out.exists())

    def test_variants_are_checked_too(self):
        self.scene.write_text(SCENE + '[variants.coarse]\nsimulation.cell_size = "40 mm"\n')
        self.assertEqual(self.call("check", self.scene).returncode, 0)
        line = self.scene.read_text().count("\n") + 2
        self.scene.write_text(self.scene.read_text() + "[variants.fine]\nsimulation.cell_sze = 1\n")
        for option in ([], ["--json"], ["--set", "simulation.cfl=0.5"]):
            self.assert_bad_input(self.call("check", self.scene, *option), f"drop.toml:{line}:12: error: ",
                                  "--variant fine", "'cell_size'")
        self.assertEqual(self.call("check", self.scene, "--variant", "coarse").returncode, 0)

    def test_variants_are_checked_without_what_is_set_by_hand(self):
        self.scene.write_text(SCENE + "[variants.short]\nsimulation.duration = 0.05\n")
        self.assertEqual(self.call("check", self.scene).returncode, 0)
        option = ("--set", "expect.mass='> 0 at 0.08 s'")
        self.assertEqual(self.call("check", self.scene, *option).returncode, 0)
        self.assert_bad_input(self.call("check", self.scene, *option, "--variant", "short"), "expect.mass")

    def test_nothing_to_simulate(self):
        idle = self.folder / "idle.toml"
        text = SCENE[:SCENE.index("[[bodies]]")] + "[[colliders]]\nshape = { plane = { } }\n"
        idle.write_text(text)
        for command in ("check", "run"):
            self.assert_bad_input(self.call(command, idle), "idle.toml:2:2: error: ",
                                  "a scene needs [[bodies]] or [[emitters]]")
        self.assertFalse((self.folder / "runs").exists())
        # either will do
        for part in ("[[bodies]]", "[[emitters]]"):
            begin = SCENE.index(part)
            idle.write_text(text + SCENE[begin:SCENE.index("[[", begin + len(part))])
            self.assertEqual(self.call("check", idle).returncode, 0)

    def test_a_body_too_far_away_is_shown(self):
        self.edit(self.scene, "center = [0, 0.12, 0]", "center = [1e12, 0, 0]")
        line = SCENE[:SCENE.index("shape =")].count("\n") + 1
        for command in ("check", "run"):
            self.assert_bad_input(self.call(command, self.scene), f"drop.toml:{line}:1: error: this shape lies too far",
                                  "center = [1e12, 0, 0]")
        self.assertFalse((self.folder / "runs").exists())

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

    def test_materials_are_shown_as_scenes_take_them(self):
        salt = self.call("materials", "salt").stdout
        self.assertRegex(salt, r"friction_angle +32 deg\n")
        self.assertRegex(salt, r"cone +plane-strain\n")
        sands = self.call("materials", "drucker-prager").stdout
        self.assertRegex(sands, r"friction_angle +30 deg +0 to 89 deg ")
        listed = re.findall(r"  preset (\S+) +[^:\n]*: (.*)", sands)
        self.assertIn("salt", [name for name, _ in listed])
        for name, values in listed:
            lines = values.replace(", ", "\n")
            self.scene.write_text(f'{SCENE}[materials.{name}]\nmodel = "drucker-prager"\n{lines}\n')
            self.assertEqual(self.call("check", self.scene).returncode, 0, lines)
        data = json.loads(self.call("materials", "drucker-prager", "--json").stdout)["models"][0]
        cone = next(p for p in data["parameters"] if p["name"] == "cone")
        self.assertEqual(cone["words"][:2], ["triaxial", "plane-strain"])
        presets = {p["name"]: p["parameters"] for p in data["presets"]}
        self.assertEqual(presets["salt"]["cone"], "plane-strain")
        self.assertAlmostEqual(presets["salt"]["friction_angle"], math.radians(32))

    def test_doctor(self):
        self.assertIn("instructions", self.call("doctor").stdout)
        self.assertGreater(json.loads(self.call("doctor", "--json").stdout)["threads"], 0)

    def test_doctor_tells_built_sets_from_those_of_the_processor(self):
        told = json.loads(self.call("doctor", "--json").stdout)
        built, left_out = told["instruction_sets_built"], told["instruction_sets_left_out"]
        self.assertIn("baseline", built)
        self.assertEqual(told["instruction_set"], told["instruction_sets"][-1])
        self.assertLessEqual(set(told["instruction_sets"]), set(built))
        self.assertFalse(set(left_out) & set(built))
        text = self.call("doctor").stdout
        self.assertRegex(text, told["instruction_set"] + r" +available, in use")
        for name in left_out:
            self.assertRegex(text, name + r" +this processor has it, the program was built without it")
        forced = json.loads(self.call("doctor", "--json", env={**os.environ, "DOLLOP_ISA": "baseline"}).stdout)
        self.assertEqual(forced["instruction_set"], "baseline")

    def test_instruction_sets_that_are_not_here(self):
        environment = {**os.environ, "DOLLOP_ISA": "sse9"}
        fault = "there is no instruction set 'sse9'; here there are: baseline"
        for command in (["run", self.scene], ["rheometer", "shaving-cream"], ["bench", "explicit", "--particles", 8]):
            self.assert_bad_input(self.call(*command, env=environment), "DOLLOP_ISA: " + fault)
        self.assertFalse((self.folder / "runs").exists())
        self.assertIn(fault, self.call("doctor", env=environment).stdout)
        self.assertIsNone(json.loads(self.call("doctor", "--json", env=environment).stdout)["instruction_set"])
        self.assert_bad_input(self.call("bench", "explicit", "--isa", "baseline,sse9"), "--isa: " + fault)
        told = json.loads(self.call("doctor", "--json").stdout)
        for name in {"avx2", "avx512"} - set(told["instruction_sets"]):
            self.assert_bad_input(self.call("bench", "explicit", "--isa", name), name + "; here there are: baseline")

    def test_bench_compares_bodies_with_the_block(self):
        result = self.call("bench", "explicit", "--body", "block,crumbs,singles,denormal", "--particles", 2000,
                           "--steps", 2, "--repeat", 1, "--json")
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual([line.get("body") for line in lines], [None, "crumbs", "singles", "denormal"])
        self.assertNotIn("time_over_block", lines[0])
        self.assertEqual([line["particles"] for line in lines], [1728, 1728, 2197, 1728])
        for line in lines[1:]:
            self.assertGreater(line["time_over_block"], 0)
        self.assert_bad_input(self.call("bench", "explicit", "--body", "blok"), "blok")

    def test_launcher_names_the_instruction_sets(self):
        for command in (["build", "--isa", "sse9"], ["build", "debug", "--isa=avx2,sse9"], ["test", "--isa", "sse9"]):
            result = subprocess.run([str(ROOT / "dollop"), *command], capture_output=True, text=True, timeout=60)
            self.assert_bad_input(result, "there is no instruction set 'sse9'", "baseline, avx2 and avx512", "native and all")
        result = subprocess.run([str(ROOT / "dollop"), "build", "--isa"], capture_output=True, text=True, timeout=60)
        self.assert_bad_input(result, "--isa needs the names")

    def test_help_everywhere(self):
        self.assertIn("run", self.call("--help").stdout)
        for command in "run resume check materials schema rheometer bench doctor completion".split():
            result = self.call(command, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn("xample", result.stdout, command)
            self.assertEqual(self.call("help", command).stdout, result.stdout)
        self.assertEqual(self.call("help").stdout, self.call("--help").stdout)
        self.assert_bad_input(self.call("help", "rnu"), "did you mean 'run'?")

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
        self.assertEqual(words, "resume render\n--max-memory\n")

if __name__ == "__main__":
    unittest.main(verbosity=2)
