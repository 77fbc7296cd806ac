#!/usr/bin/env python3
"""The virtual rheometer: flow curves, fits, files and bad input.

Usage: test_rheometer.py PROGRAM [CLASS[.test] ...]
"""
import json
import math
import unittest
import xml.dom.minidom

from cli_case import ROOT
from rheometer_case import RheometerCase

TWO_MATERIALS = """[simulation]
duration = 1
cell_size = 0.01
[materials.cream]
preset = "shaving-cream"
[materials.clay]
model = "von-mises"
young_modulus = 4e6
yield_stress = "1 kPa"
"""


class FlowCurves(RheometerCase):
    def test_table_csv_and_plot(self):
        file, plot = self.folder / "flow.csv", self.folder / "flow.svg"
        result = self.fine("shaving-cream", "--csv", file, "--plot", plot)
        for words in ("steady simple shear", "shear stress [Pa]", "tau_y", "consistency", "flow_index", "fit error"):
            self.assertIn(words, result.stdout)
        self.assertEqual(file.read_text().splitlines()[0], "shear_rate,shear_stress,first_normal_stress")
        rows = self.rows(file)
        self.assertEqual(len(rows), 20)
        self.assertEqual((rows[0][0], rows[-1][0]), (0.01, 100))
        self.assert_close(rows[-1][1], 64.9239, 1e-5)
        self.assertGreater(rows[-1][2], rows[0][2])
        svg = xml.dom.minidom.parse(str(plot))
        self.assertEqual(len(svg.getElementsByTagName("circle")), 21)  # one of them in the legend
        self.assertFalse([p for p in self.folder.iterdir() if "partial" in p.name])

    def test_engineering_parameters_come_back(self):
        for n in (0.2, 0.43, 1, 2.8):
            largest = 20 + 10 * 100**n
            data = self.json("herschel-bulkley", "--set", "tau_y=20", "--set", "consistency=10", "--set",
                             f"flow_index={n}", "--set", f"shear_modulus={100 * largest}", "--set",
                             f"bulk_modulus={1e4 * largest}")
            for point in data["points"]:
                self.assertTrue(point["steady"])
                self.assert_close(point["shear_stress"], 20 + 10 * point["shear_rate"] ** n, 5e-3)
            for name, value in (("tau_y", 20), ("consistency", 10), ("flow_index", n)):
                self.assert_close(data["fit"][name], value, 0.01)

    def test_both_sets_of_parameters_are_shown(self):
        own = "yield_stress 31.9 Pa, viscosity 27.2 Pa s^n, power 0.22"
        engineering = "tau_y 18.4175 Pa, consistency 17.8214 Pa s^n, flow_index 0.22"
        for source in (("shaving-cream",), ("shaving-cream", "--uniaxial")):
            text = self.fine(*source, "--rates", "0.1:1:3").stdout
            self.assertIn(f"material   {own}\n           the same as {engineering}\n", text)
            self.assertRegex(text, r"fit        tau_y .* Pa, consistency .* Pa s\^n, flow_index .*\n"
                                   r"           the same as yield_stress .* Pa, viscosity .* Pa s\^n, power ")
        data = self.json("herschel-bulkley", "--set", "tau_y=20", "--set", "consistency=10", "--set", "flow_index=0.5",
                         "--set", "shear_modulus=1e6", "--set", "bulk_modulus=1e7", "--rates", "0.1:10:5")
        known = {"tau_y": 20, "consistency": 10, "flow_index": 0.5, "yield_stress": 20 * 3**0.5,
                 "viscosity": 10 * 2**0.75, "power": 0.5}
        for name, value in known.items():
            self.assert_close(data["parameters"][name], value, 1e-12)
            self.assert_close(data["fit"][name], value, 1e-3)
        self.assertIsNone(self.json("von-mises", "--rates", "1,2,3")["parameters"])
        for name in ("shaving-cream", "herschel-bulkley"):
            self.assertRegex(self.call("materials", name).stdout,
                             r"the same as tau_y 18\.4\d* Pa, consistency 17\.8\d* Pa s\^n, flow_index 0\.22\b")

    def test_fast_flow_with_large_elastic_strains_is_left_out_of_the_fit(self):
        data, text = self.json("oobleck"), self.fine("oobleck").stdout
        for name, value, tolerance in (("tau_y", 0.1 / 3**0.5, 0.01), ("consistency", 10 * 2**-1.9, 0.01),
                                       ("flow_index", 2.8, 0.01)):
            self.assert_close(data["parameters"][name], value, 1e-12)
            self.assert_close(data["fit"][name], value, tolerance)
        self.assertLess(data["fit"]["max_error"], 0.02)
        self.assertIn(f"of {data['fit']['points']} of 20 rates", text)
        self.assertRegex(text, r"elastic strains reach 1.7 .* at 100 1/s to 0.011 of the material's tau_y")
        self.assertEqual(self.json("shaving-cream")["fit"]["points"], 20)

    def test_set_takes_units_and_starts_from_the_preset(self):
        data = self.json("shaving-cream", "--set", "yield_stress=0.0319 kPa", "--set", "viscosity=0", "--rates", "1,2,3")
        self.assert_close(data["fit"]["tau_y"], 31.9 / math.sqrt(3), 0.01)
        self.assertEqual(data["fit"]["consistency"], 0)

    def test_the_time_step_of_a_simulation(self):
        data = self.json("shaving-cream", "--rates", "10", "--dt", "2 ms")
        self.assert_close(data["points"][0]["shear_stress"], 46.829761, 1e-6)
        self.assertIsNone(data["fit"])  # one point is no curve

    def test_perfectly_plastic_and_elastic(self):
        data = self.json("von-mises", "--set", "yield_stress=300", "--set", "young_modulus=1e6", "--rates", "0.1:10:3")
        self.assert_close(data["fit"]["tau_y"], 300 / math.sqrt(3), 1e-3)
        self.assertEqual(data["fit"]["consistency"], 0)
        result = self.fine("neo-hookean", "--rates", "0.1:10:3", "--strain", "2")
        self.assertIn("no fit: at 3 of 3 rates", result.stdout)
        self.assertIn("elastic", result.stdout)
        data = self.json("neo-hookean", "--rates", "0.1:10:3", "--strain", "2")
        self.assertIsNone(data["fit"])
        self.assertFalse(any(p["steady"] for p in data["points"]))

    def test_csv_holds_steady_points_only(self):
        file = self.folder / "h.csv"
        result = self.fine("hencky", "--rates", "0.1:10:3", "--strain", "2", "--csv", file)
        self.assertEqual(file.read_text(), "shear_rate,shear_stress,first_normal_stress\n")
        self.assertIn("h.csv leaves out 3 of 3 rates", result.stderr)
        self.assert_bad_input(self.rheometer("--fit", file), "at least 3 different shear rates above 0, there are 0")
        result = self.fine("shaving-cream", "--rates", "0.1,1,10", "--time", "5", "--csv", file)
        self.assertEqual([row[0] for row in self.rows(file)], [1, 10])
        self.assertIn("leaves out 1 of 3", result.stderr)
        self.assertEqual(self.fine("pie", "--rates", "1,2,3", "--csv", file).stderr, "")

    def test_what_shows_no_stress_is_refused(self):
        for test in ((), ("--uniaxial",), ("--startup", "1"), ("--relaxation",), ("--oscillation", "1,2"), ("--json",)):
            result = self.rheometer("dry-sand", *test)
            self.assert_bad_input(result, "no stress", "no pressure")
            self.assertEqual(result.stdout, "")
        result = self.rheometer("herschel-bulkley", "--set", "yield_stress=0", "--set", "viscosity=0")
        self.assert_bad_input(result, "flows without resistance")
        self.assertNotIn("pressure", result.stderr)
        self.assertIn("tau_y", self.fine("sand-castle", "--rates", "0.1:10:3").stdout)
        self.assertIn("at least 3 rates", self.fine("pie", "--rates", "1,2").stdout)

    def test_what_ended_a_test_is_said(self):
        text = self.fine("shaving-cream", "--time", "1e-3", "--rates", "1:10:3").stdout
        self.assertRegex(text, r"3\.16228 +0\.91706")
        self.assertIn("needs a larger --time\n", text)
        text = self.fine("shaving-cream", "--strain", "0.01", "--rates", "1:10:3").stdout
        self.assertIn("needs a larger --strain\n", text)
        text = self.fine("shaving-cream", "--strain", "0.01", "--time", "5e-3", "--rates", "1:10:3").stdout
        self.assertIn("needs a larger --time or --strain\n", text)

    def test_uniaxial(self):
        file = self.folder / "flow.csv"
        data = self.json("pie", "--uniaxial", "--rates", "0.5,5", "--csv", file)
        self.assert_close(data["points"][0]["stress_difference"], 125.399780, 1e-5)
        self.assert_close(data["points"][1]["stress_difference"], 130.057152, 1e-5)
        self.assertEqual(file.read_text().splitlines()[0], "extension_rate,stress_difference")
        stiff = self.json("herschel-bulkley", "--set", "tau_y=20", "--set", "consistency=10", "--set", "flow_index=0.5",
                          "--set", "shear_modulus=1e5", "--set", "bulk_modulus=1e7", "--uniaxial")
        for name, value in (("tau_y", 20), ("consistency", 10), ("flow_index", 0.5)):
            self.assert_close(stiff["fit"][name], value, 0.01)

    def test_materials_of_a_scene(self):
        self.scene.write_text(TWO_MATERIALS)
        self.assert_bad_input(self.rheometer(self.scene), "several materials", "--material", "cream", "clay")
        self.assert_bad_input(self.rheometer(self.scene, "--material", "creem"), "did you mean 'cream'")
        short = ("--rates", "0.1:10:3")
        data = self.json(self.scene, "--material", "clay", *short)
        self.assertEqual((data["material"], data["model"]), ("clay", "von-mises"))
        self.assert_close(data["fit"]["tau_y"], 1000 / math.sqrt(3), 1e-3)
        for key in ("yield_stress", "materials.clay.yield_stress"):
            data = self.json(self.scene, "--material", "clay", "--set", f"{key}=500", *short)
            self.assert_close(data["fit"]["tau_y"], 500 / math.sqrt(3), 1e-3)


class Fits(RheometerCase):
    def curve(self, tau_y, consistency, index):
        rates = [10 ** (k / 3) for k in range(-6, 7)]
        return "shear_rate [1/s],shear_stress [Pa]\n" + "".join(f"{r},{tau_y + consistency * r ** index}\n" for r in rates)

    def scene_with(self, block):
        self.scene.write_text("[simulation]\nduration = 1\ncell_size = 0.01\n" + block +
                              "\n[[bodies]]\nmaterial = \"measured\"\nshape = { sphere = { radius = 0.1 } }\n")
        return self.scene

    def test_a_scene_of_materials_alone_will_do(self):
        scene = self.folder / "materials.toml"
        scene.write_text("[simulation]\nduration = 1\ncell_size = 0.01\n[materials.m]\nmodel = \"von-mises\"\n")
        self.assertTrue(self.json(scene)["points"])

    def test_a_file_of_materials_alone(self):
        short, file = ("--rates", "0.1:10:3"), self.folder / "m.toml"
        file.write_text(self.fine("--fit", self.measured(self.curve(20, 10, 0.5)), "--shear-modulus", "1e5").stdout)
        data = self.json(file, *short)
        self.assertEqual(data["material"], "measured")
        self.assert_close(data["fit"]["tau_y"], 20, 0.01)
        for options in (("--set", "tau_y=30"), ("--set", "materials.measured.tau_y=30", "--material", "measured")):
            self.assert_close(self.json(file, *short, *options)["parameters"]["tau_y"], 30, 1e-9)
        self.assert_bad_input(self.rheometer(file, "--set", "tau_x=3"), "--set materials.measured.tau_x=3", "'tau_y'")
        self.assert_bad_input(self.rheometer(file, "--material", "measurd"), "did you mean 'measured'")
        two = 'title = "two"\n[materials.a]\npreset = "pie"\n[materials.b]\nmodel = "von-mises"\n'
        file.write_text(two + "[variants.soft.materials.b]\nyield_stress = 500\n")
        self.assert_bad_input(self.rheometer(file), "several materials")
        data = self.json(file, "--material", "b", "--variant", "soft", *short)
        self.assert_close(data["fit"]["tau_y"], 500 / math.sqrt(3), 0.01)
        for text, words in ((two + "yeild_stress = 3\n", "m.toml:6:1: error: 'yeild_stress'"),
                            ("x = 1\n" + two, "m.toml:1:1: error: 'x' is not a part of a scene"),
                            (two + "[output]\npreview = true\n", "[simulation] is missing"),
                            (two.replace("materials.b", 'materials."b c"'), "m.toml:4:"), ("", "the scene is empty")):
            file.write_text(text)
            self.assert_bad_input(self.rheometer(file, "--material", "a"), words)
        self.assert_bad_input(self.call("check", file))

    def test_gives_back_what_was_measured(self):
        for law in ((18.4, 17.8, 0.22), (3, 0.5, 1), (0.5, 2, 1.7)):
            fit = self.json("--fit", self.measured(self.curve(*law)))["fit"]
            for name, value in zip(("tau_y", "consistency", "flow_index"), law):
                self.assert_close(fit[name], value, 1e-4)
            self.assertLess(fit["max_error"], 1e-5)

    def test_the_block_is_a_material_that_shows_the_curve(self):
        file = self.measured(self.curve(18.4, 17.8, 0.22))
        result = self.fine("--fit", file, "--density", "77.7", "--shear-modulus", "10 kPa")
        self.assertEqual(result.stderr, "")
        for words in ("[materials.measured]", 'model = "herschel-bulkley"', "density = 77.7", "shear_modulus = 10000",
                      "tau_y = 18.4", "consistency = 17.8", "flow_index = 0.22", "# error of",
                      "# the same as yield_stress 31.8697 Pa, viscosity 27.1"):
            self.assertIn(words, result.stdout)
        scene = self.scene_with(result.stdout)
        self.assertEqual(self.call("check", scene).returncode, 0)
        for point in self.json(scene)["points"]:
            self.assert_close(point["shear_stress"], 18.4 + 17.8 * point["shear_rate"] ** 0.22, 2e-3)

    def test_soft_materials_are_warned_of_and_fitted_exactly(self):
        file, plot = self.measured(self.curve(18.4, 17.8, 0.22)), self.folder / "fit.svg"
        rule = self.fine("--fit", file, "--shear-modulus", "290")
        self.assertIn("of the shear modulus", rule.stderr)
        self.assertIn("--exact", rule.stderr)
        exact = self.fine("--fit", file, "--shear-modulus", "290", "--exact", "--plot", plot)
        for key in ("yield_stress", "viscosity", "power"):
            self.assertIn(f"\n{key} = ", exact.stdout)
        self.assertIn("\n# the same as tau_y ", exact.stdout)
        self.assertEqual(xml.dom.minidom.parse(str(plot)).documentElement.tagName, "svg")
        worst = {}
        for name, block in (("rule", rule.stdout), ("exact", exact.stdout)):
            scene = self.scene_with(block)
            self.assertEqual(self.call("check", scene).returncode, 0)
            worst[name] = max(abs(p["shear_stress"] / (18.4 + 17.8 * p["shear_rate"] ** 0.22) - 1)
                              for p in self.json(scene)["points"])
        self.assertAlmostEqual(worst["rule"], 0.038, delta=0.003)
        self.assertLess(worst["exact"], 0.004)

    def test_by_default_the_modulus_is_five_times_the_largest_stress(self):
        data = self.json("--fit", self.measured("1 10\n10 20\n100 50\n"))
        self.assert_close(data["material"]["shear_modulus"], 250, 1e-12)
        self.assertEqual(self.fine("--fit", self.folder / "data.csv", "--units", "1/s,Pa").stderr, "")

    def test_own_csv_is_accepted(self):
        file = self.folder / "flow.csv"
        self.fine("pie", "--csv", file)
        fit = self.json("--fit", file)["fit"]
        self.assert_close(fit["tau_y"], 120 / math.sqrt(3), 0.02)

    def test_scatter_is_no_flow_curve(self):
        noise = (3, -4, 1, 5, -2, -5, 2, 0, -3, 4)
        flat = "".join(f"{10 ** (k / 3)},{50 + n / 2}\n" for k, n in enumerate(noise))
        result = self.fine("--fit", self.measured(flat))
        self.assertIn("scatters more than it rises", result.stderr)
        self.assertIn("\nconsistency = 0 ", result.stdout)
        few = self.fine("--fit", self.measured("0,18\n0.1,20\n1,36\n10,48\n"))
        self.assertNotIn("scatters", few.stderr)
        self.assertIn("\ntau_y = 17.3", few.stdout)
        late = "".join(f"{10 ** (k / 3)},{30 if k == 9 else 10}\n" for k in range(10))
        self.assertIn("flow_index is at the bound", self.fine("--fit", self.measured(late)).stderr)

    def test_tables_of_other_programs(self):
        table = ("Flow curve of foam\n\"Point No.\",\"Shear stress\nkPa\",\"Shear rate, 1/s\"\n"
                 '1,"0,0384","1,5"\n2,"0,0584","3,5"\n3,"0,0784","5,5"\n')
        fit = self.json("--fit", self.measured(table))["fit"]
        for name, value in (("tau_y", 23.4), ("consistency", 10), ("flow_index", 1)):
            self.assert_close(fit[name], value, 1e-4)
        viscosity = "rate,viscosity [mPa s]\n1,30000\n2,20000\n4,15000\n"
        self.assert_close(self.json("--fit", self.measured(viscosity))["fit"]["tau_y"], 20, 1e-4)

    def test_bad_tables(self):
        for text, place, words in (("1,2\n2,x\n3,4\n", "2:3", "'x' is not a number"), ("1,2\n2,3\n", "2:1", "at least 3"),
                                   ("1,2\n2,-3\n3,4\n", "2:3", "positive"), ("", "1:1", "at least 3"),
                                   ("nan,2\n2,3\n3,4\n4,5\n", "1:1", "'nan' is not a number"),
                                   ("a,b\n1,2\n2,3\n3,4\n", "1:1", "there is 'a', 'b'"),
                                   ("1,1e300\n2,3\n3,4\n", "1:3", "1e300 is not from 1e-12")):
            file = self.measured(text)
            self.assert_bad_input(self.rheometer("--fit", file), f"{file}:{place}: error: ", words)
        good = self.measured("1,2\n2,3\n3,4\n")
        self.assert_bad_input(self.rheometer("--fit", good, "--shear-modulus", "1e-300"), "from 1e-12 to 1e17 Pa")
        self.assert_bad_input(self.rheometer("--fit", self.folder / "none.csv"), "none.csv", "cannot be opened")
        self.assert_bad_input(self.rheometer("--fit", self.folder), "is a folder")


class RheometerFiles(RheometerCase):
    """Tables in the style of what rheometers export, of tau = 20 Pa + 10 Pa s^0.5 rate^0.5."""

    def export(self, name, encoding="utf-8", ending="\n"):
        text = (ROOT / "tests/cli/rheometers" / name).read_text(encoding="utf-8")
        file = self.folder / name
        file.write_bytes(text.replace("\n", ending).encode(encoding))
        return file

    def assert_law(self, *arguments):
        result = self.fine("--fit", *arguments, "--json")
        fit = json.loads(result.stdout)["fit"]
        for name, value in (("tau_y", 20), ("consistency", 10), ("flow_index", 0.5)):
            self.assert_close(fit[name], value, 2e-3)
        return result

    def test_languages_and_encodings(self):
        for name in ("rheocompass-de.txt", "rheocompass-fr.txt", "trios.txt", "trios.csv"):
            for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le"):
                with self.subTest(name, encoding=encoding):
                    self.assertEqual(self.assert_law(self.export(name, encoding, "\r\n")).stderr, "")
        for name in ("rheocompass-de.txt", "trios.txt"):
            with self.subTest(name, encoding="cp1252"):
                self.assert_law(self.export(name, "cp1252", "\r\n"))

    def test_several_intervals_must_be_chosen(self):
        file = self.export("rheocompass-en.txt", "utf-16")
        result = self.rheometer("--fit", file)
        self.assert_bad_input(result, "rheocompass-en.txt:17:", "2 tables", "1 from line 9, 3 points", "2 from line 17, 10 points",
                              "--table 2")
        self.assert_law(file, "--table", 2)
        self.assertEqual(json.loads(self.fine("--fit", file, "--table", "1,2", "--json").stdout)["points"], 13)
        self.assert_bad_input(self.rheometer("--fit", file, "--table", 3), "--table 3: there are 2 tables")
        self.assert_bad_input(self.rheometer("--fit", file, "--table", "x"), "--table x")

    def test_segments_without_a_rate_are_left_out(self):
        self.assert_law(self.export("rheowin.txt", "cp1252", "\r\n"))
        text = (ROOT / "tests/cli/rheometers/rheowin.txt").read_text(encoding="utf-8")
        gap = self.measured(text.replace("2|5;2,154;", "2|5; ;"))
        self.assertIn("1 line without a shear rate", self.assert_law(gap).stderr)

    def test_columns_and_units_by_number(self):
        file = self.export("own-names.csv")
        self.assert_bad_input(self.rheometer("--fit", file), "no columns shear_rate", "--columns 3,4 --units 1/s,Pa")
        self.assertEqual(self.assert_law(file, "--columns", "3,4", "--units", "1/s,mPa").stderr, "")
        self.assertIn("no unit of the shear rate and the shear stress", self.fine("--fit", file, "--columns", "3,4").stderr)
        # the second unit decides what the column holds
        file = self.export("rheocompass-de.txt")
        self.assert_law(file, "--columns", "4,5", "--units", "1/s,mPa.s")
        self.assertEqual(self.assert_law(file, "--columns", "4,5").stderr, "")  # from the line of units
        for columns in ("3", "3,3", "0,1", "3,x", "1,2,3"):
            self.assert_bad_input(self.rheometer("--fit", file, "--columns", columns), f"--columns {columns}")
        for units, words in (("Pa", "two units"), ("Pa,Pa", "'Pa' is not a unit of a shear rate"), ("1/s,m", "'m' is neither")):
            self.assert_bad_input(self.rheometer("--fit", file, "--units", units), "--units", words)

    def test_missing_units_are_noted(self):
        rows = "1,30\n4,40\n9,50\n"
        for text, words in ((rows, "the shear rate and the shear stress is named: taken as 1/s and Pa"),
                            ("rate,stress\n" + rows, "the shear rate and the shear stress"),
                            ("rate [1/s],stress\n" + rows, "no unit of the shear stress is named: taken as Pa"),
                            ("rate,viscosity [Pa s]\n1,30\n4,10\n9,5.5\n", "no unit of the shear rate is named: taken as 1/s")):
            self.assertIn(words, self.fine("--fit", self.measured(text)).stderr)
        self.assertEqual(self.fine("--fit", self.measured("rate [1/s],stress [Pa]\n" + rows)).stderr, "")
        self.assertEqual(self.fine("--fit", self.measured(rows), "--units", "1/s,Pa").stderr, "")

    def test_the_bulk_modulus_keeps_the_volume(self):
        file = self.measured("rate [1/s],stress [Pa]\n1,30\n4,40\n9,50\n")
        usual = self.fine("--fit", file)
        self.assertIn("bulk_modulus = 98100  # Pa, chosen: 1 % of volume under the weight of 0.1 m", usual.stdout)
        chosen = lambda *options: self.json("--fit", file, *options)["material"]["bulk_modulus"]
        self.assert_close(chosen("--height", "20 cm", "--volume-change", "0.5 %", "--density", "1050"),
                          1050 * 9.81 * 0.2 / 0.005, 1e-12)
        self.assert_close(chosen("--height", "1 mm"), 50 / 0.01, 1e-12)  # the largest stress exceeds the weight
        self.assertIn("largest stress", self.fine("--fit", file, "--height", "1 mm").stdout)
        soft = self.fine("--fit", file, "--bulk-modulus", "10 kPa", "--height", "0.1 m")
        self.assertIn("loses 9.8 % of its volume", soft.stderr)
        self.assertIn("9.81e+04 Pa", soft.stderr)
        self.assert_bad_input(self.rheometer("--fit", file, "--bulk-modulus", "1 kPa", "--volume-change", "1 %"),
                              "--volume-change cannot be used together with --bulk-modulus")
        self.assert_bad_input(self.rheometer("--fit", file, "--volume-change", "2"), "at most 50 %")


class RheometerInput(RheometerCase):
    def test_errors_are_those_of_scenes(self):
        self.assert_bad_input(self.rheometer("shaving-cream", "--set", "yeild_stress=20"), "did you mean 'yield_stress'")
        self.assert_bad_input(self.rheometer("shaving-cream", "--set", "yield_stress=20 mm"), "expected a stress")
        self.assert_bad_input(self.rheometer("shaving-cream", "--set", "yield_stress=-1"), "yield_stress")
        self.assert_bad_input(self.rheometer("shaving-cream", "--set", "nonsense"), "key=value")

    def test_names_and_files(self):
        self.assert_bad_input(self.rheometer("shaving-creem"), "did you mean 'shaving-cream'")
        self.assert_bad_input(self.rheometer("nowhere.toml"), "nowhere.toml")
        self.assert_bad_input(self.rheometer(), "scene file, a preset or a model")
        self.assert_bad_input(self.rheometer("pie", "--material", "pie"), "--material is for scene files")
        self.assert_bad_input(self.rheometer("pie", "--rates", "1,2,3", "--csv", self.folder / "no/such.csv"), "such.csv")

    def test_options(self):
        for rates, words in (("1:x:3", "'x'"), ("5:1:3", "above the first"), ("1:5", "three numbers"), ("0:1:3", "'0'"),
                             ("1:5:1", "count"), ("1:1e300:2", "'1e300' is not a number above 0 and up to 1e30"), ("3,2", "increase"), ("", "''")):
            self.assert_bad_input(self.rheometer("pie", "--rates", rates), "--rates", words)
        self.assert_bad_input(self.rheometer("pie", "--dt", "3 mm"), "--dt 3 mm")
        self.assert_bad_input(self.rheometer("pie", "--dt", "0"), "must be positive")
        self.assert_bad_input(self.rheometer("pie", "--dt", "1e-9"), "--dt 1e-9", "steps", "larger step")
        self.fine("pie", "--rates", "10", "--dt", "1e-9", "--time", "1e-5")
        self.assert_bad_input(self.rheometer("pie", "--relaxation", "--dt", "1e-9"), "--dt 1e-9", "steps")
        self.assert_bad_input(self.rheometer("pie", "--relaxation", "--strain", "1e4"), "at most 100")
        self.assert_bad_input(self.rheometer("pie", "--strain", "-1"), "--strain")
        for source in (("pie",), ("pie", "--relaxation"), ("--fit", "data.csv")):
            self.assert_bad_input(self.rheometer(*source, "--plot", "flow.png"), "--plot flow.png", ".svg")
        self.assertFalse((self.folder / "flow.png").exists())
        self.assert_bad_input(self.rheometer("pie", "--exact"), "--exact is for --fit only")
        self.assert_bad_input(self.rheometer("pie", "--times", "1:2:3"), "--times is for --startup and --relaxation only")
        self.assert_bad_input(self.rheometer("pie", "--uniaxial", "--relaxation"), "--uniaxial cannot be used")
        self.assert_bad_input(self.rheometer("pie", "--fit", "data.csv"), "SOURCE cannot be used together with --fit")

    def test_help_and_completion(self):
        for words in ("Examples:", "does not tear", "--startup", "--oscillation", "depend on the amplitude"):
            self.assertIn(words, self.fine("--help").stdout)
        for shell in ("bash", "zsh", "fish"):
            script = self.call("completion", shell).stdout
            for word in ("rheometer", "startup", "oscillation"):
                self.assertIn(word, script)


if __name__ == "__main__":
    unittest.main(verbosity=2)
