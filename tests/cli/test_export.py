#!/usr/bin/env python3
"""Exports and plots of a run, read by programs that share nothing with ours.

Usage: test_export.py PROGRAM [CLASS[.test] ...]
"""
import ast
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
import xml.dom.minidom

from cli_case import PROGRAM, ROOT, CliCase

DEBIAN_PYTHON = "/usr/bin/python3"  # has the modules of Debian's packages
BLENDER_ADDON = ROOT / "integrations/blender/dollop_import.py"
PARAVIEW_MACRO = ROOT / "integrations/paraview/open_run.py"

READ_VTP = """
import json, sys, vtk
from vtk.util.numpy_support import vtk_to_numpy
out = {}
for name in sys.argv[1:]:
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(name)
    reader.Update()
    data = reader.GetOutput()
    arrays = {}
    for k in range(data.GetPointData().GetNumberOfArrays()):
        array = data.GetPointData().GetArray(k)
        arrays[array.GetName()] = [array.GetNumberOfComponents(), [float(x) for x in array.GetTuple(0)]]
    out[name] = [data.GetNumberOfPoints(), list(data.GetPoint(0)), arrays]
print(json.dumps(out))
"""

READ_VDB = """
import json, sys, pyopenvdb
density = pyopenvdb.read(sys.argv[1], "density")
velocity = pyopenvdb.read(sys.argv[1], "velocity")
voxel = density.transform.voxelSize()[0]
mass = sum(item.value * item.count for item in density.citerOnValues()) * voxel ** 3
print(json.dumps([mass, voxel, velocity.activeVoxelCount(), density.activeVoxelCount()]))
"""


def read_bgeo_header(file):
    """Number of points and names of attributes."""
    data = file.read_bytes()
    version, points, _, _, _, attributes = struct.unpack(">6i", data[5:29])
    assert data[:5] == b"BgeoV" and version == 5
    place, names = 41, []
    for _ in range(attributes):
        (length,) = struct.unpack_from(">H", data, place)
        names.append(data[place + 2:place + 2 + length].decode())
        (size,) = struct.unpack_from(">H", data, place + 2 + length)
        place += 8 + length + 4 * size
    return points, names


class ExportCase(CliCase):
    """Every test has a copy of one run."""
    runs = {}

    def setUp(self):
        super().setUp()
        self.edit(self.scene, '[output]\n', '[output]\nattributes = ["velocity", "id", "mass", "volume", "J", "stress"]\n')
        if "run" not in self.runs:
            folder = tempfile.TemporaryDirectory(prefix="dollop-cli-")
            result = self.run_scene("-q", out=pathlib.Path(folder.name) / "out")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.runs["run"] = folder
        shutil.copytree(pathlib.Path(self.runs["run"].name) / "out", self.out)

    def export(self, *arguments):
        result = self.call("export", self.out, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def names(self, folder):
        self.assertFalse([p.name for p in folder.iterdir() if "partial" in p.name])
        return sorted(p.name for p in folder.iterdir())

    def by_debian_python(self, module, program, *arguments):
        """What a program prints as JSON; skips the test where the module is missing."""
        if subprocess.run([DEBIAN_PYTHON, "-c", f"import {module}"], capture_output=True).returncode != 0:
            self.skipTest(f"Debian's Python has no module {module}")
        result = subprocess.run([DEBIAN_PYTHON, "-c", program, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)


class Exports(ExportCase):
    def test_every_format_of_every_frame(self):
        result = self.export("--to", "usda,vdb,vtp,bgeo,ply")
        for words in ("7 frames in 38 files", "velocity, mass, volume, J, stress, id, material", "run.usda", "particles.pvd"):
            self.assertIn(words, result.stdout)
        expected = ["particles.pvd", "run.usda", "run_manifest.usda"]
        for frame in range(7):
            expected += [f"particles.{frame:04d}.{kind}" for kind in ("bgeo", "ply", "usda", "vdb", "vtp")]
        self.assertEqual(self.names(self.out / "export"), sorted(expected))

    def test_bgeo_is_what_the_run_wrote(self):
        self.export("--to", "bgeo", "--frames", "3", "-o", self.folder / "e")
        self.assertEqual(self.names(self.folder / "e"), ["particles.0003.bgeo"])
        self.assertEqual((self.folder / "e/particles.0003.bgeo").read_bytes(),
                         (self.out / "frames/particles.0003.bgeo").read_bytes())

    def test_frames_and_attributes_are_chosen(self):
        self.export("--to", "bgeo", "--frames", "1:6:2", "--attributes", "velocity,id", "-o", self.folder / "e")
        self.assertEqual(self.names(self.folder / "e"), [f"particles.000{k}.bgeo" for k in (1, 3, 5)])
        points, names = read_bgeo_header(self.folder / "e/particles.0005.bgeo")
        self.assertEqual(names, ["v", "id"])
        self.assertEqual(points, self.metrics()[5]["particles"])

    def test_vtk_reads_every_attribute(self):
        self.export("--to", "vtp", "--frames", "0:2", "-o", self.folder / "e")
        pvd = xml.dom.minidom.parse(str(self.folder / "e/particles.pvd"))
        sets = [(float(s.getAttribute("timestep")), s.getAttribute("file")) for s in pvd.getElementsByTagName("DataSet")]
        self.assertEqual(sets, [(k / 60, f"particles.000{k}.vtp") for k in range(3)])
        file = self.folder / "e/particles.0002.vtp"
        points, first, arrays = self.by_debian_python("vtk", READ_VTP, file)[str(file)]
        self.assertEqual(points, self.metrics()[2]["particles"])
        self.assertEqual({name: components for name, (components, _) in arrays.items()},
                         {"velocity": 3, "mass": 1, "volume": 1, "J": 1, "stress": 6, "id": 1, "material": 1})
        self.assertEqual(arrays["id"][1], [0])
        self.assertLess(abs(first[1] - 0.12), 0.2)

    def test_openvdb_reads_the_fields(self):
        self.export("--to", "vdb", "--frames", "4", "-o", self.folder / "e")
        mass, voxel, moving, filled = self.by_debian_python("pyopenvdb", READ_VDB, self.folder / "e/particles.0004.vdb")
        self.assertLess(abs(mass / self.metrics()[4]["mass"] - 1), 1e-4)
        self.assertLess(abs(voxel / 0.02 - 1), 0.1)  # eight particles in a cell: as wide as the cells of the scene
        self.assertEqual(moving, filled)

    def test_the_cache_may_be_of_any_kind(self):
        for kind in ("vtp", "ply"):
            out = self.folder / kind
            self.assertEqual(self.run_scene("-q", "--set", f'output.particles=["{kind}"]', out=out).returncode, 0)
            self.assertEqual(self.call("export", out, "--to", "bgeo").returncode, 0)
            self.assertEqual((out / "export/particles.0004.bgeo").read_bytes(),
                             (self.out / "frames/particles.0004.bgeo").read_bytes())

    def test_surfaces_are_meshes(self):
        self.export("--to", "usda,ply,obj,vdb", "--surface", "--frames", "6", "-o", self.folder / "e")
        self.assertEqual(self.names(self.folder / "e"),
                         ["particles.0006.ply", "particles.0006.usda", "particles.0006.vdb", "run.usda",
                          "run_manifest.usda", "surface.0006.obj", "surface.0006.ply", "surface.0006.usda",
                          "surface.0006.vdb"])
        header = (self.folder / "e/surface.0006.ply").read_bytes().split(b"end_header")[0].decode()
        for line in ("property float nx", "property float vx", "property int material", "element face"):
            self.assertIn(line, header)
        faces = int(re.search(r"element face (\d+)", header)[1])
        self.assertGreater(faces, 100)
        self.assertEqual((self.folder / "e/surface.0006.obj").read_text().count("\nf "), faces)

    def test_exports_are_the_same_at_any_number_of_threads(self):
        self.export("--to", "usda,vdb,ply", "--surface", "--frames", "5", "-o", self.folder / "a")
        result = subprocess.run(["taskset", "-c", "0", PROGRAM, "export", self.out, "--to", "usda,vdb,ply", "--surface",
                                 "--frames", "5", "-o", self.folder / "b"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in self.names(self.folder / "a"):
            self.assertEqual((self.folder / "a" / name).read_bytes(), (self.folder / "b" / name).read_bytes(), name)


class RunFiles(CliCase):
    """What a run writes itself is what an export of its cache would be."""
    asked = ("-q", "--set", 'output.particles=["bgeo", "usda"]', "--set", 'output.surface=["ply", "vdb", "usda"]')

    def test_surfaces_and_stage(self):
        self.assertEqual(self.run_scene(*self.asked).returncode, 0)
        self.assertEqual(self.call("export", self.out, "--to", "usda,ply,vdb", "--surface").returncode, 0)
        for name in ("surface.0004.ply", "surface.0004.vdb", "surface.0004.usda", "particles.0004.usda"):
            self.assertEqual((self.out / "frames" / name).read_bytes(), (self.out / "export" / name).read_bytes(), name)
        stage = (self.out / "run.usda").read_text()
        for frame in range(7):
            self.assertIn(f"frames/particles.{frame:04d}.usda", stage)
            self.assertIn(f"frames/surface.{frame:04d}.usda", stage)

    def test_a_resumed_run_has_the_same_stage(self):
        self.assertEqual(self.run_scene(*self.asked).returncode, 0)
        other = self.folder / "resumed"
        self.assertEqual(self.run_scene(*self.asked, "--frames", "3", out=other).returncode, 0)
        self.assertNotIn("particles.0004", (other / "run.usda").read_text())
        self.assertEqual(self.call("resume", other, "-q").returncode, 0)
        for name in ("run.usda", "run_manifest.usda", "frames/surface.0006.ply"):
            self.assertEqual((other / name).read_bytes(), (self.out / name).read_bytes(), name)


class ExportInput(ExportCase):
    def bad(self, *arguments, words):
        before = self.names(self.out)
        self.assert_bad_input(self.call("export", *arguments), *words)
        self.assertEqual(self.names(self.out), before)

    def test_bad_input_is_explained(self):
        self.bad(self.out, words=["--to is required"])
        self.bad(self.out, "--to", "abc", words=["'abc' is not a format to export to", "usda"])
        self.bad(self.out, "--to", "obj", words=["--surface"])
        self.bad(self.out, "--to", "bgeo", "--surface", words=["none of these formats holds a surface"])
        self.bad(self.out, "--to", "vtp", "--frames", "40", words=["there are 7, from 0 to 6"])
        self.bad(self.out, "--to", "vtp", "--frames", "a:b", words=["0:30:2"])
        self.bad(self.out, "--to", "vtp", "--attributes", "temperature",
                 words=["hold no 'temperature'", "velocity, mass, volume, J, stress, id, material", "output.attributes"])
        self.bad(self.folder, "--to", "vtp", words=["holds no run"])
        self.bad(self.folder / "none", "--to", "vtp", words=["there is no folder"])

    def test_the_run_is_never_replaced(self):
        frame = self.out / "frames/particles.0003.bgeo"
        before = frame.read_bytes()
        for folder in (self.out, self.out / "frames", self.out / "checkpoints"):
            self.bad(self.out, "--to", "bgeo", "--attributes", "velocity", "-o", folder, words=["of the run itself"])
        self.assertEqual(frame.read_bytes(), before)

    def test_damaged_frames_are_named(self):
        file = self.out / "frames/particles.0003.bgeo"
        file.write_bytes(file.read_bytes()[:-1000])
        self.bad(self.out, "--to", "ply", "--frames", "3", "-o", self.folder / "e",
                 words=["particles.0003.bgeo", "ends too early"])

    def test_folders_that_cannot_be_written_are_named(self):
        (self.folder / "file").write_text("")
        self.bad(self.out, "--to", "ply", "-o", self.folder / "file/e", words=["file"])

    def test_runs_without_frames(self):
        for file in (self.out / "frames").iterdir():
            file.unlink()
        self.bad(self.out, "--to", "ply", words=["no frames", "output.particles"])


class UsdCase(ExportCase):
    """tinyusdz, an independent reader of USD from npm."""

    def modules(self):
        if shutil.which("npm") is None or shutil.which("node") is None:
            self.skipTest("npm is not installed (Debian: npm)")
        project = ROOT / "tests/usd"
        lock = project / "package-lock.json"
        folder = pathlib.Path(PROGRAM).parent.parent / ("usd-" + hashlib.sha256(lock.read_bytes()).hexdigest()[:12])
        if not (folder / "node_modules/tinyusdz/tinyusdz.wasm").exists():
            folder.mkdir(exist_ok=True)
            for name in ("package.json", "package-lock.json"):
                shutil.copy(project / name, folder)
            result = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder,
                                    capture_output=True, text=True, timeout=240)
            if result.returncode != 0:
                self.skipTest("npm cannot fetch tinyusdz: " + result.stderr.strip().splitlines()[-1])
        return folder / "node_modules"

    def read(self, *files):
        result = subprocess.run(["node", str(ROOT / "tests/usd/read_usd.mjs"), str(self.modules()), *map(str, files)],
                                capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def numbers(self, text, attribute):
        """The sample of an attribute as tinyusdz writes it back."""
        match = re.search(rf"\] {re.escape(attribute)}\.timeSamples = \{{\s*([-0-9.e]+): \[(.*?)\],?\s*\}}", text, re.S)
        self.assertIsNotNone(match, attribute)
        return float(match[1]), [float(x) for x in re.findall(r"[-+0-9.e]+", match[2])]


class UsdParser(UsdCase):
    def test_layers_read_back(self):
        self.export("--to", "usda,ply", "--surface", "--frames", "5", "-o", self.folder / "e")
        found = self.read(*(self.folder / "e" / name for name in ("particles.0005.usda", "surface.0005.usda", "run.usda",
                                                                 "run_manifest.usda")))
        for name, layer in found.items():
            self.assertTrue(layer["read"], name + ": " + layer["error"])
            for line in ("metersPerUnit = 1", 'upAxis = "Y"', "timeCodesPerSecond = 60"):
                self.assertIn(line, layer["text"])
        text = found["particles.0005.usda"]["text"]
        count = self.metrics()[5]["particles"]
        for attribute, components in (("points", 3), ("velocities", 3), ("widths", 1), ("ids", 1), ("primvars:J", 1),
                                      ("primvars:mass", 1), ("primvars:stress", 6)):
            time, values = self.numbers(text, attribute)
            self.assertEqual((time, len(values)), (5, components * count), attribute)
        self.assertLess(abs(sum(self.numbers(text, "primvars:mass")[1]) / self.metrics()[5]["mass"] - 1), 1e-4)
        self.assertIn('primvars:materialName = ["clay"]', text)

        # points are those of the .ply file, whose layout the tests of its writer know
        data = (self.folder / "e/particles.0005.ply").read_bytes()
        row = struct.unpack_from("<6f", data, data.index(b"end_header\n") + 11)
        self.assert_near(self.numbers(text, "points")[1][:3], row[:3])
        self.assert_near(self.numbers(text, "velocities")[1][:3], row[3:6])

        stage = found["run.usda"]["text"]
        for words in ("clips = {", "@./particles.0005.usda@", "@./surface.0005.usda@", 'primPath = "/particles"'):
            self.assertIn(words, stage)

    def test_the_mesh_becomes_a_scene(self):
        self.export("--to", "usda,obj", "--surface", "--frames", "5", "-o", self.folder / "e")
        mesh = self.read(self.folder / "e/surface.0005.usda")["surface.0005.usda"]
        lines = (self.folder / "e/surface.0005.obj").read_text().splitlines()
        faces = sum(line.startswith("f ") for line in lines)
        self.assertTrue(mesh["made"])
        self.assertEqual([part["corners"] for part in mesh["meshes"]], [3 * faces])

    def assert_near(self, found, expected):
        for a, b in zip(found, expected, strict=True):
            self.assertLess(abs(a - b), 1e-5 * max(1, abs(b)))


class Plots(ExportCase):
    def test_every_plot_is_an_svg_with_its_curves(self):
        result = self.call("plot", self.out)
        self.assertEqual(result.returncode, 0, result.stderr)
        names = self.names(self.out / "plots")
        for name in ("energy", "momentum", "mass", "particles", "time-step", "performance", "speed", "force-ground"):
            self.assertIn(name + ".svg", names)
        for name in names:
            svg = xml.dom.minidom.parse(str(self.out / "plots" / name))
            self.assertIn("A drop", svg.documentElement.toxml())
            self.assertGreater(len([p for p in svg.getElementsByTagName("path") if p.getAttribute("stroke-width")]), 0)
        self.assertIn(f"{len(names) - 1} plots of 7 frames", result.stdout)

    def test_runs_without_metrics_are_refused(self):
        (self.out / "metrics.jsonl").write_text("")
        self.assert_bad_input(self.call("plot", self.out), "holds no metrics")
        self.assertFalse((self.out / "plots").exists())
        self.assert_bad_input(self.call("plot", self.folder / "none"), "there is no folder")


class ParaViewMacro(ExportCase):
    def macro(self):
        module = types.ModuleType("open_run")
        exec(compile(PARAVIEW_MACRO.read_text(), str(PARAVIEW_MACRO), "exec"), module.__dict__)
        return module

    def test_finds_the_collection(self):
        macro = self.macro()
        with self.assertRaises(SystemExit) as refused:
            macro.find_collection(self.out)
        self.assertIn("dollop export", str(refused.exception))
        self.export("--to", "vtp")
        self.assertEqual(macro.find_collection(self.out), self.out / "export/particles.pvd")

    def test_dresses_what_is_open(self):
        self.export("--to", "vtp", "--frames", "0")
        simple = unittest.mock.MagicMock()
        source = simple.PVDReader.return_value
        source.GetPointDataInformation().GetArray().GetRange.return_value = (1e-6, 1e-6)
        with unittest.mock.patch.dict(sys.modules, {"paraview": types.SimpleNamespace(simple=simple)}):
            self.macro().main([str(self.out)])
        simple.PVDReader.assert_called_once_with(FileName=str(self.out / "export/particles.pvd"))
        shown = simple.Show.return_value
        shown.SetRepresentationType.assert_called_once_with("Point Gaussian")
        self.assertLess(abs(shown.GaussianRadius - (3e-6 / (4 * 3.14159265)) ** (1 / 3)), 1e-6)
        self.assertEqual(simple.ColorBy.call_args.args[1], ("POINTS", "velocity", "Magnitude"))


class LongParaView(ExportCase):
    def test_paraview_makes_a_picture(self):
        if shutil.which("pvpython") is None or shutil.which("xvfb-run") is None:
            self.skipTest("ParaView is not installed (Debian: python3-paraview, xvfb)")
        self.export("--to", "vtp")
        path = os.pathsep.join([str(pathlib.Path(shutil.which("pvpython")).parent), "/usr/bin", "/bin"])
        result = subprocess.run(["xvfb-run", "-a", "pvpython", str(PARAVIEW_MACRO), str(self.out), "a.png"],
                                cwd=self.folder, capture_output=True, text=True, timeout=300,
                                env={**os.environ, "PATH": path})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertGreater((self.folder / "a.png").stat().st_size, 30000)  # a picture of nothing is a quarter of it


CHECK_IN_BLENDER = """
import importlib.util, json, sys
import bpy, numpy
spec = importlib.util.spec_from_file_location("dollop_import", sys.argv[-3])
addon = importlib.util.module_from_spec(spec)
spec.loader.exec_module(addon)
addon.register()

def state():
    found = {}
    for thing in bpy.context.scene.objects:
        if "dollop_kind" not in thing:
            continue
        mesh = thing.data
        places = numpy.zeros(3 * len(mesh.vertices), "f4")
        mesh.vertices.foreach_get("co", places)
        velocity = numpy.zeros(3 * len(mesh.vertices), "f4")
        mesh.attributes["velocity"].data.foreach_get("vector", velocity)
        mass = numpy.ones(len(mesh.vertices), "f4")
        if "mass" in mesh.attributes:
            mesh.attributes["mass"].data.foreach_get("value", mass)
        found[thing["dollop_kind"]] = {
            "points": len(mesh.vertices), "faces": len(mesh.polygons), "attributes": sorted(mesh.attributes.keys()),
            "center": numpy.average(places.reshape(-1, 3), 0, mass).tolist(),
            "velocity": numpy.average(velocity.reshape(-1, 3), 0, mass).tolist()}
    return found

bpy.ops.import_scene.dollop_run(directory=sys.argv[-2], what="both")
scene = bpy.context.scene
for thing in scene.objects:
    thing.hide_viewport = False
report = {"range": [scene.frame_start, scene.frame_end], "fps": scene.render.fps / scene.render.fps_base}
for frame in (0, 5, 99):
    scene.frame_set(frame)
    report[str(frame)] = state()
points = [i.object.data for i in bpy.context.evaluated_depsgraph_get().object_instances
          if type(i.object.data).__name__ == "PointCloud"]
report["point_cloud"] = len(points[0].points) if points else 0
report["cloud_attributes"] = sorted(points[0].attributes.keys()) if points else []
try:
    bpy.ops.import_scene.dollop_run(directory="/nowhere")
    report["refused"] = ""
except RuntimeError as error:
    report["refused"] = str(error)
addon.unregister()
open(sys.argv[-1], "w").write(json.dumps(report))
"""


class BlenderAddon(unittest.TestCase):
    def test_is_one_file_of_sound_python(self):
        tree = ast.parse(BLENDER_ADDON.read_text(), feature_version=(3, 7))
        names = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertLessEqual({"register", "unregister", "DollopImport"}, names)
        info = next(node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "bl_info")
        self.assertEqual(ast.literal_eval(info)["category"], "Import-Export")


class BlenderCase(ExportCase):
    def blender(self, *arguments):
        if shutil.which("blender") is None:
            self.skipTest("Blender is not installed (Debian: blender)")
        # Debian's Blender takes the modules of the first python3 in the path, which may be another than Debian's
        path = os.pathsep.join([str(pathlib.Path(shutil.which("blender")).parent), "/usr/bin", "/bin"])
        result = subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "1", *map(str, arguments)],
                                cwd=self.folder, capture_output=True, text=True, timeout=300,
                                env={**os.environ, "PATH": path})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result


class LongBlender(BlenderCase):
    def test_particles_and_surfaces_follow_the_timeline(self):
        self.export("--to", "ply", "--surface", "-o", self.out / "export")
        script, report = self.folder / "check.py", self.folder / "report.json"
        script.write_text(CHECK_IN_BLENDER)
        self.blender("--python", script, "--", BLENDER_ADDON, self.out, report)
        found = json.loads(report.read_text())
        metrics = self.metrics()
        self.assertEqual(found["range"], [0, 6])
        self.assertLess(abs(found["fps"] - 60), 1e-3)
        self.assertIn("no frames of a Dollop run", found["refused"])
        for shown, frame in (("0", 0), ("5", 5), ("99", 6)):
            particles, surface = found[shown]["particles"], found[shown]["surface"]
            self.assertEqual(particles["points"], metrics[frame]["particles"])
            self.assertEqual(particles["faces"], 0)
            for name in ("velocity", "id", "mass", "volume", "J", "stress_5", "material", "radius", "speed"):
                self.assertIn(name, particles["attributes"])
            self.assertIn("velocity", surface["attributes"])
            self.assertGreater(surface["faces"], 100)
            for k in range(3):
                self.assertLess(abs(particles["center"][k] - metrics[frame]["center_of_mass"][k]), 1e-4)
                momentum = metrics[frame]["momentum"][k] / metrics[frame]["mass"]
                self.assertLess(abs(particles["velocity"][k] - momentum), 1e-3)
                self.assertLess(abs(surface["center"][k] - metrics[frame]["center_of_mass"][k]), 0.06)
        self.assertEqual(found["point_cloud"], metrics[6]["particles"])
        for name in ("velocity", "radius", "id"):
            self.assertIn(name, found["cloud_attributes"])

    def test_renders_by_cycles_with_motion_blur(self):
        self.blender("--python", BLENDER_ADDON, "--", self.out, "--frame", "5", "--render", self.folder / "a.png",
                     "--save", self.folder / "a.blend")
        self.assertTrue((self.folder / "a.blend").exists())
        picture = (self.folder / "a.png").read_bytes()
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">2I", picture[16:24]), (320, 240))
        self.assertGreater(len(picture), 20000)  # a picture of nothing is a tenth of it

    def test_volumes_load(self):
        self.export("--to", "vdb", "--frames", "5", "-o", self.folder / "e")
        script = self.folder / "check.py"
        script.write_text("import bpy, sys\nbpy.ops.object.volume_import(filepath=sys.argv[-1])\n"
                          "grids = bpy.context.object.data.grids\nassert grids.load(), grids.error_message\n"
                          "names = [grid.name for grid in grids]\nassert {'density', 'velocity'} <= set(names), names\n")
        self.blender("--python", script, "--", self.folder / "e/particles.0005.vdb")


if __name__ == "__main__":
    unittest.main(verbosity=2)
