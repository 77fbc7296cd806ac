// Plots of lines and points as SVG: flow curves, convergence, histories.
#pragma once

#include <string>
#include <vector>

namespace dollop {

struct PlotSeries {
  std::string label;  // in the legend; empty: not there
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

// A whole SVG file. What cannot be drawn, because it is not finite or not positive on a logarithmic axis, interrupts
// its line.
std::string svg_of(const LinePlot& plot);

// Values at which an axis from `low` to `high` has marks: multiples of 1, 2 or 5 times a power of ten, about `count`.
// On a logarithmic axis powers of ten, with 2 and 5 times these where there are few, every so many where there are many.
std::vector<double> linear_ticks(double low, double high, int count = 6);
std::vector<double> logarithmic_ticks(double low, double high, int count = 6);

}  // namespace dollop
