// Feeds arbitrary bytes to the reader of measured flow curves, in any encoding, and what it accepts to the fits. A table
// must be refused with a MeasuredFlowError, or give positive points and a finite law. The first byte chooses options.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "io/measured_flow.h"
#include "io/text_encoding.h"
#include "solvers/rheometer/flow_fit.h"
#include "target.h"

namespace dollop::fuzz {

namespace {

MeasuredFlowOptions options_of(unsigned char choice) {
  MeasuredFlowOptions options;
  if (choice % 2 != 0) options.columns = {1, 2};
  if (choice / 2 % 2 != 0) options.units = {"1/s", "mPa"};
  if (choice / 4 % 2 != 0) options.tables = {2};
  return options;
}

}  // namespace

std::vector<std::string> seeds() {
  const std::string rows = "0.1 10\n1 12\n10 20\n100 60\n";
  const std::string titles =
      "Flow curve\n\nInterval;Shear rate;Shear stress\n;[1/s];[Pa]\n1|1;0,1;10\n1|2;1;12\n1|3;10;20\n";
  std::string wide = "\xff\xfe";  // UTF-16
  for (const char c : rows) wide += std::string{c, '\0'};
  std::vector<std::string> all;
  for (const std::string& text :
       {rows, std::string("rate,stress\n0.1,10\n1,12\n10,20\n100,60\n"),
        std::string("shear rate [1/s];shear stress [Pa]\n0,1;10,5\n1;12,25\n10;20\n100;60\n"),
        std::string(
            "# a rheometer\nviscosity [mPa s]\tshear rate [1/s]\n1000\t0.1\n500\t1\n90\t10\n12\t100\n"),
        std::string("\"Scherrate\";\"Schubspannung\"\n1/s;kPa\n0,1;\"0,010\"\n1;0,012\n1.000,5;0,060\n"),
        titles, wide})
    all.push_back('\0' + text);
  all.push_back('\3' + rows);
  all.push_back('\4' + titles + "2|1;0,1;10\n2|2;1;12\n2|3;10;20\n");
  return all;
}

bool accepts(const std::string& input) {
  if (input.empty()) return false;
  std::vector<FlowSample> samples;
  try {
    samples = parse_measured_flow(to_utf8(input.substr(1)), options_of(static_cast<unsigned char>(input[0])))
                  .samples;
  } catch (const MeasuredFlowError& error) {
    require(std::string(error.what()).size() < 4000, "an error is too long");
    return false;
  }
  double largest = 0;
  for (const FlowSample& s : samples) {
    require(std::isfinite(s.rate) && s.rate >= 0 && std::isfinite(s.stress) && s.stress > 0,
            "a point is not positive");
    largest = std::max(largest, s.stress);
  }
  const FlowLaw law = fit_flow(samples).law;
  require(std::isfinite(law.tau_y + law.consistency + law.index), "a fit is not finite");
  judge(small_strain_parameters(law, 5 * largest), samples);
  return true;
}

}  // namespace dollop::fuzz
