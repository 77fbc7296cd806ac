// Expressions of the time t, such as "0.02*sin(2*pi*3*t)".
//
// They may use all that muParser offers (+ - * / ^, comparisons, a ? b : c, sin, exp, min, ...), the constants pi and
// e, the functions floor(x) and frac(x), and
//   clamp(x, low, high)    step(edge, x): 0 below the edge, else 1    smoothstep(a, b, x): from 0 at a to 1 at b
#pragma once

#include <string>

namespace dollop {

// The error in an expression and its column; empty if the expression is valid.
std::string validate_expression(const std::string& expression);

// The value at time t; NaN if the expression does not pass validate_expression(). Each thread parses an expression once
// and caches it, so calls are fast and thread-safe.
double evaluate(const std::string& expression, double t);

}  // namespace dollop
