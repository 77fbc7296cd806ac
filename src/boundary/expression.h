// Expressions of the time t, such as "0.02*sin(2*pi*3*t)".
//
// All that muParser knows (+ - * / ^, comparisons, a ? b : c, sin, exp, min, ...), the constants pi and e, and
//   clamp(x, low, high)    step(edge, x): 0 below the edge, else 1    smoothstep(a, b, x): from 0 at a to 1 at b
#pragma once

#include <string>

namespace dollop {

// What is wrong with an expression, with the column it is wrong at; empty if nothing is.
std::string validate_expression(const std::string& expression);

// The value at a time; not a number for what does not pass validate_expression(). Parsed once for each thread, so it is
// quick and safe from many threads.
double evaluate(const std::string& expression, double t);

}  // namespace dollop
