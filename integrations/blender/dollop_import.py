"""Loads the runs of Dollop into Blender: particles, surfaces and colliders that follow the timeline, with motion blur.

Install: Edit > Preferences > Add-ons > Install, choose this file, tick "Import: Dollop run".
Use:     File > Import > Dollop run, choose the folder of a run (the one that holds scene.toml).
Without a window:
    blender -b --python dollop_import.py -- RUN_FOLDER [--save scene.blend] [--render picture.png --frame 12]

Particles come from frames/particles.NNNN.bgeo or .ply, surfaces from frames/surface.NNNN.ply, surface meshes of bodies
from frames/mesh.NNNN.ply, with a UV map if they have texture coordinates (or from the folder export/ of the run). Colliders, camera and looks are there after `dollop export RUN --to ply --surface --colliders`.
Every attribute of the files becomes an attribute of the points; Cycles uses `velocity` for motion blur.
Dollop's y axis is up, Blender's z axis is: the objects are turned, their data are those of the files.
"""
import json
import math
import pathlib
import re
import struct

import bpy
import numpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ImportHelper

bl_info = {
    "name": "Import: Dollop run",
    "author": "The Dollop project",
    "version": (1, 0, 0),
    "blender": (3, 4, 0),
    "location": "File > Import > Dollop run",
    "description": "A simulated material and what surrounds it: particles, surfaces, colliders, camera, looks",
    "category": "Import-Export",
}

NUMBER_TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4",
                "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4",
                "uint32": "u4", "float32": "f4", "float64": "f8"}


class DollopError(Exception):
    """Something about the files; the message is for the user."""


# ---- files


def read_bgeo(file):
    """Points of a classic .bgeo file: name -> array with one row for each point; "P" has the positions."""
    data = pathlib.Path(file).read_bytes()
    if data[:5] != b"BgeoV" or len(data) < 41:
        raise DollopError(f"{file} is not a classic .bgeo file")
    version, points, primitives, _, _, attributes = struct.unpack(">6i", data[5:29])
    if version != 5 or primitives != 0 or points < 0:
        raise DollopError(f"{file} holds more than points")
    place, fields = 41, [("P", ">f4", (4,))]
    try:
        for _ in range(attributes):
            (length,) = struct.unpack_from(">H", data, place)
            name = data[place + 2:place + 2 + length].decode()
            size, kind = struct.unpack_from(">Hi", data, place + 2 + length)
            fields.append((name, ">i4" if kind == 1 else ">f4", (size,)))
            place += 8 + length + 4 * size
        rows = numpy.frombuffer(data, numpy.dtype(fields), points, place)
    except (struct.error, ValueError, UnicodeDecodeError) as error:
        raise DollopError(f"{file} is damaged: {error}") from error
    columns = {name: rows[name].astype(kind[1:]) for name, kind, _ in fields}
    columns["P"] = columns["P"][:, :3]
    return columns


def read_ply(file):
    """Vertices of a binary .ply file as read_bgeo() gives them, and triangles (None without faces)."""
    data = pathlib.Path(file).read_bytes()
    end = data.find(b"end_header\n")
    if not data.startswith(b"ply\nformat binary_little_endian 1.0\n") or end < 0:
        raise DollopError(f"{file} is not a binary .ply file")
    fields, vertices, faces, element = [], 0, None, ""
    for line in data[:end].decode("ascii", "replace").splitlines():
        words = line.split()
        if words[0] == "element":
            element = words[1]
            if element == "vertex":
                vertices = int(words[2])
            elif element == "face":
                faces = int(words[2])
        elif words[0] == "property" and element == "vertex":
            fields.append((words[2], "<" + NUMBER_TYPES[words[1]]))
    place = end + len(b"end_header\n")
    try:
        layout = numpy.dtype(fields)
        rows = numpy.frombuffer(data, layout, vertices, place)
        triangles = None
        if faces is not None:
            face = numpy.dtype([("count", "u1"), ("corners", "<i4", (3,))])
            table = numpy.frombuffer(data, face, faces, place + vertices * layout.itemsize)
            if faces and not (table["count"] == 3).all():
                raise ValueError("faces that are not triangles")
            triangles = table["corners"].astype("i4")
    except ValueError as error:
        raise DollopError(f"{file} is damaged: {error}") from error
    return join_components({name: rows[name] for name, _ in fields}), triangles


def join_components(columns):
    """x, y, z become P; vx, vy, vz become v; a_x, a_y, a_z become a."""
    joined, used = {}, set()
    for name, parts in [("P", ("x", "y", "z")), ("v", ("vx", "vy", "vz")), ("N", ("nx", "ny", "nz"))]:
        if all(part in columns for part in parts):
            joined[name] = numpy.stack([columns[part] for part in parts], 1).astype("f4")
            used.update(parts)
    for name in columns:
        stem = name[:-2]
        parts = [f"{stem}_{axis}" for axis in "xyz"]
        if name.endswith("_x") and all(part in columns for part in parts):
            joined[stem] = numpy.stack([columns[part] for part in parts], 1).astype("f4")
            used.update(parts)
    for name, column in columns.items():
        if name not in used:
            joined[name] = column.astype("i4" if column.dtype.kind in "iu" else "f4").reshape(-1, 1)
    return joined


def find_frames(folder, stem, extensions):
    """Numbers of frames -> files, from the places where runs and exports keep them; the first place that has any."""
    folder = pathlib.Path(folder)
    for place in (folder / "frames", folder / "surface", folder, folder / "export"):
        for extension in extensions:
            frames = {}
            for file in place.glob(f"{stem}*{extension}"):
                match = re.fullmatch(re.escape(stem) + r"(?:\.(\d{4,9}))?" + re.escape(extension), file.name)
                if match:
                    frames[int(match[1] or 0)] = file  # without a number: the same in every frame
            if frames:
                return frames
    return {}


def scene_notes(folder):
    """scene.json of an export: camera, looks of materials and colliders; {} if there is none."""
    for place in (pathlib.Path(folder) / "export", pathlib.Path(folder)):
        file = place / "scene.json"
        if file.exists():
            try:
                return json.loads(file.read_text())
            except ValueError as error:
                raise DollopError(f"{file} is damaged: {error}") from error
    return {}


def frame_rate(folder):
    """Of the scene of a run; None if it is not there."""
    try:
        match = re.search(r"^\s*frame_rate\s*=\s*([0-9.eE+-]+)", (pathlib.Path(folder) / "scene.toml").read_text(), re.M)
    except OSError:
        return None
    return float(match[1]) if match else None


# ---- Blender's data


def set_attribute(mesh, name, values):
    """An attribute of the points: one number, three, or so many numbers under numbered names."""
    components = values.shape[1]
    if components == 3:
        attribute = mesh.attributes.new(name, "FLOAT_VECTOR", "POINT")
        attribute.data.foreach_set("vector", values.astype("f4").ravel())
    elif components == 1:
        whole = values.dtype.kind in "iu"
        attribute = mesh.attributes.new(name, "INT" if whole else "FLOAT", "POINT")
        attribute.data.foreach_set("value", values.astype("i4" if whole else "f4").ravel())
    else:
        for k in range(components):
            set_attribute(mesh, f"{name}_{k}", values[:, k:k + 1])


def add_attributes(mesh, columns):
    for name, values in columns.items():
        if name in ("P", "N", "id_high") or len(values) == 0:
            continue
        set_attribute(mesh, "velocity" if name == "v" else name, values)
    if "volume" in columns and len(columns["volume"]):  # the radius of a ball of the volume that a particle has now
        volume = columns["volume"] * columns.get("J", 1)
        set_attribute(mesh, "radius", numpy.cbrt(numpy.maximum(volume, 0) * 3 / (4 * math.pi)))
    if "v" in columns and len(columns["v"]):
        set_attribute(mesh, "speed", numpy.linalg.norm(columns["v"], axis=1).reshape(-1, 1))


def fill_points(mesh, columns):
    mesh.clear_geometry()
    mesh.vertices.add(len(columns["P"]))
    mesh.vertices.foreach_set("co", columns["P"].astype("f4").ravel())
    add_attributes(mesh, columns)
    if "volume" not in columns and len(columns["P"]):  # half the distance of as many points in a box
        side = float((columns["P"].max(0) - columns["P"].min(0)).max())
        set_attribute(mesh, "radius", numpy.full((len(columns["P"]), 1), 0.5 * side / len(columns["P"]) ** (1 / 3), "f4"))
    mesh.update()


def fill_surface(mesh, columns, triangles, part="material"):
    mesh.clear_geometry()
    count = len(triangles)
    if count and (triangles.min() < 0 or triangles.max() >= len(columns["P"])):
        raise DollopError("the surface has triangles with corners that do not exist")
    mesh.vertices.add(len(columns["P"]))
    mesh.vertices.foreach_set("co", columns["P"].astype("f4").ravel())
    mesh.loops.add(3 * count)
    mesh.loops.foreach_set("vertex_index", triangles.ravel())
    mesh.polygons.add(count)
    mesh.polygons.foreach_set("loop_start", numpy.arange(0, 3 * count, 3, dtype="i4"))
    if not mesh.polygons or mesh.polygons[0].loop_total != 3:  # Blender 4 derives it from the starts
        mesh.polygons.foreach_set("loop_total", numpy.full(count, 3, dtype="i4"))
    mesh.polygons.foreach_set("use_smooth", numpy.ones(count, dtype=bool))
    if count and part in columns and len(mesh.materials) > 1:
        slots = numpy.clip(columns[part].ravel()[triangles[:, 0]], 0, len(mesh.materials) - 1)
        mesh.polygons.foreach_set("material_index", slots.astype("i4"))
    if count and "s" in columns and "t" in columns:
        layer = mesh.uv_layers.get("UVMap") or mesh.uv_layers.new(name="UVMap")
        uv = numpy.concatenate([columns["s"], columns["t"]], 1)
        layer.data.foreach_set("uv", uv[triangles.ravel()].astype("f4").ravel())
    mesh.update(calc_edges=True)
    add_attributes(mesh, columns)


def without_materials(columns, materials):
    """The particles of all other materials."""
    if "material" not in columns:
        return columns
    kept = ~numpy.isin(columns["material"].ravel(), materials)
    return {name: values[kept] for name, values in columns.items()}


def frame_to_show(frames, number):
    """The last frame that is not later, else the first."""
    earlier = [frame for frame in frames if frame <= number]
    return max(earlier) if earlier else min(frames)


def update_object(thing, timeline_frame):
    """Gives an object the particles or the surface of a frame; says nothing of frames that are missing."""
    extensions = (".bgeo", ".ply") if thing["dollop_kind"] == "particles" else (".ply",)
    folder = bpy.path.abspath(thing["dollop_folder"])
    frames = find_frames(folder, thing["dollop_kind"], extensions)
    if not frames:
        return
    number = frame_to_show(frames, timeline_frame - thing["dollop_start"])
    if thing.get("dollop_shown", -1) == number and len(thing.data.vertices) > 0:
        return
    file = frames[number]
    if thing["dollop_kind"] == "particles":
        columns = read_columns(file)
        fill_points(thing.data, without_materials(columns, list(thing.get("dollop_surfaced", []))))
    else:
        columns, triangles = read_ply(file)
        part = "collider" if thing["dollop_kind"] == "colliders" else "material"
        fill_surface(thing.data, columns, triangles if triangles is not None else numpy.zeros((0, 3), "i4"), part)
    thing["dollop_shown"] = number


@persistent
def follow_timeline(scene, _depsgraph=None):
    for thing in scene.objects:
        if "dollop_kind" not in thing:
            continue
        try:
            update_object(thing, scene.frame_current)
        except (DollopError, OSError) as error:
            print(f"Dollop: {error}")


# ---- how points are shown


def add_socket(group, direction):
    if hasattr(group, "interface"):  # Blender 4
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    elif direction == "INPUT":
        group.inputs.new("NodeSocketGeometry", "Geometry")
    else:
        group.outputs.new("NodeSocketGeometry", "Geometry")


def points_nodes(materials):
    """Vertices become points with the radius and the material of the particles: a group of geometry nodes."""
    group = bpy.data.node_groups.new("Dollop points", "GeometryNodeTree")
    add_socket(group, "INPUT")
    add_socket(group, "OUTPUT")
    nodes = group.nodes
    start, end = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    points, radius = nodes.new("GeometryNodeMeshToPoints"), named_attribute(nodes, "radius", "FLOAT")
    group.links.new(start.outputs[0], points.inputs["Mesh"])
    group.links.new(value_of(radius), points.inputs["Radius"])
    last, row = points, [start, radius, points]
    number = named_attribute(nodes, "material", "INT") if len(materials) > 1 else None
    for index, material in enumerate(materials):
        assign = nodes.new("GeometryNodeSetMaterial")
        assign.inputs["Material"].default_value = material
        if number is not None:
            equal = nodes.new("FunctionNodeCompare")
            equal.data_type, equal.operation = "INT", "EQUAL"
            a, b = [socket for socket in equal.inputs if socket.type == "INT"][:2]
            group.links.new(value_of(number), a)
            b.default_value = index
            group.links.new(equal.outputs[0], assign.inputs["Selection"])
        group.links.new(last.outputs[0], assign.inputs["Geometry"])
        last = assign
        row.append(assign)
    group.links.new(last.outputs[0], end.inputs[0])
    for place, node in enumerate([*row, end]):
        node.location = (200 * place, -150 if node is radius else 0)
    return group


def named_attribute(nodes, name, kind):
    node = nodes.new("GeometryNodeInputNamedAttribute")
    node.data_type = kind
    node.inputs["Name"].default_value = name
    return node


def value_of(node):
    """The socket of a named attribute that is in use: there is one for each type."""
    return next(socket for socket in node.outputs if socket.enabled and socket.type in ("VALUE", "INT"))


def set_input(shader, names, value):
    """The input of a shader that has one of these names: they differ between versions of Blender."""
    for name in names:
        if name in shader.inputs:
            shader.inputs[name].default_value = value
            return


def material_of(look):
    """A material with the look of a material or a collider of the run; None: white, rough, a start to build on."""
    name = "Dollop" if look is None else f"Dollop {look['name']}"
    material = bpy.data.materials.get(name) or bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes.get("Principled BSDF")
    if shader is None:
        return material
    if look is None:
        look = {"color": (0.9, 0.88, 0.84), "roughness": 0.6}
    color = (*look["color"], 1)
    material.diffuse_color = color  # of the view without rendering
    set_input(shader, ["Base Color"], color)
    set_input(shader, ["Roughness"], look["roughness"])
    set_input(shader, ["Metallic"], 1.0 if look.get("metal") else 0.0)
    set_input(shader, ["Specular IOR Level", "Specular"], min(1.0, look.get("reflectance", 0.04) / 0.08))
    set_input(shader, ["Transmission Weight", "Transmission"], look.get("transmission", 0.0))
    if look.get("scattering", 0) > 0:  # light that leaves at some distance makes foam soft
        set_input(shader, ["Subsurface Weight", "Subsurface"], 0.3)
        set_input(shader, ["Subsurface Color"], color)
        set_input(shader, ["Subsurface Radius"], (0.01, 0.007, 0.005))
    return material


def add_camera(context, folder, notes):
    """The camera of the run; None if it is not known."""
    from mathutils import Matrix
    view = notes.get("camera")
    if view is None:
        return None
    camera = bpy.data.objects.new(f"{pathlib.Path(folder).name} camera", bpy.data.cameras.new("Dollop camera"))
    columns = [view["right"], view["up"], [-x for x in view["forward"]], view["eye"]]
    pose = Matrix([[column[row] for column in columns] for row in range(3)] + [[0, 0, 0, 1]])
    camera.matrix_world = Matrix.Rotation(math.pi / 2, 4, "X") @ pose
    camera.data.sensor_fit = "VERTICAL"
    camera.data.angle = view["angle"]
    camera.data.clip_start = 0.01
    context.collection.objects.link(camera)
    context.scene.camera = camera
    return camera


def add_object(context, folder, kind, start, materials):
    thing = bpy.data.objects.new(f"{pathlib.Path(folder).name} {kind}", bpy.data.meshes.new(f"dollop {kind}"))
    thing["dollop_kind"], thing["dollop_folder"], thing["dollop_start"] = kind, str(folder), start
    thing.rotation_euler = (math.pi / 2, 0, 0)  # y up becomes z up
    for material in materials:
        thing.data.materials.append(material)
    context.collection.objects.link(thing)
    if kind == "particles":
        thing.modifiers.new("Points", "NODES").node_group = points_nodes(materials)
    return thing


def read_columns(file):
    return read_bgeo(file) if file.suffix == ".bgeo" else read_ply(file)[0]


def materials_of(frames):
    """Numbers of the materials in some of the files of particles or of surfaces."""
    files, found = [frames[frame] for frame in sorted(frames)], set()
    for file in {files[0], files[len(files) // 2], files[-1]}:
        found.update(int(number) for number in numpy.unique(read_columns(file).get("material", numpy.zeros(0, "i4"))))
    return sorted(found)


def kinds_to_show(what, particles, surface, meshes, colliders):
    kinds = []
    if particles and what in ("auto", "particles", "both"):
        kinds.append("particles")
    if surface and what in ("auto", "surface", "both"):
        kinds.append("surface")
    if meshes and what in ("auto", "surface", "both"):
        kinds.append("mesh")
    if kinds and colliders:
        kinds.append("colliders")
    return kinds


def load_run(context, folder, what="auto", start=0, set_timeline=True):
    """Objects that show the run in `folder`; "auto": its surface, and particles of what has no surface, such as sand."""
    folder = pathlib.Path(folder)
    particles = find_frames(folder, "particles", (".bgeo", ".ply"))
    surface = find_frames(folder, "surface", (".ply",))
    meshes = find_frames(folder, "mesh", (".ply",))  # those of bodies
    kinds = kinds_to_show(what, particles, surface, meshes, find_frames(folder, "colliders", (".ply",)))
    if not kinds:
        raise DollopError(f"no {'frames' if what in ('auto', 'both') else what} of a Dollop run in {folder}: choose the "
                          "folder that holds scene.toml; surfaces are made by `dollop surface RUN` as .ply files")
    surfaced = sorted({m for files in (surface, meshes) if files for m in materials_of(files)}) if what == "auto" else []
    if surfaced and "particles" in kinds and set(materials_of(particles)) <= set(surfaced):
        kinds.remove("particles")
    notes = scene_notes(folder)
    numbers = sorted({**particles, **surface, **meshes})
    if set_timeline:
        scene = context.scene
        scene.frame_start, scene.frame_end = numbers[0] + start, numbers[-1] + start
        rate = frame_rate(folder)
        if rate:  # fps is a whole number in Blender, its base need not be
            scene.render.fps, scene.render.fps_base = max(1, round(rate)), max(1, round(rate)) / rate
        scene.render.use_motion_blur = True
        scene.render.use_lock_interface = True  # Blender must not draw while a frame is loaded
        add_camera(context, folder, notes)
    things = []
    for kind in kinds:
        looks = notes.get("colliders" if kind == "colliders" else "materials") or [None]
        thing = add_object(context, folder, kind, start, [material_of(look) for look in looks])
        if kind == "particles" and ("surface" in kinds or "mesh" in kinds):
            if what == "auto":
                thing["dollop_surfaced"] = surfaced
            else:  # they are in the surface: to be switched on where they are wanted
                thing.hide_render = thing.hide_viewport = True
        update_object(thing, context.scene.frame_current)
        things.append(thing)
    return things


class DollopImport(bpy.types.Operator, ImportHelper):
    """Load the folder of a Dollop run"""
    bl_idname = "import_scene.dollop_run"
    bl_label = "Import Dollop run"
    bl_options = {"REGISTER", "UNDO"}

    directory: StringProperty(subtype="DIR_PATH")
    filter_glob: StringProperty(default="*.toml;*.bgeo;*.ply", options={"HIDDEN"})
    filename_ext = ""
    what: EnumProperty(name="Show", default="auto", items=[
        ("auto", "Best there is", "The surface, and particles of materials that have none, such as sand"),
        ("particles", "Particles", "Points with their attributes"),
        ("surface", "Surface", "The mesh"),
        ("both", "Both", "The surface, and all particles, hidden at first")])
    start: IntProperty(name="First frame", default=0, description="Frame of the timeline that shows frame 0 of the run")
    set_timeline: BoolProperty(name="Set timeline", default=True,
                               description="Take the range, the frame rate and motion blur from the run")

    def execute(self, context):
        folder = pathlib.Path(self.directory)
        if folder.name in ("frames", "export") and (folder.parent / "scene.toml").exists():
            folder = folder.parent
        try:
            load_run(context, folder, self.what, self.start, self.set_timeline)
        except (DollopError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


def menu_entry(self, _context):
    self.layout.operator(DollopImport.bl_idname, text="Dollop run")


def register():
    bpy.utils.register_class(DollopImport)
    bpy.types.TOPBAR_MT_file_import.append(menu_entry)
    bpy.app.handlers.frame_change_pre.append(follow_timeline)


def unregister():
    bpy.app.handlers.frame_change_pre.remove(follow_timeline)
    bpy.types.TOPBAR_MT_file_import.remove(menu_entry)
    bpy.utils.unregister_class(DollopImport)


def add_sun(scene):
    sun = bpy.data.objects.new("Dollop sun", bpy.data.lights.new("Dollop sun", "SUN"))
    sun.rotation_euler, sun.data.energy = (0.7, 0.3, 0.5), 3
    scene.collection.objects.link(sun)


def look_at(scene, things):
    """A camera that shows the objects, for runs whose camera is not known."""
    from mathutils import Vector
    boxes = []
    for thing in things:  # boxes that Blender keeps do not know of points
        places = numpy.zeros(3 * len(thing.data.vertices), dtype="f4")
        thing.data.vertices.foreach_get("co", places)
        if len(places):
            boxes += [places.reshape(-1, 3).min(0), places.reshape(-1, 3).max(0)]
    corners = [things[0].matrix_world @ Vector(corner) for corner in boxes] or [Vector()]
    low = Vector([min(corner[k] for corner in corners) for k in range(3)])
    high = Vector([max(corner[k] for corner in corners) for k in range(3)])
    middle, size = (low + high) / 2, max((high - low).length, 1e-3)
    camera = bpy.data.objects.new("Dollop camera", bpy.data.cameras.new("Dollop camera"))
    camera.location = middle + Vector((0.5, -1.4, 0.6)) * size
    camera.rotation_euler = (middle - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.clip_start = size / 100
    scene.collection.objects.link(camera)
    scene.camera = camera


def main(arguments):
    """The command line after `--`."""
    import argparse
    parser = argparse.ArgumentParser(prog="dollop_import.py", description="Load a Dollop run into Blender.")
    parser.add_argument("run", help="folder of the run")
    parser.add_argument("--show", choices=("auto", "particles", "surface", "both"), default="auto")
    parser.add_argument("--frame", type=int, help="frame to go to")
    parser.add_argument("--save", help="write a .blend file")
    parser.add_argument("--render", help="write a picture of the frame, by Cycles")
    options = parser.parse_args(arguments)
    scene = bpy.context.scene
    for thing in list(scene.objects):
        bpy.data.objects.remove(thing)
    things = load_run(bpy.context, pathlib.Path(options.run).resolve(), options.show)
    scene.frame_set(scene.frame_start if options.frame is None else options.frame)
    if options.render:
        bpy.context.view_layer.update()
        if scene.camera is None:
            look_at(scene, things)
        add_sun(scene)
        scene.render.engine, scene.cycles.samples, scene.cycles.device = "CYCLES", 16, "CPU"
        scene.cycles.use_denoising = False
        scene.render.resolution_x, scene.render.resolution_y = 320, 240
        scene.render.filepath = str(pathlib.Path(options.render).resolve())
        bpy.ops.render.render(write_still=True)
    if options.save:
        bpy.ops.wm.save_as_mainfile(filepath=str(pathlib.Path(options.save).resolve()))


if __name__ == "__main__":
    import sys
    register()
    if "--" in sys.argv:
        main(sys.argv[sys.argv.index("--") + 1:])
