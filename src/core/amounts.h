// Amounts as users read them.
#pragma once

#include <string>

namespace dollop {

// 12.3 MiB or 4.56 GiB
std::string bytes_text(double bytes);

// a positive number, rounded up to so many digits
double rounded_up(double value, int digits);

}  // namespace dollop
