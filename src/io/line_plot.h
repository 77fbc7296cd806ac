// Plots of lines and points as SVG: flow curves, convergence, histories.
#pragma once

#include <string>
#include <vector>

namespace dollop {

struct PlotSeries {
  std::string label;  // in the legend; empty: no entry
  std::vector<double> x, y;
  bool line = true, points = false;
  bool dashed = false;
};

struct LinePlot {
  std::string title = {}, x_label = {}, y_label = {};
  bool log_x = false, log_y = false;
  std::vector<PlotSeries> series = {};
  int width = 720, height = 480;  // [pixels]
};

// The text of an SVG file. Points that are not finite, or not positive on a logarithmic axis, interrupt their line.
std::string svg_of(const LinePlot& plot);

// Ticks of an axis from `low` to `high`, about `count`: multiples of 1, 2 or 5 times a power of ten. On a logarithmic
// axis they are powers of ten, with 2 and 5 times these on short axes, and every nth power on long ones.
std::vector<double> linear_ticks(double low, double high, int count = 6);
std::vector<double> logarithmic_ticks(double low, double high, int count = 6);

}  // namespace dollop
