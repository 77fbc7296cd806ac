"""What the tests of the rheometer share."""
import csv
import json

from cli_case import CliCase


class RheometerCase(CliCase):
    def rheometer(self, *arguments):
        return self.call("rheometer", *arguments)

    def fine(self, *arguments):
        result = self.rheometer(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def json(self, *arguments):
        return json.loads(self.fine(*arguments, "--json").stdout)

    def rows(self, file):
        with open(file, newline="") as stream:
            return [[float(x) for x in row] for row in list(csv.reader(stream))[1:]]

    def measured(self, text):
        file = self.folder / "data.csv"
        file.write_text(text)
        return file

    def assert_close(self, found, expected, tolerance):
        self.assertLess(abs(found / expected - 1), tolerance, f"{found} is not {expected}")
