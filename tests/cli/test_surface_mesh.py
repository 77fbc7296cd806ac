#!/usr/bin/env python3
"""Bodies that carry surface meshes: what a run writes of them, resumes, exports and refuses.

Usage: test_surface_mesh.py PROGRAM [CLASS[.test] ...]
"""
import json
import struct
import unittest

from cli_case import CliCase

SCENE = """title = "A textured cube"
[simulation]
duration = "0.1 s"
frame_rate = 60
cell_size = "20 mm"
kernel = "quadratic"
[materials.rubber]
model = "neo-hookean"
density = 1000
young_modulus = 3e4
poisson_ratio = 0.3
[[bodies]]
material = "rubber"
shape = { box = { center = [0, 0, 0], size = [0.16, 0.16, 0.16] }, translate = [0, 0.09, 0] }
velocity = [0.2, -1.5, 0]
surface_mesh = "cube.obj"
surface_edge = "20 mm"
[[colliders]]
name = "ground"
shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }
friction = 0.4
[output]
particles = ["bgeo"]
checkpoint_every = 1
[expect]
"mesh_gaps.bodies[0]" = "== 0 always"
"""


def cube(half):
    """A cube as an .obj file, each face with the whole texture."""
    lines = [f"v {x * half} {y * half} {z * half}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    lines += ["vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1"]
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    lines += ["f " + " ".join(f"{v}/{k + 1}" for k, v in enumerate(face)) for face in faces]
    return "\n".join(lines) + "\n"


def read_ply(file):
    """Rows of the vertices by name, and the triangles."""
    data = file.read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    names, count, faces = [], 0, 0
    for line in data[:end].decode().splitlines():
        words = line.split()
        if words[:2] == ["element", "vertex"]:
            count = int(words[2])
        elif words[:2] == ["element", "face"]:
            faces = int(words[2])
        elif words[0] == "property" and words[1] in ("float", "int"):
            names.append((words[2], "f" if words[1] == "float" else "i"))
    row = struct.Struct("<" + "".join(kind for _, kind in names))
    rows = [dict(zip([name for name, _ in names], row.unpack_from(data, end + k * row.size))) for k in range(count)]
    face = struct.Struct("<B3i")
    triangles = [face.unpack_from(data, end + count * row.size + k * face.size)[1:] for k in range(faces)]
    return rows, triangles


class SurfaceMeshes(CliCase):
    def setUp(self):
        super().setUp()
        self.scene.write_text(SCENE)
        (self.folder / "cube.obj").write_text(cube(0.08))

    def run_fine(self, *arguments, **options):
        result = self.run_scene("--quiet", *arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def mesh(self, frame, out=None):
        return read_ply((out or self.out) / f"frames/mesh.{frame:04d}.ply")

    def test_every_frame_has_the_same_triangles_and_texture(self):
        self.run_fine()
        rows, triangles = self.mesh(0)
        self.assertEqual(len(list((self.out / "frames").glob("mesh.*.ply"))), 7)
        for row in rows:  # at first the mesh is that of the file, as it is placed
            self.assertAlmostEqual(max(abs(row["x"]), abs(row["y"] - 0.09), abs(row["z"])), 0.08, 6)
            self.assertAlmostEqual(row["vy"], -1.5, 6)
        self.assertEqual({(row["s"], row["t"]) for row in rows} >= {(0, 0), (1, 0), (1, 1), (0, 1)}, True)
        later, same = self.mesh(6)
        self.assertEqual(triangles, same)
        self.assertEqual([(r["s"], r["t"], r["body"]) for r in rows], [(r["s"], r["t"], r["body"]) for r in later])
        lowest = [min(r["y"] for r in self.mesh(frame)[0]) for frame in range(7)]
        self.assertLess(min(lowest), 0.005)   # it has met the ground,
        self.assertGreater(min(lowest), -1e-4)  # and not entered it
        for a, b in zip(rows, later):
            self.assertAlmostEqual(sum(b[n] ** 2 for n in ("nx", "ny", "nz")), 1, 4)
            self.assertNotEqual((a["x"], a["y"]), (b["x"], b["y"]))

    def test_same_bytes_with_any_threads_and_after_a_restart(self):
        self.run_fine("--threads", "1")
        other = self.folder / "other"
        self.run_fine("--threads", "2", "--frames", "3", out=other)
        result = self.call("resume", other, "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        for frame in range(7):
            name = f"frames/mesh.{frame:04d}.ply"
            self.assertEqual((self.out / name).read_bytes(), (other / name).read_bytes(), name)
        self.assertEqual(self.final_hash(), self.final_hash(other))

    def test_other_formats_and_exports(self):
        self.run_fine("--frames", "2", "--set", 'output.surface_mesh=["ply","obj","usda"]')
        for name in ("mesh.0002.obj", "mesh.0002.usda"):
            self.assertTrue((self.out / "frames" / name).exists(), name)
        obj = (self.out / "frames/mesh.0002.obj").read_text()
        rows, triangles = self.mesh(2)
        self.assertEqual(obj.count("\nvt "), len(rows))
        self.assertEqual(obj.count("\nf "), len(triangles))
        self.assertIn('def Mesh "meshes"', (self.out / "run.usda").read_text())
        result = self.call("export", self.out, "--to", "usda,ply,obj", "--surface")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.out / "export/mesh.0002.ply").read_bytes(), (self.out / "frames/mesh.0002.ply").read_bytes())
        self.assertEqual((self.out / "export/mesh.0002.obj").read_bytes(), (self.out / "frames/mesh.0002.obj").read_bytes())
        self.assertFalse(list((self.out / "export").glob("surface.*")))
        self.assertIn("texCoord2f[] primvars:st", (self.out / "export/mesh.0002.usda").read_text())

    def test_pictures_show_the_mesh(self):
        # a mesh that is larger than the body is seen where no particle is
        (self.folder / "cube.obj").write_text(cube(0.1))
        self.run_fine("--frames", "1")
        view = ["--frames", "1", "--size", "96x54", "--samples", "4", "--no-denoise"]
        for quick in ([], ["--quick"]):
            pictures = []
            for name in ("with.png", "without.png"):
                if name == "without.png":
                    (self.out / "frames/mesh.0001.ply").rename(self.folder / "kept.ply")
                options = view[:4] if quick else view
                result = self.call("render", self.out, *options, *quick, "-o", self.folder / name)
                self.assertEqual(result.returncode, 0, result.stderr)
                pictures.append((self.folder / name).read_bytes())
            (self.folder / "kept.ply").rename(self.out / "frames/mesh.0001.ply")
            self.assertNotEqual(*pictures)

    def test_a_body_that_tears_is_reported_once(self):
        self.edit(self.scene, 'shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }', """shape = { union = [
  { box = { center = [-0.44, 0.1, 0], size = [0.84, 0.3, 0.3] } } ] }
contact = "sticky"
[[colliders]]
shape = { box = { center = [0.44, 0.1, 0], size = [0.84, 0.3, 0.3] } }
contact = "sticky"
motion = { velocity = [6, 0, 0] }""")
        self.edit(self.scene, "friction = 0.4\n", "")
        self.edit(self.scene, "velocity = [0.2, -1.5, 0]\n", "")
        self.edit(self.scene, '"mesh_gaps.bodies[0]" = "== 0 always"', '"mesh_gaps.bodies[0]" = "> 0.01 at the end"')
        result = self.run_scene("--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        warnings = [w for w in json.loads(result.stdout)["warnings"] if "surface mesh of bodies[0]" in w]
        self.assertEqual(len(warnings), 1, result.stdout)
        self.assertRegex(warnings[0], r"from frame \d on, at 0\.\d+ s")
        self.assertEqual((self.out / "log.txt").read_text().count("spans gaps"), 1)

    def test_bad_meshes_are_named_with_their_place(self):
        line = SCENE.splitlines().index('surface_mesh = "cube.obj"') + 1
        (self.folder / "cube.obj").unlink()
        self.assert_bad_input(self.run_scene(), f"drop.toml:{line}:1: error: ", "cube.obj' does not exist")
        (self.folder / "cube.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n")
        self.assert_bad_input(self.run_scene(), f"drop.toml:{line}:1: error: ", "cube.obj'")
        (self.folder / "cube.obj").write_text("v 0 0 0\nv 0.01 0 0\nv 0.02 0 0\nf 1 2 1\n")
        self.assert_bad_input(self.run_scene(), f"drop.toml:{line}:1: error: ", "no triangle with an area")
        (self.folder / "cube.obj").write_text(cube(80))
        for command in ("run", "check"):
            result = self.call(command, self.scene)
            self.assert_bad_input(result, f"drop.toml:{line}:1: error: ", "is not where its body is")

    def test_estimates_know_the_mesh(self):
        coarse = json.loads(self.call("check", self.scene, "--json").stdout)
        fine = json.loads(self.call("check", self.scene, "--json", "--set", "bodies[0].surface_edge=0.002").stdout)
        self.run_fine("--set", "bodies[0].surface_edge=0.002")
        written = sum(f.stat().st_size for f in (self.out / "frames").glob("mesh.*"))
        self.assertGreater(fine["disk_bytes"] - coarse["disk_bytes"], 0.8 * written)
        self.assertGreater(fine["memory_bytes"] - coarse["memory_bytes"], 0.5 * written / 7)


if __name__ == "__main__":
    unittest.main()
