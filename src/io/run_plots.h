// Plots of what a run measured, as SVG: energies, momentum, mass, particles, time steps, speed of the run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/line_plot.h"

namespace dollop {

struct RunPlot {
  std::string name;  // of its file, without the extension
  LinePlot plot;
};

// Lines are those of read_metrics(). Quantities that the run does not have, such as contact forces without named
// colliders, get no plot. `title` is put before
// that of each plot.
std::vector<RunPlot> make_run_plots(const std::vector<std::map<std::string, double>>& lines,
                                    const std::string& title = {});

// All of them side by side, as one SVG file.
std::string overview_svg(const std::vector<RunPlot>& plots, const std::string& title);

}  // namespace dollop
