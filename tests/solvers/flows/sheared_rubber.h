// The stress of the viscoelastic solid in simple shear from rest, by an integration that shares no code with the model.
#pragma once

#include <cmath>

namespace dollop::tests {

struct ShearedRubber {
  double shear, normal;  // tau_xy, tau_xx - tau_yy [Pa]
};

// b' = L b + b L^T - b ln b/t_d by the method of Runge and Kutta, in the plane of shear, where det b = 1
inline ShearedRubber sheared_rubber(double mu, double mu_neq, double time_d, double rate, double time) {
  struct B {
    double xx, yy, xy;
  };
  const auto log_over = [](const B& b) {  // ln b = (b - mean 1) this
    const double c = (b.xx + b.yy) / 2, theta = std::acosh(c < 1 ? 1 : c);
    return theta < 1e-6 ? 1 : theta / std::sinh(theta);
  };
  const auto slope = [&](const B& b) -> B {
    const double s = log_over(b) / time_d, mean = (b.xx + b.yy) / 2;
    const double l_xx = b.xx - mean, l_yy = b.yy - mean;
    return {2 * rate * b.xy - s * (b.xx * l_xx + b.xy * b.xy), -s * (b.yy * l_yy + b.xy * b.xy),
            rate * b.yy - s * (b.xx * b.xy + b.xy * l_yy)};
  };
  const auto moved = [](const B& b, double h, const B& d) -> B {
    return {b.xx + h * d.xx, b.yy + h * d.yy, b.xy + h * d.xy};
  };
  B b{1, 1, 0};
  const int steps = 4000;
  const double h = time / steps;
  for (int k = 0; k < steps; ++k) {
    const B k1 = slope(b), k2 = slope(moved(b, h / 2, k1)), k3 = slope(moved(b, h / 2, k2)),
            k4 = slope(moved(b, h, k3));
    b = moved(moved(moved(moved(b, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  const double s = log_over(b),
               eps = std::asinh(rate * time / 2);  // of the branch that lasts, in closed form
  return {2 * mu * eps / std::cosh(eps) + mu_neq * s * b.xy,
          4 * mu * eps * std::tanh(eps) + mu_neq * s * (b.xx - b.yy)};
}

}  // namespace dollop::tests
