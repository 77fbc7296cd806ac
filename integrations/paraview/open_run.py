"""Opens a Dollop run in ParaView: particles as balls of their own size, coloured by speed, over the time of the run.

As a macro:  Macros > Import new macro, choose this file. Open particles.pvd (of the run, or of `dollop export RUN --to
             vtp`), then press the macro's button: it dresses what is selected in the pipeline.
From a shell: paraview --script=open_run.py        with the run's folder in the variable DOLLOP_RUN
              pvpython open_run.py RUN picture.png  one picture of the last frame, without a window
"""
import math
import os
import pathlib
import sys


def find_collection(folder):
    """The .pvd file of a run's folder or of an export; a text for the user if there is none."""
    folder = pathlib.Path(folder)
    if folder.suffix == ".pvd" and folder.is_file():
        return folder
    for place in (folder, folder / "export"):
        if (place / "particles.pvd").is_file():
            return place / "particles.pvd"
    raise SystemExit(f"{folder} holds no particles.pvd: add \"vtp\" to output.particles of the scene before it runs, or "
                     f"make one of a run that is finished by `dollop export {folder} --to vtp`")


def mean_radius(source):
    """Of balls with the volume of the particles [m]; from the box around them if the volume is not there."""
    information = source.GetPointDataInformation().GetArray("volume")
    if information is not None:
        low, high = information.GetRange()
        return (3 * (low + high) / (8 * math.pi)) ** (1 / 3)
    bounds = source.GetDataInformation().GetBounds()
    sides = [max(bounds[2 * k + 1] - bounds[2 * k], 0) for k in range(3)]
    count = max(source.GetDataInformation().GetNumberOfPoints(), 1)
    return 0.5 * max(sides) / count ** (1 / 3)


def dress(simple, source, view):
    """Balls, coloured by the length of the velocity, with a bar that explains the colours."""
    shown = simple.Show(source, view)
    shown.SetRepresentationType("Point Gaussian")
    shown.GaussianRadius = mean_radius(source)
    shown.ShaderPreset = "Sphere"
    if source.GetPointDataInformation().GetArray("velocity") is not None:
        simple.ColorBy(shown, ("POINTS", "velocity", "Magnitude"))
        shown.RescaleTransferFunctionToDataRangeOverTime()
        colors = simple.GetColorTransferFunction("velocity")
        colors.ApplyPreset("Viridis (matplotlib)", True)
        bar = simple.GetScalarBar(colors, view)
        bar.Title, bar.ComponentTitle = "speed [m/s]", ""
        shown.SetScalarBarVisibility(view, True)
    return shown


def main(arguments):
    from paraview import simple
    view = simple.GetActiveViewOrCreate("RenderView")
    source = simple.GetActiveSource()
    if arguments or os.environ.get("DOLLOP_RUN"):
        source = simple.PVDReader(FileName=str(find_collection(arguments[0] if arguments else os.environ["DOLLOP_RUN"])))
    if source is None:
        raise SystemExit("open particles.pvd of a run first, or set DOLLOP_RUN to the folder of the run")
    source.UpdatePipeline()
    animation = simple.GetAnimationScene()
    animation.UpdateAnimationUsingDataTimeSteps()
    dress(simple, source, view)
    if len(arguments) > 1:
        animation.GoToLast()
        view.ViewSize = [960, 720]
    simple.ResetCamera(view)
    view.CameraViewUp = [0, 1, 0]
    simple.Render(view)
    if len(arguments) > 1:
        simple.SaveScreenshot(arguments[1], view)


if __name__ == "__main__":
    main(sys.argv[1:])
