#!/usr/bin/env python3
"""Pictures of a run: sizes, places, colours, movies and bad input.

Usage: test_render.py PROGRAM [CLASS[.test] ...]
"""
import shutil
import struct
import unittest
import zlib

from cli_case import CliCase


NOZZLE = """[simulation]
duration = "0.4 s"
frame_rate = 25
cell_size = "10 mm"
kernel = "quadratic"
[materials.cream]
preset = "shaving-cream"
[[emitters]]
material = "cream"
shape = { disc = { center = [0, 0.25, 0], normal = [0, -1, 0], radius = "16 mm" } }
speed = 0.6
[[colliders]]
shape = { plane = { point = [0, 0, 0], normal = [0, 1, 0] } }
"""


def read_png(file):
    """Width, height and the rows of an 8 bit RGB picture."""
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", file
    place, packed, size = 8, b"", None
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
            assert body[8:10] == b"\x08\x02", "8 bit RGB"
        elif kind == b"IDAT":
            packed += body
        place += 12 + length
    width, height = size
    raw = zlib.decompress(packed)
    rows, before = [], bytes(3 * width)
    for y in range(height):
        kind = raw[y * (3 * width + 1)]
        row = bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        for x in range(3 * width):
            a = row[x - 3] if x >= 3 else 0
            b = before[x]
            c = before[x - 3] if x >= 3 else 0
            if kind == 1:
                row[x] = (row[x] + a) & 255
            elif kind == 2:
                row[x] = (row[x] + b) & 255
            elif kind == 3:
                row[x] = (row[x] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                row[x] = (row[x] + near) & 255
        rows.append(bytes(row))
        before = row
    return width, height, rows


class RenderCase(CliCase):
    def setUp(self):
        super().setUp()
        result = self.run_scene("--frames", "3", "-q")
        self.assertIn(result.returncode, (0, 4), result.stderr)

    def render(self, *arguments, **options):
        return self.call("render", self.out, *arguments, **options)

    def fine(self, *arguments, size="64x36"):
        result = self.render("--size", size, "--samples", "2", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, *fragments, arguments):
        before = sorted(self.folder.rglob("*"))
        self.assert_bad_input(self.render(*arguments), *fragments)
        self.assertEqual(before, sorted(self.folder.rglob("*")))  # nothing was written


class Pictures(RenderCase):
    def test_every_frame_gets_a_picture_that_shows_something(self):
        result = self.fine()
        self.assertIn("4 pictures", result.stdout)
        self.assertEqual(result.stderr.count("frame "), 4)  # progress
        for frame in range(4):
            width, height, rows = read_png(self.out / "frames" / f"render.{frame:04}.png")
            self.assertEqual((width, height), (64, 36))
            values = b"".join(rows)
            self.assertGreater(max(values) - min(values), 100)
        self.assertFalse([p for p in self.out.rglob("*") if "part" in p.suffix])

    def test_frames_threads_and_a_single_file(self):
        one, two = self.folder / "one.png", self.folder / "deep" / "two.png"
        self.fine("--frames", "2", "--threads", "1", "--output", one, "-q")
        self.fine("--frames", "2", "--threads", "2", "--out", two, "-q")
        self.assertEqual(one.read_bytes(), two.read_bytes())
        self.fine("--frames", "0:2:2", "-o", self.folder / "some")
        self.assertEqual(sorted(p.name for p in (self.folder / "some").iterdir()),
                         ["render.0000.png", "render.0002.png"])

    def test_links_are_followed(self):
        (self.folder / "link.png").symlink_to("target.png")
        for _ in range(2):  # to nothing, then to a picture
            self.fine("--frames", "1", "-o", self.folder / "link.png")
            self.assertTrue((self.folder / "link.png").is_symlink())
            self.assertEqual(read_png(self.folder / "target.png")[:2], (64, 36))

    def test_colours_come_with_a_bar(self):
        plain, colored, blurred = (self.folder / name for name in ("plain.png", "colored.png", "blurred.png"))
        self.fine("--frames", "3", "-o", plain, size="160x90")
        self.fine("--frames", "3", "-o", colored, "--color", "speed", "--range", "0:2", size="160x90")
        self.fine("--frames", "3", "-o", blurred, "--motion-blur", "0.5", "--no-denoise", size="160x90")
        _, _, before = read_png(plain)
        _, _, after = read_png(colored)
        yellow = sum(row[3 * x] > 200 and row[3 * x + 1] > 180 and row[3 * x + 2] < 120
                     for row in after for x in range(90, 160))
        self.assertGreater(yellow, 10)  # the upper end of the bar
        self.assertNotEqual(before, after)
        self.assertNotEqual(plain.read_bytes(), blurred.read_bytes())

    def test_quick_pictures(self):
        self.fine("--quick", "--frames", "1", "-o", self.folder / "quick.png")
        self.assertEqual(read_png(self.folder / "quick.png")[:2], (64, 36))

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_movie(self):
        self.fine("--movie", "--frames", "0:3")
        self.assertGreater((self.out / "render.mp4").stat().st_size, 500)
        self.assertEqual((self.out / "render.webp").read_bytes()[8:12], b"WEBP")


class RenderInput(RenderCase):
    def test_sizes_frames_colours(self):
        self.refused("'640'", "640x360", arguments=["--size", "640"])
        self.refused("'8x8'", arguments=["--size", "8x8"])
        self.refused("'64x36x2'", arguments=["--size", "64x36x2"])
        self.refused("99", "from 0 to 3", arguments=["--frames", "99"])
        self.refused("'sped'", "speed", "volume", "output.attributes", arguments=["--color", "sped"])
        self.refused("'2:1'", arguments=["--color", "speed", "--range", "2:1"])
        self.refused("--color", arguments=["--range", "1:2"])
        self.refused("'round'", "smooth", arguments=["--surface", "round"])
        self.refused("--frames", arguments=["-o", "one.png"])
        self.refused("--samples", arguments=["--samples", "0"])
        self.refused("--quick", arguments=["--quick", "--color", "speed"])

    def test_names_of_other_files_are_no_folders(self):
        for name in ("x.jpg", "x.JPEG", "x.exr", "x.tiff", "x.gif", "x.mp4", "deep/x.mov"):
            self.refused(name, ".png", "folder", "--movie", arguments=["--frames", "1", "-o", name])
        self.fine("--frames", "1", "-o", self.folder / "X.PNG")
        self.assertTrue((self.folder / "X.PNG").is_file())
        for name in ("shots.gif", "shots.png"):  # a folder that is there is one
            (self.folder / name).mkdir()
            self.fine("--frames", "1", "-o", self.folder / name)
            self.assertTrue((self.folder / name / "render.0001.png").is_file())

    def test_places_that_cannot_be_written_are_named(self):
        (self.folder / "file").write_text("")
        self.refused("cannot write", "file", arguments=["--frames", "1", "-o", "file/a.png"])

    def test_no_run_and_no_frames(self):
        self.assert_bad_input(self.call("render", self.folder / "nowhere"), "nowhere")
        for file in (self.out / "frames").iterdir():
            file.unlink()
        self.refused("no frames", "output.particles", arguments=[])

    def test_a_broken_frame_is_named(self):
        file = self.out / "frames" / "particles.0002.bgeo"
        file.write_bytes(file.read_bytes()[:50])
        self.assert_bad_input(self.render("--frames", "2", "-o", "two.png"), "particles.0002.bgeo")


class Previews(CliCase):
    whole = ["--set", "output.preview=true", "--set", "output.preview_share=1"]

    def pictures(self):
        return {p.name: p.read_bytes() for p in (self.out / "frames").glob("preview.*.png")}

    def run_well(self, *arguments):
        result = self.run_scene(*arguments)
        self.assertIn(result.returncode, (0, 4), result.stderr)
        return result

    def test_pictures_and_a_movie(self):
        result = self.run_well("--frames", 3, *self.whole)
        self.assertEqual(read_png(self.out / "frames/preview.0003.png")[:2], (640, 360))
        self.assertIn("pictures: 4 of 640 x 360, one for each frame", result.stdout)
        if shutil.which("ffmpeg"):
            self.assertIn(f"movie: {self.out}/preview.mp4", result.stdout)
            self.assertGreater((self.out / "preview.mp4").stat().st_size, 1000)

    def test_those_of_a_short_run_are_small_and_few(self):
        self.edit(self.scene, 'duration = "0.1 s"', 'duration = "0.2 s"')  # 12 frames
        result = self.run_well("--set", "output.preview=true")
        self.assertRegex(result.stdout, "pictures: 5 of 320 x 180, one for every 3 frames.*preview_share")
        self.assertEqual(sorted(self.pictures()), [f"preview.{k:04}.png" for k in (0, 3, 6, 9, 12)])
        self.assertEqual(read_png(self.out / "frames/preview.0009.png")[:2], (320, 180))

    def test_what_a_fixed_nozzle_lets_out_is_seen(self):
        self.scene.write_text(NOZZLE)
        for camera in ("", '[camera]\neye = [0.5, 0.35, 0.8]\ntarget = [0, 0.15, 0]\nangle = "30 deg"\n'):
            self.scene.write_text(NOZZLE + camera)
            self.run_well("--force", "--set", "output.preview=true")
            width, height, rows = read_png(self.out / "frames/preview.0010.png")
            # in the middle column: background or floor above and below, white cream between
            column = [rows[y][3 * (width // 2)] for y in range(height)]
            white = [y for y in range(height) if column[y] > 190]
            self.assertGreater(len(white), height // 5, column)
            self.assertLess(len(white), 9 * height // 10, column)
            self.assertGreater(min(white), height // 20)
            self.assertLess(max(white), height - height // 20)

    def test_the_view_is_chosen_anew_where_the_material_went_elsewhere(self):
        self.edit(self.scene, "[[colliders]]", "[[colliders]]\n"
                  "shape = { box = { center = [0, 0.03, 0], size = [0.04, 0.02, 0.04] } }\n"
                  'motion = { velocity = [6, 9, 0] }\ncontact = "sticky"\n[[colliders]]')
        settings = [*self.whole, "--set", 'simulation.duration="0.3 s"']
        self.assertIn(", with a view chosen at the end", self.run_well(*settings).stdout)
        whole = self.pictures()
        shutil.rmtree(self.out)
        # a run that went on after a break has the same pictures, also of the frames from before it
        self.run_well(*settings, "--frames", 7)
        self.assertNotEqual(self.pictures()["preview.0000.png"], whole["preview.0000.png"])
        self.assertIn(self.call("resume", self.out).returncode, (0, 4))
        self.assertEqual(self.pictures(), whole)


if __name__ == "__main__":
    unittest.main()
