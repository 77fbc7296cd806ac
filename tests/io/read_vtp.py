"""Prints what VTK reads from a .vtp file, or what a .pvd file lists. Exit status 77: VTK is not installed."""
import os
import sys
import xml.etree.ElementTree

try:
    import vtk
except ImportError:
    print("python3-vtk9 is not installed")
    sys.exit(77)


def read(name):
    problems = []
    reader = vtk.vtkXMLPolyDataReader()
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda *_: problems.append(1))
    reader.SetFileName(name)
    reader.Update()
    assert not problems and reader.GetErrorCode() == 0, "VTK complains"
    return reader.GetOutput()


def print_array(array):
    names = [array.GetComponentName(k) or "-" for k in range(array.GetNumberOfComponents())]
    print("array", array.GetName(), array.GetDataTypeAsString().replace(" ", "_"), *names)
    for i in range(array.GetNumberOfTuples()):
        print(*(f"{value:.17g}" for value in array.GetTuple(i)))


def print_data(data):
    print("points", data.GetNumberOfPoints(), "vertices", data.GetNumberOfVerts(), "cells", data.GetNumberOfCells())
    print("time", f"{data.GetFieldData().GetArray('TimeValue').GetValue(0):.17g}")
    vectors = data.GetPointData().GetVectors()
    print("vectors", vectors.GetName() if vectors else "none")
    for i in range(data.GetNumberOfCells()):
        cell = data.GetCell(i)
        assert cell.GetNumberOfPoints() == 1 and cell.GetPointId(0) == i and cell.GetCellType() == vtk.VTK_VERTEX
    print_array(data.GetPoints().GetData())
    for i in range(data.GetPointData().GetNumberOfArrays()):
        print_array(data.GetPointData().GetArray(i))


def main():
    name = sys.argv[1]
    if name.endswith(".vtp"):
        return print_data(read(name))
    root = xml.etree.ElementTree.parse(name).getroot()
    assert root.tag == "VTKFile" and root.get("type") == "Collection"
    for entry in root.find("Collection").findall("DataSet"):
        data = read(os.path.join(os.path.dirname(name), entry.get("file")))
        print(entry.get("timestep"), entry.get("file"), data.GetNumberOfPoints())


main()
