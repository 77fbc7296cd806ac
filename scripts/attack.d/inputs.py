"""Mutated inputs: scenes, frames, checkpoints, metrics, tables of measured points, meshes."""
import base64
import json
import shutil
import struct

from tools import EXTREMES, GIGABYTE, Finding, mutated_bytes, mutated_text

SCENE = """[simulation]
duration = 0.1
frame_rate = 40
cell_size = 0.02
[materials.jelly]
model = "neo-hookean"
young_modulus = 1e4
[materials.clay]
model = "von-mises"
young_modulus = 4e4
yield_stress = 100
[[bodies]]
material = "jelly"
shape = { box = { center = [0, 0.1, 0], size = [0.06, 0.06, 0.06] } }
velocity = [0.3, -1, 0]
[[bodies]]
material = "clay"
shape = { sphere = { center = [0, 0.2, 0], radius = 0.03 } }
[[colliders]]
name = "ground"
shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }
friction = 0.4
[output]
particles = [FORMATS]
attributes = ["velocity", "volume", "J", "stress"]
checkpoint_every = 1
"""


def last_hash(run):
    try:
        return json.loads((run / "metrics.jsonl").read_bytes().splitlines()[-1])["state_hash"]
    except (OSError, LookupError, ValueError) as error:
        raise Finding(f"metrics.jsonl cannot be read: {error}", run) from None


class Scenes:
    unit = "mutated scenes"

    def __init__(self, tools):
        self.tools = tools
        files = sorted(tools.root.glob("tests/scene/good/*.toml")) + sorted(tools.root.glob("scenes/*/*.toml"))
        self.texts = [(file, file.read_text()) for file in files]

    def attack(self, random):
        file, text = random.choice(self.texts)
        folder = self.tools.fresh("scene")
        for name in ("meshes", "bodies", "data"):  # what the scene may name beside it
            if (file.parent / name).is_dir():
                (folder / name).symlink_to(file.parent / name)
        (folder / "scene.toml").write_bytes(mutated_text(random, text, [t for _, t in random.sample(self.texts, 3)]))
        self.tools.call("check", "scene/scene.toml", "--max-memory", "1GB", seconds=120)
        if sorted(p.name for p in folder.iterdir() if not p.is_symlink()) != ["scene.toml"]:
            raise Finding("check wrote a file", folder)
        return 1


class Frames:
    unit = "mutated frames"
    COMMANDS = (["surface"], ["surface", "--method", "smooth", "--to", "vdb"], ["surface", "--method", "sharp"],
                ["render", "--quick"], ["render", "--samples", "1", "--size", "64x36"], ["export", "--to", "vdb,usda"],
                ["export", "--to", "vdb,ply", "--surface"])

    def __init__(self, tools):
        self.tools = tools
        self.whole = {}
        for extension in ("bgeo", "vtp", "ply"):
            scene = tools.folder / f"{extension}.toml"
            scene.write_text(SCENE.replace("FORMATS", f'"{extension}"'))
            tools.call("run", scene, "-o", f"run-{extension}", "--quiet", "--force", "--frames", "1", allowed=(0,))
            self.whole[extension] = (tools.folder / f"run-{extension}/frames/particles.0001.{extension}").read_bytes()

    def with_numbers(self, random, extension):
        """The frame with some of its numbers replaced."""
        data = bytearray(self.whole[extension])
        first = {"bgeo": len(data) % 4 + 2, "ply": data.find(b"end_header\n") + 11, "vtp": data.find(b"_") + 1}[extension] % 4
        for _ in range(random.choice((1, 2, 8, 40))):
            at = first + 4 * random.randrange((len(data) - first) // 4)
            value = random.choice([v for v in EXTREMES if abs(v) <= 3.4e38 or v != v])
            data[at:at + 4] = struct.pack(">f" if extension == "bgeo" else "<f", value)
        return bytes(data)

    def attack(self, random):
        extension = random.choice(list(self.whole))
        frame = self.tools.folder / f"run-{extension}/frames/particles.0001.{extension}"
        if random.random() < 0.5:
            frame.write_bytes(self.with_numbers(random, extension))
        else:
            frame.write_bytes(mutated_bytes(random, self.whole[extension], list(self.whole.values())))
        command, *options = random.choice(self.COMMANDS)
        self.tools.fresh("out")
        if command in ("export", "surface"):
            options += ["-o", "out"]
        self.tools.call(command, f"run-{extension}", "--frames", "1", *options)
        return 1


class Stopped:
    """A run that was stopped half way, and the hash that it ends with."""

    def __init__(self, tools):
        self.tools = tools
        scene = tools.folder / "scene.toml"
        scene.write_text(SCENE.replace("FORMATS", '"bgeo"'))
        tools.call("run", scene, "-o", "half", "--quiet", "--force", "--frames", "2", allowed=(0,))
        shutil.rmtree(tools.folder / "whole", ignore_errors=True)
        shutil.copytree(tools.folder / "half", tools.folder / "whole")
        tools.call("resume", "whole", "--quiet", allowed=(0,))
        self.hash = last_hash(tools.folder / "whole")


class Checkpoints(Stopped):
    unit = "mutated checkpoints"

    def attack(self, random):
        run = self.tools.fresh("run", self.tools.folder / "half")
        file = sorted((run / "checkpoints").iterdir())[-1]
        whole = file.read_bytes()
        mutant = mutated_bytes(random, whole, [whole])
        file.write_bytes(mutant)
        before = {p: p.read_bytes() for p in sorted(run.rglob("*")) if p.is_file()}
        self.tools.call("resume", "run", "--quiet", allowed=(0,) if mutant == whole else (2,))
        if mutant != whole and {p: p.read_bytes() for p in sorted(run.rglob("*")) if p.is_file()} != before:
            raise Finding("a refused checkpoint changed the run", run)
        return 1


class Metrics(Stopped):
    unit = "mutated metrics.jsonl"

    def attack(self, random):
        run = self.tools.fresh("run", self.tools.folder / "half")
        file = run / "metrics.jsonl"
        file.write_bytes(mutated_text(random, file.read_text(), [(self.tools.folder / "whole/metrics.jsonl").read_text()]))
        if random.random() < 0.5:
            self.tools.call("plot", "run")
            return 1
        self.tools.call("resume", "run", "--quiet", allowed=(0,))
        if last_hash(run) != self.hash:
            raise Finding("a run resumed with damaged metrics ends otherwise", run)
        return 1


class Tables:
    unit = "mutated tables"
    TABLES = ("rate,stress\n0.1,10\n1,12\n10,20\n100,60\n", "shear rate [1/s];shear stress [Pa]\n0,1;10,5\n1;12,25\n10;20\n100;60\n",
              "# a rheometer\nviscosity [mPa s]\tshear rate [1/s]\n1000\t0.1\n500\t1\n90\t10\n12\t100\n", "0.1 10\n1 12\n10 20\n100 60\n")

    def __init__(self, tools):
        self.tools = tools

    def attack(self, random):
        (self.tools.folder / "table.csv").write_bytes(mutated_text(random, random.choice(self.TABLES), self.TABLES))
        self.tools.call("rheometer", "--fit", "table.csv")
        return 1


CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [t for a, b, c, d in SIDES for t in ((a, b, c), (a, c, d))]


def cube(extension):
    """A cube in each of the common formats."""
    points = [struct.pack("<fff", *(0.1 * k for k in corner)) for corner in CORNERS]
    if extension == "obj":
        text = "".join("v {} {} {}\n".format(*(0.1 * k for k in c)) for c in CORNERS)
        return (text + "".join("f {} {} {}\n".format(*(i + 1 for i in t)) for t in TRIANGLES)).encode()
    if extension == "off":
        text = f"OFF\n{len(CORNERS)} {len(TRIANGLES)} 0\n" + "".join("{} {} {}\n".format(*(0.1 * k for k in c)) for c in CORNERS)
        return (text + "".join("3 {} {} {}\n".format(*t) for t in TRIANGLES)).encode()
    if extension == "stl":
        facets = b"".join(bytes(12) + b"".join(points[i] for i in t) + bytes(2) for t in TRIANGLES)
        return bytes(80) + struct.pack("<I", len(TRIANGLES)) + facets
    if extension == "ply":
        header = (f"ply\nformat binary_little_endian 1.0\nelement vertex {len(CORNERS)}\nproperty float x\nproperty float y\n"
                  f"property float z\nelement face {len(TRIANGLES)}\nproperty list uchar int vertex_indices\nend_header\n")
        return header.encode() + b"".join(points) + b"".join(struct.pack("<Biii", 3, *t) for t in TRIANGLES)
    buffer = b"".join(points) + b"".join(struct.pack("<HHH", *t) for t in TRIANGLES)
    uri = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
    views = [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}]
    accessors = [{"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [0.1, 0.1, 0.1]},
                 {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}]
    return json.dumps({"asset": {"version": "2.0"}, "buffers": [{"uri": uri, "byteLength": len(buffer)}], "bufferViews": views,
                       "accessors": accessors, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
                       "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0}).encode()


class Meshes:
    unit = "mutated meshes"
    FORMATS = ("obj", "off", "stl", "ply", "gltf")

    def __init__(self, tools):
        self.tools = tools

    def attack(self, random):
        extension = random.choice(self.FORMATS)
        whole = cube(extension)
        text = extension in ("obj", "off", "gltf")
        mutant = mutated_text(random, whole.decode()) if text else mutated_bytes(random, whole, [cube(e) for e in self.FORMATS])
        (self.tools.folder / f"body.{extension}").write_bytes(mutant)
        (self.tools.folder / "scene.toml").write_text(SCENE.replace("FORMATS", "").replace(
            "box = { center = [0, 0.1, 0], size = [0.06, 0.06, 0.06] }", f'mesh = {{ file = "body.{extension}" }}'))
        self.tools.call("check", "scene.toml", "--max-memory", "1GB", memory=4 * GIGABYTE)
        return 1
