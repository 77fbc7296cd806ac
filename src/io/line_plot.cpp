#include "io/line_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/xml.h"

namespace dollop {
namespace {

// the palette of Okabe and Ito, safe for colour-blind readers
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000"};
constexpr double left = 84, right = 20, top = 40, bottom = 58;  // margins [pixels]

// The label of a tick: 0.01, 250, 1e-6.
std::string tick_text(double value) {
  const double size = std::fabs(value);
  if (size != 0 && (size < 0.9e-3 || size >= 0.9e6)) {
    std::string text = fmt::format("{:.3g}", value);
    // 1e-06 -> 1e-6
    if (const auto e = text.find('e'); e != std::string::npos)
      text = text.substr(0, e + 1) + std::to_string(std::stoi(text.substr(e + 1)));
    return text;
  }
  return fmt::format("{:.6g}", value);
}

// One axis: its range, and the pixel of a value.
class Axis {
 public:
  Axis(bool logarithmic, double begin, double end) : logarithmic_(logarithmic), begin_(begin), end_(end) {}

  bool can_show(double value) const { return std::isfinite(value) && (!logarithmic_ || value > 0); }
  void include(double value) {
    low_ = empty_ ? value : std::min(low_, value);
    high_ = empty_ ? value : std::max(high_, value);
    empty_ = false;
  }
  // adds a margin around the data; an empty range gets a finite width
  void widen() {
    if (empty_) low_ = 1, high_ = logarithmic_ ? 10 : 2;
    if (logarithmic_) {
      const double room =
          std::exp(0.04 * (std::log(high_) - std::log(low_))) * (high_ <= low_ * 1.001 ? 2 : 1);
      low_ = std::max(low_ / room, 1e-300), high_ = std::min(high_ * room, 1e300);
    } else {
      double room = 0.04 * (high_ - low_);
      if (!(room > 1e-9 * std::max(std::fabs(low_), std::fabs(high_))))
        room = low_ != 0 ? std::fabs(low_) / 10 : 1;
      low_ -= room, high_ += room;
    }
  }
  double pixel(double value) const {  // [pixels]
    const double t = logarithmic_ ? (std::log(value) - std::log(low_)) / (std::log(high_) - std::log(low_))
                                  : (value - low_) / (high_ - low_);
    return begin_ + t * (end_ - begin_);
  }
  std::vector<double> ticks() const {
    return logarithmic_ ? logarithmic_ticks(low_, high_) : linear_ticks(low_, high_);
  }

 private:
  bool logarithmic_, empty_ = true;
  double begin_, end_;  // [pixels]
  double low_ = 0, high_ = 1;
};

struct Frame {
  Axis x, y;
  double width, height;
};

Frame frame_of(const LinePlot& plot) {
  Frame frame{{plot.log_x, left, plot.width - right},
              {plot.log_y, plot.height - bottom, top},
              double(plot.width),
              double(plot.height)};
  for (const PlotSeries& s : plot.series)
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i)
      if (frame.x.can_show(s.x[i]) && frame.y.can_show(s.y[i]))
        frame.x.include(s.x[i]), frame.y.include(s.y[i]);
  frame.x.widen(), frame.y.widen();
  return frame;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                     escape_xml(text));
}

std::string grid_lines(const Frame& f) {
  std::string out = "<g stroke=\"#dddddd\" fill=\"none\">\n", numbers;
  for (const double t : f.x.ticks()) {
    const double x = f.x.pixel(t);
    out += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x, top, f.height - bottom);
    numbers += text_at(x, f.height - bottom + 18, "middle", tick_text(t));
  }
  for (const double t : f.y.ticks()) {
    const double y = f.y.pixel(t);
    out += fmt::format("<path d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left, y, f.width - right);
    numbers += text_at(left - 8, y + 4, "end", tick_text(t));
  }
  out += fmt::format(
      "</g>\n<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
      "stroke=\"#444444\"/>\n",
      left, top, f.width - left - right, f.height - top - bottom);
  return out + numbers;
}

std::string labels(const LinePlot& plot, const Frame& f) {
  const double middle = (left + f.width - right) / 2, centre = (top + f.height - bottom) / 2;
  const std::string turned = fmt::format(" transform=\"rotate(-90 20 {:.1f})\"", centre);
  return text_at(middle, 24, "middle", plot.title, " font-size=\"15\"") +
         text_at(middle, f.height - 16, "middle", plot.x_label) +
         text_at(20, centre, "middle", plot.y_label, turned.c_str());
}

std::string curve(const PlotSeries& s, const Frame& f, const char* colour) {
  std::string path, dots;
  bool broken = true;
  for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
    if (!f.x.can_show(s.x[i]) || !f.y.can_show(s.y[i])) {
      broken = true;
      continue;
    }
    const double x = f.x.pixel(s.x[i]), y = f.y.pixel(s.y[i]);
    path += fmt::format("{}{:.2f} {:.2f}", broken ? "M" : "L", x, y);
    dots += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3.5\"/>\n", x, y);
    broken = false;
  }
  std::string out;
  if (s.line && !path.empty())
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{}/>\n", path, colour,
                       s.dashed ? " stroke-dasharray=\"6 4\"" : "");
  if (s.points && !dots.empty()) out += fmt::format("<g fill=\"{}\">\n{}</g>\n", colour, dots);
  return out;
}

// The number of data points inside a rectangle.
int points_inside(const LinePlot& plot, const Frame& f, double x0, double y0, double width, double height) {
  int count = 0;
  for (const PlotSeries& s : plot.series)
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
      if (!f.x.can_show(s.x[i]) || !f.y.can_show(s.y[i])) continue;
      const double x = f.x.pixel(s.x[i]) - x0, y = f.y.pixel(s.y[i]) - y0;
      count += x > 0 && x < width && y > 0 && y < height;
    }
  return count;
}

// placed in the corner where it hides the fewest points
std::string legend(const LinePlot& plot, const Frame& f) {
  std::size_t longest = 0, rows = 0;
  for (const PlotSeries& s : plot.series)
    if (!s.label.empty()) longest = std::max(longest, s.label.size()), ++rows;
  const double width = 60 + 7.5 * double(longest), height = 12 + 18 * double(rows);
  double x0 = 0, y0 = 0;
  int least = -1;
  for (const double y : {top + 4, f.height - bottom - 4 - height})
    for (const double x : {left + 4, f.width - right - 4 - width})
      if (const int hidden = points_inside(plot, f, x, y, width, height); least < 0 || hidden < least)
        least = hidden, x0 = x, y0 = y;

  std::string out;
  double y = y0 + 18;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const PlotSeries& s = plot.series[i];
    if (s.label.empty()) continue;
    const char* colour = colours[i % std::size(colours)];
    if (s.line)
      out += fmt::format("<path d=\"M{:.1f} {:.1f}h26\" stroke=\"{}\" stroke-width=\"1.8\"{}/>\n", x0 + 8,
                         y - 4, colour, s.dashed ? " stroke-dasharray=\"6 4\"" : "");
    if (s.points)
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", x0 + 21, y - 4,
                         colour);
    out += text_at(x0 + 42, y, "start", s.label);
    y += 18;
  }
  return out;
}

}  // namespace

std::vector<double> linear_ticks(double low, double high, int count) {
  if (!(high > low) || !std::isfinite(high - low)) return {low};
  const double rough = (high - low) / count, power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double step = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    ticks.push_back(k * step + 0.0);  // avoids -0
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high, int count) {
  const int first = int(std::floor(std::log10(low))), last = int(std::ceil(std::log10(high)));
  const double decades = std::log10(high) - std::log10(low);
  if (decades < 0.8) return linear_ticks(low, high, count);
  std::vector<double> ticks;
  const int every = std::max(1, int(std::ceil(decades / (2 * count))));
  for (int power = first; power <= last; ++power)
    for (const int digit : {1, 2, 5}) {
      if (digit > 1 && decades > 0.5 * count) continue;
      if (power % every != 0) continue;
      const double tick = digit * std::pow(10, power);
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
    }
  return ticks;
}

std::string svg_of(const LinePlot& plot) {
  const Frame frame = frame_of(plot);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"13\" fill=\"#222222\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"#ffffff\"/>\n",
      plot.width, plot.height);
  out += grid_lines(frame) + labels(plot, frame);
  for (std::size_t i = 0; i < plot.series.size(); ++i)
    out += curve(plot.series[i], frame, colours[i % std::size(colours)]);
  return out + legend(plot, frame) + "</svg>\n";
}

}  // namespace dollop
