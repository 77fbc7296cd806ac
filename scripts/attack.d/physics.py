"""Scenes of extreme physics: whatever happens, no number of a frame or of the metrics is not finite."""
import array
import json
import math
import struct
import sys

from tools import Finding


def bgeo_numbers(data):
    """The real numbers of a .bgeo file: the positions, and all attributes that are not integers."""
    points, attributes = struct.unpack(">I", data[9:13])[0], struct.unpack(">I", data[25:29])[0]
    at, place, real = 41, 4, [0, 1, 2]
    for _ in range(attributes):
        length = struct.unpack(">H", data[at:at + 2])[0]
        components, kind = struct.unpack(">HI", data[at + 2 + length:at + 8 + length])
        if kind != 1:
            real += range(place, place + components)
        at += 8 + length + 4 * components
        place += components
    words = array.array("f", data[at:at + 4 * place * points])
    if sys.byteorder == "little":
        words.byteswap()
    return (words[row * place + column] for row in range(points) for column in real)


class Physics:
    unit = "extreme scenes"

    def __init__(self, tools):
        self.tools = tools
        self.models = json.loads(tools.call("materials", "--json").stdout)["models"]

    def material(self, random):
        model = random.choice(self.models)
        preset = random.choice(model.get("presets") or [None]) if random.random() < 0.5 else None
        lines = [f'preset = "{preset["name"]}"' if preset else f'model = "{model["name"]}"']
        for parameter in model["parameters"]:
            default = parameter["default"]
            if isinstance(default, (int, float)) and default > 0 and (not preset or random.random() < 0.3):
                low, high = parameter["low"] or 0, parameter["high"]
                value = default * 10 ** random.uniform(-3, 3) if random.random() < 0.5 else default
                if value <= low or (high is not None and value >= high):
                    value = default
                lines.append(f"{parameter['name']} = {value!r}")
        return "\n".join(lines)

    def scene(self, random):
        speed = 10 ** random.uniform(0, 4)
        direction = [random.uniform(-1, 1) for _ in range(3)]
        newton = 'solver = "newton"\n' if random.random() < 0.3 else ""
        kernel = random.choice(("quadratic", "cubic"))
        transfer = random.choice(("apic", "flip", "rpic", "pic", "fading"))
        plate = 10 ** random.uniform(0, 2.5)
        return f"""[simulation]
duration = 0.1
frame_rate = 40
cell_size = 0.02
kernel = "{kernel}"
transfer = "{transfer}"
precision = "{random.choice(('float', 'float', 'double'))}"
threads = 2
{newton}gravity = [0, {-(10 ** random.uniform(-1, 5))!r}, 0]
[materials.a]
{self.material(random)}
[materials.b]
{self.material(random)}
[[bodies]]
material = "a"
shape = {{ box = {{ center = [0, 0.1, 0], size = [0.08, 0.08, 0.08] }} }}
velocity = {[speed * d for d in direction]}
angular_velocity = [0, {10 ** random.uniform(-1, 3)!r}, 0]
[[bodies]]
material = "b"
shape = {{ sphere = {{ center = [0, 0.2, 0], radius = 0.04 }} }}
[[colliders]]
name = "ground"
shape = {{ plane = {{ point = [0, 0, 0], normal = [0, 1, 0] }} }}
friction = {random.uniform(0, 2)!r}
[[colliders]]
name = "plate"
shape = {{ box = {{ center = [0, 0.4, 0], size = [0.3, 0.05, 0.3] }} }}
motion = {{ velocity = [0, {-plate!r}, 0] }}
[output]
particles = ["bgeo"]
attributes = ["velocity", "volume", "J", "stress", "mass"]
"""

    def attack(self, random):
        self.tools.fresh("run")
        (self.tools.folder / "scene.toml").write_text(self.scene(random))
        # many steps are no fault: what was written until the time is over is looked at
        wrapper = ["timeout", "-s", "INT", "8"]
        program, self.tools.program = self.tools.program, wrapper[0]
        try:
            result = self.tools.call(*wrapper[1:], program, "run", "scene.toml", "-o", "run", "--quiet", "--max-memory", "2GB",
                                     allowed=(0, 2, 3, 124, 130))
        finally:
            self.tools.program = program
        run = self.tools.folder / "run"
        if result.returncode == 2:
            return 1
        for line in (run / "metrics.jsonl").read_text().splitlines():
            if "null" in line:  # what metrics.jsonl has for a number that is not finite
                raise Finding(f"metrics that are not finite, with exit status {result.returncode}", self.tools.folder)
        for frame in sorted((run / "frames").glob("*.bgeo")):
            if not all(map(math.isfinite, bgeo_numbers(frame.read_bytes()))):
                raise Finding(f"{frame.name} is not finite, with exit status {result.returncode}", self.tools.folder)
        return 1
