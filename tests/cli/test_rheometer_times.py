#!/usr/bin/env python3
"""The virtual rheometer over time: start-up and relaxation.

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
                (("--startup", "1", "--plot", "startup.png"), ("--plot startup.png", ".svg")),
                (("--startup", "1", "--csv", self.folder / "no/such.csv"), ("such.csv",))):
            with self.subTest(options):
                self.assert_bad_input(self.rheometer("pie", *options), *words)
        self.assert_bad_input(self.rheometer("--fit", "data.csv", "--startup", "1"), "--startup cannot be used together with --fit")


if __name__ == "__main__":
    unittest.main(verbosity=2)
