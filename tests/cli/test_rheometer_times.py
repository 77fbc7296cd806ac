#!/usr/bin/env python3
"""The virtual rheometer over time: start-up, relaxation and oscillation.

Usage: test_rheometer_times.py PROGRAM [CLASS[.test] ...]
"""
import math
import unittest
import xml.dom.minidom

from rheometer_case import RheometerCase


class Histories(RheometerCase):
    """--startup and --relaxation: stress over time."""
    HEADING = "time,shear_stress,first_normal_stress"

    def test_startup(self):
        # an elastic Bingham fluid yields after 4 ms
        law = ("herschel-bulkley", "--set", "tau_y=20", "--set", "consistency=10", "--set", "flow_index=1", "--set",
               "shear_modulus=1e4", "--set", "bulk_modulus=1e6")
        file, plot = self.folder / "startup.csv", self.folder / "startup.svg"
        result = self.fine(*law, "--startup", "0.5 1/s", "--times", "1e-4:1e-1:31", "--csv", file, "--plot", plot)
        for words in ("sheared at 0.5 1/s from rest", "time [s]", "shear stress [Pa]", "first normal stress [Pa]"):
            self.assertIn(words, result.stdout)
        self.assertEqual(file.read_text().splitlines()[0], self.HEADING)
        rows = self.rows(file)
        self.assertEqual(len(rows), 31)
        self.assertEqual((rows[0][0], rows[-1][0]), (1e-4, 0.1))
        for time, stress, normal in rows:
            known = 5e3 * time if time <= 4e-3 else 20 + 5 * -math.expm1(-1e3 * (time - 4e-3))
            self.assert_close(stress, known, 2e-4)
            if time < 4e-3:
                self.assert_close(normal, known * 0.5 * time, 1e-4)
        svg = xml.dom.minidom.parse(str(plot))
        self.assertEqual(len(svg.getElementsByTagName("circle")), 32)  # one of them in the legend
        data = self.json(*law, "--startup", "0.5", "--times", "1e-4:1e-1:31")
        self.assertEqual((data["test"], data["shear_rate"], data["model"]), ("startup", 0.5, "herschel-bulkley"))
        self.assertEqual([[p["time"], p["shear_stress"], p["first_normal_stress"]] for p in data["points"]], rows)

    def test_startup_in_steps_of_a_simulation(self):
        data = self.json("neo-hookean", "--startup", "2", "--times", "0.1,0.2,0.31", "--dt", "0.1 s")
        self.assertEqual([round(p["time"], 12) for p in data["points"]], [0.1, 0.2, 0.3])

    def test_startup_of_a_viscoelastic_fluid_overshoots(self):
        fluid = ("oldroyd-b", "--set", "shear_modulus=5", "--set", "lambda=50", "--set", "relaxation_time=0.5", "--set",
                 "solvent_viscosity=0.1")
        points = self.json(*fluid, "--startup", "4", "--times", "0.25,0.5,1.05875,10")["points"]
        for point, stress in zip(points, (3.808931, 5.503042, 6.166003, 5.848035)):
            self.assert_close(point["shear_stress"], stress + 0.4, 1e-4)
        self.assert_close(points[1]["first_normal_stress"], 9.201599, 1e-4)
        flow = self.json(*fluid, "--rates", "20")["points"][0]
        self.assertTrue(flow["steady"])
        self.assert_close(flow["first_normal_stress"], 214.73007, 1e-4)

    def test_steps_that_a_law_does_not_bear(self):
        fluid = ("pie-cream", "--set", "update=paper")  # half its relaxation time of 1e-4 s
        for options, words in ((("--startup", "1", "--dt", "1"), "--dt 1: pie-cream bears steps of 5e-05 s at most"),
                               (("--rates", "1", "--dt", "1"), "--dt 1: pie-cream bears steps of 5e-05 s at most"),
                               (("--relaxation", "--times", "1e9,1e10"), "choose shorter times"),
                               (("--oscillation", "1e-9,1"), "choose higher frequencies")):
            self.assert_bad_input(self.rheometer(*fluid, *options), words)

    def test_startup_ends_in_the_flow_curve(self):
        steady = self.json("shaving-cream", "--rates", "3")["points"][0]
        last = self.json("shaving-cream", "--startup", "3", "--times", "0.1:100:4")["points"][-1]
        for name in ("shear_stress", "first_normal_stress"):
            self.assert_close(last[name], steady[name], 1e-5)

    def test_relaxation(self):
        file, plot = self.folder / "relaxation.csv", self.folder / "relaxation.svg"
        test = ("viscoplastic", "--relaxation", "--strain", "0.01", "--times", "1e-5:1e-2:7")
        result = self.fine(*test, "--csv", file, "--plot", plot)
        for words in ("sheared by 0.01 at once", "time [s]", "shear stress [Pa]", "first normal stress [Pa]"):
            self.assertIn(words, result.stdout)
        self.assertEqual(file.read_text().splitlines()[0], self.HEADING)
        rows = self.rows(file)
        self.assertEqual(len(rows), 7)
        for time, stress, normal in rows:  # exp(-2 mu t / eta) beyond yield
            self.assert_close(stress, 0.1 / math.sqrt(3) + (112 - 0.1 / math.sqrt(3)) * math.exp(-2240 * time), 2e-3)
            self.assert_close(normal, 0.01 * stress, 1e-6)
        self.assertEqual(xml.dom.minidom.parse(str(plot)).documentElement.tagName, "svg")
        data = self.json(*test)
        self.assertEqual((data["test"], data["strain"]), ("relaxation", 0.01))
        self.assertEqual([[p["time"], p["shear_stress"], p["first_normal_stress"]] for p in data["points"]], rows)

    def test_input(self):
        for options, words in (
                (("--startup", "0"), ("--startup 0", "must be positive")),
                (("--startup=-1",), ("--startup -1", "must be positive")),
                (("--startup", ""), ("--startup", "give a shear rate")),
                (("--startup", "fast"), ("--startup fast",)),
                (("--startup", "3 mm"), ("--startup 3 mm", "expected a rate")),
                (("--startup", "inf"), ("--startup inf",)),
                (("--startup", "1e6"), ("--startup 1e6", "sheared by 1e+08", "shorter --times or a lower rate")),
                (("--startup", "1", "--dt", "1e-9"), ("--dt 1e-9", "too many steps", "larger step")),
                (("--startup", "1", "--times", "0:1:3"), ("--times", "'0'")),
                (("--startup", "1", "--rates", "1,2"), ("--rates cannot be used together with --startup",)),
                (("--startup", "1", "--strain", "1"), ("--strain cannot be used together with --startup",)),
                (("--startup", "1", "--time", "1"), ("--time cannot be used together with --startup",)),
                (("--startup", "1", "--uniaxial"), ("--uniaxial cannot be used together with --startup",)),
                (("--startup", "1", "--relaxation"), ("--relaxation cannot be used together with --startup",)),
                (("--startup", "1", "--oscillation", "1:2:3"), ("--oscillation cannot be used together with --startup",)),
                (("--startup", "1", "--plot", "startup.png"), ("--plot startup.png", ".svg")),
                (("--startup", "1", "--csv", self.folder / "no/such.csv"), ("such.csv",))):
            with self.subTest(options):
                self.assert_bad_input(self.rheometer("pie", *options), *words)
        self.assert_bad_input(self.rheometer("--fit", "data.csv", "--startup", "1"), "--startup cannot be used together with --fit")


class Moduli(RheometerCase):
    """--oscillation: storage and loss modulus."""
    HEADING = "angular_frequency,storage_modulus,loss_modulus"

    def test_maxwell_fluid(self):
        # at small strain: relaxation time eta / (2 mu) = 0.5 s
        law = ("herschel-bulkley", "--set", "yield_stress=0", "--set", "viscosity=5", "--set", "power=1", "--set",
               "shear_modulus=5", "--set", "bulk_modulus=500")
        file, plot = self.folder / "moduli.csv", self.folder / "moduli.svg"
        result = self.fine(*law, "--oscillation", "2e-3:2e3:13", "--csv", file, "--plot", plot)
        for words in ("oscillatory shear of amplitude 0.0001", "angular frequency [rad/s]", "storage modulus [Pa]", "loss modulus [Pa]"):
            self.assertIn(words, result.stdout)
        self.assertNotIn("not linear", result.stdout)
        self.assertEqual(result.stderr, "")
        self.assertEqual(file.read_text().splitlines()[0], self.HEADING)
        rows = self.rows(file)
        self.assertEqual(len(rows), 13)
        self.assertEqual((rows[0][0], rows[-1][0]), (2e-3, 2e3))
        for frequency, storage, loss in rows:
            w = frequency / 2
            self.assert_close(storage, 5 * w * w / (1 + w * w), 1e-3)
            self.assert_close(loss, 5 * w / (1 + w * w), 1e-3)
        svg = xml.dom.minidom.parse(str(plot))
        self.assertEqual(len(svg.getElementsByTagName("circle")), 28)  # two of them in the legend
        data = self.json(*law, "--oscillation", "2e-3:2e3:13")
        self.assertEqual((data["test"], data["strain"]), ("oscillation", 1e-4))
        self.assertTrue(all(p["steady"] for p in data["points"]))
        self.assertEqual([[p[name] for name in self.HEADING.split(",")] for p in data["points"]], rows)

    def test_elastic_materials(self):
        for source in ("neo-hookean", "hencky", "von-mises"):
            plot = self.folder / "moduli.svg"
            data = self.json(source, "--set", "shear_modulus=700", "--set", "bulk_modulus=1400", "--oscillation", "0.1,1,10",
                             "--plot", plot)
            for point in data["points"]:
                self.assert_close(point["storage_modulus"], 700, 1e-6)
                self.assertLess(abs(point["loss_modulus"]), 1e-4)
            self.assertNotIn("e-1", plot.read_text())  # no axis for a loss modulus that is rounding

    def test_a_material_that_yields_depends_on_the_amplitude(self):
        law = ("von-mises", "--set", "shear_modulus=1e6", "--set", "bulk_modulus=2e6", "--set", "yield_stress=346.41016",
               "--oscillation", "1,10")
        for point in self.json(*law, "--strain", "1.9e-4")["points"]:
            self.assert_close(point["storage_modulus"], 1e6, 1e-6)
        text = self.fine(*law, "--strain", "8e-4").stdout
        self.assertRegex(text, r"not linear, its third harmonic reaches \d+ % of the first.* depend on --strain")
        for point in self.json(*law, "--strain", "8e-4")["points"]:
            self.assertGreater(point["third_harmonic"], 0.05)
            self.assert_close(point["loss_modulus"], 4 * 200 * 6e-4 / math.pi / 8e-4**2, 2e-3)

    def test_what_is_not_periodic_is_marked_and_left_out(self):
        law = ("von-mises", "--set", "young_modulus=1e5", "--set", "yield_stress=100", "--set", "hardening=50", "--strain",
               "0.01", "--oscillation", "1,2")
        file = self.folder / "moduli.csv"
        result = self.fine(*law, "--csv", file)
        self.assertEqual(file.read_text(), self.HEADING + "\n")
        self.assertIn("moduli.csv leaves out 2 of 2 frequencies", result.stderr)
        self.assertIn("at 2 of 2 frequencies (marked *)", result.stdout)

    def test_input(self):
        for options, words in (
                (("--oscillation", "1:x:3"), ("--oscillation", "'x'")),
                (("--oscillation", "5:1:3"), ("--oscillation", "above the first")),
                (("--oscillation", "0:1:3"), ("--oscillation", "'0'")),
                (("--oscillation", "1:5:1"), ("--oscillation", "count")),
                (("--oscillation", ""), ("--oscillation", "''")),
                (("--oscillation", "1:10:3", "--strain", "1e4"), ("--strain", "the amplitude is at most 100")),
                (("--oscillation", "1:10:3", "--strain", "0"), ("--strain",)),
                (("--oscillation", "1:10:3", "--dt", "0.2"), ("--dt 0.2", "at 10 rad/s", "smaller step or lower frequencies")),
                (("--oscillation", "1:10:3", "--dt", "1e-9"), ("--dt 1e-9", "at 1 rad/s", "larger step or higher frequencies")),
                (("--oscillation", "1:10:3", "--times", "1,2"), ("--times cannot be used together with --oscillation",)),
                (("--oscillation", "1:10:3", "--rates", "1,2"), ("--rates cannot be used together with --oscillation",)),
                (("--oscillation", "1:10:3", "--time", "1"), ("--time cannot be used together with --oscillation",)),
                (("--oscillation", "1:10:3", "--uniaxial"), ("--uniaxial cannot be used together with --oscillation",)),
                (("--oscillation", "1:10:3", "--relaxation"), ("--oscillation cannot be used together with --relaxation",)),
                (("--oscillation", "1:10:3", "--plot", "moduli.png"), ("--plot moduli.png", ".svg"))):
            with self.subTest(options):
                self.assert_bad_input(self.rheometer("pie", *options), *words)
        self.assert_bad_input(self.rheometer("--fit", "data.csv", "--oscillation", "1:2:3"),
                              "--oscillation cannot be used together with --fit")


if __name__ == "__main__":
    unittest.main(verbosity=2)
