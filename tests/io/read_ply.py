"""Prints what a binary PLY file holds: a line with the names and types of its properties, then a line a vertex."""
import struct
import sys

SIZES = {"float": "f", "double": "d", "int": "i", "uint": "I"}


def main():
    data = open(sys.argv[1], "rb").read()
    head, mark, body = data.partition(b"end_header\n")
    assert mark
    lines = head.decode("ascii").split("\n")[:-1]
    assert lines[:2] == ["ply", "format binary_little_endian 1.0"], lines[:2]
    lines = [line.split() for line in lines[2:] if not line.startswith("comment ")]
    assert lines[0][:2] == ["element", "vertex"]
    count = int(lines[0][2])
    properties = [(name, kind) for word, kind, name in lines[1:] if word == "property"]
    assert len(properties) == len(lines) - 1
    row = struct.Struct("<" + "".join(SIZES[kind] for _, kind in properties))
    assert len(body) == count * row.size, (len(body), count, row.size)
    print(" ".join(f"{kind}:{name}" for name, kind in properties))
    for values in row.iter_unpack(body):
        print(" ".join(f"{v:d}" if isinstance(v, int) else f"{v:.17g}" for v in values))


main()
