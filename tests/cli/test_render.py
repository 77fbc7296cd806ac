#!/usr/bin/env python3
"""Pictures of a run: sizes, places, colours, movies and bad input.

Usage: test_render.py PROGRAM [CLASS[.test] ...]
"""
import shutil
import struct
import unittest
import zlib

from cli_case import CliCase


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


if __name__ == "__main__":
    unittest.main()
