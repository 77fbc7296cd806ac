#!/usr/bin/env python3
"""Colliders, camera and looks of a run in other programs.

Usage: test_colliders.py PROGRAM [CLASS[.test] ...]
"""
import json
import math
import re
import struct
import unittest
import xml.dom.minidom

import test_export
from cli_case import CliCase

CUBE = """v -1 -1 -1
v 1 -1 -1
v -1 1 -1
v 1 1 -1
v -1 -1 1
v 1 -1 1
v -1 1 1
v 1 1 1
f 1 3 4 2
f 5 6 8 7
f 1 2 6 5
f 3 7 8 4
f 1 5 7 3
f 2 4 8 6
"""

COLLIDERS = """[[colliders]]
name = "a-cube"
look = "wood"
shape = { mesh = { file = "cube.obj", voxel_size = 0.2 }, scale = 0.02 }
motion = { velocity = [1, 0, 0.5], angular_velocity = [0, 6, 0] }
[[colliders]]
name = "unseen"
look = "hidden"
shape = { sphere = { center = [1, 1, 1], radius = 0.1 } }
"""

READ_MESH = """
import json, sys, vtk
reader = vtk.vtkXMLPolyDataReader()
reader.SetFileName(sys.argv[1])
reader.Update()
data = reader.GetOutput()
part = data.GetPointData().GetArray("collider")
cube = [i for i in range(data.GetNumberOfPoints()) if part.GetTuple1(i) == 1]
mean = [sum(data.GetPoint(i)[k] for i in cube) / len(cube) for k in range(3)]
velocity = data.GetPointData().GetArray("velocity")
drift = [sum(velocity.GetTuple3(i)[k] for i in cube) / len(cube) for k in range(3)]
print(json.dumps([data.GetNumberOfPolys(), mean, drift, sorted({part.GetTuple1(i) for i in range(data.GetNumberOfPoints())})]))
"""


class ColliderCase(test_export.ExportCase):
    runs = {}

    def setUp(self):
        CliCase.setUp(self)
        (self.folder / "cube.obj").write_text(CUBE)
        self.edit(self.scene, "[output]\n", COLLIDERS + "[output]\n")
        result = self.run_scene("-q", "--frames", "3")
        self.assertIn(result.returncode, (0, 4), result.stderr)

    def export_colliders(self, formats, *arguments):
        self.export("--to", formats, "--colliders", "-o", self.folder / "e", *arguments)
        return self.folder / "e"


class Colliders(ColliderCase):
    def test_files_of_every_format(self):
        folder = self.export_colliders("usda,ply,obj,vtp", "--frames", "0:3:3")
        names = self.names(folder)
        for name in ("colliders.usda", "scene.json", "colliders.pvd", *(f"colliders.000{k}.{kind}" for k in (0, 3)
                                                                       for kind in ("ply", "obj", "vtp"))):
            self.assertIn(name, names)
        lines = (folder / "colliders.0003.obj").read_text().splitlines()
        self.assertEqual([line for line in lines if line.startswith("o ")], ["o ground", "o a-cube"])
        self.assertEqual(sum(line.startswith("f ") for line in lines), 2 + 12)
        header = (folder / "colliders.0003.ply").read_bytes().split(b"end_header")[0]
        self.assertIn(b"property int collider", header)

    def test_a_moving_mesh_is_where_it_is(self):
        folder = self.export_colliders("vtp", "--frames", "3")
        faces, middle, drift, parts = self.by_debian_python("vtk", READ_MESH, folder / "colliders.0003.vtp")
        self.assertEqual(faces, 14)
        self.assertEqual(parts, [0, 1])  # what is hidden is left out
        for found, expected in zip(middle + drift, [3 / 60, 0, 1.5 / 60, 1, 0, 0.5]):
            self.assertAlmostEqual(found, expected, places=5)

    def test_colliders_at_rest_have_one_file(self):
        self.edit(self.scene, "motion = { velocity = [1, 0, 0.5], angular_velocity = [0, 6, 0] }\n", "")
        self.assertIn(self.run_scene("-q", "--frames", "2", "--force").returncode, (0, 4))
        folder = self.export_colliders("ply,vtp")
        self.assertEqual([name for name in self.names(folder) if name.startswith("colliders")],
                         ["colliders.ply", "colliders.pvd", "colliders.vtp"])
        sets = xml.dom.minidom.parse(str(folder / "colliders.pvd")).getElementsByTagName("DataSet")
        self.assertEqual([s.getAttribute("file") for s in sets], 3 * ["colliders.vtp"])

    def test_colliders_that_vanish_are_in_files_while_they_are_there(self):
        self.edit(self.scene, "motion = { velocity = [1, 0, 0.5], angular_velocity = [0, 6, 0] }\n", "until = 0.04\n")
        self.assertIn(self.run_scene("-q", "--frames", "3", "--force").returncode, (0, 4))
        folder = self.export_colliders("usda,obj,ply")
        faces = [sum(line.startswith("f ") for line in (folder / f"colliders.{k:04d}.obj").read_text().splitlines())
                 for k in range(4)]
        self.assertEqual(faces, [14, 14, 14, 2])  # at 60 frames a second
        text = (folder / "colliders.usda").read_text()
        self.assertEqual(re.findall(r"(\d+): \"(inherited|invisible)\"", text),
                         [("0", "inherited"), ("1", "inherited"), ("2", "inherited"), ("3", "invisible")])

    def test_camera_and_looks(self):
        self.edit(self.scene, "[output]\n", '[camera]\neye = [0, 1, 2]\ntarget = [0, 1, 0]\nangle = "40 deg"\n[output]\n')
        self.assertIn(self.run_scene("-q", "--frames", "1", "--force").returncode, (0, 4))
        notes = json.loads((self.export_colliders("ply") / "scene.json").read_text())
        self.assertEqual(notes["camera"]["eye"], [0, 1, 2])
        self.assertEqual(notes["camera"]["forward"], [0, 0, -1])
        self.assertAlmostEqual(notes["camera"]["angle"], math.radians(40), places=5)
        self.assertEqual([m["name"] for m in notes["materials"]], ["clay"])
        self.assertEqual([(c["name"], c["look"]) for c in notes["colliders"]],
                         [("ground", "plain"), ("a-cube", "wood"), ("unseen", "hidden")])

    def test_bad_input(self):
        for arguments, words in ((["--to", "bgeo", "--colliders"], ["none of these formats holds colliders"]),
                                 (["--to", "obj"], ["--surface"])):
            self.assert_bad_input(self.call("export", self.out, *arguments), *words)
        self.assertFalse((self.out / "export").exists())


class UsdColliders(ColliderCase, test_export.UsdCase):
    def test_layers_read_back(self):
        folder = self.export_colliders("usda", "--frames", "0:3")
        found = self.read(folder / "colliders.usda", folder / "run.usda")
        colliders, stage = found["colliders.usda"], found["run.usda"]
        self.assertTrue(colliders["read"], colliders["error"])
        self.assertTrue(colliders["made"], colliders["error"])
        self.assertEqual(sorted(mesh["corners"] for mesh in colliders["meshes"]), [6, 36])
        text = colliders["text"]
        self.assertIn('def Mesh "a_cube"', text)
        self.assertIn("xformOp:transform.timeSamples", text)
        last = re.search(r"3: \( \(([^)]*)\), \(([^)]*)\), \(([^)]*)\), \(([^)]*)\) \)", text)
        self.assertIsNotNone(last, text[-2000:])
        rows = [[float(x) for x in row.split(",")] for row in last.groups()]
        for found_number, expected in zip(rows[3], [3 / 60, 0, 1.5 / 60, 1]):
            self.assertAlmostEqual(found_number, expected, places=6)
        # turned by 6 rad/s about y: the x axis goes to -z
        for found_number, expected in zip(rows[0], [math.cos(0.3), 0, -math.sin(0.3), 0]):
            self.assertAlmostEqual(found_number, expected, places=6)
        self.assertTrue(stage["read"], stage["error"])
        for words in ('def Camera "camera"', "focalLength", "@./colliders.usda@"):
            self.assertIn(words, stage["text"])


CHECK = """
import importlib.util, json, sys
import bpy, numpy
spec = importlib.util.spec_from_file_location("dollop_import", sys.argv[-3])
addon = importlib.util.module_from_spec(spec)
spec.loader.exec_module(addon)
addon.register()
for thing in list(bpy.context.scene.objects):
    bpy.data.objects.remove(thing)
report = {}
for what in ("auto", "both"):
    bpy.ops.import_scene.dollop_run(directory=sys.argv[-2], what=what)
    scene = bpy.context.scene
    scene.frame_set(3)
    objects = {}
    for thing in scene.objects:
        if "dollop_kind" not in thing:
            continue
        mesh = thing.data
        places = numpy.zeros(3 * len(mesh.vertices), "f4")
        mesh.vertices.foreach_get("co", places)
        slots = numpy.zeros(len(mesh.polygons), "i4")
        mesh.polygons.foreach_get("material_index", slots)
        cube = places.reshape(-1, 3)
        if "collider" in mesh.attributes:
            part = numpy.zeros(len(mesh.vertices), "i4")
            mesh.attributes["collider"].data.foreach_get("value", part)
            cube = cube[part == 1]
        objects[thing["dollop_kind"]] = {"faces": len(mesh.polygons), "points": len(mesh.vertices),
            "hidden": thing.hide_render, "materials": [m.name for m in mesh.materials],
            "slots": sorted(set(slots.tolist())), "middle": cube.mean(0).tolist() if len(cube) else []}
    camera = scene.camera
    eye = list(camera.matrix_world.translation)
    report[what] = {"objects": objects, "eye": eye, "angle": camera.data.angle}
    for thing in list(scene.objects):
        bpy.data.objects.remove(thing)
wood = bpy.data.materials["Dollop a-cube"].node_tree.nodes["Principled BSDF"].inputs
report["wood"] = list(wood["Base Color"].default_value)
addon.unregister()
open(sys.argv[-1], "w").write(json.dumps(report))
"""


class LongBlenderColliders(ColliderCase, test_export.BlenderCase):
    def test_colliders_camera_and_looks(self):
        self.edit(self.scene, "[output]\n", '[camera]\neye = [0.2, 1, 2]\ntarget = [0.2, 1, 0]\nangle = "40 deg"\n[output]\n')
        self.assertIn(self.run_scene("-q", "--frames", "3", "--force").returncode, (0, 4))
        self.export("--to", "ply", "--surface", "--colliders", "-o", self.out / "export")
        script, report = self.folder / "check.py", self.folder / "report.json"
        script.write_text(CHECK)
        self.blender("--python", script, "--", test_export.BLENDER_ADDON, self.out, report)
        found = json.loads(report.read_text())
        # particles that are in a surface are not shown beside it
        self.assertEqual(sorted(found["auto"]["objects"]), ["colliders", "surface"])
        both = found["both"]["objects"]
        self.assertEqual(sorted(both), ["colliders", "particles", "surface"])
        self.assertTrue(both["particles"]["hidden"])
        self.assertFalse(both["surface"]["hidden"])
        self.assertEqual(both["particles"]["points"], self.metrics()[3]["particles"])
        colliders = both["colliders"]
        self.assertEqual(colliders["faces"], 14)
        self.assertEqual(colliders["materials"], ["Dollop ground", "Dollop a-cube", "Dollop unseen"])
        self.assertEqual(colliders["slots"], [0, 1])
        for value, expected in zip(colliders["middle"], [3 / 60, 0, 1.5 / 60]):
            self.assertAlmostEqual(value, expected, places=4)
        self.assertEqual(both["surface"]["materials"], ["Dollop clay"])
        # y up became z up
        for value, expected in zip(found["auto"]["eye"], [0.2, -2, 1]):
            self.assertAlmostEqual(value, expected, places=4)
        self.assertAlmostEqual(found["auto"]["angle"], math.radians(40), places=3)
        self.assertGreater(found["wood"][0], found["wood"][2])

    def test_renders_with_the_camera_of_the_run(self):
        self.export("--to", "ply", "--surface", "--colliders", "-o", self.out / "export")
        self.blender("--python", test_export.BLENDER_ADDON, "--", self.out, "--frame", "3", "--render", self.folder / "a.png")
        picture = (self.folder / "a.png").read_bytes()
        self.assertEqual(struct.unpack(">2I", picture[16:24]), (320, 240))
        self.assertGreater(len(picture), 20000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
