#!/usr/bin/env python3
"""Scenes as editors see them: taplo, which is also in the extensions of VS Code, checks them against the schema.

Usage: test_schema.py PROGRAM [CLASS[.test] ...]
Needs Node.js and npm; where these are, the tests install taplo into the build folder, and fail if they cannot.
"""
import pathlib
import re
import shutil
import subprocess
import unittest

from cli_case import PROGRAM, ROOT, SCENE, CliCase

PACKAGES = ROOT / "tests/cli/taplo"
SCHEMA = ROOT / "docs/scene-schema.json"


def install_taplo():
    """The folder with taplo, installed anew when the list of packages has changed."""
    folder = pathlib.Path(PROGRAM).parent.parent / "taplo"
    lock = (PACKAGES / "package-lock.json").read_text()
    stamp = folder / "installed"
    if stamp.is_file() and stamp.read_text() == lock:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PACKAGES, folder)
    result = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder,
                            capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise RuntimeError("npm could not install taplo: " + result.stdout + result.stderr)
    stamp.write_text(lock)
    return folder


class EditorSchema(CliCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("npm") or not (shutil.which("node") or shutil.which("nodejs")):
            raise unittest.SkipTest("Node.js or npm is missing")
        cls.taplo = install_taplo()

    def check(self, *files, schema=None):
        """Without a schema, that of each file's line #:schema counts."""
        option = ["--schema", pathlib.Path(schema).as_uri()] if schema else []
        node = shutil.which("node") or shutil.which("nodejs")
        return subprocess.run([node, str(self.taplo / "node_modules/@taplo/cli/dist/cli.js"), "check", "--no-auto-config",
                               "--colors", "never", *option, *map(str, files)], cwd=ROOT, capture_output=True, text=True,
                              timeout=300)

    def test_scenes_name_the_schema_and_are_valid(self):
        scenes = sorted((ROOT / "scenes").rglob("*.toml"))
        self.assertGreaterEqual(len(scenes), 27)
        for scene in scenes:
            self.assertEqual(scene.read_text().splitlines()[0], "#:schema ../../docs/scene-schema.json", scene)
        result = self.check(*scenes)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_good_scenes_are_valid(self):
        scenes = sorted((ROOT / "tests/scene/good").glob("*.toml"))
        self.assertGreater(len(scenes), 3)
        result = self.check(*scenes, schema=SCHEMA)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_the_schema_is_that_of_the_program(self):
        self.assertEqual(self.call("schema").stdout, SCHEMA.read_text())

    def test_mistakes_are_found(self):
        good = f"#:schema {SCHEMA.as_uri()}\n" + SCENE
        mistakes = (("", ""), ("friction = 0.4", "frction = 0.4"), ('"20 mm"', '"0,02 m"'), ('"quadratic"', '"quartic"'),
                    ("speed = 1.0", "speed = { keys = [[0, 1], [1, 2, 3]] }"), ("radius = 0.08", "radius = true"),
                    ("normal = [0, 1, 0]", "normal = [0, 1]"), ('"< 1e-5"', '"1e-5"'))
        files = [self.folder / f"scene-{k}.toml" for k in range(len(mistakes))]
        for file, (old, new) in zip(files, mistakes):
            self.assertIn(old, good)
            file.write_text(good.replace(old, new) if old else good)
        result = self.check(*files)
        self.assertNotEqual(result.returncode, 0)
        invalid = re.findall(r'invalid file .*path="(.*)"', result.stderr)
        self.assertEqual(sorted(invalid), [str(file) for file in files[1:]], result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
